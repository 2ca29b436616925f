from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pyversity import Metric
from pyversity.strategies.mmr import mmr as pyversity_mmr
from selection_oracle import (
    brute_force,
    duplicated_pool,
    random_pool,
    relevance_of,
    tied_pool,
    unit,
)

from core.selection.cosines import exact_redundancy
from core.selection.greedy import Values, heaviest
from core.selection.mmr import mmr

ENDS_AND_BETWEEN = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0]
POOLS = {"random": random_pool, "duplicated": duplicated_pool, "tied": tied_pool}

# To 12 digits: rounded weighed values, as of the brute force, lose whatever counts for less.
lambdas = st.sampled_from([0.0, 0.1, 0.5, 0.75, 1.0]) | st.floats(0, 1).map(
    lambda value: round(value, 12)
)
seeds = st.integers(0, 10_000)


def bias_of(seed, n):
    """Few distinct values, so that the bias ties too."""
    return -np.random.default_rng(seed).integers(1, 9, size=n) / 4


def hand_worked_pool():
    """Three directions in the plane; the query points along the first."""
    rows = np.array([[1, 0], [0.8, 0.6], [0, 1]])
    return np.array([1.0, 0.8, 0.0]), rows


@pytest.mark.parametrize(
    ("lambda_d", "indices", "values"),
    [
        (1.0, [0, 1, 2], [1.0, 0.8, 0.0]),
        # Row 1: 0.75 * 0.8 - 0.25 * 0.8 = 0.4; row 2: 0, then -0.25 * max(0, 0.6).
        (0.75, [0, 1, 2], [1.0, 0.4, -0.15]),
        # Row 1: 0.25 * 0.8 - 0.75 * 0.8 = -0.4 against row 2: 0; then row 1 is nearest to row 0.
        (0.25, [0, 2, 1], [1.0, 0.0, -0.4]),
        (0.0, [0, 2, 1], [1.0, 0.0, -0.8]),
    ],
)
def test_hand_worked_pool(lambda_d, indices, values):
    relevance, rows = hand_worked_pool()
    selection = mmr(relevance, rows, 3, lambda_d=lambda_d)
    assert selection.indices.tolist() == indices
    np.testing.assert_allclose(selection.values, values, atol=1e-15)


def test_parts_of_each_pick():
    relevance, rows = hand_worked_pool()
    bias = np.array([-4.0, -1.0, -2.0])
    # v = 0.5 * relevance + 0.5 * bias = -1.5, -0.1, -1.0: row 1 first, then
    # row 2: 0.5 * -1.0 - 0.5 * 0.6 = -0.8 before row 0: 0.5 * -1.5 - 0.5 * 0.8 = -1.15.
    selection = mmr(relevance, rows, 2, lambda_d=0.5, lambda_b=0.5, quality_bias=bias)
    assert selection.indices.tolist() == [1, 2]
    np.testing.assert_allclose(selection.values, [-0.1, -0.8], atol=1e-15)
    np.testing.assert_allclose(selection.relevance, [0.8, 0.0])
    np.testing.assert_allclose(selection.quality_bias, [-1.0, -2.0])
    np.testing.assert_allclose(selection.redundancy, [np.nan, 0.6])
    assert selection.indices.dtype == np.int64
    assert selection.values.dtype == selection.redundancy.dtype == np.float64


def test_without_a_bias_its_part_is_undefined():
    relevance, rows = hand_worked_pool()
    assert np.isnan(mmr(relevance, rows, 2, lambda_d=0.5).quality_bias).all()


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("lambda_d", ENDS_AND_BETWEEN)
@pytest.mark.parametrize("lambda_b", [0.0, 0.5, 0.95, 1.0])
def test_equals_brute_force(pool, lambda_d, lambda_b):
    for seed in range(8):
        relevance, rows, _ = POOLS[pool](seed, 40)
        bias = bias_of(seed, 40)
        selection = mmr(relevance, rows, 7, lambda_d=lambda_d, lambda_b=lambda_b, quality_bias=bias)
        expected = brute_force(relevance, rows, 7, lambda_d, lambda_b, bias)
        assert selection.indices.tolist() == expected


@given(
    pool=st.sampled_from(sorted(POOLS)),
    seed=seeds,
    n=st.integers(1, 30),
    k=st.integers(0, 32),
    lambda_d=lambdas,
    lambda_b=lambdas,
)
def test_equals_brute_force_on_any_pool(pool, seed, n, k, lambda_d, lambda_b):
    relevance, rows, _ = POOLS[pool](seed, n)
    bias = bias_of(seed, n)
    excluded = np.random.default_rng(seed).random(n) < 0.3
    selection = mmr(
        relevance,
        rows,
        k,
        lambda_d=lambda_d,
        lambda_b=lambda_b,
        quality_bias=bias,
        excluded=excluded,
    )
    expected = brute_force(relevance, rows, k, lambda_d, lambda_b, bias, excluded)
    assert selection.indices.tolist() == expected


@pytest.mark.parametrize("lambda_d", ENDS_AND_BETWEEN)
@pytest.mark.parametrize("pool", ["random", "duplicated"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_brute_force_where_later_passes_need_a_few_rows_only(pool, lambda_d, dtype):
    relevance, rows, _ = POOLS[pool](3, 3000, 48, dtype)
    excluded = np.zeros(3000, dtype=bool)
    excluded[np.argsort(-relevance)[:5]] = True
    selection = mmr(relevance, rows, 6, lambda_d=lambda_d, excluded=excluded)
    expected = brute_force(relevance, rows, 6, lambda_d, excluded=excluded)
    assert selection.indices.tolist() == expected


def test_a_large_pool_of_one_row_gives_the_lowest_indices():
    rows = np.tile(unit(np.ones((1, 5))), (3000, 1)).astype(np.float32)
    selection = mmr(np.full(3000, 0.5), rows, 4, lambda_d=0.5)
    assert selection.indices.tolist() == [0, 1, 2, 3]


def test_the_query_itself_in_a_large_pool_ties_everything_at_one_half():
    # Relevance is then each row's cosine with the first pick: 0.5 * r - 0.5 * r = 0 for all.
    _, rows, _ = random_pool(4, 3000)
    relevance = relevance_of(rows[17].astype(np.float64), rows)
    selection = mmr(relevance, rows, 4, lambda_d=0.5)
    assert selection.indices.tolist()[:2] == [17, 0]
    assert selection.indices.tolist() == brute_force(relevance, rows, 4, 0.5)


def test_equal_rows_get_equal_redundancy_wherever_they_stand():
    # The lengths around the width of vector registers are those where a matrix product differs.
    for d in (1, 3, 7, 8, 31, 33, 384, 385):
        generator = np.random.default_rng(d)
        row = unit(generator.standard_normal((1, d)))[0].astype(np.float32)
        picks = unit(generator.standard_normal((3, d))).astype(np.float32)
        rows = np.vstack([picks, np.tile(row, (37, 1))])
        exact = exact_redundancy(rows, np.arange(3, 40), np.array([0, 1, 2]))
        assert len(set(exact.tolist())) == 1


def test_redundancy_is_the_largest_cosine_with_earlier_picks():
    relevance, rows, _ = random_pool(1, 60)
    selection = mmr(relevance, rows, 8, lambda_d=0.6)
    picked = rows[selection.indices].astype(np.float64)
    for step in range(1, 8):
        largest = max(np.dot(picked[step], earlier) for earlier in picked[:step])
        assert selection.redundancy[step] == largest
        weight = 0.6 * relevance[selection.indices[step]] - 0.4 * largest
        assert selection.values[step] == pytest.approx(weight, abs=1e-15)


@given(pool=st.sampled_from(sorted(POOLS)), seed=seeds, lambda_b=lambdas)
@example(pool="tied", seed=0, lambda_b=0.4)  # where rounding separates equal values
def test_relevance_only_is_the_top_k_by_value(pool, seed, lambda_b):
    relevance, rows, _ = POOLS[pool](seed, 25)
    bias = bias_of(seed, 25)
    selection = mmr(relevance, rows, 9, lambda_d=1, lambda_b=lambda_b, quality_bias=bias)
    exactly = [
        Fraction(lambda_b) * Fraction(r) + Fraction(1 - lambda_b) * Fraction(b)
        for r, b in zip(relevance.tolist(), bias.tolist(), strict=True)
    ]
    best = sorted(range(25), key=lambda index: (-exactly[index], index))
    assert selection.indices.tolist() == best[:9]


small = st.floats(-1e-8, 1e-8)


@given(
    ahead=st.tuples(small, small),
    more_redundant=st.integers(-8, 8),
    lambda_b=lambdas,
    lambda_d=lambdas | st.floats(-8, -4).map(lambda power: 10**power),
)
@example(ahead=(7.76e-11, 1.68e-9), more_redundant=3, lambda_b=0.95, lambda_d=2.21e-6)
@example(ahead=(-9.52e-11, -1.49e-9), more_redundant=-3, lambda_b=0.95, lambda_d=1.688e-6)
@example(ahead=(9.81e-11, -1.79e-9), more_redundant=0, lambda_b=0.95, lambda_d=2.216e-6)
def test_near_equals_are_told_apart_as_exact_arithmetic_does(
    ahead, more_redundant, lambda_b, lambda_d
):
    relevance = np.array([0.048, 0.048 + ahead[0]])
    bias = np.array([-1.0, -1.0 + ahead[1]])
    redundancy = np.array([0.9, 0.9 + more_redundant * 2**-53])
    values = Values.of(relevance, bias, lambda_b)
    assume(abs(values.total[1] - values.total[0]) < 0.9e-9)
    exactly = [
        Fraction(lambda_d)
        * (Fraction(lambda_b) * Fraction(r) + Fraction(1 - lambda_b) * Fraction(b))
        - Fraction(1 - lambda_d) * Fraction(m)
        for r, b, m in zip(relevance.tolist(), bias.tolist(), redundancy.tolist(), strict=True)
    ]
    lead = exactly[1] - exactly[0]
    assume(lead == 0 or abs(lead) > 1e-22)
    best, _ = heaviest(values, np.array([0, 1]), redundancy, lambda_d)
    assert best == int(lead > 0)


@given(seed=seeds, lambda_d=lambdas)
def test_lambda_b_of_one_is_no_bias_and_of_zero_bias_only(seed, lambda_d):
    relevance, rows, _ = random_pool(seed, 20)
    bias = bias_of(seed, 20)
    plain = mmr(relevance, rows, 5, lambda_d=lambda_d)
    biased = mmr(relevance, rows, 5, lambda_d=lambda_d, lambda_b=1, quality_bias=bias)
    assert biased.indices.tolist() == plain.indices.tolist()
    only = mmr(relevance, rows, 5, lambda_d=lambda_d, lambda_b=0, quality_bias=bias)
    other = mmr(relevance[::-1], rows, 5, lambda_d=lambda_d, lambda_b=0, quality_bias=bias)
    assert only.indices.tolist() == other.indices.tolist()


@given(seed=seeds, lambda_d=lambdas, k=st.integers(1, 12))
def test_diversity_only_still_starts_with_the_most_valued(seed, lambda_d, k):
    relevance, rows, _ = random_pool(seed, 20)
    assert mmr(relevance, rows, k, lambda_d=lambda_d).indices[0] == np.argmax(relevance)


@given(seed=seeds, lambda_d=lambdas)
def test_shuffling_the_pool_permutes_the_answer(seed, lambda_d):
    relevance, rows, _ = random_pool(seed, 30, dtype=np.float64)
    order = np.random.default_rng(seed).permutation(30)
    straight = mmr(relevance, rows, 6, lambda_d=lambda_d).indices
    shuffled = mmr(relevance[order], rows[order], 6, lambda_d=lambda_d).indices
    assert order[shuffled].tolist() == straight.tolist()


@given(pool=st.sampled_from(sorted(POOLS)), seed=seeds, lambda_d=lambdas)
def test_a_longer_selection_begins_with_the_shorter_one(pool, seed, lambda_d):
    relevance, rows, _ = POOLS[pool](seed, 18)
    longest = mmr(relevance, rows, 18, lambda_d=lambda_d)
    assert sorted(longest.indices.tolist()) == list(range(18))
    assert (np.diff(longest.values[1:]) <= 0).all()
    for k in (0, 1, 2, 7, 17):
        assert mmr(relevance, rows, k, lambda_d=lambda_d).indices.tolist() == (
            longest.indices[:k].tolist()
        )
    assert mmr(relevance, rows, 19, lambda_d=lambda_d).indices.tolist() == longest.indices.tolist()


@given(pool=st.sampled_from(sorted(POOLS)), seed=seeds, lambda_d=lambdas)
def test_excluding_rows_is_taking_them_out_of_the_pool(pool, seed, lambda_d):
    relevance, rows, _ = POOLS[pool](seed, 24)
    excluded = np.random.default_rng(seed).random(24) < 0.5
    kept = np.flatnonzero(~excluded)
    masked = mmr(relevance, rows, 6, lambda_d=lambda_d, excluded=excluded)
    smaller = mmr(relevance[kept], rows[kept], 6, lambda_d=lambda_d)
    assert masked.indices.tolist() == kept[smaller.indices].tolist()
    np.testing.assert_array_equal(masked.values, smaller.values)


def test_the_mask_that_was_given_is_left_alone():
    relevance, rows = hand_worked_pool()
    excluded = np.array([True, False, False])
    mmr(relevance, rows, 2, lambda_d=0.5, excluded=excluded)
    assert excluded.tolist() == [True, False, False]


def test_the_query_never_changes_what_is_chosen():
    relevance, rows, query = random_pool(2, 50)
    for lambda_d in ENDS_AND_BETWEEN:
        with_query = mmr(relevance, rows, 6, lambda_d=lambda_d, query=query)
        without = mmr(relevance, rows, 6, lambda_d=lambda_d)
        assert with_query.indices.tolist() == without.indices.tolist()


@pytest.mark.parametrize("excluded", [None, np.array([], dtype=bool)])
def test_an_empty_pool_gives_an_empty_selection(excluded):
    selection = mmr(np.empty(0), np.empty((0, 4)), 6, lambda_d=0.5, excluded=excluded)
    for part in (selection.indices, selection.values, selection.relevance, selection.redundancy):
        assert part.shape == (0,)


def test_everything_excluded_gives_an_empty_selection():
    relevance, rows = hand_worked_pool()
    assert mmr(relevance, rows, 2, lambda_d=0.5, excluded=np.ones(3, bool)).indices.tolist() == []


def test_lists_half_precision_and_column_order_are_taken_too():
    relevance, rows = hand_worked_pool()
    expected = mmr(relevance, rows, 3, lambda_d=0.25).indices.tolist()
    for given_rows in (rows.tolist(), np.asfortranarray(rows), rows.astype(np.float16)):
        chosen = mmr(relevance.tolist(), given_rows, np.int64(3), lambda_d=0.25)
        assert chosen.indices.tolist() == expected


def with_nan(array, position):
    changed = np.array(array, dtype=np.float64)
    changed[position] = np.nan
    return changed


RELEVANCE, ROWS = hand_worked_pool()


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"relevance": RELEVANCE[:2]}, "relevance has shape"),
        ({"relevance": RELEVANCE[:, None]}, "relevance has shape"),
        ({"relevance": with_nan(RELEVANCE, 1)}, "relevance contains"),
        ({"embeddings": ROWS[0]}, "embeddings have shape"),
        ({"embeddings": with_nan(ROWS, (2, 1))}, "embeddings contain"),
        ({"embeddings": np.where(ROWS == 0.6, np.inf, ROWS)}, "embeddings contain"),
        ({"lambda_d": -0.01}, "lambda_d is -0.01"),
        ({"lambda_d": 1.01}, "lambda_d is 1.01"),
        ({"lambda_d": float("nan")}, "lambda_d is nan"),
        ({"lambda_b": 1.5}, "lambda_b is 1.5"),
        ({"lambda_b": float("nan")}, "lambda_b is nan"),
        ({"lambda_b": 0.95}, "without quality_bias"),
        ({"lambda_b": 0.95, "quality_bias": [-1.0, -2.0]}, "quality_bias has shape"),
        ({"lambda_b": 0.95, "quality_bias": [-1.0, np.nan, -2.0]}, "quality_bias contains"),
        ({"lambda_b": 0.0, "quality_bias": [-1.0, -np.inf, -2.0]}, "quality_bias contains"),
        ({"excluded": [True, False]}, "excluded has shape"),
        ({"excluded": [0, 1, 2]}, "boolean"),
        ({"query": [1.0, 0.0, 0.0]}, "query has shape"),
        ({"query": [1.0, np.nan]}, "query contains"),
    ],
)
def test_what_cannot_be_meant_is_refused(changed, message, k):
    arguments = {"relevance": RELEVANCE, "embeddings": ROWS, "lambda_d": 0.5} | changed
    with pytest.raises(ValueError, match=message):
        mmr(k=k, **arguments)


@pytest.mark.parametrize("k", [-1, 2.5, None])
def test_k_is_a_whole_number_from_zero(k):
    with pytest.raises(ValueError, match="k is"):
        mmr(RELEVANCE, ROWS, k, lambda_d=0.5)


@pytest.mark.parametrize("lambda_d", ENDS_AND_BETWEEN)
@pytest.mark.parametrize("pool", ["random", "duplicated"])
@pytest.mark.parametrize("n", [60, 500, 2846])
def test_picks_what_pyversity_picks(pool, lambda_d, n):
    # pyversity counts a negative cosine as 0, so the rows have no negative entries. It decides
    # ties by the last bit of a float32 product: rows are compared, not their positions.
    _, rows, query = POOLS[pool](n, n, 40, np.float32)
    rows = unit(np.abs(rows)).astype(np.float32)
    relevance = relevance_of(np.abs(query).astype(np.float64), rows).astype(np.float32)
    ours = mmr(relevance, rows, 10, lambda_d=lambda_d)
    theirs = pyversity_mmr(
        rows, relevance, 10, diversity=1 - lambda_d, metric=Metric.COSINE, normalize=False
    )
    np.testing.assert_array_equal(rows[ours.indices], rows[theirs.indices])
    # Its first value is weighed too: lambda_d * v.
    first = lambda_d * ours.values[:1]
    expected = np.concatenate([first, ours.values[1:]])
    np.testing.assert_allclose(theirs.selection_scores, expected, atol=2e-6)
