from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidInput
from core.metrics import cos_sum
from core.retrieval.candidates import choose_from_candidates
from core.retrieval.choosing import METHODS, asked_of, choose_context, settled
from core.retrieval.fixed import name_fixed
from core.retrieval.knobs import Knobs
from core.retrieval.method import context_of_indices
from core.retrieval.pool_view import load_pool_view

QUERY = "Can dogs see in the dark?"


@pytest.fixture
def vector(hashing_encoder):
    return hashing_encoder.encode([QUERY])[0]


@pytest.fixture
def scored(view):
    return replace(view, quality_bias=-np.arange(len(view), 0, -1.0))


def brute_force(view, vector, k, lambda_d, lambda_b, excluded):
    """Algorithm 1 of RAGSys in float64, ties to the lowest index."""
    rows = view.matrix.astype(np.float64)
    relevance = view.relevance(vector).astype(np.float64)
    value = lambda_b * relevance
    if lambda_b < 1:
        value = value + (1 - lambda_b) * view.quality_bias
    chosen = []
    while len(chosen) < min(k, int((~excluded).sum())):
        redundancy = (rows @ rows[chosen].T).max(axis=1) if chosen else np.zeros(len(rows))
        score = lambda_d * value - (1 - lambda_d) * redundancy if chosen else value.copy()
        score[excluded] = -np.inf
        score[chosen] = -np.inf
        best = np.flatnonzero(score >= score.max() - 1e-9)
        chosen.append(int(best[0]))
    return chosen


@pytest.mark.parametrize(
    ("method", "lambda_d", "lambda_b"),
    [
        ("bias", 1.0, 0.0),
        ("rel", 1.0, 1.0),
        ("rel+bias", 1.0, 0.8),
        ("rel+div", 0.4, 1.0),
        ("rel+div+bias", 0.4, 0.8),
    ],
)
def test_each_method_is_algorithm_1_with_its_lambdas(scored, vector, method, lambda_d, lambda_b):
    request = Knobs(method, 5, lambda_d=0.4, lambda_b=0.8)
    used = METHODS[method].settle(request)
    assert (used.lambda_d, used.lambda_b) == (lambda_d, lambda_b)
    excluded = scored.same_query("Can cats see in the dark?")
    context = choose_context(scored, "Can cats see in the dark?", vector, request, leave_out=True)
    assert context.indices.tolist() == brute_force(scored, vector, 5, lambda_d, lambda_b, excluded)


@pytest.mark.parametrize(
    ("k", "one_per_query", "expected"),
    [
        (0, False, []),
        (2, False, [1, 0]),
        (9, False, [1, 0, 4, 3]),
        (0, True, []),
        (2, True, [1, 4]),
        (9, True, [1, 4]),
    ],
)
def test_the_first_k_of_a_ranking_are_of_k_queries_where_that_is_asked(
    view, vector, k, one_per_query, expected
):
    view = replace(view, groups=np.array([7, 7, 7, 5, 5, *range(20, 31)]))
    knobs = Knobs("rel", k, one_per_query=one_per_query)
    also = np.arange(len(view)) == 2
    asked = asked_of(view, QUERY, vector, settled(knobs), leave_out=False, also_excluded=also)
    assert np.flatnonzero(asked.excluded).tolist() == [2]
    assert asked.first_k(np.array([1, 0, 4, 3])).tolist() == expected
    assert (asked.groups is None) is not one_per_query
    context = asked.context(np.array(expected, dtype=np.int64))
    assert context.ids.tolist() == view.ids[expected].tolist()
    assert context.relevance.tolist() == view.relevance(vector)[expected].tolist()


def test_none_is_empty_and_its_diversity_undefined(view, vector):
    context = choose_context(view, QUERY, vector, Knobs("none"), leave_out=False)
    assert len(context) == 0
    assert np.isnan(context.diversity)
    assert np.isnan(context.cos_sum)
    assert context.in_prompt_order() == []


def test_random_depends_on_seed_and_query_alone(view, vector):
    def ids(seed, query=QUERY):
        request = Knobs("random", 4, seed=seed)
        return choose_context(view, query, vector, request, leave_out=False).ids.tolist()

    assert ids(0) == ids(0)
    assert ids(0) != ids(1)
    assert ids(0) != ids(0, "Another query")


def test_fix_shows_the_first_k_of_those_named_and_leaves_the_same_query_out(
    store, pool, hashing_encoder, vector
):
    ids = [d.id for d in store.demonstrations.all(pool.id)]
    name_fixed(store, pool, [ids[8], ids[0], ids[4]])
    view = load_pool_view(store, "small", hashing_encoder)
    request = Knobs("fix", 2)
    shown = choose_context(view, QUERY, vector, request, leave_out=True)
    assert shown.ids.tolist() == [ids[8], ids[0]]
    own = choose_context(view, "what happens if you swallow gum?", vector, request, leave_out=True)
    assert own.ids.tolist() == [ids[8], ids[4]]


@pytest.mark.parametrize("wrong", [[1, 1], [10**9]])
def test_fixed_demonstrations_must_be_distinct_ones_of_the_pool(store, pool, view, wrong):
    before = store.pools.fixed_ids(pool.id)
    with pytest.raises(InvalidInput, match="must be distinct ids"):
        name_fixed(store, pool, wrong)
    assert store.pools.fixed_ids(pool.id) == before


def test_the_most_relevant_stands_last_and_ties_by_id(view, vector):
    context = choose_context(view, QUERY, vector, Knobs("rel", 6), leave_out=False)
    order = context.in_prompt_order()
    keys = [(context.relevance[place], context.ids[place]) for place in order]
    assert keys == sorted(keys)
    assert context.relevance[order[-1]] == context.relevance.max()


def test_the_least_relevant_is_left_out_first(view, vector):
    context = choose_context(view, QUERY, vector, Knobs("rel+div", 5), leave_out=False)
    first = context.in_prompt_order()[0]
    shorter = context.without_least_relevant()
    assert shorter.ids.tolist() == [id for p, id in enumerate(context.ids.tolist()) if p != first]
    assert shorter.left_out == 1
    assert shorter.diversity != context.diversity


def test_redundancy_of_a_context_without_values(view, vector):
    indices = np.array([0, 4, 1], dtype=np.int64)
    context = context_of_indices(view, view.relevance(vector), indices)
    rows = view.matrix[indices].astype(np.float64)
    assert np.isnan(context.redundancy[0])
    assert context.redundancy[1] == pytest.approx(rows[1] @ rows[0], abs=1e-6)
    assert context.redundancy[2] == pytest.approx(1.0, abs=1e-6)
    pairs = [rows[0] @ rows[1], rows[0] @ rows[2], rows[1] @ rows[2]]
    assert context.diversity == pytest.approx(np.mean(pairs), abs=1e-6)
    assert context.cos_sum == pytest.approx(cos_sum(rows, vector), abs=1e-6)
    assert context.measured == {"diversity": context.diversity, "cos_sum": context.cos_sum}


def test_bias_that_is_not_scored_is_refused_with_the_way_out(view, vector):
    with pytest.raises(InvalidInput, match="16 of 16 .* set lambda_b to 1"):
        choose_context(view, QUERY, vector, Knobs("rel+bias"), leave_out=False)
    at_one = Knobs("rel+bias", lambda_b=1.0)
    assert len(choose_context(view, QUERY, vector, at_one, leave_out=False)) == 6


@pytest.mark.parametrize(
    ("knobs", "complaint"),
    [
        ({"method": "mmr"}, "There is no method 'mmr'; the methods are none, random"),
        ({"k": -1}, "k is -1"),
        ({"lambda_d": 1.01}, "lambda_d is 1.01"),
        ({"lambda_b": -0.01}, "lambda_b is -0.01"),
        ({"lambda_d": float("nan")}, "lambda_d is nan"),
    ],
)
def test_knobs_out_of_range_are_refused(knobs, complaint):
    with pytest.raises(InvalidInput, match=complaint):
        settled(Knobs(**knobs))


def test_the_rows_of_a_shuffled_view_point_to_their_own_embeddings(view, vector):
    shuffled = replace(view, rows=view.rows[::-1].copy())
    assert np.array_equal(shuffled.matrix, view.matrix[::-1])


def test_every_method_says_what_it_does():
    for name, method in METHODS.items():
        assert method.name == name
        assert method.explanation.endswith(".")
        for parameter in method.parameters:
            assert parameter.low <= parameter.default <= parameter.high
    assert [p.name for p in METHODS["rel+div+bias"].parameters] == ["lambda_d", "lambda_b"]
    assert METHODS["rel"].parameters == ()


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_with_all_candidates_the_index_gives_the_whole_pools_context(
    scored, vector, tmp_path, kind
):
    request = Knobs("rel+div+bias", 5, 0.5, lambda_b=0.9, index=kind, candidates=len(scored))
    excluded = scored.same_query("Can cats see in the dark?")
    whole = choose_context(scored, "Can cats see in the dark?", vector, request, leave_out=True)
    fetched = choose_from_candidates(scored, vector, settled(request), tmp_path, excluded=excluded)
    assert fetched.ids.tolist() == whole.ids.tolist()
