"""Why a demonstration is in a context or not: its parts at every step, against the formula."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidInput
from core.retrieval.choosing import METHODS, choose_context, settled
from core.retrieval.knobs import BiasScale, Knobs
from core.retrieval.why_not import Why, why_not
from tests.contracts.test_method_contract import pool, query_vector

N = 14
VIEW = pool([f"query {number}" for number in range(N)])
BY_WEIGHTS = [name for name, method in METHODS.items() if method.chooses_by_mmr]


def asked(knobs, row, view=VIEW, query="x", leave_out=False):
    context = choose_context(view, query, query_vector(), knobs, leave_out=leave_out)
    id = int(view.ids[row])
    found = why_not(
        view, query, query_vector(), settled(knobs), context.indices, id, leave_out=leave_out
    )
    return context, found


def by_the_formula(knobs, context, step, row, view=VIEW):
    """The weighed value of a row at a step, from the definition, and its redundancy."""
    knobs = METHODS[knobs.method].settle(knobs)
    bias = view.quality_bias
    if knobs.bias_scale is BiasScale.Z_SCORE:
        bias = (bias - bias.mean()) / bias.std()
    relevance = view.embeddings[view.rows[row]].astype(float) @ query_vector()
    value = knobs.lambda_b * relevance + (1 - knobs.lambda_b) * bias[row]
    if not step:
        return value, 0.0
    rows = view.embeddings[view.rows]
    redundancy = max(rows[row] @ rows[other] for other in context.indices[:step])
    return knobs.lambda_d * value - (1 - knobs.lambda_d) * redundancy, redundancy


@pytest.mark.parametrize("scale", [BiasScale.RAW, BiasScale.Z_SCORE])
@pytest.mark.parametrize("name", BY_WEIGHTS)
@pytest.mark.parametrize(("lambda_d", "lambda_b"), [(0.5, 0.6), (0.0, 0.0), (1.0, 1.0)])
def test_every_step_has_the_parts_and_the_place(name, scale, lambda_d, lambda_b):
    knobs = Knobs(name, 4, lambda_d, lambda_b=lambda_b, bias_scale=scale)
    for row in range(N):
        context, found = asked(knobs, row)
        chosen = context.indices.tolist()
        steps = chosen.index(row) + 1 if row in chosen else 4
        assert found.why is (Why.CHOSEN if row in chosen else Why.BEATEN)
        assert len(found.trials) == steps
        for step, trial in enumerate(found.trials):
            value, redundancy = by_the_formula(knobs, context, step, row)
            assert trial.value == pytest.approx(value, abs=1e-5)
            assert trial.redundancy == pytest.approx(redundancy, abs=1e-5)
            assert trial.winner == VIEW.ids[chosen[step]]
            assert trial.winner_value == pytest.approx(context.values[step], abs=1e-5)
            left = [other for other in range(N) if other not in chosen[:step]]
            better = [by_the_formula(knobs, context, step, other)[0] > value for other in left]
            if (
                min(abs(np.diff(sorted(by_the_formula(knobs, context, step, o)[0] for o in left))))
                > 1e-5
            ):
                assert trial.place == 1 + sum(better)
        if row in chosen and not np.isclose(lambda_d, 0):
            assert found.trials[-1].place == 1


def test_relevance_and_the_weighed_quality_are_those_of_the_row():
    knobs = Knobs(k=3, bias_scale=BiasScale.SURPRISE)
    _, found = asked(knobs, 5)
    assert found.relevance == pytest.approx(VIEW.embeddings[5] @ query_vector(), abs=1e-6)
    assert found.weighed_quality == pytest.approx(-VIEW.quality_bias[5])
    assert asked(replace(knobs, method="rel"), 5)[1].weighed_quality == 0.0


def test_its_own_demonstrations_are_never_in_question():
    view = pool(["Alpha?"] * 3 + [f"query {number}" for number in range(6)])
    _, found = asked(Knobs(k=4), 1, view, "alpha?", leave_out=True)
    assert (found.why, found.trials) == (Why.ITS_OWN, ())


def test_another_answer_of_a_query_that_was_chosen_is_out_from_then_on():
    view = pool([f"query {number // 2}" for number in range(N)])
    knobs = Knobs(k=4, one_per_query=True)
    context = choose_context(view, "x", query_vector(), knobs, leave_out=False)
    for step, row in enumerate(context.indices.tolist()):
        _, found = asked(knobs, row ^ 1, view)
        assert (found.why, len(found.trials)) == (Why.SAME_QUERY, step + 1)


def test_with_nothing_chosen_there_is_no_step():
    assert asked(Knobs(k=0), 3)[1].trials == ()


def test_only_what_is_there_and_only_methods_that_weigh():
    with pytest.raises(InvalidInput, match="no included demonstration 999"):
        why_not(VIEW, "x", query_vector(), settled(Knobs()), np.array([0]), 999, leave_out=False)
    with pytest.raises(InvalidInput, match="'vrsd' does not choose by relevance"):
        why_not(
            VIEW,
            "x",
            query_vector(),
            settled(Knobs("vrsd")),
            np.array([0]),
            int(VIEW.ids[0]),
            leave_out=False,
        )
