"""Whether diversity can pay in a pool: figures of hand-made pools, each verdict at its edge."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Cancelled
from core.evaluation.results.suitability import (
    HUNDREDS,
    SAMPLE,
    Criterion,
    Suitability,
    suitability_of,
)
from core.retrieval.near_queries import nothing_cut
from core.retrieval.pool_view import LivePool, Services
from core.watcher import Watcher

X, Y, Z = np.eye(3)
HALF_WAY = (X + Y) / np.sqrt(2)
CLEAR = Suitability(
    demonstrations=1_000,
    queries=400,
    with_incorrect=400,
    sameness=0.8,
    random_sameness=0.2,
    sampled=100,
)


def pool(*rows, answers=1, seed=0):
    """A pool of one query a row, each with so many answers."""
    queries = [f"query {number}" for number in range(len(rows)) for _ in range(answers)]
    places = np.repeat(np.arange(len(rows)), answers)
    return LivePool(
        name="made",
        version=1,
        seed=seed,
        encoder="by hand",
        ids=np.arange(len(queries)) + 1,
        queries=tuple(queries),
        answers=tuple(f"answer {number}" for number in range(len(queries))),
        groups=places,
        group_of={f"query {number}": number for number in range(len(rows))},
        rows=places,
        embeddings=np.asarray(rows, np.float32).reshape(len(rows), 3),
        quality_bias=np.full(len(queries), np.nan),
        fixed=np.arange(0),
        services=Services(tokens=list, is_cut=nothing_cut),
    )


def test_of_three_queries_each_sees_the_two_others():
    found = suitability_of(pool(X, Y, HALF_WAY), 2, k=2)
    # X sees Y and HALF_WAY, whose cosine is this; Y likewise; HALF_WAY sees X and Y, at 0.
    cosine = np.sqrt(0.5)
    assert found.sameness == pytest.approx(2 * cosine / 3)
    assert found.random_sameness == pytest.approx(2 * cosine / 3)  # there is no other choice
    assert found.repetition == pytest.approx(0.0)
    assert (found.demonstrations, found.queries, found.with_incorrect, found.sampled) == (
        3,
        3,
        2,
        3,
    )
    assert found.per_query == 1.0
    assert found.share_with_incorrect == pytest.approx(2 / 3)
    assert found.redundancy is Criterion.LACKS
    assert not found.diversity_can_pay


def test_look_alikes_repeat_themselves_where_random_ones_do_not():
    view = pool(*[X] * 7, *[Y] * 7, *[Z] * 7)
    found = suitability_of(view, 0)
    assert found.sameness == pytest.approx(1.0)  # six of the same subject
    # Of random contexts at most as many pairs are of one subject as if all six were.
    assert 0.1 < found.random_sameness < 0.5
    assert found.repetition == pytest.approx(1.0)
    assert found.redundancy is Criterion.SUITS
    assert found.diversity_can_pay


def test_random_contexts_are_the_mean_over_all_there_are():
    view = pool(X, X, X, Y, Y, Y)
    pairs = [
        float(view.embeddings[i] @ view.embeddings[j])
        for query in range(6)
        for i, j in itertools.combinations([each for each in range(6) if each != query], 2)
    ]
    means = [
        suitability_of(replace(view, seed=seed), 0, k=2).random_sameness for seed in range(200)
    ]
    assert np.mean(pairs) == pytest.approx(0.4)
    assert np.mean(means) == pytest.approx(0.4, abs=0.03)


def test_several_answers_a_query_are_redundancy_though_all_queries_differ():
    found = suitability_of(pool(X, Y, Z, answers=2), 0, k=2)
    assert found.sameness == pytest.approx(1.0)  # both answers of the first other query
    assert found.per_query == 2.0
    assert found.redundancy is Criterion.SUITS


def test_where_all_is_the_same_nothing_is_more_repetitive():
    found = suitability_of(pool(*[HALF_WAY] * 9), 9)
    assert (found.sameness, found.random_sameness) == (pytest.approx(1.0), pytest.approx(1.0))
    assert found.repetition == 1.0
    assert found.diversity_can_pay


@pytest.mark.parametrize(
    ("view", "per_query"),
    [(pool(X), 1.0), (pool(X, answers=9), 9.0), (pool(X, Y), 1.0)],
    ids=["one demonstration", "one query", "two demonstrations"],
)
def test_without_two_demonstrations_of_others_redundancy_is_undefined(view, per_query):
    found = suitability_of(view, 0)
    assert (found.sameness, found.random_sameness, found.repetition) == (None, None, None)
    assert found.sampled == 0
    assert found.per_query == per_query
    assert found.redundancy is Criterion.UNDEFINED
    assert not found.diversity_can_pay


def test_an_empty_pool_has_no_figures():
    found = suitability_of(pool(), 0)
    assert found == Suitability(
        demonstrations=0,
        queries=0,
        with_incorrect=0,
        sameness=None,
        random_sameness=None,
        sampled=0,
    )
    assert (found.per_query, found.share_with_incorrect) == (None, None)
    assert {found.size, found.incorrect, found.redundancy} == {Criterion.UNDEFINED}


@pytest.mark.parametrize("k", [0, 1])
def test_contexts_of_fewer_than_two_have_no_sameness(k):
    assert suitability_of(pool(X, Y, Z), 0, k=k).sameness is None


@pytest.mark.parametrize("k", [3, 4])
def test_contexts_are_no_larger_than_the_pool(k):
    found = suitability_of(pool(X, Y, HALF_WAY), 0, k=k)
    assert found.sameness == pytest.approx(2 * np.sqrt(0.5) / 3)


def test_a_sample_is_drawn_by_the_pools_seed():
    generator = np.random.default_rng(5)
    rows = generator.normal(size=(SAMPLE + 30, 3))
    view = pool(*(rows / np.linalg.norm(rows, axis=1, keepdims=True)), answers=2)
    found = suitability_of(view, 0)
    assert found.sampled == SAMPLE
    assert found.queries == SAMPLE + 30
    assert suitability_of(view, 0) == found
    assert suitability_of(replace(view, seed=1), 0).sameness != found.sameness
    every = suitability_of(view, 0, most=SAMPLE + 31)
    assert every.sampled == SAMPLE + 30
    assert every.sameness == pytest.approx(found.sameness, abs=0.05)


def test_it_can_be_stopped():
    with pytest.raises(Cancelled):
        suitability_of(pool(X, Y, Z), 0, watcher=Watcher(cancelled=lambda: True))


@pytest.mark.parametrize(
    ("queries", "verdict"),
    [(0, "undefined"), (1, "lacks"), (HUNDREDS - 1, "lacks"), (HUNDREDS, "suits")],
)
def test_hundreds_of_queries_are_a_suitable_size(queries, verdict):
    assert replace(CLEAR, queries=queries).size == verdict


@pytest.mark.parametrize(
    ("having", "verdict"), [(0, "lacks"), (200, "lacks"), (201, "suits"), (400, "suits")]
)
def test_most_queries_are_more_than_half(having, verdict):
    assert replace(CLEAR, with_incorrect=having).incorrect == verdict


@pytest.mark.parametrize(
    ("demonstrations", "sameness", "random_sameness", "verdict"),
    [
        (400, 0.5, 0.0, "suits"),
        (400, 0.49, 0.0, "lacks"),
        (400, 0.75, 0.5, "suits"),
        (400, 0.74, 0.5, "lacks"),
        (400, -0.1, 0.2, "lacks"),
        (799, 0.2, 0.2, "lacks"),
        (800, 0.2, 0.2, "suits"),
    ],
)
def test_either_several_per_query_or_repetition_is_redundancy(
    demonstrations, sameness, random_sameness, verdict
):
    found = replace(
        CLEAR,
        demonstrations=demonstrations,
        sameness=sameness,
        random_sameness=random_sameness,
    )
    assert found.redundancy == verdict
    assert found.diversity_can_pay == (verdict == "suits")


@given(st.floats(-1, 0.99), st.floats(0, 1))
def test_repetition_is_the_share_of_the_way_from_random_to_identical(random_sameness, share):
    sameness = random_sameness + share * (1 - random_sameness)
    found = replace(CLEAR, sameness=sameness, random_sameness=random_sameness)
    assert found.repetition == pytest.approx(share, abs=1e-9)
