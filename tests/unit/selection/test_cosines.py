import numpy as np
import pytest
from selection_oracle import unit

from core.selection.cosines import NEAR, fast_cosine_rows


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
    with pytest.raises(ValueError, match="embeddings hold"):
        fast_cosine_rows(rows, [5, 7])
