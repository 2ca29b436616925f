"""Rows to start a comparison from: the papers' own, and every method."""

import pytest

from core.retrieval.choosing import METHODS
from core.settings import Embed
from core.studio.runs.starts import starts

BOTH = {"embed": Embed.QUERY_AND_ANSWER}
NEAREST = {"candidates": 20, **BOTH}


def rows(has_task):
    """Methods with their own knobs, by the name of the start."""
    return {
        start.name: [(row.method, dict(row.knobs)) for row in start.rows]
        for start in starts(has_task=has_task)
    }


def test_a_pool_without_a_task_has_four():
    found = rows(has_task=False)
    assert list(found) == ["Three methods", "RAGSys's methods", "VRSD's table", "Every method"]
    assert [method for method, _ in found["Three methods"]] == ["none", "rel", "rel+div+bias"]
    assert [method for method, _ in found["RAGSys's methods"]] == [
        "none", "fix", "bias", "rel", "rel+bias", "rel+div", "rel+div+bias",
    ]  # fmt: skip
    assert found["VRSD's table"] == [
        *(("rel+div", {"lambda_d": weight, **NEAREST}) for weight in (0.0, 0.5, 1.0)),
        ("vrsd", NEAREST),
        ("bm25", BOTH),
    ]


def test_a_pool_with_a_task_has_the_figures_of_pgra_as_well():
    found = rows(has_task=True)
    assert list(found) == [
        "Three methods",
        "RAGSys's methods",
        "VRSD's table",
        "Every method",
        "PGRA",
        "PGRA: candidates 16, 50, 100, 150",
        "PGRA: kept 4, 8, 16, 24",
    ]
    assert found["PGRA"] == [
        *((method, {}) for method in ("none", "random", "rel", "pgra")),
        ("pgra", {"similarity": "dot"}),
        ("pgra", {"similarity": "centred"}),
    ]
    assert found["PGRA: candidates 16, 50, 100, 150"][1:] == [
        ("pgra", {"candidates": each}) for each in (16, 50, 100, 150)
    ]
    assert found["PGRA: kept 4, 8, 16, 24"] == [
        (method, {"k": each}) for method in ("rel", "pgra") for each in (4, 8, 16, 24)
    ]


@pytest.mark.parametrize("has_task", [False, True])
def test_every_method_is_every_one_that_the_pool_can_have(has_task):
    able = [name for name, method in METHODS.items() if has_task or method.reads is None]
    wanted = [name for name in able if name != "neighbours"]  # which needs an earlier run
    assert rows(has_task)["Every method"] == [(name, {}) for name in wanted]
