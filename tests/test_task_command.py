"""The command `task`: what it shows, what it chooses, and what it refuses."""

import json

import pytest

from core.commands.main import main
from core.language_model.task import TASKS
from tests.support.gated import gated

ANSWERS = ["positive", "negative", "positive", "positive"] * 10


@pytest.fixture(autouse=True)
def pool(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    lines = [{"query": f"text {i}", "answer": answer} for i, answer in enumerate(ANSWERS)]
    file = tmp_path / "pool.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert main(["import", str(file), "--pool", "moods"]) == 0
    capsys.readouterr()


@pytest.fixture
def task(capsys):
    def run(*arguments):
        assert main(["task", "--pool", "moods", *arguments, "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def refused(capsys):
    def run(*arguments):
        try:
            status = main(["task", "--pool", "moods", *arguments])
        except SystemExit as stop:
            status = stop.code
        printed = capsys.readouterr()
        assert (status, printed.out) == (2, "")
        line = printed.err.strip()
        assert "\n" not in line
        return line

    return run


def test_what_is_suggested_is_shown_for_people_and_as_json(task, capsys):
    found = task()
    assert found["task"] == TASKS["sentiment"].to_json()
    assert (found["pool"], found["chosen"], found["demonstrations"]) == ("moods", False, 40)
    assert found["labels"] == [
        {"label": "negative", "count": 10, "share": 0.25, "word": "negative"},
        {"label": "positive", "count": 30, "share": 0.75, "word": "positive"},
    ]
    assert main(["task", "--pool", "moods"]) == 0
    assert capsys.readouterr().out == (
        "A classification pool: 2 labels (positive 75 %, negative 25 %). Task: sentiment (suggested"
        " by the labels).\n"
        "\n"
        "label     count  share  word\n"
        "--------  -----  -----  --------\n"
        "negative  10     0.250  negative\n"
        "positive  30     0.750  positive\n"
        "\n"
        "What a model reads of one demonstration:\n"
        "\n"
        "Does the following sentence have a positive or negative sentiment?\n"
        "text 0\n"
        "The answer is positive.\n"
    )


def test_a_task_is_chosen_by_name_and_taken_back(task):
    first = task()
    plain = task("--choose", "plain")
    assert plain["task"]["label_words"] == [["negative"], ["positive"]]
    assert plain["exemplar"] == "text 0\nThe answer is positive"
    assert plain["chosen"]
    assert task() == plain
    back = task("--suggested")
    assert back["pool_version"] > plain["pool_version"] > first["pool_version"]
    assert {**back, "pool_version": first["pool_version"]} == first


def test_a_task_of_ones_own(task):
    found = task("--question", "How is it?\n{x}")
    assert found["task"] == {
        "name": "own",
        "question": "How is it?\n{x}",
        "ending": "The answer is",
        "label_words": [["negative", "0"], ["positive", "1"]],
        "full_stop": False,
    }
    words = ("--label", "sad=negative, 0", "--label", 'glad = positive,"so, so"')
    found = task("--question", "{x}", *words, "--ending", "It is", "--full-stop", "--name", "mine")
    assert found["task"] == {
        "name": "mine",
        "question": "{x}",
        "ending": "It is",
        "label_words": [["sad", "negative", "0"], ["glad", "positive", "so, so"]],
        "full_stop": True,
    }
    assert found["exemplar"] == "text 0\nIt is glad."
    assert [label["word"] for label in found["labels"]] == ["sad", "glad"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    gated(
        [
            (["--choose", "question-type"], "name no answer of pool 'moods'"),
            (["--choose", "moods"], "There is no task 'moods'; choose one of sentiment,"),
            (["--question", "How is it?"], "must contain {x} once"),
            (["--question", "{x}", "--label", "sad=negative"], "give two or more"),
            (["--question", "{x}", "--ending", ""], "must have some text"),
            (["--question", "{x}", "--name", "sentiment"], "give yours another name"),
            (["--label", "sad=negative"], "--label was given without --question"),
            (["--choose", "plain", "--full-stop"], "--full-stop was given without --question"),
            (["--suggested", "--name", "x"], "--name was given without --question"),
            (["--choose", "plain", "--suggested"], "not allowed with"),
            (["--pool", "none"], "There is no pool named 'none'"),
        ],
        first=4,
    ),
)
def test_a_mistake_is_one_line_and_changes_nothing(task, refused, arguments, words):
    before = task()
    assert words in refused(*arguments)
    assert task() == before
