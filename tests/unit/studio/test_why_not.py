"""Why a demonstration is in a query's context or not, and where in the triangle it is chosen."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidInput
from core.retrieval.knobs import Knobs
from core.retrieval.why_not import Why
from core.studio import Setup
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.path import explain
from core.studio.explore.triangle import triangle_of
from tests.unit.studio.exploring import QUERY


@pytest.fixture
def asked():
    return ExploreRequest(
        Setup("small", None, None), QUERY, Knobs(k=3, lambda_b=1.0), leave_out=True
    )


def test_each_demonstration_has_its_reason_and_its_part_of_the_triangle(studio, asked):
    resolved = resolve(studio, asked)
    triangle, picks = triangle_of(resolved), explore(resolved).picks
    view = triangle.asked.view
    chosen = [pick.id for pick in picks]
    never = 0
    for row, id in enumerate(view.ids.tolist()):
        explained = explain(resolved, triangle, id)
        of_cell = [row in cell.indices for cell in triangle.cells]
        assert explained.share == pytest.approx(sum(triangle.drawing.shares[of_cell]))
        assert explained.contexts == len({*triangle.context_of[of_cell].tolist()})
        assert explained.queries[id] == view.queries[row]
        if view.queries[row] == QUERY:
            assert (explained.found.why, explained.share) == (Why.ITS_OWN, 0.0)
            never += 1
        else:
            assert explained.found.why is (Why.CHOSEN if id in chosen else Why.BEATEN)
            for trial, pick in zip(explained.found.trials, picks, strict=False):
                assert (trial.winner, explained.queries[trial.winner]) == (pick.id, pick.query)
    assert never == 2


def test_a_demonstration_that_is_always_chosen_has_all_of_the_triangle(studio, asked):
    """With room for all that may be chosen, each is in every context."""
    resolved = resolve(studio, asked.with_knobs(k=50))
    triangle = triangle_of(resolved)
    id = next(pick.id for pick in explore(resolved).picks)
    explained = explain(resolved, triangle, id)
    assert explained.share == pytest.approx(1.0)
    assert explained.contexts == triangle.n_contexts


def test_without_a_triangle_there_is_no_part_of_it(studio, asked):
    resolved = resolve(studio, asked)
    id = int(resolved.view.ids[-1])
    explained = explain(resolved, None, id)
    assert (explained.contexts, explained.share) == (None, None)
    assert explained.found.why in (Why.BEATEN, Why.CHOSEN)


def test_only_methods_that_weigh_are_explained(studio, asked):
    knobs = replace(asked.knobs, method="vrsd")
    resolved = resolve(studio, replace(asked, knobs=knobs))
    with pytest.raises(InvalidInput, match="'vrsd' does not choose by relevance"):
        explain(resolved, None, int(np.asarray(resolved.view.ids)[0]))
