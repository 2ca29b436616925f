"""Which query shows the effect: a rule over all queries, never a name in the code."""

import numpy as np

from core.studio.pools.bundled import Effects, choose


def effects(gains, *, sameness, similar, mix):
    """Queries a, b, c, ... with these gains over a DPO of -1, and margins of these signs."""
    gains = np.array(gains)
    return Effects(
        pool="p",
        model="m",
        encoder="e",
        template="t",
        content="c",
        queries=tuple("abcdefgh"[: len(gains)]),
        similar_dpo=np.full(len(gains), -1.0),
        mix_dpo=gains - 1.0,
        similar_sameness=np.array(sameness),
        none_margin=np.full(len(gains), -2.0),
        similar_margin=np.array(similar),
        mix_margin=np.array(mix),
    )


def test_the_largest_gain_among_those_that_repeat_and_turn():
    found = choose(
        effects(
            [0.9, 0.8, 0.5, 0.75, 0.0],
            sameness=[0.9, 0.1, 0.9, 0.9, 0.8],
            similar=[1.0, -1.0, -1.0, -1.0, 1.0],  # a wins already, b does not repeat itself
            mix=[1.0, 1.0, 1.0, 1.0, -1.0],
        )
    )
    assert (found.example, found.gain) == ("d", 0.75)
    assert (found.queries, found.showing, found.won, found.lost) == (5, 2, 3, 1)
    assert found.right == (0, 2, 4)


def test_the_typical_one_has_the_gain_nearest_to_the_median_and_ties_go_to_the_first():
    found = choose(
        effects(
            [0.5, 0.125, 0.125, 0.5, -0.25],
            sameness=[0.9] * 5,
            similar=[-1.0] * 5,
            mix=[1.0] * 5,
        )
    )
    assert (found.example, found.typical) == ("a", "b")
    assert found.median_gain == found.typical_gain == 0.125


def test_a_pool_without_the_effect_has_no_example():
    assert choose(effects([0.5, 0.1], sameness=[0.9, 0.9], similar=[1, 1], mix=[1, 1])) is None
    assert choose(effects([0.5, 0.1], sameness=[0.9, 0.9], similar=[-1, 1], mix=[0.0, 1])) is None
