"""Which pools are of classification, the task that their labels suggest, and the chosen one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.demonstration.demonstration import Draft, Status
from core.errors import InvalidInput
from core.language_model.task import TASKS, LabelWord, Task, plain_task
from core.retrieval.near_queries import (
    LABEL_LEAST,
    LABEL_QUERIES,
    MOST_LABELS,
    NEARLY_ALL,
    AnswerIndex,
    label_counts,
    labels_of,
)
from core.retrieval.pool_view import load_pool_view
from core.retrieval.task_prompt import (
    choose_task,
    chosen_task,
    no_labels,
    suggested_task,
    why_no_task,
)
from core.store import Change

MOODS = Task("moods", "Sad or glad? {x}", (LabelWord("sad"), LabelWord("glad", ("yes",))))


def index_of(answers):
    """Of answers each to a query of its own."""
    return AnswerIndex(answers, np.arange(len(answers)))


def labels(answers):
    return labels_of(answers, index_of(answers))


def suggested(answers):
    return suggested_task(answers, index_of(answers))


def repeated(**counts):
    return [answer for answer, count in counts.items() for _ in range(count)]


def test_the_numbers_that_the_edges_below_are_made_of():
    assert (NEARLY_ALL, MOST_LABELS, LABEL_QUERIES, LABEL_LEAST) == (0.95, 100, 10, 3)


def test_a_pool_without_answers_has_no_labels():
    assert labels([]) == ()
    assert suggested([]) is None
    assert label_counts([], index_of([])) == {}


@pytest.mark.parametrize(("others", "found"), [(0, True), (5, True), (6, False)])
def test_nearly_all_answers_are_labels(others, found):
    free = [f"free text {i}" for i in range(others)]
    answers = [*free, *repeated(no=50, yes=50 - others)]
    assert len(answers) == 100  # 95 of 100 is nearly all, 94 is not
    assert labels(answers) == (("no", "yes") if found else ())
    assert label_counts(answers, index_of(answers)) == {"no": 50, "yes": 50 - others}
    assert (suggested(answers) is None) != found


def test_one_label_is_no_classification():
    assert labels(repeated(yes=50)) == ()
    assert labels(repeated(yes=49, no=1)) == ()  # "no" is no label: one query has it
    assert labels(repeated(yes=47, no=3)) == ()  # three of 50 are less than a tenth
    assert labels(repeated(yes=27, no=3)) == ("no", "yes")


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([], "not labels that many queries share"),
        (["yes", "no"], "not labels that many queries share"),
        (repeated(yes=50), "of one label only, 'yes', and a task needs two"),
        (repeated(yes=49, no=1), "of one label only, 'yes', and a task needs two"),
        (repeated(yes=47, no=3), "not labels that many queries share"),
        (
            [f"class {i:03}" for i in range(101) for _ in range(LABEL_QUERIES)],
            "101 different labels, and a task has at most 100",
        ),
    ],
    ids=["empty", "two rows", "one label", "nearly one label", "too few", "too many"],
)
def test_why_labels_suggest_no_task(answers, why):
    assert why_no_task(answers, index_of(answers)) == why
    refused = no_labels("mood", answers, index_of(answers))
    assert str(refused).startswith(f"The answers of pool 'mood' are {why}, so it has no task; ")


@pytest.mark.parametrize(("many", "found"), [(100, 100), (101, 0)])
def test_a_hundred_labels_and_no_more(many, found):
    answers = [f"class {i:03}" for i in range(many) for _ in range(LABEL_QUERIES)]
    assert len(labels(answers)) == found
    assert labels(answers)[:2] == (("class 000", "class 001") if found else ())


def test_ways_of_writing_are_one_label_as_it_is_written_most_often():
    answers = repeated(Yes=6, yes=5, NO=4, no=4)
    assert label_counts(answers, index_of(answers)) == {"NO": 8, "Yes": 11}
    answers = [*repeated(no=6), *["yes "] * 6, *["yes"] * 5]
    assert label_counts(answers, index_of(answers)) == {"no": 6, "yes": 11}


def test_a_label_is_of_many_queries_not_of_many_demonstrations():
    answers = repeated(yes=20, no=20)
    of_one_query = np.where(np.array(answers) == "yes", 0, np.arange(40))
    assert labels_of(answers, AnswerIndex(answers, of_one_query)) == ()


@pytest.mark.parametrize(
    ("counts", "name"),
    [
        ({"subjective": 12, "objective": 12}, "subjectivity"),
        ({"Positive": 12, "negative": 12}, "sentiment"),
        ({"acceptable": 12, "unacceptable": 12}, "acceptability"),
        (dict.fromkeys(("terrible", "bad", "okay", "good", "great"), 12), "sentiment-5"),
        (dict.fromkeys(("bad", "okay", "good"), 12), "sentiment-5"),
        (dict.fromkeys(("DESC", "ENTY", "ABBR", "HUM", "LOC", "NUM"), 12), "question-type"),
        (dict.fromkeys(("DESC", "ENTY", "HUM", "LOC", "NUM"), 12), "question-type"),
        ({"0": 12, "1": 12}, "plain"),
        (dict.fromkeys("01234", 12), "plain"),
        ({"good": 12, "bad": 12}, "plain"),  # two of five words: another task's, most likely
        ({"Person": 12, "Location": 12, "Entity": 12}, "plain"),
        ({"positive": 12, "negative": 12, "neutral": 12}, "plain"),
        ({"positive": 12, "1": 12}, "plain"),  # one word for both
        ({"sports": 12, "business": 12}, "plain"),
    ],
)
def test_the_task_that_labels_suggest(counts, name):
    task = suggested(repeated(**counts))
    assert task.name == name
    assert task == TASKS.get(name, plain_task(sorted(counts, key=str.casefold)))


LABELS = ("No", "yes", "Maybe", "über", "0")


@given(st.permutations(range(60)), st.sampled_from(LABELS))
def test_the_suggested_task_is_the_same_in_every_order_and_with_one_label_more(order, more):
    answers = [label for label in LABELS for _ in range(12)]
    task = suggested(answers)
    assert task == plain_task(("0", "Maybe", "No", "yes", "über"))
    assert suggested([answers[i] for i in order]) == task
    assert suggested([*answers, more]) == task
    assert suggested([*answers, "something else"]) == task


@given(st.lists(st.sampled_from(["a", "A", "b", "c "]), max_size=60))
def test_label_counts_by_brute_force(answers):
    folded = Counter(answer.strip().lower() for answer in answers)
    least = max(LABEL_LEAST, 0.1 * len(answers))
    expected = {
        label: count
        for label, count in sorted(folded.items())
        if count >= LABEL_QUERIES or count >= least
    }
    found = label_counts(answers, index_of(answers))
    assert {label.lower(): count for label, count in found.items()} == expected
    assert [label.lower() for label in found] == sorted(expected)
    written = Counter(answers)
    if "a" in expected:
        assert ("A" in found) == (written["A"] >= written["a"])


@given(
    st.lists(st.tuples(st.sampled_from("abcA"), st.integers(0, 30)), max_size=80),
    st.lists(st.sampled_from("abcAx"), max_size=3),
)
def test_labels_and_answers_of_several_queries_by_brute_force(rows, wanted):
    answers, queries = [answer for answer, _ in rows], [query for _, query in rows]
    index = AnswerIndex(answers, np.array(queries, dtype=np.int64))
    queries_of = {label: {q for a, q in rows if a.lower() == label} for label in "abc"}
    least = max(LABEL_LEAST, 0.1 * len(set(queries)))
    many = {label: len(found) for label, found in queries_of.items()}
    labelled = [many[a.lower()] >= LABEL_QUERIES or many[a.lower()] >= least for a in answers]
    assert index.labels.tolist() == labelled
    folded = {each.lower() for each in wanted}
    assert index.having(wanted).tolist() == [answer.lower() in folded for answer in answers]


@pytest.fixture
def moods(store):
    drafts = [Draft(f"text {i}", "positive" if i % 3 else "negative") for i in range(40)]
    store.demonstrations.add_to_named("moods", drafts)
    return store.pools.get("moods")


def test_a_pools_view_has_the_chosen_task_else_the_suggested_one(store, moods, hashing_encoder):
    def view():
        return load_pool_view(store, "moods", hashing_encoder)

    assert chosen_task(store, moods.id) is None
    first = view()
    assert (first.chosen_task, first.task) == (None, TASKS["sentiment"])
    choose_task(store, moods, MOODS)
    assert chosen_task(store, moods.id) == MOODS
    second = view()
    assert (second.chosen_task, second.task) == (MOODS, MOODS)
    assert second.version > first.version
    choose_task(store, moods, None)
    assert chosen_task(store, moods.id) is None
    assert view().task == TASKS["sentiment"]
    assert view().version > second.version


def test_a_pool_of_free_answers_has_a_task_only_when_one_is_chosen(store, hashing_encoder):
    store.demonstrations.add_to_named("free", [Draft(f"q{i}", f"answer {i}") for i in range(20)])
    assert load_pool_view(store, "free", hashing_encoder).task is None
    choose_task(store, store.pools.get("free"), MOODS)
    assert load_pool_view(store, "free", hashing_encoder).task == MOODS


def test_excluded_demonstrations_do_not_count(store, moods, hashing_encoder):
    rows = store.demonstrations.all(moods.id)
    negative = [row for row in rows if row.answer == "negative"]
    changes = [Change(row.id, row.revision, status=Status.EXCLUDED) for row in negative]
    store.demonstrations.change(changes, what="exclude")
    assert load_pool_view(store, "moods", hashing_encoder).task is None


def test_the_task_of_a_pool_that_is_gone(store, moods):
    store.pools.delete("moods")
    with pytest.raises(InvalidInput, match="no pool with the id"):
        choose_task(store, moods, MOODS)
    assert chosen_task(store, moods.id) is None
