"""The checks, on networks whose answers are known."""

from random import Random
from types import SimpleNamespace

import pytest
import torch

from practice.checks import CHECKED_STYLE, measure
from practice.dialects import BUNDLED_DIALECT
from practice.episodes import EpisodeStyle, draw_episode
from practice.training.tokenizer import build_tokenizer

TOKENIZER = build_tokenizer()
STYLE = EpisodeStyle((13,), (1, 2))


class Oracle:
    """Predicts the text itself where `knows` says so, and a wrong token elsewhere."""

    def __init__(self, knows):
        self.knows = knows

    def __call__(self, ids):
        following = torch.cat([ids[:, 1:], ids[:, :1]], dim=1)
        wrong = (following + 1) % len(TOKENIZER)
        token = torch.where(self.knows(ids), following, wrong)
        return SimpleNamespace(logits=torch.nn.functional.one_hot(token, len(TOKENIZER)).float())


def episodes():
    rng = Random(1)
    return [draw_episode(rng, STYLE, blocks=13, dialect=BUNDLED_DIALECT) for _ in range(3)]


@pytest.mark.parametrize("right", [True, False])
def test_a_network_that_is_always_right_or_wrong(right):
    # The last prediction is that of the end of the text, which is no name.
    copying = measure(Oracle(lambda ids: torch.full(ids.shape, right)), TOKENIZER, episodes())
    for shares in (copying.accuracy, *copying.by_demonstrations.values()):
        assert set(shares.values()) == {float(right)}
    assert copying.tokens["function_shown"] + copying.tokens["function_new"] == 2 * 13 * 3


def test_places_are_counted_by_the_demonstrations_before_them():
    end = TOKENIZER("\n\n", add_special_tokens=False)["input_ids"][0]

    def after_three(ids):
        return (ids == end).cumsum(1) > 3

    copying = measure(Oracle(after_three), TOKENIZER, episodes())
    assert set(copying.by_demonstrations["1-3"].values()) == {0.0}
    assert set(copying.by_demonstrations["4-6"].values()) == {1.0}
    assert set(copying.by_demonstrations["7-12"].values()) == {1.0}
    assert 0.0 < copying.accuracy["value"] < 1.0


def test_the_checked_episodes_reach_twelve_demonstrations_before_the_last():
    assert CHECKED_STYLE.blocks == (13,)
