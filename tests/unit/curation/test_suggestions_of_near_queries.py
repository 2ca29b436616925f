"""Suggested incorrect answers: those of the nearest queries, compared with brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.curation.incorrect_answers as near
from core.curation.incorrect_answers import suggest_incorrect
from core.curation.suggestion import AnsweredQuery, answered_queries, suggestion_key
from core.demonstration.demonstration import Demonstration, incorrect_answers
from core.errors import Cancelled
from core.watcher import Watcher


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


def test_where_answers_are_a_few_labels_all_others_are_suggested():
    queries = [asked(label, start=n) for n, label in enumerate(["DESC", "NUM", "LOC"] * 3, 1)]
    rows = at(0, 40, 30, 10, 20, 50, 70, 80, 90)
    found = suggest_incorrect(queries, rows, per_query=1)
    assert texts(found, "query 1") == ["NUM", "LOC"], "the nearest label first"
    first = found[0]
    assert (first.ids, first.source, first.source_query, first.kind) == (
        (1,), 5, "query 5", "other label"
    )  # fmt: skip
    assert first.cosine == pytest.approx(np.cos(np.radians(20)), abs=1e-6)
    assert {each.text for each in found if each.query == "query 9"} == {"DESC", "NUM"}
    assert len(found) == 2 * 9


def test_a_label_is_not_suggested_where_the_text_has_it_in_another_spelling_of_either():
    queries = [asked(label, start=n) for n, label in enumerate(["0", "1", "2"] * 3, 1)]
    queries += [asked("0", "1", query="Both?", start=20), asked("2", query="both? ", start=30)]
    queries += [asked("１", query="One?", start=40)]
    found = suggest_incorrect(queries, at(*range(0, 120, 10)))
    assert texts(found, "Both?") == texts(found, "both? ") == []
    assert sorted(texts(found, "One?")) == ["0", "2"]
    assert sorted(texts(found, "query 1")) == ["1", "2"], "a label as most write it"


def test_a_near_query_with_another_label_still_gives_it():
    queries = [asked(label, start=n) for n, label in enumerate(["good", "bad"] * 4, 1)]
    found = suggest_incorrect(queries, at(*([0] * 8)))
    assert [each.text for each in found] == ["bad", "good"] * 4
    assert [each.source for each in found] == [2, 1] * 4, "of equally near ones the first"
    assert {each.cosine for each in found} == {1.0}


@pytest.mark.parametrize(("labels", "given"), [(20, 19), (21, 3), (22, 3)])
def test_of_many_labels_those_of_the_nearest_queries_are_suggested(labels, given):
    queries = [asked(f"label {n % labels}", start=n + 1) for n in range(10 * labels)]
    found = suggest_incorrect(queries, at(*(n / 10 for n in range(10 * labels))))
    assert texts(found, "query 1") == [f"label {n}" for n in range(1, given + 1)]


def test_a_pool_with_a_label_too_few_is_as_any_other():
    queries = [asked(label, start=n) for n, label in enumerate(["yes", "no"] * 9, 1)]
    few = [*queries, asked("Oslo", start=40)]  # 18 of 19 answers are labels
    rows = at(*(5 * n for n in range(19)))
    assert {each.text for each in suggest_incorrect(few, rows)} == {"Oslo"}
    more = [*queries, *(asked(w, start=n) for n, w in enumerate(["yes", "no"], 30)), few[-1]]
    rows = at(*(5 * n for n in range(21)))
    assert {each.text for each in suggest_incorrect(more, rows)} == {"yes", "no"}


def test_queries_that_may_be_one_question_give_each_other_nothing():
    queries = [
        asked("Oslo", query="What is C?"),
        asked("Lima", query="what is  c?", start=2),  # another spelling, though its row is far
        asked("Rome", query="What's C?", start=3),
        asked("Bern", query="What is D?", start=4),
    ]
    same = np.degrees(np.arccos(near.SAME_QUESTION))
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
    suggest_incorrect(
        queries, at(0, 30, 60), watcher=Watcher(on_progress=lambda *counts: seen.append(counts))
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(Cancelled):
        suggest_incorrect(queries, at(0, 30, 60), watcher=Watcher(cancelled=lambda: True))


def others_labels(queries, cosines, number, labels):
    """Every label that the query lacks with the nearest query that has it, the nearest first."""
    nearest = []
    for label in labels:
        if label not in queries[number].answers:
            having = [place for place, each in enumerate(queries) if label in each.answers]
            nearest.append((label, min(having, key=lambda at: (-cosines[at].round(12), at))))
    nearest.sort(key=lambda pair: -cosines[pair[1]].round(12))
    return [(queries[number].query, label, queries[at].query) for label, at in nearest]


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
    pairs = [answer for each in queries for answer in each.answers]
    classified = len(labels) > 1 and np.mean([answer in labels for answer in pairs]) >= 0.95
    found = []
    for number, each in enumerate(queries):
        if each.incorrect:
            continue
        cosines = rows.astype(np.float64) @ rows[number].astype(np.float64)
        if classified:
            every = sorted(answer for answer, numbers in shared.items() if len(numbers) >= 3)
            found += others_labels(queries, cosines, number, every)
            continue
        others = [other for other in range(len(queries)) if other != number]
        others.sort(key=lambda other: (-cosines[other].round(12), other))
        taken = []
        for other in others:
            usable = [
                answer
                for answer in queries[other].answers
                if answer not in labels and answer not in (*each.answers, *taken)
            ]
            if len(taken) < per_query and usable and cosines[other] < near.SAME_QUESTION:
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
    assert_as_brute_force(queries, rows, per_query)


@given(st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=8, max_size=30), st.integers(0, 99))
def test_other_labels_against_brute_force(answers, seed):
    rows = np.random.default_rng(seed).normal(size=(len(answers), 3)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    queries = [asked(answer, query=f"q{n}", start=n) for n, answer in enumerate(answers)]
    assert_as_brute_force(queries, rows, 1)


def assert_as_brute_force(queries, rows, per_query):
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
    monkeypatch.setattr(near, "BLOCK_VALUES", 3 * 70)
    assert suggest_incorrect(queries, rows) == whole


def test_demonstrations_of_one_query_are_put_together_the_best_first():
    def row(id, query, answer, *wrong, best=False):
        return Demonstration(query, answer, incorrect_answers(wrong), best=best, id=id, revision=1)

    rows = [
        row(1, "Norway?", "Oslo"),
        row(2, "Peru?", "Lima"),
        row(3, "Norway? ", "The town of Oslo", "Bergen", best=True),
    ]
    assert answered_queries(rows) == [
        AnsweredQuery("Norway?", (3, 1), ("The town of Oslo", "Oslo"), ("Bergen",)),
        AnsweredQuery("Peru?", (2,), ("Lima",)),
    ]


def test_a_refused_answer_gives_its_place_to_the_next_of_its_query_or_of_another():
    queries = [
        asked("Oslo", query="Norway?"),
        asked("Lima", "The city of kings", query="Peru?", start=2),
        asked("Rome", query="Italy?", start=4),
    ]
    rows = at(0, 30, 60)
    assert texts(suggest_incorrect(queries, rows, per_query=2), "Norway?") == ["Lima", "Rome"]
    keys = [suggestion_key("Norway?", text) for text in ("LIMA", "The city of kings")]
    for refused, left in ((keys[:1], ["The city of kings", "Rome"]), (keys, ["Rome"])):
        queries[0] = replace(queries[0], dismissed=frozenset(refused))
        assert texts(suggest_incorrect(queries, rows, per_query=2), "Norway?") == left


def test_a_refused_label_is_not_suggested_for_that_query():
    words = ("dull", "good", "fair")
    queries = [
        asked(words[place % 3], query=f"film {place}", start=place + 1) for place in range(12)
    ]
    rows = at(*range(0, 120, 10))
    refused = frozenset({suggestion_key("film 0", "Good")})
    queries[0] = replace(queries[0], dismissed=refused)
    found = suggest_incorrect(queries, rows)
    assert texts(found, "film 0") == ["fair"]
    assert sorted(texts(found, "film 3")) == ["fair", "good"]
