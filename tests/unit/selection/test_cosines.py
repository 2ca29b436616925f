from unittest.mock import patch

import numpy as np
import pytest
from selection_oracle import random_pool, unit

from core.selection import cosines as module
from core.selection.cosines import NEAR, fast_cosine_rows, fast_cosines


@pytest.mark.parametrize("cached", [0, 1 << 30])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_fast_cosines_are_near_the_exact_ones_from_memory_and_from_a_cache(cached, order, dtype):
    _, rows, query = random_pool(8, 500, 48, dtype)
    rows = np.asarray(rows, order=order)
    with patch.object(module, "_CACHED", cached):
        cosines = fast_cosines(rows, query)
    assert cosines.dtype == dtype
    exact = rows.astype(np.float64) @ query.astype(np.float64)
    np.testing.assert_allclose(cosines, exact, atol=NEAR / 10)


@pytest.mark.parametrize("cached", [0, 1 << 30])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_fast_cosines_refuse_a_broken_row(cached, value):
    _, rows, query = random_pool(8, 500)
    rows[499, 3] = value
    with (
        patch.object(module, "_CACHED", cached),
        pytest.raises(ValueError, match="embeddings contain"),
    ):
        fast_cosines(rows, query)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
@pytest.mark.parametrize("some", [1, 16, 17])
@pytest.mark.parametrize("order", ["C", "F"])
def test_fast_cosine_rows_are_near_the_exact_ones(n, some, order):
    generator = np.random.default_rng(n)
    rows = np.asarray(unit(generator.standard_normal((n, 24))), dtype=np.float32, order=order)
    indices = generator.integers(n, size=some).tolist()
    cosines = fast_cosine_rows(rows, indices)
    exact = [[np.dot(rows[i].astype(np.float64), row) for row in rows] for i in indices]
    assert cosines.shape == (some, n)
    assert cosines.dtype == np.float32
    np.testing.assert_allclose(cosines, exact, atol=NEAR / 10)


@pytest.mark.parametrize("broken", [0, 63, 64, 99])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_fast_cosine_rows_refuse_a_broken_row(broken, value):
    rows = unit(np.random.default_rng(0).standard_normal((100, 8)))
    rows[broken, 3] = value
    with pytest.raises(ValueError, match="embeddings contain"):
        fast_cosine_rows(rows, [5, 7])
