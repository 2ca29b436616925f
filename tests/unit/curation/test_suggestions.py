"""Suggested incorrect answers: those of the nearest queries, compared with brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.curation.suggestions as suggestions
from core.curation.suggestions import AnsweredQuery, answered_queries, suggest_incorrect
from core.errors import Cancelled
from core.incorrect import incorrect_answers
from core.types import Demonstration, Status


def asked(*answers, query=None, start=1, incorrect=()):
    ids = tuple(range(start, start + len(answers)))
    return AnsweredQuery(query or f"query {start}", ids, answers, incorrect)


def at(*degrees):
    """Unit rows in the plane at these angles."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def texts(found, query):
    return [each.text for each in found if each.query == query]


def test_the_nearest_queries_answers_come_first_with_where_they_come_from():
    queries = [
        asked("Oslo", query="Norway?", start=1),
        asked("Lima", query="Peru?", start=2),
        asked("Rome", query="Italy?", start=3),
    ]
    found = suggest_incorrect(queries, at(0, 60, 30), per_query=2)
    first, second = found[:2]
    assert (first.ids, first.query, first.answer, first.text) == ((1,), "Norway?", "Oslo", "Rome")
    assert (first.source, first.source_query) == (3, "Italy?")
    assert first.cosine == pytest.approx(np.cos(np.radians(30)), abs=1e-6)
    assert (second.text, second.source) == ("Lima", 2)
    assert texts(found, "Italy?") == ["Oslo", "Lima"]


def test_equally_near_queries_come_in_their_order():
    queries = [asked(word, start=place) for place, word in enumerate(("a", "b", "c", "d"), 1)]
    rows = at(0, 40, -40, 40)
    assert texts(suggest_incorrect(queries, rows), "query 1") == ["b", "c", "d"]
    assert texts(suggest_incorrect(queries, rows, per_query=1), "query 1") == ["b"]


def test_only_queries_without_incorrect_answers_get_any_and_all_give():
    queries = [asked("Oslo"), asked("Lima", start=2, incorrect=("Quito",))]
    found = suggest_incorrect(queries, at(0, 30))
    assert [(each.query, each.text) for each in found] == [("query 1", "Lima")]


@pytest.mark.parametrize(
    "answer", ["oslo ", "ＯＳＬＯ", "It is Oslo.", "Oslo!", "oslo, norway"], ids=ascii
)
def test_what_says_the_same_as_a_correct_answer_is_not_suggested(answer):
    queries = [asked("The town Bergen", "Oslo"), asked(answer, "Lima", start=3)]
    assert texts(suggest_incorrect(queries, at(0, 30)), "query 1") == ["Lima"]


def test_answers_without_words_are_compared_letter_by_letter():
    queries = [asked(":-)"), asked(":-(", start=2), asked(":-)", start=3)]
    assert texts(suggest_incorrect(queries, at(0, 30, 60)), "query 1") == [":-("]


def test_a_text_is_suggested_once():
    queries = [asked("Oslo"), asked("Lima", start=2), asked("LIMA", start=3), asked("X", start=4)]
    assert texts(suggest_incorrect(queries, at(0, 20, 30, 40)), "query 1") == ["Lima", "X"]


def test_a_label_is_not_suggested():
    labels = [asked("Please contact support.", start=n) for n in (2, 3, 4)]
    queries = [asked("Oslo"), *labels, asked("Lima", start=5)]
    assert texts(suggest_incorrect(queries, at(0, 20, 25, 30, 60)), "query 1") == ["Lima"]
    fewer = [queries[0], *labels[:2], queries[-1]]
    assert texts(suggest_incorrect(fewer, at(0, 20, 25, 60)), "query 1") == [
        "Please contact support.",
        "Lima",
    ]


def test_queries_that_may_be_one_question_give_each_other_nothing():
    queries = [
        asked("Oslo", query="What is C?"),
        asked("Lima", query="what is  c?", start=2),  # another spelling, though its row is far
        asked("Rome", query="What's C?", start=3),
        asked("Bern", query="What is D?", start=4),
    ]
    same = np.degrees(np.arccos(suggestions.SAME_QUESTION))
    found = suggest_incorrect(queries, at(0, 50, same - 1, same + 1))
    assert texts(found, "What is C?") == ["Bern"]


@pytest.mark.parametrize(
    ("queries", "rows"),
    [
        ([], np.empty((0, 2), np.float32)),
        ([asked("Oslo")], at(0)),
        ([asked("Oslo", start=n) for n in (1, 2, 3)], at(0, 30, 60)),
    ],
    ids=["no query", "one query", "equal answers"],
)
def test_where_there_is_nothing_to_suggest(queries, rows):
    assert suggest_incorrect(queries, rows) == []


def test_the_numbers_of_queries_and_rows_agree_and_rows_are_finite():
    with pytest.raises(ValueError, match="1 queries and 2 rows"):
        suggest_incorrect([asked("Oslo")], at(0, 30))
    with pytest.raises(ValueError, match="not finite"):
        suggest_incorrect([asked("a"), asked("b", start=2)], at(0, np.nan))


def test_progress_is_reported_and_the_work_can_be_stopped():
    queries = [asked(word, start=place) for place, word in enumerate("abc", 1)]
    seen = []
    suggest_incorrect(queries, at(0, 30, 60), on_progress=lambda *counts: seen.append(counts))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(Cancelled):
        suggest_incorrect(queries, at(0, 30, 60), cancelled=lambda: True)


def brute_force(queries, rows, per_query):
    """The rule as it is written down, one query after the other, with every pair compared."""
    shared = {}
    for number, each in enumerate(queries):
        for answer in each.answers:
            shared.setdefault(answer, set()).add(number)
    labels = {
        answer
        for answer, numbers in shared.items()
        if len(numbers) >= 10 or len(numbers) >= max(3, len(queries) / 10)
    }
    found = []
    for number, each in enumerate(queries):
        if each.incorrect:
            continue
        cosines = rows.astype(np.float64) @ rows[number].astype(np.float64)
        others = [other for other in range(len(queries)) if other != number]
        others.sort(key=lambda other: (-cosines[other].round(12), other))
        taken = []
        for other in others:
            usable = [
                answer
                for answer in queries[other].answers
                if answer not in labels and answer not in (*each.answers, *taken)
            ]
            if len(taken) < per_query and usable and cosines[other] < suggestions.SAME_QUESTION:
                taken.append(usable[0])
                found.append((each.query, usable[0], queries[other].query))
    return found


@given(st.data())
def test_against_brute_force(data):
    count = data.draw(st.integers(0, 12))
    grid = st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(1, 3))
    points = np.array([data.draw(grid) for _ in range(count)], dtype=np.float64).reshape(-1, 3)
    rows = (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)
    words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3, unique=True)
    queries = []
    for number in range(count):
        wrong = ("z",) if data.draw(st.booleans()) else ()
        answers = data.draw(words)
        queries.append(asked(*answers, query=f"q{number}", start=10 * number, incorrect=wrong))
    per_query = data.draw(st.integers(1, 4))
    found = suggest_incorrect(queries, rows, per_query=per_query)
    assert [(each.query, each.text, each.source_query) for each in found] == brute_force(
        queries, rows, per_query
    )


def test_blocks_make_no_difference(monkeypatch):
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(70, 5)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    queries = [asked(f"answer{number}", start=number) for number in range(70)]
    whole = suggest_incorrect(queries, rows)
    monkeypatch.setattr(suggestions, "BLOCK_VALUES", 3 * 70)
    assert suggest_incorrect(queries, rows) == whole


def test_demonstrations_of_one_query_are_put_together_the_best_first():
    def row(id, query, answer, *wrong, best=False):
        return Demonstration(
            id, query, answer, incorrect_answers(wrong), (), best, Status.INCLUDED, "", 1
        )

    rows = [
        row(1, "Norway?", "Oslo"),
        row(2, "Peru?", "Lima"),
        row(3, "Norway? ", "The town of Oslo", "Bergen", best=True),
    ]
    assert answered_queries(rows) == [
        AnsweredQuery("Norway?", (3, 1), ("The town of Oslo", "Oslo"), ("Bergen",)),
        AnsweredQuery("Peru?", (2,), ("Lima",)),
    ]
