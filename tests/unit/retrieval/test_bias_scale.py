import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, zscore

from core.retrieval.knobs import BiasScale
from core.retrieval.method import scaled

BIAS = np.array([-3.0, -1.0, -2.0, -1.0])


def test_raw_is_the_papers_number_itself():
    assert scaled(BIAS, BiasScale.RAW).tolist() == BIAS.tolist()


def test_surprise_prefers_what_the_model_finds_unlikely():
    assert scaled(BIAS, BiasScale.SURPRISE).tolist() == [3.0, 1.0, 2.0, 1.0]


def test_z_score_is_scipys():
    assert scaled(BIAS, BiasScale.Z_SCORE) == pytest.approx(zscore(BIAS))


def test_rank_runs_from_the_lowest_to_the_highest_and_keeps_ties():
    assert scaled(BIAS, BiasScale.RANK).tolist() == [0.0, 1.0, 0.5, 1.0]


@pytest.mark.parametrize("scale", list(BiasScale))
def test_equal_values_and_an_empty_pool_are_finite(scale):
    assert np.isfinite(scaled(np.full(3, -2.0), scale)).all()
    assert scaled(np.empty(0), scale).shape == (0,)


@given(st.lists(st.integers(-20, 0), min_size=1, max_size=12))
def test_every_scale_but_surprise_keeps_the_order(values):
    bias = np.array(values, dtype=np.float64)
    order = rankdata(bias, method="dense")
    for scale in (BiasScale.RAW, BiasScale.Z_SCORE, BiasScale.RANK):
        got = scaled(bias, scale)
        if len(set(values)) > 1:
            assert rankdata(np.round(got, 9), method="dense").tolist() == order.tolist()
