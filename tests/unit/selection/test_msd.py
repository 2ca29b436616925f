"""Max-sum diversification chooses what sums computed anew choose, and what pyversity chooses."""

import numpy as np
import pyversity
from baselines_oracle import POOLS, greedily, some_closed
from hypothesis import assume, given
from hypothesis import strategies as st
from selection_oracle import random_pool

from core.selection.baselines.msd import msd


def worth(relevance, rows, lambda_d):
    rows = rows.astype(np.float64)

    def value(picked, i):
        if not picked:
            return relevance[i]
        distance = sum(1 - np.clip(np.dot(rows[i], rows[j]), -1, 1) for j in picked)
        return lambda_d * relevance[i] + (1 - lambda_d) * distance

    return value


@given(
    pool=st.sampled_from(sorted(POOLS)), seed=st.integers(0, 10_000), n=st.integers(1, 24),
    k=st.integers(0, 12), lambda_d=st.sampled_from([0.0, 0.3, 0.75, 1.0]), closed=st.booleans(),
)  # fmt: skip
def test_equals_sums_computed_anew(pool, seed, n, k, lambda_d, closed):
    relevance, rows, _ = POOLS[pool](seed, n)
    excluded, groups = some_closed(seed, n) if closed else (None, None)
    value = worth(relevance, rows, lambda_d)
    picked, values, clear = greedily(value, n, k, excluded, groups)
    assume(clear)
    chosen = msd(relevance, rows, k, lambda_d=lambda_d, excluded=excluded, groups=groups)
    assert chosen.indices.tolist() == picked
    expected = [lambda_d * values[0], *values[1:]] if values else []
    np.testing.assert_allclose(chosen.values, expected, atol=1e-12)


def test_hand_worked_pool():
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])
    chosen = msd([0.9, 0.9, 0.5, 0.8], rows, 4, lambda_d=0.5)
    # After row 0: row 1 has 0.45 + 0, row 2 0.25 + 1 / 2, row 3 0.4 + 0.4 / 2. After row 2: row 1
    # has 0.45 + 1 / 2, row 3 0.4 + (0.4 + 0.2) / 2. At last row 3: 0.4 + (0.4 + 0.2 + 0.4) / 2.
    assert chosen.indices.tolist() == [0, 2, 1, 3]
    np.testing.assert_allclose(chosen.values, [0.45, 0.75, 0.95, 0.9])


def test_a_row_longer_than_one_is_at_no_negative_distance_from_its_equal():
    rows = np.full((2, 2), 0.7072)
    assert msd([0.5, 0.5], rows, 2, lambda_d=0.0).values.tolist() == [0.0, 0.0]


@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
def test_equals_pyversity(seed, share):
    relevance, rows, _ = random_pool(seed, 40)
    value = worth(relevance, rows, 1 - share)
    picked, values, _ = greedily(value, 40, 6)
    for step in range(6):
        others = [value(picked[:step], i) for i in range(40) if i not in picked[: step + 1]]
        assume(values[step] - max(others) > 1e-5)  # it computes in float32
    found = pyversity.msd(rows, relevance, 6, diversity=share)
    chosen = msd(relevance, rows, 6, lambda_d=1 - share)
    assert chosen.indices.tolist() == found.indices.tolist()
    np.testing.assert_allclose(chosen.values, found.selection_scores, atol=1e-5)
