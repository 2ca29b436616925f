"""The import page: what happened to a file, a quiz's options, and what differs from the pool."""

import pytest

from core.demonstration.demonstration import Status
from core.studio.pools import demonstrations, pools
from tests.pages.conftest import press, shown

GUESS = "0_guessed from the file"


def chosen(open_page, name, content):
    """The import page with a file."""
    app = open_page("demonstrations", section="import")
    app.file_uploader(key="import_file_0").upload(name, content).run()
    assert not app.exception
    return app


def captions(app):
    return [each.value.replace("\\", "") for each in app.caption]


def test_a_quiz_shows_what_its_letters_became(small_pool, open_page, the_studio):
    content = b"question,A,B,answer\nWho bakes?,A tailor,A baker,B\n"
    app = chosen(open_page, "quiz.csv", content)
    assert app.multiselect(key=f"import_options_{GUESS}").value == ["A", "B"]
    assert app.dataframe[1].value["answer"].tolist() == ["A baker"]
    sentence = (
        'The answers in "answer" name the options in "A", "B" by their labels: each became '
        "the text of its option, and the other options incorrect answers (rows: 1)."
    )
    assert sentence in captions(app)
    press(app, "import_go")
    assert sentence in captions(app)
    (row,) = shown(the_studio(), "quiz").values()
    assert (row.answer, [each.text for each in row.incorrect]) == ("A baker", ["A tailor"])


LINES = "0 a dull film\n1 a café\n0 grey\n1 clear\n" * 10 + "1 grey\n1 \n"


def test_lines_of_labels_and_texts_come_in_by_their_content(small_pool, open_page, the_studio):
    app = chosen(open_page, "films.all", LINES.encode("latin-1"))
    assert app.text[0].value == (
        "The first of 42 rows of the file (sent-conv, cp1252 (Western European, Windows), likely)"
    )
    assert app.dataframe[0].value.columns.tolist() == ["label", "text"]
    found = app.dataframe[1].value
    assert found[["query", "answer"]].values.tolist() == [
        ["a dull film", "0"], ["a café", "1"], ["grey", "0"]
    ]  # fmt: skip
    press(app, "import_go")
    assert [(row.query, row.answer) for row in shown(the_studio(), "films").values()] == [
        ("a dull film", "0"), ("a café", "1"), ("grey", "0"), ("clear", "1"), ("grey", "1")
    ]  # fmt: skip


def test_the_format_of_lines_can_be_chosen(small_pool, open_page):
    app = chosen(open_page, "films.csv", b"0 a dull film\n1 clear\n")
    assert len(app.dataframe) == 1, "no column is a query, so there are no demonstrations"
    app.selectbox(key="import_format_0").set_value("sent-conv").run()
    assert app.dataframe[1].value[["query", "answer"]].values.tolist() == [
        ["a dull film", "0"], ["clear", "1"]
    ]  # fmt: skip


def test_from_where_positions_count_can_be_chosen(small_pool, open_page):
    content = b'[{"question": "Which?", "choices": ["one", "two", "three"], "answer": 1}]'
    app = chosen(open_page, "quiz.json", content)
    assert "write first=0 or first=1" in app.error[0].value
    app.selectbox(key=f"import_first_{GUESS}").set_value(1).run()
    assert not app.error
    assert app.dataframe[1].value["answer"].tolist() == ["one"]


def test_what_may_judge_candidates_is_asked_about(small_pool, open_page):
    content = b"question,answer,score\nWhich is hot?,ice,1\nWhich is hot?,soup,4\n"
    app = chosen(open_page, "judged.csv", content)
    question = 'The column "score" may say which of the texts in "answer" are right, and is taken'
    assert app.warning[0].value.replace("\\", "").startswith(question)
    assert app.multiselect(key=f"import_options_{GUESS}").value == ["answer"]
    assert app.button(key="import_go").disabled
    assert "right=highest" in app.error[0].value
    app.text_input(key=f"import_right_{GUESS}").set_value("highest").run()
    assert not app.error
    found = app.dataframe[1].value[["answer", "incorrect answers"]].values.tolist()
    assert found == [["soup", ["ice"]]]
    app.multiselect(key=f"import_answer_{GUESS}").set_value(["answer"])
    app.multiselect(key=f"import_options_{GUESS}").set_value([]).run()
    assert app.dataframe[1].value["answer"].tolist() == ["ice", "soup"]
    assert not app.warning


LEFT = b"""query,answer,incorrect
Who bakes?, a baker,a tailor
Who sews?, a tailor,nan
Who digs?, NULL,a judge
"""


def test_what_programs_left_in_texts_is_taken_away_by_choice(small_pool, open_page, the_studio):
    app = chosen(open_page, "left.csv", LEFT)
    assert app.dataframe[1].value["answer"].tolist() == [" a baker", " a tailor", " NULL"]
    words = app.multiselect(key=f"import_empty_{GUESS}")
    assert (words.value, words.options) == ([], ["NULL (1)", "nan (1)"])
    words.set_value(["NULL"]).run()
    assert app.dataframe[1].value["answer"].tolist() == [" a baker", " a tailor"]
    app.checkbox(key=f"import_strip_{GUESS}").check().run()
    assert app.dataframe[1].value["answer"].tolist() == ["a baker", "a tailor"]
    press(app, "import_go")
    rows = shown(the_studio(), "left").values()
    found = [(row.answer, [each.text for each in row.incorrect]) for row in rows]
    assert found == [("a baker", ["a tailor"]), ("a tailor", ["nan"])]


def test_a_file_in_which_nothing_is_left_offers_no_such_choice(small_pool, open_page):
    app = chosen(open_page, "clean.csv", b"query,answer\nWho bakes?,a baker\n")
    keys = [each.key for each in (*app.multiselect, *app.checkbox)]
    assert not [key for key in keys if key.startswith(("import_empty", "import_strip"))]


def test_cells_that_look_like_lists_can_be_kept_whole(small_pool, open_page):
    app = chosen(open_page, "code.csv", b'query,answer\nsorted?,"[1, 2]"\n')
    assert app.dataframe[1].value["answer"].tolist() == ["1", "2"]
    app.checkbox(key=f"import_whole_{GUESS}").check().run()
    assert app.dataframe[1].value["answer"].tolist() == ["[1, 2]"]


def test_the_columns_of_a_query_can_be_joined(small_pool, open_page):
    app = chosen(open_page, "f.csv", b"question,place,answer\nIs it open?,Elm bridge,no\n")
    assert "Columns that are not used: place." in captions(app)
    app.multiselect(key=f"import_query_{GUESS}").set_value(["place", "question"]).run()
    assert app.dataframe[1].value["query"].tolist() == ["Elm bridge\nIs it open?"]


def test_another_delimiter_can_be_chosen(small_pool, open_page):
    app = chosen(open_page, "f.csv", b"query;answer|b\nIs ice cold?;Yes|No\n")
    choice = app.selectbox(key="import_delimiter_0_f.csv")
    assert (choice.value, choice.options[:2]) == (";", ["semicolon", "comma"])
    assert app.dataframe[0].value.columns.tolist() == ["query", "answer|b"]
    choice.set_value("|").run()
    assert app.dataframe[0].value.columns.tolist() == ["query;answer", "b"]


def test_another_sheet_can_be_chosen(small_pool, open_page, tmp_path):
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "first"
    for sheet, answer in ((book.active, "Yes"), (book.create_sheet("second"), "No")):
        sheet.append(["query", "answer"])
        sheet.append(["Is ice cold?", answer])
    book.save(tmp_path / "f.xlsx")
    app = chosen(open_page, "f.xlsx", (tmp_path / "f.xlsx").read_bytes())
    choice = app.selectbox(key="import_sheet_0_f.xlsx")
    assert (choice.value, choice.options) == ("first", ["first", "second"])
    assert app.dataframe[1].value["answer"].tolist() == ["Yes"]
    choice.set_value("second").run()
    assert app.dataframe[1].value["answer"].tolist() == ["No"]
    assert app.selectbox(key="import_sheet_0_f.xlsx").options == ["first", "second"]


CORRECTED = b"""[
 {"query": "Is the moon made of cheese?", "answer": "No, says the book (0)",
  "incorrect": ["Yes"], "status": "excluded"},
 {"query": "Is ice cold?", "answer": "Yes"}
]"""


@pytest.mark.parametrize(
    ("choice", "incorrect", "status"),
    [
        (None, ["Of course", "Nobody knows"], Status.INCLUDED),
        ("add", ["Of course", "Nobody knows", "Yes"], Status.INCLUDED),
        ("replace", ["Yes"], Status.EXCLUDED),
    ],
)
def test_what_differs_from_the_pool_is_a_choice(
    small_pool, open_page, the_studio, choice, incorrect, status
):
    app = chosen(open_page, "corrected.json", CORRECTED)
    app.text_input(key="import_pool_0").set_value(small_pool).run()
    press(app, "import_go")
    assert "1 row differs from the pool in incorrect, status; the pool keeps its own values." in [
        each.value.replace("\\", "") for each in app.markdown
    ]
    assert app.dataframe[0].value[["differs in", "in the pool", "in the file"]].values.tolist() == [
        ["incorrect", "Of course; Nobody knows", "Yes"],
        ["status", "included", "excluded"],
    ]
    if choice is not None:
        press(app, f"import_differing_{choice}")
        assert not [each for each in app.button if each.key.startswith("import_differing")]
        assert any("rows changed: 1." in each for each in captions(app))
    row = next(iter(shown(the_studio(), small_pool).values()))
    assert ([each.text for each in row.incorrect], row.status) == (incorrect, status)
    assert pools.summaries(the_studio())[0].demonstrations == 11


def test_a_question_stays_when_what_programs_left_is_taken_away(small_pool, open_page):
    content = b"question,answer,valid\nWhich is hot?, ice,no\nWhich is hot?, soup,yes\n"
    app = chosen(open_page, "judged.csv", content)
    asked = [each.value for each in app.warning]
    assert 'The column "valid" may say which' in asked[0].replace("\\", "")
    app.checkbox(key=f"import_strip_{GUESS}").check().run()
    assert app.dataframe[1].value["answer"].tolist() == ["soup"]
    assert [each.value for each in app.warning] == asked


SUPPORT = b"""Customer question,Agent reply,Bot reply,Bad replies seen,Category
Is the parcel late?,It comes on Monday.,It may come.,Never.;Ask them.,Delivery
Is the card lost?,We send another one.,We may send one.,,Cards
Is the parcel lost?,We look for it.,We may look.,Buy another.,Delivery
"""


def test_columns_that_fit_equally_are_asked_about_with_these_first(small_pool, open_page):
    app = chosen(open_page, "desk.csv", SUPPORT)
    question = 'Several columns may be the answer: "Agent reply", "Bot reply".'
    assert [each.value.replace("\\", "") for each in app.warning] == [question]
    answer = app.multiselect(key=f"import_answer_{GUESS}")
    assert (answer.value, answer.options[:2]) == ([], ["Agent reply", "Bot reply"])
    assert app.multiselect(key=f"import_query_{GUESS}").value == ["Customer question"]
    assert app.button(key="import_go").disabled
    answer.set_value(["Bot reply", "Agent reply"]).run()
    assert app.dataframe[1].value["answer"].tolist()[:2] == ["It may come.", "It comes on Monday."]
    app.checkbox(key=f"import_joined_{GUESS}").check().run()
    assert app.dataframe[1].value["answer"].tolist()[0] == "It may come.\nIt comes on Monday."


def test_a_support_desk_is_imported_and_its_next_steps_begin_with_what_is_odd(
    small_pool, open_page, the_studio
):
    rows = SUPPORT.replace(b",Bot reply", b"").replace(b"It may come.,", b"")
    rows = rows.replace(b"We may send one.,", b"").replace(b"We may look.,", b"")
    app = chosen(open_page, "desk.csv", rows + rows.splitlines()[1] + b"\n")
    found = app.dataframe[1].value
    assert list(map(list, found["incorrect answers"])) == [
        ["Never.", "Ask them."], [], ["Buy another."]
    ]  # fmt: skip
    assert list(map(list, found["tags"])) == [["Delivery"], ["Cards"], ["Delivery"]]
    press(app, "import_go")
    assert "4 rows: 3 new demonstrations, 1 that repeats an earlier row." in [
        each.value.replace("\\", "") for each in app.markdown
    ]
    assert "as imported" in captions(app)[1]
    steps = [each.key for each in app.button if each.key.startswith("next_")]
    assert steps == ["next_review", "next_map", "next_explore", "next_calibrate", "next_compare"]
    assert not [each for each in captions(app) if "query=" in each or "=none" in each]


def test_a_version_is_named_by_what_people_did(small_pool, the_studio):
    studio = the_studio()
    assert demonstrations.version_in_words(studio, small_pool) == "as imported"
    ids = list(shown(studio, small_pool))
    first = demonstrations.set_status(studio, ids[:1], Status.EXCLUDED)
    assert demonstrations.version_in_words(studio, small_pool) == "after 1 edit"
    demonstrations.set_status(studio, ids[1:2], Status.EXCLUDED)
    assert demonstrations.version_in_words(studio, small_pool) == "after 2 edits"
    demonstrations.undo(studio, first)
    assert demonstrations.version_in_words(studio, small_pool) == "after 1 edit"


def test_what_is_typed_right_before_the_press_counts(small_pool, open_page, the_studio):
    app = chosen(open_page, "f.csv", b"links,rechts\nWer,Ich\n")
    app.multiselect(key=f"import_query_{GUESS}").set_value(["links"]).run()
    app.multiselect(key=f"import_answer_{GUESS}").set_value(["rechts"]).run()
    app.multiselect(key=f"import_query_{GUESS}").set_value(["rechts"])
    app.multiselect(key=f"import_answer_{GUESS}").set_value(["links"])
    app.text_input(key="import_pool_0").set_value("who")
    press(app, "import_go")
    assert [each.value for each in app.toast] == ["Importing into who"]
    assert [(row.query, row.answer) for row in shown(the_studio(), "who").values()] == [
        ("Ich", "Wer")
    ]
    assert "f" not in {each.name for each in pools.summaries(the_studio())}


def test_another_pool_named_right_before_the_press_is_asked_about(
    small_pool, open_page, the_studio
):
    before = shown(the_studio(), small_pool)
    app = chosen(open_page, "f.csv", b"query,answer\nWho,I\n")
    app.text_input(key="import_pool_0").set_value(small_pool)
    press(app, "import_go")
    asked = f"There is a pool named {small_pool}: press the button if that is what you want."
    assert [each.value.replace("\\", "") for each in app.info] == [asked]
    assert shown(the_studio(), small_pool) == before
    press(app, "import_go")
    assert len(shown(the_studio(), small_pool)) == len(before) + 1
