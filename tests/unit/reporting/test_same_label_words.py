"""What the two maps say: each case in its own words."""

import pytest

from core.interval import UNDEFINED, Interval
from core.reporting.figures.same_label import (
    map_title,
    neighbours_help,
    neighbours_line,
    reading_line,
    verdict,
)
from core.reporting.results.pool_map import By, SameLabel, TaskReading


def same(text=0.79, task=0.58, low=-0.25, high=-0.17, **given):
    apart = Interval(task - text, low, high, 200)
    by_text = Interval(text, text - 0.03, text + 0.03, 200)
    by_task = Interval(task, task - 0.04, task + 0.04, 200)
    return SameLabel(
        by_text=by_text,
        by_task=by_task,
        difference=apart,
        **{"chance": 0.5, "nearest": 10, "texts": 200, **given},
    )


def test_the_line_gives_each_share_with_its_interval():
    assert neighbours_line(same()) == (
        "Neighbours with the same label: by text 79 % [76, 82], by task 58 % [54, 62]; by chance "
        "50 %."
    )
    alone = SameLabel(
        by_text=Interval(1.0, None, None),
        by_task=UNDEFINED,
        difference=UNDEFINED,
        chance=0.25,
        nearest=10,
        texts=4,
    )
    assert neighbours_line(alone) == (
        "Neighbours with the same label: by text 100 %, by task -; by chance 25 %."
    )
    none = SameLabel(
        by_text=UNDEFINED, by_task=UNDEFINED, difference=UNDEFINED, chance=None, nearest=10, texts=0
    )
    assert neighbours_line(none).startswith("No two texts")
    assert verdict(none) == ""


def test_the_title_answers_which_map_has_more_of_them():
    assert map_title(By.TEXT, "Label", same()) == (
        "By text 79 % of a text's nearest neighbours have its label (58 % by task); coloured by "
        "label"
    )
    assert map_title(By.TASK, "Tag", same()) == (
        "By task 58 % of a text's nearest neighbours have its label (79 % by text); coloured by tag"
    )
    assert map_title(By.TEXT, "Quality bias") == (
        "Near points have similar queries; coloured by quality bias"
    )
    assert map_title(By.TASK, "Label").startswith("Near points are similar for the task")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (same(), "worse than their embeddings do: it does not know this task. Take a larger model"),
        (same(0.6, 0.8, 0.15, 0.25), "this model sorts these texts by what the task asks"),
        (same(0.6, 0.62, -0.02, 0.06), "By task not clearly more neighbours"),
        (same(0.6, 0.59, -0.05, 0.03), "no better than their embeddings do; a method by embedding"),
        (same(1.0, 1.0, None, None), "no better than their embeddings do; a method by embedding"),
        (same(1.0, 0.5, None, None), "it does not know this task"),
    ],
)
def test_the_verdict_says_no_more_than_the_difference_shows(found, words):
    assert words in verdict(found)


def test_how_it_was_counted_and_read_is_said():
    assert "for 200 texts. Answers to one query" in neighbours_help(same())
    assert "a seeded sample of 200 texts, among all" in neighbours_help(same(sampled=True))
    assert neighbours_help(same()).endswith("left out. 95 % intervals over queries.")
    few = Interval(0.5, None, None, 4, 20)
    alone = SameLabel(
        by_text=few, by_task=few, difference=UNDEFINED, chance=0.25, nearest=10, texts=4
    )
    assert neighbours_help(alone).endswith("and exemplars are left out.")
    full = TaskReading("sentiment", 8, 8, 0, 0)
    assert reading_line(full, 0) == "Task sentiment, 8 exemplars."
    short = TaskReading("sentiment", 8, 3, 2, 1)
    assert reading_line(short, 1) == (
        "Task sentiment, 3 of 8 exemplars, as many as fit the window. 2 longer texts had room "
        "for fewer. 1 excluded demonstration is not read and not on this map. 1 does not fit the "
        "model's window and is left out."
    )
    assert reading_line(TaskReading("plain", 0, 0, 0, 0), 2) == (
        "Task plain, no exemplars. 2 excluded demonstrations are not read and not on this map."
    )
