"""What every baseline keeps, whatever it maximises."""

import numpy as np
import pytest
from baselines_oracle import POOLS, some_closed
from hypothesis import given
from hypothesis import strategies as st
from selection_oracle import random_pool, unit

from core.errors import InvalidInput
from core.selection.baselines.dpp import dpp
from core.selection.baselines.facility_location import facility_location
from core.selection.baselines.kmeans import one_per_cluster
from core.selection.baselines.msd import msd
from core.selection.baselines.votek import votek


def by_clusters(relevance, embeddings, k, **options):
    """Clusters that follow from the rows alone: the largest of the first coordinates."""
    rows = np.asarray(embeddings, dtype=np.float64)
    fits = rows.ndim == 2 and rows.shape[1]
    numbers = np.argmax(rows[:, :3], axis=1) if fits else np.zeros(len(rows), int)
    return one_per_cluster(relevance, embeddings, k, clusters=numbers, **options)


def weighing(choose, lambda_d):
    def choose_at(relevance, embeddings, k, **options):
        return choose(relevance, embeddings, k, lambda_d=lambda_d, **options)

    return choose_at


WEIGHING = {"dpp": dpp, "msd": msd, "facility-location": facility_location}
CHOOSE = {
    f"{name} {lambda_d}": weighing(choose, lambda_d)
    for name, choose in WEIGHING.items()
    for lambda_d in (0.0, 0.6, 1.0)
} | {"votek": votek, "kmeans": by_clusters}

every = pytest.mark.parametrize("choose", CHOOSE.values(), ids=CHOOSE.keys())
names, pools, seeds = (
    st.sampled_from(sorted(CHOOSE)),
    st.sampled_from(sorted(POOLS)),
    st.integers(0, 10_000),
)


@given(name=names, pool=pools, seed=seeds, n=st.integers(0, 24))
def test_as_many_as_asked_and_never_one_twice(name, pool, seed, n):
    relevance, rows, _ = POOLS[pool](seed, max(1, n))
    relevance, rows = relevance[:n], rows[:n]
    excluded, groups = some_closed(seed, n)
    still = np.flatnonzero(~excluded)
    for k in (0, 1, 3, n, n + 1):
        free = CHOOSE[name](relevance, rows, k, excluded=excluded).indices.tolist()
        assert len(set(free)) == len(free) == min(k, len(still))
        assert set(free) <= set(still.tolist())
        grouped = CHOOSE[name](relevance, rows, k, excluded=excluded, groups=groups)
        of = groups[grouped.indices].tolist()
        assert len(set(of)) == len(of) == min(k, len(set(groups[still].tolist())))
        assert grouped.indices.tolist()[:1] == free[:1]


@given(name=names, pool=pools, seed=seeds)
def test_a_longer_selection_begins_with_the_shorter_one(name, pool, seed):
    relevance, rows, _ = POOLS[pool](seed, 15)
    longest = CHOOSE[name](relevance, rows, 15)
    for k in (1, 2, 7):
        shorter = CHOOSE[name](relevance, rows, k)
        assert shorter.indices.tolist() == longest.indices.tolist()[:k]
        np.testing.assert_array_equal(shorter.values, longest.values[:k])


@given(name=names, pool=pools, seed=seeds)
def test_excluding_rows_is_taking_them_out_of_the_pool(name, pool, seed):
    relevance, rows, _ = POOLS[pool](seed, 24)
    excluded, groups = some_closed(seed, 24)
    kept, before = np.flatnonzero(~excluded), excluded.copy()
    masked = CHOOSE[name](relevance, rows, 6, excluded=excluded, groups=groups)
    smaller = CHOOSE[name](relevance[kept], rows[kept], 6, groups=groups[kept])
    assert masked.indices.tolist() == kept[smaller.indices].tolist()
    np.testing.assert_array_equal(masked.values, smaller.values)
    assert (excluded == before).all()


@given(name=names, pool=pools, seed=seeds)
def test_the_parts_are_those_of_the_picks(name, pool, seed):
    relevance, rows, _ = POOLS[pool](seed, 20)
    chosen = CHOOSE[name](relevance, rows, 5)
    np.testing.assert_array_equal(chosen.relevance, relevance[chosen.indices])
    picks = rows[chosen.indices].astype(np.float64)
    largest = [max(np.dot(pick, other) for other in picks[:step]) if step else np.nan
               for step, pick in enumerate(picks)]  # fmt: skip
    np.testing.assert_allclose(chosen.redundancy, largest, atol=1e-14)
    assert np.isnan(chosen.quality_bias).all()
    assert chosen.indices.dtype == np.int64
    for part in (chosen.values, chosen.relevance, chosen.quality_bias, chosen.redundancy):
        assert part.dtype == np.float64
        assert part.shape == (5,)


@every
def test_equal_rows_go_to_the_lowest_index_wherever_they_stand(choose):
    for d in (3, 7, 8, 33, 384, 385):
        row = unit(np.random.default_rng(d).standard_normal((1, d))).astype(np.float32)
        tiled = np.tile(row, (41, 1))
        assert choose(np.full(41, 0.3), tiled, 5).indices.tolist() == [0, 1, 2, 3, 4]
        excluded = np.arange(41) % 3 == 0
        chosen = choose(np.full(41, 0.3), tiled, 3, excluded=excluded)
        assert chosen.indices.tolist() == [1, 2, 4]


@every
@pytest.mark.parametrize("k", [0, 6])
def test_an_empty_pool_and_one_that_is_all_excluded_give_an_empty_selection(choose, k):
    for chosen in (
        choose(np.empty(0), np.empty((0, 4)), k, excluded=np.array([], dtype=bool)),
        choose(np.ones(4), np.eye(4), k, excluded=np.ones(4, dtype=bool)),
    ):
        for part in (chosen.indices, chosen.values, chosen.relevance, chosen.redundancy):
            assert part.shape == (0,)


@every
def test_lists_and_every_type_of_number_are_taken(choose):
    rows = np.array([[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5], [1, 0, 0, 0], [0, 0, 0, 1.0]])
    relevance = np.array([0.75, 0.25, 0.5, 0.5])
    expected = choose(relevance, rows, 3).indices.tolist()
    for given_rows in (rows.tolist(), np.asfortranarray(rows), rows.astype(np.float16)):
        assert choose(relevance.tolist(), given_rows, np.int64(3)).indices.tolist() == expected


@every
@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"relevance": np.ones(3)}, "relevance has shape"),
        ({"relevance": [1, np.nan, 1, 1]}, "relevance contains"),
        ({"embeddings": np.ones(4)}, "embeddings have shape"),
        ({"embeddings": np.where(np.eye(4) == 1, np.nan, 0)}, "embeddings contain"),
        ({"embeddings": np.where(np.eye(4) == 1, np.inf, 0)}, "embeddings contain"),
        ({"excluded": [True, False]}, "excluded has shape"),
        ({"excluded": [0, 1, 2, 0]}, "boolean"),
        ({"groups": [0.5, 1, 2, 3]}, "groups have shape"),
        ({"k": -1}, "k is -1"),
        ({"k": 2.5}, "k is 2.5"),
    ],
)
def test_what_cannot_be_meant_is_refused(choose, changed, message, k):
    with pytest.raises(ValueError, match=message):
        choose(**({"relevance": np.ones(4), "embeddings": np.eye(4), "k": k} | changed))


@pytest.mark.parametrize("choose", WEIGHING.values(), ids=WEIGHING.keys())
@pytest.mark.parametrize("lambda_d", [-0.01, 1.01, np.nan])
def test_a_weight_that_is_none_is_refused(choose, lambda_d):
    with pytest.raises(ValueError, match="lambda_d is .*; give a number from 0 to 1"):
        choose(np.ones(4), np.eye(4), 2, lambda_d=lambda_d)


@given(name=st.sampled_from(sorted(WEIGHING)), pool=pools, seed=seeds)
def test_at_one_the_most_relevant_are_chosen(name, pool, seed):
    relevance, rows, _ = POOLS[pool](seed, 20)
    chosen = WEIGHING[name](relevance, rows, 9, lambda_d=1.0)
    by_relevance = np.argsort(-np.round(relevance, 10), kind="stable")[:9]
    assert chosen.indices.tolist() == by_relevance.tolist()
    np.testing.assert_array_equal(chosen.values, relevance[chosen.indices])


@given(name=st.sampled_from(["dpp", "msd"]), pool=pools, seed=seeds, lambda_d=st.floats(0, 1))
def test_the_first_pick_is_the_most_relevant_at_every_weight(name, pool, seed, lambda_d):
    relevance, rows, _ = POOLS[pool](seed, 20)
    chosen = WEIGHING[name](relevance, rows, 3, lambda_d=lambda_d)
    assert chosen.indices[0] == np.argmax(np.round(relevance, 10))


@given(name=st.sampled_from(sorted(WEIGHING)), seed=seeds)
def test_at_zero_relevance_decides_no_more_than_the_first_pick(name, seed):
    relevance, rows, _ = random_pool(seed, 20)
    first = int(np.argmax(relevance))
    others = np.where(np.arange(20) == first, 1.0, np.random.default_rng(seed).random(20) - 0.5)
    chosen = WEIGHING[name](relevance, rows, 6, lambda_d=0.0)
    assert chosen.indices.tolist() == WEIGHING[name](others, rows, 6, lambda_d=0.0).indices.tolist()


@pytest.mark.parametrize("choose", [weighing(facility_location, 0.5), votek])
def test_too_many_to_compare_with_each_other_are_refused(choose):
    angle = np.linspace(0, 1, 4098)
    rows, relevance = np.column_stack([np.cos(angle), np.sin(angle)]), np.cos(angle)
    with pytest.raises(InvalidInput, match="There are 4,098 candidates, .* at most 4,096"):
        choose(relevance, rows, 2)
    assert len(choose(relevance, rows, 0, excluded=angle > 0.9).indices) == 0
