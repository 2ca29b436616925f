"""At most one row of each group is chosen: against brute force, over both lambdas, and for VRSD."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.selection.mmr import mmr
from core.selection.mmr_path import mmr_path
from core.selection.path_tree import mmr_lambda_b_path
from core.selection.vrsd import vrsd

WEIGHTS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 0.95, 1.0])


def made_up(seed, n, d=5, of=4):
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((n, d))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    query = generator.standard_normal(d)
    query /= np.linalg.norm(query)
    groups = generator.integers(-1, max(1, n // of), size=n) * 7
    bias = -generator.uniform(0.2, 4, size=n)
    excluded = generator.random(n) < 0.2
    return rows, query, groups, bias, excluded


def one_by_one(best_of, groups, excluded, k):
    """Greedily: `best_of(picked, open)` gives the next pick, which closes its group."""
    is_open, picked = ~excluded, []
    while is_open.any() and len(picked) < k:
        picked.append(best_of(picked, is_open))
        is_open = is_open & (groups != groups[picked[-1]])
    return picked


def algorithm_1(rows, query, groups, bias, excluded, k, lambda_d, lambda_b):
    values = lambda_b * (rows @ query) + (1 - lambda_b) * bias

    def best_of(picked, is_open):
        weights = values
        if picked:
            redundancy = (rows @ rows[picked].T).max(axis=1)
            weights = lambda_d * values - (1 - lambda_d) * redundancy
        return int(np.where(is_open, weights, -np.inf).argmax())

    return one_by_one(best_of, groups, excluded, k)


@given(
    seed=st.integers(0, 10_000), n=st.integers(0, 40), k=st.integers(0, 12),
    lambda_d=WEIGHTS, lambda_b=WEIGHTS,
)  # fmt: skip
def test_mmr_equals_brute_force(seed, n, k, lambda_d, lambda_b):
    rows, query, groups, bias, excluded = made_up(seed, n)
    found = mmr(
        rows @ query, rows, k, lambda_d=lambda_d, lambda_b=lambda_b, quality_bias=bias,
        excluded=excluded, groups=groups, query=query,
    )  # fmt: skip
    expected = algorithm_1(rows, query, groups, bias, excluded, k, lambda_d, lambda_b)
    assert found.indices.tolist() == expected
    assert len(expected) == min(k, len(set(groups[~excluded].tolist())))


def test_a_large_pool_equals_brute_force_too():
    rows, query, groups, bias, excluded = made_up(3, 12_000, d=8, of=900)
    for lambda_d in (0.8, 1.0):
        found = mmr(
            rows @ query, rows, 6, lambda_d=lambda_d, lambda_b=0.95, quality_bias=bias,
            excluded=excluded, groups=groups, query=query,
        )  # fmt: skip
        expected = algorithm_1(rows, query, groups, bias, excluded, 6, lambda_d, 0.95)
        assert found.indices.tolist() == expected


@given(seed=st.integers(0, 10_000), n=st.integers(0, 24), k=st.integers(0, 6), over=st.booleans())
def test_inside_every_piece_of_a_path_mmr_chooses_the_same(seed, n, k, over):
    rows, query, groups, bias, excluded = made_up(seed, n)
    pool = {"quality_bias": bias, "excluded": excluded, "groups": groups}
    if over:
        pieces = mmr_path(rows @ query, rows, k, lambda_b=0.9, **pool)
    else:
        pieces = mmr_lambda_b_path(rows @ query, rows, k, lambda_d=0.6, **pool)
    assert (pieces[0].low, pieces[-1].high) == (0.0, 1.0)
    for piece in pieces:
        assert len(set(groups[piece.indices].tolist())) == len(piece.indices)
        if piece.width > 1e-6:
            lambdas = (piece.middle, 0.9) if over else (0.6, piece.middle)
            found = mmr(rows @ query, rows, k, lambda_d=lambdas[0], lambda_b=lambdas[1], **pool)
            assert found.indices.tolist() == piece.indices.tolist()


@given(seed=st.integers(0, 10_000), n=st.integers(0, 40), k=st.integers(0, 12))
def test_vrsd_equals_brute_force(seed, n, k):
    rows, query, groups, _, excluded = made_up(seed, n)

    def best_of(picked, is_open):
        sums = rows + rows[picked].sum(axis=0)
        cosines = sums @ query / np.linalg.norm(sums, axis=1)
        return int(np.where(is_open, cosines, -np.inf).argmax())

    found = vrsd(query, rows, k, excluded=excluded, groups=groups)
    assert found.indices.tolist() == one_by_one(best_of, groups, excluded, k)


@given(seed=st.integers(0, 10_000), lambda_d=WEIGHTS)
def test_groups_of_one_change_nothing_and_one_group_leaves_one(seed, lambda_d):
    rows, query, _, bias, excluded = made_up(seed, 30)
    pool = {
        "lambda_d": lambda_d, "lambda_b": 0.9, "quality_bias": bias, "excluded": excluded,
    }  # fmt: skip
    free = mmr(rows @ query, rows, 8, **pool)
    apart = mmr(rows @ query, rows, 8, groups=np.arange(30), **pool)
    assert apart.indices.tolist() == free.indices.tolist()
    np.testing.assert_array_equal(apart.values, free.values)
    together = mmr(rows @ query, rows, 8, groups=np.zeros(30, int), **pool)
    assert together.indices.tolist() == free.indices.tolist()[:1]
    sums = vrsd(query, rows, 8, excluded=excluded, groups=np.arange(30))
    assert sums.indices.tolist() == vrsd(query, rows, 8, excluded=excluded).indices.tolist()


@pytest.mark.parametrize(
    "groups",
    [np.zeros(3, int), np.zeros((4, 1), int), np.zeros(4), np.zeros(4, bool), list("abcd")],
)
def test_groups_that_are_no_numbers_of_the_rows(groups):
    rows = np.eye(4)
    with pytest.raises(ValueError, match=r"groups have shape .*; give integers \(4,\)"):
        mmr(np.ones(4), rows, 2, lambda_d=0.5, groups=groups)
    with pytest.raises(ValueError, match="groups have shape"):
        mmr_path(np.ones(4), rows, 2, groups=groups)
    with pytest.raises(ValueError, match="groups have shape"):
        vrsd(np.ones(4), rows, 2, groups=groups)
