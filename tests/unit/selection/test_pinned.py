"""Pinned rows are chosen first and what follows is compared with them: against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.selection.mmr import mmr
from core.selection.mmr_path import mmr_path
from core.selection.mmr_triangle import mmr_triangle
from core.selection.path_tree import mmr_lambda_b_path
from tests.unit.selection.test_groups import WEIGHTS, made_up


def algorithm_1(rows, query, bias, excluded, pinned, k, lambda_d, lambda_b, groups=None):
    """The paper's steps, after the pinned ones."""
    values = lambda_b * (rows @ query) + (1 - lambda_b) * bias
    groups = np.arange(len(rows)) if groups is None else groups
    is_open, picked, weighed = ~excluded, [], []

    def take(row, weights):
        nonlocal is_open
        picked.append(int(row))
        weighed.append(weights[row])
        is_open = is_open & (groups != groups[row])

    def weights():
        if not picked:
            return values
        redundancy = (rows @ rows[picked].T).max(axis=1)
        return lambda_d * values - (1 - lambda_d) * redundancy

    for row in pinned:
        if is_open[row] and len(picked) < k:
            take(row, weights())
    while is_open.any() and len(picked) < k:
        take(np.where(is_open, weights(), -np.inf).argmax(), weights())
    return picked, weighed


def some_of(seed, n, most=5):
    generator = np.random.default_rng(seed + 1)
    return generator.permutation(n)[: generator.integers(0, most)].tolist()


@given(
    seed=st.integers(0, 10_000), n=st.integers(0, 40), k=st.integers(0, 12),
    lambda_d=WEIGHTS, lambda_b=WEIGHTS, in_groups=st.booleans(),
)  # fmt: skip
def test_mmr_equals_brute_force(seed, n, k, lambda_d, lambda_b, in_groups):
    rows, query, groups, bias, excluded = made_up(seed, n)
    groups = groups if in_groups else None
    pinned = some_of(seed, n)
    found = mmr(
        rows @ query, rows, k, lambda_d=lambda_d, lambda_b=lambda_b, quality_bias=bias,
        excluded=excluded, groups=groups, query=query, pinned=pinned,
    )  # fmt: skip
    expected, weighed = algorithm_1(
        rows, query, bias, excluded, pinned, k, lambda_d, lambda_b, groups
    )
    assert found.indices.tolist() == expected
    assert found.values == pytest.approx(weighed, abs=1e-9)
    for step, row in enumerate(expected[1:], 1):
        redundancy = (rows[expected[:step]] @ rows[row]).max()
        assert found.redundancy[step] == pytest.approx(redundancy, abs=1e-9)


@pytest.mark.parametrize("n_pinned", [1, 3, 6])
@pytest.mark.parametrize("lambda_d", [0.3, 0.8, 1.0])
def test_a_large_pool_equals_brute_force_too(lambda_d, n_pinned):
    """Large enough for a guess of the last winning value, and for bounds from the relevances."""
    rows, query, _, bias, excluded = made_up(3, 12_000, d=8)
    pinned = np.flatnonzero(~excluded)[[5, 2000, 17, 8000, 301, 11]][:n_pinned]
    for cosines in (None, query):
        found = mmr(
            rows @ query, rows, 6, lambda_d=lambda_d, lambda_b=0.95, quality_bias=bias,
            excluded=excluded, query=cosines, pinned=pinned,
        )  # fmt: skip
        expected, _ = algorithm_1(rows, query, bias, excluded, pinned, 6, lambda_d, 0.95)
        assert found.indices.tolist() == expected


@given(
    seed=st.integers(0, 10_000), n=st.integers(0, 24), k=st.integers(0, 6), over=st.booleans(),
    in_groups=st.booleans(),
)  # fmt: skip
def test_inside_every_piece_of_a_path_mmr_chooses_the_same(seed, n, k, over, in_groups):
    rows, query, groups, bias, excluded = made_up(seed, n)
    pool = {"quality_bias": bias, "excluded": excluded, "pinned": some_of(seed, n)}
    pool["groups"] = groups if in_groups else None
    if over:
        pieces = mmr_path(rows @ query, rows, k, lambda_b=0.8, **pool)
    else:
        pieces = mmr_lambda_b_path(rows @ query, rows, k, lambda_d=0.7, **pool)
    assert (pieces[0].low, pieces[-1].high) == (0.0, 1.0)
    for piece in pieces:
        middle = (piece.low + piece.high) / 2
        lambdas = (middle, 0.8) if over else (0.7, middle)
        found = mmr(rows @ query, rows, k, lambda_d=lambdas[0], lambda_b=lambdas[1], **pool)
        if piece.high - piece.low > 1e-6:
            assert found.indices.tolist() == piece.indices.tolist()


@given(seed=st.integers(0, 10_000), n=st.integers(0, 24), k=st.integers(0, 6))
def test_inside_every_cell_of_the_triangle_mmr_chooses_the_same(seed, n, k):
    rows, query, groups, bias, excluded = made_up(seed, n)
    pool = {"quality_bias": bias, "excluded": excluded, "pinned": some_of(seed, n)}
    pool["groups"] = groups if seed % 2 else None
    cells = mmr_triangle(rows @ query, rows, k, **pool)
    assert sum(cell.share for cell in cells) == pytest.approx(1.0)
    for cell in cells:
        x, y, _ = cell.polygon.mean(axis=0)
        found = mmr(rows @ query, rows, k, lambda_d=x + y, lambda_b=x / (x + y), **pool)
        if cell.share > 1e-5:
            assert found.indices.tolist() == cell.indices.tolist()


def test_without_quality_the_edge_has_the_pinned_too():
    rows, query, _, _, _ = made_up(5, 30)
    cells = mmr_triangle(rows @ query, rows, 4, quality_bias=None, pinned=[7, 3])
    assert len(cells) > 1
    assert {tuple(cell.indices[:2].tolist()) for cell in cells} == {(7, 3)}


def test_a_pinned_row_changes_what_follows():
    """Of two equal rows one is pinned: the other is redundant, although it is the most relevant."""
    rows = np.array([[1.0, 0.0], [0.8, 0.6], [0.8, 0.6]])
    relevance = np.array([0.2, 0.9, 0.9])
    chosen = mmr(relevance, rows, 2, lambda_d=0.2, pinned=[2])
    assert chosen.indices.tolist() == [2, 0]
    assert chosen.values == pytest.approx([0.9, 0.2 * 0.2 - 0.8 * 0.8])


@pytest.mark.parametrize(
    ("pinned", "sentence"),
    [
        ([0, 0], r"pinned is \[0, 0\]; give distinct numbers from 0 to 2"),
        ([3], r"pinned is \[3\]; give distinct numbers from 0 to 2"),
        ([-1], r"pinned is \[-1\]; give distinct numbers"),
        ([0.5], r"pinned has shape \(1,\) and type float64; give the numbers of rows"),
        ([[0]], r"pinned has shape \(1, 1\)"),
    ],
)
def test_what_cannot_be_pinned(pinned, sentence):
    with pytest.raises(ValueError, match=sentence):
        mmr([0.1, 0.2, 0.3], np.eye(3), 2, lambda_d=0.5, pinned=pinned)
