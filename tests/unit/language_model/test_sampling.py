"""The drawn token: the distribution it comes from, at both ends of each knob."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LogitsProcessorList, TemperatureLogitsWarper, TopPLogitsWarper

from core.generation import GenerationRequest
from core.language_model.local.continuation import Sampler

LOGITS = np.log(np.array([0.05, 0.4, 0.1, 0.25, 0.2]))
DRAWS = 4000


def shares(logits, **settings):
    request = GenerationRequest("Q:", **({"temperature": 1.0} | settings))
    sampler = Sampler(request, 0)
    drawn = [sampler.draw(logits) for _ in range(DRAWS)]
    return np.bincount(drawn, minlength=len(logits)) / DRAWS


def expected(logits, temperature=1.0, top_p=1.0):
    """The distribution that `transformers` draws from."""
    rules = LogitsProcessorList([TemperatureLogitsWarper(temperature)])
    if top_p < 1:
        rules.append(TopPLogitsWarper(top_p))
    scores = torch.tensor(logits, dtype=torch.float32)[None]
    return rules(None, scores).softmax(-1)[0].numpy()


@pytest.mark.parametrize("temperature", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("top_p", [0.39, 0.5, 0.7, 0.94, 1.0])
def test_tokens_are_drawn_from_the_distribution_of_transformers(temperature, top_p):
    wanted = expected(LOGITS, temperature, top_p)
    found = shares(LOGITS, temperature=temperature, top_p=top_p)
    assert (found[wanted == 0] == 0).all()
    assert found == pytest.approx(wanted, abs=4 * 0.5 / np.sqrt(DRAWS))


def test_the_least_top_p_takes_the_most_probable_token():
    assert shares(LOGITS, top_p=1e-9).tolist() == [0, 1, 0, 0, 0]


def test_equal_tokens_are_drawn_equally_often():
    found = shares(np.zeros(4, dtype=np.float32))
    assert found == pytest.approx(np.full(4, 0.25), abs=4 * 0.44 / np.sqrt(DRAWS))


@given(
    st.lists(st.floats(-40, 40, width=32), min_size=1, max_size=12),
    st.floats(0.01, 100),
    st.floats(0.01, 1),
    st.integers(0, 99),
)
def test_what_is_drawn_is_among_the_fewest_tokens_that_reach_top_p(
    logits, temperature, top_p, seed
):
    values = np.array(logits, dtype=np.float32)
    request = GenerationRequest("Q:", temperature=temperature, top_p=top_p, seed=seed)
    token = Sampler(request, 1).draw(values)
    scaled = values.astype(np.float64) / temperature
    weights = np.exp(scaled - scaled.max())
    more_probable = weights[weights > weights[token]].sum() / weights.sum()
    assert more_probable <= top_p + 1e-9
