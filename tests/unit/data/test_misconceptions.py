"""The bundled pool of misconceptions: its form, and the counts that its README states."""

import json
import re
from pathlib import Path

import pytest

from core.text import normalised

DATA = Path(__file__).resolve().parents[3] / "data"
KEYS = {"query", "answers", "best", "incorrect", "tags"}
TAGS = {
    "common-beliefs", "idioms", "health", "science", "law", "history", "food",
    "everyday-units", "animals", "geography", "language", "money", "technology", "space",
}  # fmt: skip


def read_rows():
    text = (DATA / "misconceptions.jsonl").read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.removesuffix("\n").split("\n")]


def counts(rows):
    return (
        len(rows),
        sum(len(row["answers"]) for row in rows),
        sum(len(row["answers"]) * len(row["incorrect"]) for row in rows),
    )


@pytest.fixture(scope="module")
def rows():
    return read_rows()


def test_there_are_enough_queries(rows):
    assert len(rows) >= 150


def test_every_row_has_exactly_the_keys(rows):
    assert [row for row in rows if set(row) != KEYS] == []


@pytest.mark.parametrize("key", ["answers", "incorrect"])
def test_every_list_has_two_to_four_distinct_texts(rows, key):
    for row in rows:
        texts = row[key]
        assert 2 <= len(texts) <= 4, row["query"]
        assert len({normalised(text) for text in texts}) == len(texts), row["query"]


def test_texts_are_trimmed_and_of_readable_length(rows):
    for row in rows:
        assert row["query"] == " ".join(row["query"].split())
        for text in row["answers"] + row["incorrect"]:
            assert text == " ".join(text.split()), row["query"]
            assert 3 <= len(text.split()) <= 25, text


def test_best_is_one_of_the_answers(rows):
    assert [row["query"] for row in rows if row["best"] not in row["answers"]] == []


def test_tags_are_from_the_list_and_all_are_used(rows):
    for row in rows:
        assert len(row["tags"]) == 1, row["query"]
    assert {row["tags"][0] for row in rows} == TAGS


def test_queries_are_distinct_once_normalised(rows):
    assert len({normalised(row["query"]) for row in rows}) == len(rows)


def test_no_answer_is_both_correct_and_incorrect(rows):
    for row in rows:
        correct = {normalised(text) for text in row["answers"]}
        assert correct.isdisjoint(normalised(text) for text in row["incorrect"]), row["query"]


def test_the_readme_states_the_counts_of_the_file(rows):
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| *([a-z-]+) *\| *(\d+) *\| *(\d+) *\| *(\d+) *\|$", readme, re.M)
    stated = {name: tuple(map(int, numbers)) for name, *numbers in table}
    assert len(stated) == len(table)
    expected = {tag: counts([row for row in rows if tag in row["tags"]]) for tag in TAGS}
    assert stated == expected | {"total": counts(rows)}
