"""Pinned demonstrations begin a context on every path, in the triangle and among candidates."""

from dataclasses import replace

import numpy as np
import pytest

from core.retrieval.candidates import choose_from_candidates
from core.retrieval.choosing import METHODS, choose_context, settled
from core.retrieval.knobs import Knobs
from core.retrieval.lambda_path import context_path
from core.retrieval.triangle import context_triangle
from core.retrieval.why_not import Why, why_not
from tests.contracts.test_method_contract import pool, query_vector

PINNED = [3, 11]
VIEW = replace(pool([f"query {number}" for number in range(14)]), pinned=np.array(PINNED))
KNOBS = Knobs(k=5, lambda_d=0.6, lambda_b=0.7)


def choose(knobs, query="x", leave_out=False, view=VIEW):
    return choose_context(view, query, query_vector(), knobs, leave_out=leave_out)


@pytest.mark.parametrize("over", ["lambda_d", "lambda_b"])
@pytest.mark.parametrize("name", [n for n, m in METHODS.items() if m.chooses_by_mmr])
def test_every_piece_of_a_path_has_the_context_inside_it(name, over):
    knobs = replace(KNOBS, method=name)
    pieces = context_path(VIEW, "x", query_vector(), settled(knobs), leave_out=False, over=over)
    for piece in pieces:
        middle = (piece.low + piece.high) / 2
        found = choose(replace(knobs, **{over: middle}))
        assert piece.value.ids.tolist() == found.ids.tolist()
        assert piece.value.indices[:2].tolist() == PINNED
        assert piece.value.pinned == 2


@pytest.mark.parametrize("name", ["rel+div+bias", "rel+div", "rel+bias"])
def test_every_cell_of_the_triangle_has_the_context_inside_it(name):
    knobs = replace(KNOBS, method=name)
    triangle = context_triangle(VIEW, "x", query_vector(), settled(knobs), leave_out=False)
    assert len(triangle.cells) > 3
    for cell in triangle.cells:
        x, y, _ = cell.polygon.mean(axis=0)
        at = replace(knobs, lambda_d=x + y, lambda_b=x / (x + y))
        assert cell.indices.tolist() == choose(at).indices.tolist()


def test_with_pinned_ones_no_candidates_are_fetched(tmp_path):
    knobs = replace(KNOBS, index="flat", candidates=4)
    found = choose_from_candidates(VIEW, query_vector(), settled(knobs), tmp_path)
    assert found.indices.tolist() == choose(KNOBS).indices.tolist()
    assert (found.certainty.kind, found.pinned) == ("exact", 2)


def test_why_a_pinned_one_is_there_and_another_one_is_not():
    chosen = choose(KNOBS).indices

    def ask(row):
        id = int(VIEW.ids[row])
        return why_not(VIEW, "x", query_vector(), settled(KNOBS), chosen, id, leave_out=False)

    assert ask(PINNED[1]).why is Why.PINNED
    assert ask(PINNED[1]).trials == ()
    third = ask(int(chosen[2]))
    assert third.why is Why.CHOSEN
    assert [trial.step for trial in third.trials] == [3], "nothing is chosen in the first two"
    other = next(row for row in range(14) if row not in chosen)
    assert [trial.step for trial in ask(other).trials] == [3, 4, 5]
    rows = VIEW.embeddings[VIEW.rows].astype(float)
    for trial in ask(other).trials:
        redundancy = max(rows[other] @ rows[one] for one in chosen[: trial.step - 1])
        assert trial.redundancy == pytest.approx(redundancy, abs=1e-6)
        value = 0.7 * (rows[other] @ query_vector()) + 0.3 * VIEW.quality_bias[other]
        assert trial.value == pytest.approx(0.6 * value - 0.4 * redundancy, abs=1e-5)
