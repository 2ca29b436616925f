"""The process chooses what determinants computed anew choose, and what pyversity chooses."""

import numpy as np
import pytest
import pyversity
from baselines_oracle import POOLS, greedily, some_closed
from hypothesis import assume, given
from hypothesis import strategies as st
from selection_oracle import random_pool

from core.selection.baselines.dpp import SPANNED, dpp


def log_volume(rows):
    """log det of their cosines; minus infinity where one lies in the span of those before it."""
    for step in range(1, len(rows)):
        nearest, *_ = np.linalg.lstsq(rows[:step].T, rows[step], rcond=None)
        if np.sum((rows[step] - nearest @ rows[:step]) ** 2) <= SPANNED:
            return -np.inf
    return np.linalg.slogdet(rows @ rows.T)[1] if len(rows) else 0.0


def added(relevance, rows, lambda_d):
    """What one more adds to log P, by determinants alone; the most relevant is the first."""
    rows = rows.astype(np.float64)

    def value(picked, i):
        if not picked or lambda_d == 1:
            return relevance[i]
        before = log_volume(rows[picked])
        after = -np.inf if before == -np.inf else log_volume(rows[[*picked, i]])
        if after == -np.inf:  # below whatever has a volume, and the most relevant first
            return relevance[i] - 1e6
        return lambda_d * relevance[i] + (1 - lambda_d) * (after - before)

    return value


@given(
    pool=st.sampled_from(sorted(POOLS)), seed=st.integers(0, 10_000), n=st.integers(1, 16),
    k=st.integers(0, 9), lambda_d=st.sampled_from([0.0, 0.3, 0.75, 1.0]), closed=st.booleans(),
)  # fmt: skip
def test_equals_determinants_computed_anew(pool, seed, n, k, lambda_d, closed):
    relevance, rows, _ = POOLS[pool](seed, n)
    excluded, groups = some_closed(seed, n) if closed else (None, None)
    chosen = dpp(relevance, rows, k, lambda_d=lambda_d, excluded=excluded, groups=groups)
    value = added(relevance, rows, lambda_d)
    picked, values, _ = greedily(value, n, k, excluded, groups)
    if chosen.indices.tolist() != picked:  # only where two values tie within rounding
        step = next(s for s, i in enumerate(picked) if i != chosen.indices[s])
        found = value(picked[:step], int(chosen.indices[step]))
        assert found == pytest.approx(values[step], abs=1e-8)
    else:
        undefined = np.array(values) < -1e5
        assert np.isnan(chosen.values).tolist() == undefined.tolist()
        expected = np.array(values)[~undefined]
        if len(expected):
            expected[0] = lambda_d * relevance[picked[0]]
        np.testing.assert_allclose(chosen.values[~undefined], expected, atol=1e-6)


def test_hand_worked_pool():
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    chosen = dpp([0.9, 0.9, 0.5, 0.8], rows, 4, lambda_d=0.5)
    # After row 0: row 1 has no volume, row 2 adds 0.25 + log(1) / 2, row 3 has the squared distance
    # 0.64 and adds 0.4 + log(0.64) / 2 = 0.18. Rows 0 and 2 span the plane; row 1 is more relevant.
    assert chosen.indices.tolist() == [0, 2, 1, 3]
    np.testing.assert_allclose(chosen.values, [0.45, 0.25, np.nan, np.nan], atol=1e-15)
    second = dpp([0.9, 0.9, 0.5, 0.8], rows, 2, lambda_d=0.8)  # 0.4 against 0.64 + 0.2 log(0.64)
    assert second.indices.tolist() == [0, 3]
    assert second.values[1] == pytest.approx(0.64 + 0.2 * np.log(0.64))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("lambda_d", [0.0, 0.5])
def test_a_kernel_of_low_rank_ends_in_the_most_relevant(dtype, lambda_d):
    relevance, rows, _ = random_pool(4, 40, d=5, dtype=dtype)
    chosen = dpp(relevance, rows, 40, lambda_d=lambda_d)
    assert np.isnan(chosen.values).tolist() == [False] * 5 + [True] * 35
    assert sorted(chosen.indices.tolist()) == list(range(40))
    rest = np.setdiff1d(np.arange(40), chosen.indices[:5])
    assert chosen.indices[5:].tolist() == rest[np.argsort(-relevance[rest])].tolist()


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.1, 0.5, 0.9]))
def test_equals_pyversity(seed, share):
    relevance, rows, _ = random_pool(seed, 30)
    # Its kernel has the weights exp(beta * z) with z the standardised relevance, so the square of
    # a distance counts beside exp(2 beta r / deviation).
    beside = 2 * (1 - share) / relevance.std()
    lambda_d = beside / (1 + beside)
    value = added(relevance, rows, lambda_d)
    picked, values, _ = greedily(value, 30, 6)
    for step in range(6):
        others = [value(picked[:step], i) for i in range(30) if i not in picked[: step + 1]]
        assume(values[step] - max(others) > 1e-4)  # it computes in float32
    found = pyversity.dpp(rows, relevance, 6, diversity=share)
    assert dpp(relevance, rows, 6, lambda_d=lambda_d).indices.tolist() == found.indices.tolist()
