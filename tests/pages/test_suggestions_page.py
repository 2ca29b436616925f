"""From an import without incorrect answers to the next step, and to suggested incorrect answers."""

import pytest

from core.demonstration.demonstration import Draft
from core.studio.pools import demonstrations
from pages.common.incorrect.near import SHEET
from tests.pages.conftest import press, send_typed, shown
from tests.pages.test_import_page import captions, chosen
from tests.support.gated import gated
from tests.support.hashing_encoder import WaitingEncoder

FAQ = (
    ("When does the shop open on Monday?", "At nine"),
    ("When does the shop open on Sunday?", "It is closed"),
    ("When does the shop open in May?", "At ten"),
    ("Who bakes the bread?", "A baker"),
)
CSV = "\n".join(["question,answer", *(",".join(row) for row in FAQ)]).encode()
NONE_LACKS = (
    "No query of the pool lacks incorrect answers. The model can still be asked: choose 'The "
    "model's own answers' above."
)
CANNOT = "Queries with incorrect answers: none of 4; contexts and the map work as with any pool"


def added(studio, pool):
    """The incorrect answers of the pool's queries."""
    return {
        row.query: [wrong.text for wrong in row.incorrect] for row in shown(studio, pool).values()
    }


@pytest.fixture
def imported(workspace, language_model, open_page):
    """The import page after an FAQ was imported."""
    app = chosen(open_page, "faq.csv", CSV)
    assert any(each.startswith(CANNOT) for each in captions(app)), "the preview says it"
    return press(app, "import_go")


def to_suggestions(app, finish):
    app.button(key="import_suggest").click()
    return finish(app.run())


def test_the_report_says_what_the_pool_can_tell_and_what_each_next_step_costs(imported):
    report = captions(imported)
    assert any(each.startswith(CANNOT) for each in report)
    assert any(each.startswith("Its texts are embedded.") for each in report)
    steps = {each.key: each.label for each in imported.button if (each.key or "")[:5] == "next_"}
    assert steps == {
        "next_review": "Look through what is odd",
        "next_map": "See it on the Map",
        "next_explore": "Ask a query",
        "next_calibrate": "Find the best setting",
        "next_compare": "Compare methods",
    }
    assert "Lays out 4 queries once, a few seconds per 1,000; no model." in report
    assert (
        "Its context comes first. About 27 contexts for the model to judge, for the curve of "
        "lambda_d." in report
    )
    assert (
        "About 108 contexts of 4 queries for the model to judge, each with all answers of its "
        "query." in report
    )


def test_the_report_counts_what_is_still_to_be_computed(
    small_pool, language_model, every_studio, load_once, presence, open_page, finish
):
    encoder = WaitingEncoder()
    every_studio(load_encoder=lambda name: encoder, load_model=load_once, presence=presence)
    rows = [f"Where is room {n}?,On floor {n}" for n in range(70)]
    app = chosen(open_page, "rooms.csv", "\n".join(["question,answer", *rows]).encode())
    encoder.may.clear()
    press(app, "import_go")
    waiting = (
        "Texts still to embed: 70. In the background the model scores the quality bias of 70 pairs "
        "of query and answer; only what uses it waits for it."
    )
    assert waiting in captions(app)
    app.button_group(key="demonstrations_section").set_value("suggest").run()
    assert [each.value for each in app.info] == [
        "The pool is being embedded; the side bar shows how far it is."
    ]
    app.button_group(key="demonstrations_section").set_value("import").run()
    encoder.may.set()
    assert "Its texts are embedded." in captions(finish(app))


@pytest.mark.parametrize(
    ("page", "title"), gated([("explore", "Explore"), ("map", "Map"), ("calibrate", "Calibrate")])
)
def test_a_next_step_leads_to_its_page_with_the_pool(
    workspace, language_model, open_app, finish, page, title
):
    app = open_app("demonstrations")
    app.button_group(key="demonstrations_section").set_value("import").run()
    app.file_uploader(key="import_file_0").upload("faq.csv", CSV).run()
    press(app, "import_go")
    press(app, f"next_{page}")
    assert [each.value for each in app.title] == [title]
    assert app.sidebar.selectbox[0].value == "faq"


def test_a_file_with_incorrect_answers_everywhere_gets_no_suggestions(small_pool, open_page):
    app = chosen(open_page, "quiz.csv", b"question,A,B,answer\nWho bakes?,A tailor,A baker,B\n")
    press(app, "import_go")
    assert "import_suggest" not in [each.key for each in app.button]
    app.button_group(key="demonstrations_section").set_value("suggest").run()
    assert [each.value for each in app.info] == [NONE_LACKS]


def test_all_are_ticked_at_first_accepted_at_once_and_undone(imported, finish, the_studio):
    app = to_suggestions(imported, finish)
    assert [each.value for each in app.text if each.value.startswith("Queries without")] == [
        "Queries without incorrect answers: 4 of 4. Suggested: 12 for 4 of them."
    ]
    table = app.dataframe[0].value
    assert table["add"].tolist() == [True] * 12
    assert table[["query", "correct answer"]].values.tolist() == [
        list(row) for row in FAQ for _ in range(3)
    ]
    assert table["incorrect answer"][2] == "A baker", "the least alike comes last"
    assert table["from the query"][2] == "Who bakes the bread?"
    assert app.button(key="suggest_accept_here").label == "Accept all 12"
    finish(press(app, "suggest_accept_here"))
    others = {query: {a for _, a in FAQ} - {answer} for query, answer in FAQ}
    assert {q: set(texts) for q, texts in added(the_studio(), "faq").items()} == others
    assert [each.value.replace("\\", "") for each in app.success] == [
        "Added 12 incorrect answers from near queries."
    ]
    assert [each.value for each in app.info] == [NONE_LACKS]
    finish(press(app, "demonstrations_notice_undo"))
    assert added(the_studio(), "faq") == {query: [] for query, _ in FAQ}
    assert app.dataframe[0].value["add"].tolist() == [True] * 12


def untick(app, *places):
    """Untick rows of the table as the browser tells it."""
    rows = {str(place): {"add": False} for place in places}
    return send_typed(app, app.dataframe[0].proto.id, rows)


@pytest.mark.thorough
def test_what_was_unticked_is_not_added_and_stays_so(imported, finish, the_studio):
    app = to_suggestions(imported, finish)
    unwanted = app.dataframe[0].value["incorrect answer"][0]
    untick(app, 0, 3, 4, 5)
    assert app.button(key="suggest_accept_here").label == "Accept the 8 ticked here"
    app.button_group(key="demonstrations_section").set_value("history").run()
    app.button_group(key="demonstrations_section").set_value("suggest").run()
    ticks = [True] * 12
    for place in (0, 3, 4, 5):
        ticks[place] = False
    assert app.dataframe[0].value["add"].tolist() == ticks
    finish(press(app, "suggest_accept_here"))
    found = added(the_studio(), "faq")
    assert unwanted not in found[FAQ[0][0]]
    assert (len(found[FAQ[0][0]]), found[FAQ[1][0]]) == (2, [])
    assert app.dataframe[0].value["add"].tolist() == [False] * 3, "these are still not wanted"


def test_many_are_shown_a_page_at_a_time(workspace, workspace_with, open_page, finish, the_studio):
    drafts = tuple(Draft(f"Where is room {n}?", f"On floor {n + 100}") for n in range(40))
    workspace_with(workspace, "rooms", drafts)
    app = finish(open_page("demonstrations", pool="rooms", section="suggest"))
    total = int(app.text[0].value.split("Suggested: ")[1].split(" for")[0])
    assert total > 100
    first = app.session_state[SHEET].rows
    assert f"1 to 50 of {total}" in [each.value for each in app.text]
    untick(app, 0)
    assert app.button(key="suggest_accept_here").label == "Accept the 49 ticked here"
    assert app.button(key="suggest_accept_all").label == f"Accept all {total - 1} but the unticked"
    press(app, "suggest_accept_here")
    (newest, *_) = demonstrations.history(the_studio(), "rooms")
    assert newest.what == "added 49 incorrect answers from near queries"
    assert newest.changes == len({row.query for row in first[1:]})


def test_where_all_answers_are_one_label_it_says_why_there_is_none(
    workspace, workspace_with, open_page, finish
):
    workspace_with(workspace, "labels", tuple(Draft(query, "yes") for query, _ in FAQ))
    app = finish(open_page("demonstrations", pool="labels", section="suggest"))
    assert [each.value for each in app.info] == [
        "No near query has an answer that is surely wrong here: those that say the same as a "
        "correct answer, and labels that many queries share, are not suggested."
    ]
    assert not app.dataframe


def test_where_answers_are_labels_the_other_ones_are_suggested(
    workspace, workspace_with, open_page, finish, the_studio
):
    drafts = tuple(Draft(query, ("yes", "no")[n % 2]) for n, (query, _) in enumerate(FAQ))
    more = tuple(
        Draft(f"{query} Really?", "yes" if n % 2 else "no") for n, (query, _) in enumerate(FAQ)
    )
    workspace_with(workspace, "labels", (*drafts, *more))
    app = finish(open_page("demonstrations", pool="labels", section="suggest"))
    assert any("They get the kind 'other label'" in each for each in captions(app))
    other = {"yes": "no", "no": "yes"}
    assert app.dataframe[0].value["incorrect answer"].tolist() == [
        other[each.answer] for each in (*drafts, *more)
    ]
    finish(press(app, "suggest_accept_here"))
    assert added(the_studio(), "labels") == {
        each.query: [other[each.answer]] for each in (*drafts, *more)
    }
