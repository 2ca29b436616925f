"""The baselines as methods: what their functions choose among the 50 most similar."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans

from core.errors import InvalidInput
from core.retrieval.choosing import settled
from core.retrieval.knobs import Knobs
from core.selection.baselines.dpp import dpp
from core.selection.baselines.facility_location import facility_location
from core.selection.baselines.msd import msd
from core.selection.baselines.votek import votek
from tests.contracts.test_method_contract import choose, pool, query_vector

WEIGHING = {"dpp": dpp, "msd": msd, "facility-location": facility_location}
NAMES = [*WEIGHING, "votek", "kmeans"]


def large_pool():
    """120 demonstrations of 80 queries, of which the first 40 have two answers each."""
    return pool([f"query {i % 80}" for i in range(120)])


def candidates_of(view, count=50):
    """The places of the most similar, in the pool's order."""
    return np.sort(np.argsort(-view.relevance(query_vector()), kind="stable")[:count])


def chosen_by(view, name, k, **knobs):
    return choose(view, name, k, query="another", **knobs)


@pytest.mark.parametrize("name", WEIGHING)
@pytest.mark.parametrize("lambda_d", [0.0, 0.75, 1.0])
def test_it_chooses_what_its_function_chooses_among_50_candidates(name, lambda_d):
    view = large_pool()
    near, relevance = candidates_of(view), view.relevance(query_vector())
    expected = WEIGHING[name](relevance[near], view.matrix[near], 6, lambda_d=lambda_d)
    context = chosen_by(view, name, 6, lambda_d=lambda_d)
    assert context.indices.tolist() == near[expected.indices].tolist()
    np.testing.assert_array_equal(context.values, expected.values)


@pytest.mark.parametrize("name", NAMES)
def test_the_candidates_can_be_fewer_or_the_whole_pool(name):
    view = large_pool()
    few = chosen_by(view, name, 8, candidates=8).indices
    assert sorted(few.tolist()) == candidates_of(view, 8).tolist()
    assert set(chosen_by(view, name, 120, candidates=120).indices.tolist()) == set(range(120))
    assert sorted(chosen_by(view, name, 60).indices.tolist()) == candidates_of(view, 60).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_one_answer_per_query_stays_among_the_candidates_and_begins_alike(name):
    view = large_pool()
    context = chosen_by(view, name, 8, one_per_query=True, lambda_d=0.5)
    groups = view.groups[context.indices].tolist()
    assert len(set(groups)) == 8
    assert set(context.indices.tolist()) <= set(candidates_of(view).tolist())
    first = chosen_by(view, name, 1, lambda_d=0.5)
    assert context.indices[:1].tolist() == first.indices.tolist()


def test_dpp_has_no_value_where_nothing_adds_volume():
    view = large_pool()  # of 8 dimensions
    context = chosen_by(view, "dpp", 10, lambda_d=0.5)
    assert np.isnan(context.values).tolist() == [False] * 8 + [True] * 2


@pytest.mark.parametrize("neighbours", [1, 3, 10, 49, 150])
def test_votek_asks_its_own_knob_for_the_neighbours(neighbours):
    view = large_pool()
    near, relevance = candidates_of(view), view.relevance(query_vector())
    expected = votek(relevance[near], view.matrix[near], 6, neighbours=neighbours)
    context = chosen_by(view, "votek", 6, own_values=(("neighbours", neighbours),))
    assert context.indices.tolist() == near[expected.indices].tolist()
    np.testing.assert_array_equal(context.values, expected.values)
    if neighbours == 10:
        assert chosen_by(view, "votek", 6).indices.tolist() == context.indices.tolist()


@pytest.mark.parametrize("neighbours", [0, -1, 2.5, "many"])
def test_votek_refuses_neighbours_that_are_no_number_of_them(neighbours):
    with pytest.raises(InvalidInput, match="neighbours is .*; it must be a whole number from 1"):
        settled(Knobs("votek", 6, own_values=(("neighbours", neighbours),)))


def clustered(view, k, seed):
    """The most similar candidate of each of scikit-learn's clusters, the most similar first."""
    near, relevance = candidates_of(view), view.relevance(query_vector())
    labels = KMeans(k, random_state=seed).fit_predict(view.matrix[near].astype(np.float64))
    best = [near[labels == label][np.argmax(relevance[near[labels == label]])]
            for label in range(k)]  # fmt: skip
    return sorted(int(i) for i in best), labels


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("k", [1, 2, 6, 12])
def test_kmeans_takes_the_most_similar_of_each_cluster(k, seed):
    view = pool([f"query {i}" for i in range(120)])
    expected, labels = clustered(view, k, seed)
    assert len(set(labels.tolist())) == k
    context = chosen_by(view, "kmeans", k, seed=seed)
    assert sorted(context.indices.tolist()) == expected
    assert (np.diff(context.relevance) <= 0).all()
    np.testing.assert_array_equal(context.values, context.relevance)


def test_kmeans_depends_on_its_seed_alone():
    view = pool([f"query {i}" for i in range(120)])
    by_seed = {seed: chosen_by(view, "kmeans", 6, seed=seed).ids.tolist() for seed in range(6)}
    assert len({tuple(ids) for ids in by_seed.values()}) > 1
    assert chosen_by(view, "kmeans", 6, seed=3).ids.tolist() == by_seed[3]


@pytest.mark.parametrize("noise", [0.0, 3e-8])
@pytest.mark.filterwarnings("error")
def test_kmeans_fills_up_with_the_most_similar_where_embeddings_are_few(noise):
    """Three texts of the pool embed alike, but for what float32 rounds."""
    view = pool([f"query {i}" for i in range(40)])
    generator = np.random.default_rng(2)
    alike = np.eye(3, 8)[np.arange(40) % 3] + noise * generator.standard_normal((40, 8))
    view = replace(view, embeddings=alike.astype(np.float32))
    relevance = view.relevance(query_vector())
    order = np.argsort(-relevance, kind="stable").tolist()
    heads = [next(i for i in order if i % 3 == axis) for axis in range(3)]
    heads.sort(key=order.index)
    context = chosen_by(view, "kmeans", 6)
    assert context.indices.tolist() == heads + [i for i in order if i not in heads][:3]


def test_more_candidates_than_can_be_compared_are_refused_in_a_sentence():
    view = pool([f"query {i}" for i in range(4100)])
    for name in ("facility-location", "votek"):
        with pytest.raises(InvalidInput, match="There are 4,100 candidates"):
            chosen_by(view, name, 2, candidates=4100)
        assert len(chosen_by(view, name, 2)) == 2
