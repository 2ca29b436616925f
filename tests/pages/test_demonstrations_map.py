"""Demonstrations and Map: wiring under AppTest, alone and through the router."""

import json
import threading
from contextlib import contextmanager

import pytest

from core.background import Presence
from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.store import Change
from core.studio.pools import demonstrations, pools
from core.studio.pools.demonstrations import PAGE_SIZE, TableRequest
from pages.common.demonstrations.bulk import MOST_FIXED
from pages.common.demonstrations.saving import EDITING_KEY
from pages.common.map.selection import SELECTED
from tests.pages.conftest import errors, parameter, press, send_typed, shown, type_into

CSV = b"""query,answer,incorrect,tags
Is ice hot?,No,Yes,cold
,nothing,x,
Is ice hot?,Never,Yes,cold
"""


def chips(app):
    """The badges on the page."""
    return [each for each in app.markdown if "-badge[" in each.value]


def every(app, pool):
    """The ids of all rows, on whichever page."""
    return demonstrations.matching_ids(app, TableRequest(pool))


def shows(app, words):
    return any(words in each.value for each in app.text)


def success(app):
    return [each.value.replace("\\", "") for each in app.success]


def test_the_table_opens_alone_and_through_the_router(small_pool, open_page, open_app):
    for app in (open_page("demonstrations"), open_app("demonstrations")):
        assert not app.exception
        assert [title.value for title in app.title] == ["Demonstrations"]
        assert (
            "10 demonstrations, 0 of them excluded; 5 queries; 20 triples" in app.caption[1].value
        )
        frame = app.dataframe[0].value
        assert frame["query"].tolist()[:2] == ["Is the moon made of cheese?"] * 2
        assert list(frame["incorrect"][0]) == ["Of course", "Nobody knows"]
        assert [each.label for each in app.button if "Save" in each.label] == []


def test_a_link_opens_section_and_filters(small_pool, open_page):
    app = open_page("demonstrations", search="BATS", status="included")
    assert app.dataframe[0].value["query"].tolist() == ["Do bats see well?"] * 2
    assert parameter(app, "search") == "BATS"
    assert parameter(app, "pool") == small_pool
    history = open_page("demonstrations", section="history")
    lines = [each.label.split(" · ")[1:] for each in history.expander]
    assert ["import", "you"] in lines


def test_a_link_to_named_demonstrations_shows_only_them_until_all_are_asked_for(
    small_pool, open_page, the_studio
):
    app = open_page("demonstrations")
    ids = list(shown(the_studio(), small_pool))
    app = open_page("demonstrations", pool=small_pool, ids=f"{ids[7]},{ids[2]},{ids[7]}")
    assert app.dataframe[0].value["id"].tolist() == [ids[2], ids[7]]
    (chip,) = chips(app)
    assert "Only these 2 demonstrations" in chip.value
    assert parameter(app, "ids") == f"{ids[7]},{ids[2]}"
    press(app, "demonstrations_show_all")
    assert app.dataframe[0].value["id"].tolist() == ids
    assert "ids" not in app.query_params
    assert not chips(app)
    for wrong in ("three", "-1", str(1 << 63)):
        app = open_page("demonstrations", pool=small_pool, ids=wrong)
        assert app.dataframe[0].value["id"].tolist() == ids


def test_named_demonstrations_are_let_go_with_their_pool(small_pool, open_page, the_studio):
    app = open_page("demonstrations", pool=small_pool)
    studio = the_studio()
    first = next(iter(shown(studio, small_pool)))
    studio.store.demonstrations.add_to_named("other", [Draft("Why?", "So.")])
    app = open_page("demonstrations", pool=small_pool, ids=str(first))
    assert app.dataframe[0].value["id"].tolist() == [first]
    app.selectbox(key="sidebar_pool").set_value("other").run()
    assert app.dataframe[0].value["query"].tolist() == ["Why?"]
    assert not chips(app)


def test_filters_that_match_nothing_say_so(small_pool, open_page):
    app = open_page("demonstrations", search="no such text")
    assert "No demonstration matches the filters." in [text.value for text in app.text]
    assert app.button(key="demonstrations_bulk_Exclude").disabled


def test_all_that_match_are_excluded_and_the_undo_brings_them_back(
    small_pool, open_page, the_studio
):
    app = open_page("demonstrations", search="bats")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    assert shows(app, "all 2 that match the filters")
    press(app, "demonstrations_bulk_Exclude")
    assert success(app) == ["Excluded 2 demonstrations."]
    rows = shown(the_studio(), small_pool).values()
    excluded = [row.query for row in rows if row.status is Status.EXCLUDED]
    assert excluded == ["Do bats see well?"] * 2
    press(app, "demonstrations_notice_undo")
    assert success(app) == ["Undo: excluded 2 demonstrations."]
    rows = shown(the_studio(), small_pool).values()
    assert {row.status for row in rows} == {Status.INCLUDED}
    press(app, "demonstrations_notice_undo")
    assert success(app) == ["Redo: excluded 2 demonstrations."]
    assert app.button(key="demonstrations_notice_undo").label == "Undo"


def test_all_that_match_ends_with_the_filters(small_pool, open_page):
    app = open_page("demonstrations", search="bats")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    app.text_input(key="demonstrations_search").set_value("glass").run()
    assert shows(app, "all 2 that match the filters")
    app.text_input(key="demonstrations_search").set_value("").run()
    assert app.radio(key="demonstrations_bulk_scope").value == 0
    assert app.button(key="demonstrations_bulk_Exclude").disabled
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    assert shows(app, "all 10 that match the filters")


def test_tags_are_given_and_taken_and_mistakes_are_one_sentence(small_pool, open_page, the_studio):
    app = open_page("demonstrations", search="glass")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    assert app.button(key="demonstrations_bulk_Add tag").disabled
    assert app.button(key="demonstrations_bulk_Remove tag").disabled
    demonstrations.add_tag(the_studio(), [next(iter(shown(the_studio(), small_pool)))], "first")
    app.run()
    app.selectbox(key="demonstrations_bulk_tag").set_value("first").run()
    press(app, "demonstrations_bulk_Remove tag")
    assert errors(app) == ["Nothing to do: this already applies to 2 demonstrations."]
    press(app, "demonstrations_bulk_Add tag")
    tagged = [row.query for row in shown(the_studio(), small_pool).values() if row.tags]
    assert tagged == ["Is the moon made of cheese?", *["Is glass a slow liquid?"] * 2]


@pytest.mark.thorough
def test_deleting_asks_once_more(small_pool, open_page, the_studio):
    app = open_page("demonstrations", search="moon")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    press(app, "demonstrations_bulk_Delete")
    assert "Delete 2 demonstrations? Undo brings them back." in [t.value for t in app.text]
    assert len(shown(the_studio(), small_pool)) == 10
    press(app, "demonstrations_bulk_delete_no")
    assert len(shown(the_studio(), small_pool)) == 10
    press(app, "demonstrations_bulk_Delete")
    press(app, "demonstrations_bulk_delete_yes")
    assert len(shown(the_studio(), small_pool)) == 8
    app.text_input(key="demonstrations_search").set_value("").run()
    assert len(app.dataframe[0].value) == 8
    press(app, "demonstrations_notice_undo")
    assert len(shown(the_studio(), small_pool)) == 10


def test_every_action_of_the_history_can_be_undone_and_redone(small_pool, open_page, the_studio):
    app = open_page("demonstrations", section="history")
    gone = demonstrations.delete(the_studio(), list(shown(the_studio(), small_pool))[:3])
    app.run()
    press(app, f"demonstrations_undo_{gone}")
    assert len(shown(the_studio(), small_pool)) == 10
    redo = demonstrations.history(the_studio(), small_pool)[0].id
    assert app.button(key=f"demonstrations_undo_{redo}").label == "Redo"
    press(app, f"demonstrations_undo_{redo}")
    assert len(shown(the_studio(), small_pool)) == 7
    first = demonstrations.history(the_studio(), small_pool)[-1].id
    press(app, f"demonstrations_undo_{first}")
    assert "cannot be undone, a demonstration has changed since" in errors(app)[0]
    assert len(shown(the_studio(), small_pool)) == 7


def test_one_is_added_by_hand(small_pool, open_page, the_studio):
    app = open_page("demonstrations")
    app.text_area(key=f"add_query_0_{small_pool}").set_value("Is $x$ *bold*?")
    app.text_area(key=f"add_answer_0_{small_pool}").set_value("No")
    app.text_area(key=f"add_incorrect_0_{small_pool}").set_value("Yes\n\nMaybe")
    press(app, "demonstrations_add")
    new = list(shown(the_studio(), small_pool).values())[-1]
    assert (new.query, new.answer) == ("Is $x$ *bold*?", "No")
    assert new.incorrect == incorrect_answers(["Yes", "Maybe"])
    assert app.text_area(key=f"add_query_1_{small_pool}").value == ""
    assert len(app.dataframe[0].value) == 11
    press(app, "demonstrations_add")
    assert errors(app) == ["A demonstration needs a query and an answer; one of them is empty."]


class EndsMeanwhile(Presence):
    """Calls `meanwhile` once a page has asked what it needs, before it draws what runs."""

    def __init__(self):
        super().__init__(drawing=0.0)
        self.meanwhile = lambda: None

    @contextmanager
    def serving(self):
        with super().serving():
            yield
        self.meanwhile()


@pytest.mark.parametrize("presence", [EndsMeanwhile()], ids=["ends meanwhile"])
def test_a_click_is_not_lost_when_background_work_ends_just_then(
    small_pool, language_model, open_page, the_studio, presence
):
    release, worker = threading.Event(), the_studio().model_worker
    worker.submit("test", "Occupies the worker", lambda job: release.wait(60))
    app = open_page("demonstrations")
    assert len(worker.jobs()) == 2, "the model is not loaded yet"

    def loaded_meanwhile():
        release.set()
        for job in worker.jobs():
            assert job.wait(60)

    presence.meanwhile = loaded_meanwhile
    app.text_area(key=f"add_query_0_{small_pool}").set_value("Is it kept?")
    app.text_area(key=f"add_answer_0_{small_pool}").set_value("Yes")
    press(app, "demonstrations_add")
    assert [row.query for row in shown(the_studio(), small_pool).values()][-1] == "Is it kept?"


def test_an_edit_is_saved_as_it_is_made_and_undone_right_there(small_pool, open_page, the_studio):
    app = type_into(open_page("demonstrations"), 0, answer="Rock")
    ids = list(shown(the_studio(), small_pool))
    assert shown(the_studio(), small_pool)[ids[0]].answer == "Rock"
    assert success(app) == [f"Saved: edited the answer of demonstration {ids[0]}."]
    editor = app.session_state[EDITING_KEY].key
    type_into(app, 1, note="two", tags=["t"])
    row = shown(the_studio(), small_pool)[ids[1]]
    assert (row.note, row.tags, row.revision) == ("two", ("t",), 2)
    assert success(app) == [f"Saved: edited the note and tags of demonstration {ids[1]}."]
    assert app.session_state[EDITING_KEY].key == editor, "another key would end what is being typed"
    assert app.dataframe[0].value["answer"][0] == "No, says the book (0)", (
        "sent the same, the editor would forget what was typed with a run of its own"
    )
    press(app, "demonstrations_notice_undo")
    row = shown(the_studio(), small_pool)[ids[1]]
    assert (row.note, row.tags) == ("", ())
    assert app.dataframe[0].value["note"].tolist() == [""] * 10
    assert shown(the_studio(), small_pool)[ids[0]].answer == "Rock"


def test_a_table_that_was_left_shows_what_is_saved_also_to_a_late_browser(
    small_pool, open_page, the_studio
):
    """It tells once more what was typed, with the request that comes back, and then forgets it."""
    app = type_into(open_page("demonstrations"), 0, answer="Rock")
    editor, key = app.dataframe[0].proto.id, app.session_state[EDITING_KEY].key
    (section,) = (each for each in app.button_group if each.key == "demonstrations_section")
    section.set_value("fixed").run()
    (section,) = (each for each in app.button_group if each.key == "demonstrations_section")
    section.set_value("table")
    send_typed(app, editor, {"0": {"answer": "Rock"}})
    assert app.session_state[EDITING_KEY].key != key
    assert app.dataframe[0].value["answer"][0] == "Rock"
    rows = shown(the_studio(), small_pool)
    assert rows[next(iter(rows))].answer == "Rock"


def test_a_late_writer_is_told_and_loses_nothing(small_pool, open_page, the_studio):
    app = open_page("demonstrations")
    first, second = list(shown(the_studio(), small_pool))[:2]
    demonstrations.add_tag(the_studio(), [first], "theirs")
    type_into(app, 0, answer="Mine")
    row = shown(the_studio(), small_pool)[first]
    assert (row.answer, row.tags) == ("Mine", ("theirs",))
    assert success(app) == [
        f"Saved: edited the answer of demonstration {first}. Somebody else changed demonstration "
        f"{first} meanwhile (tags); that is kept beside your edit."
    ]
    assert app.dataframe[0].value["tags"][0] == ["theirs"]
    theirs = Change(second, 1, answer="Theirs")
    the_studio().store.demonstrations.change([theirs], what="elsewhere")
    type_into(app, 1, answer="Mine too")
    assert errors(app) == [
        f"Not saved. Somebody else changed the answer of demonstration {second} meanwhile, to "
        "'Theirs': yours is still here, not saved."
    ]
    assert shown(the_studio(), small_pool)[second].answer == "Theirs"
    app.selectbox(key="demonstrations_status").set_value("included").run()
    assert app.dataframe[0].value["answer"][1] == "Mine too"
    press(app, "demonstrations_save_over")
    assert shown(the_studio(), small_pool)[second].answer == "Mine too"
    assert errors(app) == []


def test_an_own_action_before_an_edit_is_no_conflict(small_pool, open_page, the_studio):
    app = open_page("demonstrations")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    press(app, "demonstrations_bulk_Exclude")
    type_into(app, 0, answer="Mine")
    row = next(iter(shown(the_studio(), small_pool).values()))
    assert (row.answer, row.status) == ("Mine", Status.EXCLUDED)
    assert success(app) == [f"Saved: edited the answer of demonstration {row.id}."]


def test_a_refused_edit_can_be_mended_or_discarded(small_pool, open_page, the_studio):
    app = type_into(open_page("demonstrations"), 0, answer=" ", note="kept")
    first = next(iter(shown(the_studio(), small_pool)))
    assert errors(app)[0].startswith("Not saved. The answer of Demonstration ")
    assert errors(app)[0].endswith("is empty: write one, or leave it out.")
    assert shown(the_studio(), small_pool)[first].note == "kept"
    type_into(app, 0, answer="Mended")
    assert errors(app) == []
    assert shown(the_studio(), small_pool)[first].answer == "Mended"
    type_into(app, 0, answer="")
    press(app, "demonstrations_discard")
    assert errors(app) == []
    assert app.dataframe[0].value["answer"][0] == "Mended"


def test_edits_are_kept_by_id_when_sort_filter_and_page_change(small_pool, open_page, the_studio):
    pool = the_studio().store.pools.get(small_pool)
    others = [Draft(f"Z {number}?", "Yes") for number in range(PAGE_SIZE - 4)]
    the_studio().store.demonstrations.add(pool.id, others)
    app = open_page("demonstrations", sort="query", descending="True", page="2")
    ids = every(the_studio(), small_pool)
    assert app.dataframe[0].value["id"].tolist() == [ids[at] for at in (8, 9, 6, 7, 2, 3)]
    assert (parameter(app, "sort"), parameter(app, "descending"), parameter(app, "page")) == (
        "query", "True", "2",
    )  # fmt: skip
    type_into(app, 2, note="by id", answer=" ")
    app.selectbox(key="demonstrations_sort").set_value("id").run()
    app.toggle(key="demonstrations_descending").set_value(False).run()
    assert app.dataframe[0].value["id"].tolist() == ids[:PAGE_SIZE]
    assert "is empty" in errors(app)[0], "it is shown wherever the table is"
    app.text_input(key="demonstrations_search").set_value("by id").run()
    assert app.dataframe[0].value["id"].tolist() == [ids[6]]
    assert app.dataframe[0].value["answer"].tolist() == [" "]
    (row,) = the_studio().store.demonstrations.by_ids([ids[6]])
    assert (row.note, row.answer.startswith("No")) == ("by id", True)


def test_a_file_is_previewed_imported_and_reported(small_pool, open_page, the_studio):
    app = open_page("demonstrations", section="import")
    app.file_uploader(key="import_file_0").upload("Ice facts.csv", CSV).run()
    assert not app.exception
    assert app.text_input(key="import_pool_0").value == "ice-facts"
    guess = "0_guessed from the file"
    assert app.multiselect(key=f"import_query_{guess}").value == ["query"]
    assert app.multiselect(key=f"import_answer_{guess}").value == ["answer"]
    assert app.dataframe[1].value["answer"].tolist() == ["No", "Never"]
    preview = [text.value for text in app.text]
    assert "The first of 3 rows of the file (csv, utf-8)" in preview
    assert "They become 2 demonstrations of 1 query, with 2 triples; the first ones:" in preview
    press(app, "import_go")
    assert app.session_state["sidebar_pool"] == "ice-facts"
    metrics = {metric.label: metric.value for metric in app.metric}
    assert metrics["Demonstrations added"] == "2"
    assert "3 rows: 2 new demonstrations, 1 left out (1 x empty query)." in [
        each.value.replace("\\", "") for each in app.markdown
    ]
    rows = shown(the_studio(), "ice-facts").values()
    assert [(row.answer, row.incorrect, row.tags) for row in rows] == [
        ("No", incorrect_answers(["Yes"]), ("cold",)),
        ("Never", incorrect_answers(["Yes"]), ("cold",)),
    ]
    app.file_uploader(key="import_file_1").upload("Ice facts.csv", CSV).run()
    assert app.button(key="import_go").label == "Add to the pool"


def test_what_was_imported_can_be_made_the_fixed_ones(small_pool, open_page, the_studio):
    app = open_page("demonstrations", section="import")
    old = list(shown(the_studio(), small_pool).values())
    lines = ["query,answer", "Is ice cold?,Yes", f"{old[3].query},{old[3].answer!r}", "Is it?,No"]
    content = "\n".join(lines).replace("'", '"').encode()
    app.file_uploader(key="import_file_0").upload("f.csv", content).run()
    app.text_input(key="import_pool_0").set_value(small_pool).run()
    press(app, "import_go")
    assert "2 demonstrations were added" in app.markdown[0].value
    press(app, "import_fixed")
    assert app.success[0].value == "The method fix now shows the file's first 3\\."
    fixed = [(row.query, row.answer) for row in demonstrations.fixed(the_studio(), small_pool)]
    assert fixed == [("Is ice cold?", "Yes"), (old[3].query, old[3].answer), ("Is it?", "No")]


def test_columns_can_be_corrected(small_pool, open_page, the_studio):
    app = open_page("demonstrations", section="import")
    app.file_uploader(key="import_file_0").upload("f.csv", b"links,rechts\nWer,Ich\n").run()
    assert [each.value for each in app.info] == [
        "Choose above which column has the query and which have the correct answers\\."
    ]
    assert app.button(key="import_go").disabled
    guess = "0_guessed from the file"
    app.multiselect(key=f"import_query_{guess}").set_value(["links"]).run()
    app.multiselect(key=f"import_answer_{guess}").set_value(["rechts"]).run()
    press(app, "import_go")
    assert [row.query for row in shown(the_studio(), "f").values()] == ["Wer"]


def chosen_encoding(app):
    (found,) = [each for each in app.selectbox if each.label == "Encoding"]
    return found


def test_an_unsure_encoding_is_said_and_another_can_be_chosen(small_pool, open_page, the_studio):
    app = open_page("demonstrations", section="import")
    content = "query,answer\nЧто?,Дом\n".encode("cp1251")
    app.file_uploader(key="import_file_0").upload("short.csv", content).run()
    assert not app.exception
    choice = chosen_encoding(app)
    other = next(each for each in ("koi8-r", "cp1251") if each != choice.value)
    assert len(app.warning) == 1
    assert "The file may be in" in app.warning[0].value
    shown_texts = app.dataframe[0].value["query"].tolist()
    assert shown_texts == [content.splitlines()[1].split(b",")[0].decode(choice.value)]
    choice.set_value("cp1251").run()
    assert app.dataframe[0].value.iloc[0].tolist() == ["Что?", "Дом"]
    assert len(app.warning) == (0 if other == "cp1251" else 1)
    chosen_encoding(app).set_value("koi8-r").run()
    assert app.dataframe[0].value.iloc[0].tolist() == ["вРН?", "дНЛ"]
    chosen_encoding(app).set_value("cp1251").run()
    press(app, "import_go")
    assert [(row.query, row.answer) for row in shown(the_studio(), "short").values()] == [
        ("Что?", "Дом")
    ]
    captions = " ".join(each.value for each in app.caption).replace("\\", "")
    assert "Format csv, encoding cp1251 (Cyrillic, Windows), " in captions


def test_a_likely_encoding_is_said_without_a_warning(small_pool, open_page):
    app = open_page("demonstrations", section="import")
    text = (
        "query,answer\n"
        "Почему небо голубое?,Воздух рассеивает синий свет сильнее красного.\n"
        "Кто написал «Войну и мир»?,Лев Николаевич Толстой.\n"
        "Летучие мыши слепы?,Нет они видят а многие ещё и хорошо слышат эхо.\n"
    )
    app.file_uploader(key="import_file_0").upload("f.csv", text.encode("cp1251")).run()
    assert not app.warning
    assert chosen_encoding(app).value == "cp1251"
    preview = "The first of 3 rows of the file (csv, cp1251 (Cyrillic, Windows), likely)"
    assert preview in [each.value for each in app.text]


def test_a_certain_encoding_leaves_no_choice(small_pool, open_page):
    app = open_page("demonstrations", section="import")
    app.file_uploader(key="import_file_0").upload("f.csv", CSV).run()
    assert [each.label for each in app.selectbox if each.label == "Encoding"] == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.csv", b"", "f.csv is empty: give a file with a header and rows."),
        ("f.json", b"{broken", "f.json"),
        ("f.xlsx", b"no workbook", "cannot be read as an Excel workbook"),
        ("f.csv", b"query,answer\n", "no rows"),
    ],
)
def test_a_wrong_file_is_one_sentence_and_nothing_is_written(
    small_pool, open_page, the_studio, name, content, message
):
    app = open_page("demonstrations", section="import")
    app.file_uploader(key="import_file_0").upload(name, content).run()
    assert not app.exception
    assert len(app.error) == 1
    assert message in errors(app)[0]
    assert [summary.name for summary in pools.summaries(the_studio())] == [small_pool]


def test_the_fixed_ones_can_be_moved_removed_and_named_from_the_table(
    small_pool, open_page, the_studio
):
    app = open_page("demonstrations", section="fixed")
    ids = [row.id for row in demonstrations.fixed(the_studio(), small_pool)]
    assert len(ids) == 5
    press(app, f"fixed_up_{ids[2]}")
    moved = [ids[0], ids[2], ids[1], *ids[3:]]
    assert [row.id for row in demonstrations.fixed(the_studio(), small_pool)] == moved
    press(app, f"fixed_remove_{ids[0]}")
    assert [row.id for row in demonstrations.fixed(the_studio(), small_pool)] == moved[1:]
    app.text_input(key="fixed_search").set_value("Not at all, says the book (4)").run()
    added = app.selectbox(key="fixed_choice").value
    press(app, "fixed_add")
    assert [row.id for row in demonstrations.fixed(the_studio(), small_pool)] == [*moved[1:], added]
    table = open_page("demonstrations", search="bulls")
    table.radio(key="demonstrations_bulk_scope").set_value(1).run()
    press(table, "demonstrations_bulk_fixed")
    named = [row.query for row in demonstrations.fixed(the_studio(), small_pool)]
    assert named == ["Do bulls hate the colour red?"] * 2
    assert MOST_FIXED >= 6


def test_a_pool_is_renamed_and_deleted_only_when_its_name_is_typed(
    small_pool, open_page, the_studio
):
    app = open_page("demonstrations", section="pool")
    assert app.button(key="pool_rename_go").disabled
    app.text_input(key=f"pool_rename_{small_pool}").set_value("better name").run()
    press(app, "pool_rename_go")
    assert app.session_state["sidebar_pool"] == "better name"
    app.text_input(key="pool_delete_better name").set_value("better").run()
    assert app.button(key="pool_delete_go").disabled
    app.text_input(key="pool_delete_better name").set_value("better name").run()
    press(app, "pool_delete_go")
    assert pools.summaries(the_studio()) == []
    assert any(each.value.startswith("There is no pool yet. Choose") for each in app.main.info)
    app.file_uploader(key="import_file_0").upload("ice.csv", CSV).run()
    press(app, "import_go")
    assert app.session_state["sidebar_pool"] == "ice"
    assert len(shown(the_studio(), "ice")) == 2


def test_without_a_pool_the_map_says_what_to_do(small_pool, open_page, the_studio):
    open_page("demonstrations")
    pools.delete(the_studio(), small_pool)
    app = open_page("map")
    assert not app.exception
    assert (
        app.main.info[-1].value == "There is no pool yet. Import a file on the Demonstrations page."
    )


def test_a_pool_with_nothing_included_has_no_map(small_pool, open_page, the_studio):
    open_page("demonstrations")
    demonstrations.set_status(the_studio(), list(shown(the_studio(), small_pool)), Status.EXCLUDED)
    assert "no included demonstration" in open_page("map").main.info[-1].value


def test_the_map_is_laid_out_in_the_background_then_drawn(small_pool, open_page, open_app, finish):
    app = open_page("map")
    assert not app.exception
    finish(app)
    assert app.button_group(key="map_colour").value == "tag"
    traced = next(c.value for c in app.caption if "distinct queries" in c.value)
    assert "10 demonstrations on 5 distinct queries" in traced
    assert "seed 0" in traced
    assert "hashing" in traced
    through_router = finish(open_app("map"))
    assert [title.value for title in through_router.title] == ["Map"]


def test_a_link_to_the_map_draws_that_context(visited_pool, open_page, finish):
    link = {
        "from": "typed",
        "typed": "Do bats sleep?",
        "method": "rel",
        "k": "2",
        "colour": "length",
    }
    app = finish(open_page("map", **link))
    assert app.dataframe[0].value["query"].tolist() == ["Do bats see well?"] * 2
    assert app.dataframe[0].value["redundancy"].round(2).tolist()[1] == 1.0
    for name, value in link.items():
        assert parameter(app, name) == value
    app.button_group(key="map_from").set_value("example").run()
    app.selectbox(key=f"map_query_{visited_pool}").set_value("Do bats see well?").run()
    assert "Do bats see well?" not in app.dataframe[0].value["query"].tolist()
    assert parameter(app, "query") == "Do bats see well?"


def test_lambda_d_changes_the_context_on_the_map(visited_pool, open_page, finish):
    app = finish(
        open_page("map", query="Do bats see well?", method="rel+div", k="3", lambda_d="1.00")
    )
    relevant = app.dataframe[0].value["query"].tolist()
    assert relevant[0] == relevant[1]
    app.slider(key="map_lambda_d").set_value(0.1).run()
    diverse = app.dataframe[0].value["query"].tolist()
    assert len(set(diverse)) == 3
    assert parameter(app, "lambda_d") == "0.10"


def test_an_empty_query_is_asked_for(visited_pool, open_page, finish):
    app = finish(open_page("map", **{"from": "typed"}))
    assert app.main.info[-1].value == "Type a query to see where it lies and what it retrieves."


def test_selected_on_the_map_by_words_then_excluded_and_kept_selected(
    visited_pool, open_page, finish, the_studio
):
    app = finish(open_page("map"))
    ids = list(shown(the_studio(), visited_pool))
    app.text_input(key="map_search").set_value(f"id:{ids[0]},{ids[3]}-{ids[4]}").run()
    assert app.session_state[SELECTED] == [ids[0], ids[3], ids[4]]
    assert app.dataframe[-1].value["id"].tolist() == [ids[0], ids[3], ids[4]]
    press(app, "map_bulk_Exclude")
    rows = shown(the_studio(), visited_pool)
    assert [id for id in ids if rows[id].status is Status.EXCLUDED] == [ids[0], ids[3], ids[4]]
    assert app.dataframe[-1].value["status"].tolist() == ["excluded"] * 3
    press(app, "map_bulk_Delete")
    press(app, "map_bulk_delete_yes")
    assert success(app) == ["Deleted 3 demonstrations."]
    assert any("Nothing is selected" in each.value for each in app.main.caption)
    press(app, "map_notice_undo")
    assert app.dataframe[-1].value["id"].tolist() == [ids[0], ids[3], ids[4]]


def legend_and_traces(app):
    spec = json.loads(app.get("plotly_chart")[0].proto.spec)
    title = spec["layout"]["legend"].get("title", {}).get("text")
    return title, [trace["name"] for trace in spec["data"]]


def test_which_of_two_tags_colours_a_point_is_chosen_and_in_the_link(
    visited_pool, open_page, finish, the_studio
):
    open_page("map")
    ids = list(shown(the_studio(), visited_pool))
    demonstrations.add_tag(the_studio(), ids[:6], "animals")
    demonstrations.add_tag(the_studio(), ids[2:4], "bats")
    app = finish(open_page("map"))
    rarest = ("Of several tags, the rarest:", ["no tag (4)", "animals (4)", "bats (2)"])
    assert legend_and_traces(app) == rarest
    assert "decides" not in app.query_params
    app.button_group(key="map_decides").set_value("commonest").run()
    frequent = ("Of several tags, the most frequent:", ["no tag (4)", "animals (6)"])
    assert legend_and_traces(app) == frequent
    assert parameter(app, "decides") == "commonest"
    assert legend_and_traces(finish(open_page("map", decides="commonest"))) == frequent


def test_a_selection_by_other_means_draws_the_chart_anew_without_its_outline(
    visited_pool, open_page, finish, the_studio
):
    def chart():
        return app.get("plotly_chart")[0].proto.id

    app = finish(open_page("map"))
    first = chart()
    app.run()
    assert chart() == first, "a chart that is drawn anew is sent anew"
    app.text_input(key="map_search").set_value("id:1-5").run()
    by_words = chart()
    assert by_words != first
    press(app, "map_clear")
    assert chart() not in (first, by_words)
    assert app.session_state[SELECTED] == []


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("id:seven", "'seven' is not an id"),
        ("id:1-999999", "longer than 100,000"),
    ],
)
def test_a_wrong_selection_is_one_sentence(visited_pool, open_page, finish, typed, message):
    app = finish(open_page("map"))
    app.text_input(key="map_search").set_value(typed).run()
    assert message in errors(app)[0]


def test_texts_of_users_are_never_markup(workspace, open_page, finish, the_studio):
    from core.studio import Studio

    name = "**pool** <b>&amp;</b> $x$"
    wild = "[link](http://a.b) <script>alert(1)</script> $x^2$ :red[x]"
    with Studio.open() as studio:
        pool = studio.store.pools.create(name)
        drafts = [
            Draft(f"{wild} {n}", f"{wild} answer", incorrect_answers((wild,)), (wild,))
            for n in range(4)
        ]
        studio.store.demonstrations.add(pool.id, drafts, what=wild)
    for section in ("table", "import", "history", "fixed", "pool"):
        app = open_page("demonstrations", section=section)
        assert not app.exception
        marked = [*app.markdown, *app.caption, *app.success, *app.error, *app.info]
        assert not any("<script" in each.value and "\\<script" not in each.value for each in marked)
    app = finish(open_page("map", colour="tag"))
    assert app.dataframe[0].value["query"].tolist()[0].startswith(wild)
