"""Passages on the page Programs: a file is looked at, imported, added to, refused; one removed."""

import json
import threading

import pytest

from core.studio import passages
from tests.pages.conftest import errors, press

MANUAL = b"""# Cold
Ice is cold.
## Snow
Snow is frozen water.
# Hot
Fire is hot.
# Wet
Water is wet.
"""
TITLES = ["Cold", "Cold > Snow", "Hot", "Wet"]


@pytest.fixture
def opened(small_pool, open_page):
    return lambda: open_page("programs", do="passages")


def choose(app, name, content, number=0):
    app.file_uploader(key=f"passages_file_{number}").upload(name, content).run()
    assert not app.exception
    return app


def said(app):
    shown = (*app.markdown, *app.caption, *app.text, *app.info)
    return [each.value.replace("\\", "") for each in shown]


def stored(studio, name):
    return [(row.title, row.text) for row in studio.store.passages.snapshot(name)[1]]


def imported(app, finish):
    press(app, "passages_go")
    return finish(app)


def test_a_file_is_looked_at_imported_and_added_to(opened, finish, the_studio):
    app = choose(opened(), "The Manual.md", MANUAL)
    assert "There are no passages yet. Choose a file of texts that programs may search." in said(
        app
    )
    assert app.text_input(key="passages_name_0").value == "the-manual"
    assert app.dataframe[0].value["title"].tolist() == TITLES[:3]
    assert "The first passages of 4 documents (md, utf-8)" in said(app)
    assert passages.names(the_studio()) == [], "nothing is written yet"
    app = imported(app, finish)
    assert not app.exception
    assert "**4 passages were added to the-manual**" in said(app)
    assert [title for title, _ in stored(the_studio(), "the-manual")] == TITLES
    assert app.dataframe[0].value.values.tolist() == [["the-manual", 4, 4, 1]]
    app = choose(app, "The Manual.md", MANUAL + b"# Dry\nSand is dry.\n", number=1)
    assert app.button(key="passages_go").label == "Add to the collection"
    app = imported(app, finish)
    assert "**1 passage was added to the-manual**" in said(app)
    left_out = "Passages left out because the collection has the same title and text: 4."
    assert left_out in said(app)
    assert [title for title, _ in stored(the_studio(), "the-manual")] == [*TITLES, "Dry"]
    press(app, "passages_close")
    assert left_out not in said(app)


def test_what_is_imported_is_chosen_where_it_is_searched(opened, finish, open_page, the_studio):
    app = imported(choose(opened(), "b.txt", b"Bats see."), finish)
    app = imported(choose(app, "a.txt", b"Ants dig.", number=1), finish)
    assert passages.names(the_studio()) == ["a", "b"]
    app.button_group(key="programs_do").set_value("write").run()
    app.selectbox(key="programs_program").set_value("multi-hop").run()
    assert app.selectbox(key="programs_passages").value == "a", "the last one"


def test_where_there_are_none_a_button_leads_here(small_pool, open_page):
    app = open_page("programs", program="multi-hop")
    press(app, "programs_import_passages")
    assert not app.exception
    assert app.button_group(key="programs_do").value == "passages"
    assert app.file_uploader(key="passages_file_0")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "a.txt has no text"),
        ("a.md", b"# Only\n## Headings\n", "a.md has no text"),
        ("a.jsonl", b'{"text": "fine"}\n{"text": \n', "a.jsonl"),
        ("a.jsonl", b'{"text": [["x"]], "title": "a"}', "row 1 has a list within a list"),
        ("a.csv", b"text\n\n", "a.csv"),
    ],
)
def test_a_wrong_file_is_one_sentence_and_nothing_is_written(
    opened, the_studio, name, content, message
):
    app = choose(opened(), name, content)
    (sentence,) = errors(app)
    assert message in sentence.replace("\\", "")
    assert "passages_go" not in [each.key for each in app.button]
    assert passages.names(the_studio()) == []


def test_columns_are_chosen_where_no_name_says_which_has_the_text(opened, finish, the_studio):
    app = choose(opened(), "a.csv", b"what,who\nBats see.,Ann\nAnts dig.,Bob\n")
    assert not app.error
    asked = "No column's name says that it has the texts: choose the one that has them."
    assert asked in said(app)
    assert "passages_go" not in [each.key for each in app.button]
    key = next(each.key for each in app.selectbox if each.label == "Column of the texts")
    app.selectbox(key=key).set_value("what").run()
    app.selectbox(key=key.replace("text", "title", 1)).set_value("who").run()
    assert app.dataframe[0].value.values.tolist() == [["Ann", "Bats see."], ["Bob", "Ants dig."]]
    imported(app, finish)
    assert stored(the_studio(), "a") == [("Ann", "Bats see."), ("Bob", "Ants dig.")]


def test_a_guess_of_columns_is_corrected_and_lengths_are_chosen(opened, finish, the_studio):
    rows = [{"title": "T", "text": "one two three four", "body": "five six"}]
    app = choose(opened(), "a.jsonl", "\n".join(map(json.dumps, rows)).encode())
    app.number_input(key="passages_overlap_0").set_value(3).run()
    app.number_input(key="passages_size_0").set_value(3).run()
    assert "An overlap of 3 words was given for passages of 3" in errors(app)[0]
    app.number_input(key="passages_overlap_0").set_value(0).run()
    assert app.dataframe[0].value["text"].tolist() == ["one two three", "four"]
    key = next(each.key for each in app.selectbox if each.label == "Column of the texts")
    app.selectbox(key=key).set_value("body").run()
    assert app.dataframe[0].value["text"].tolist() == ["five six"]
    imported(app, finish)
    assert stored(the_studio(), "a") == [("T", "five six")]


def test_an_unsure_encoding_is_asked_for(opened, finish, the_studio):
    text = "Лёд холодный."
    app = choose(opened(), "a.txt", text.encode("cp1251"))
    (box,) = [each for each in app.selectbox if each.label == "Encoding"]
    box.set_value(next(each for each in box.options if "1251" in each)).run()
    assert app.dataframe[0].value["text"].tolist() == [text]
    imported(app, finish)
    assert stored(the_studio(), "a") == [("a", text)]


def test_a_large_file_says_how_far_it_is_and_is_cancelled_without_a_trace(opened, the_studio):
    lines = "\n".join(json.dumps({"text": f"Fact {n}."}) for n in range(3_000))
    app = choose(opened(), "facts.jsonl", lines.encode())
    held = threading.Event()
    studio = the_studio()
    studio.pool_worker.submit("test", "Holds the worker", lambda job: held.wait(60))
    press(app, "passages_go")
    assert app.main.get("progress")[0].proto.text.replace("\\", "") == (
        "Importing passages into facts: waiting for the work before it"
    )
    (cancel,) = [each for each in app.main.button if each.label == "Cancel"]
    cancel.click().run()
    held.set()
    assert "Importing passages into facts was cancelled." in said(app)
    assert passages.names(studio) == []
    (again,) = [each for each in app.main.button if each.label == "Choose again"]
    again.click().run()
    assert not app.exception
    assert not app.button(key="passages_go").disabled


def test_a_collection_is_removed(opened, finish, the_studio):
    app = imported(choose(opened(), "a.txt", b"Ants dig."), finish)
    app = imported(choose(app, "b.txt", b"Bats see.", number=1), finish)
    app.selectbox(key="passages_remove_0").set_value("a").run()
    assert app.button(key="passages_remove_yes").label == "Remove 1 passage for good"
    press(app, "passages_remove_yes")
    assert not app.exception
    assert passages.names(the_studio()) == ["b"]
