"""The triangle of a query's contexts: what `choose_context` chooses, and how it is drawn."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidInput
from core.retrieval.choosing import METHODS, choose_context, settled
from core.retrieval.knobs import BiasScale, Knobs, PromptOrder
from core.retrieval.triangle import context_triangle, weights_at
from tests.contracts.test_method_contract import pool, query_vector

N = 14
VIEW = pool([f"query {number}" for number in range(N)])
WITH_TRIANGLE = ("rel+bias", "rel+div", "rel+div+bias")
PLACES = [(0.0, 0.5), (0.3, 0.9), (0.5, 0.5), (0.75, 0.95), (0.9, 0.1), (1.0, 0.4)]


def triangle(view=VIEW, query="x", leave_out=False, **knobs):
    knobs = Knobs(**{"method": "rel+div+bias", "k": 4} | knobs)
    return context_triangle(view, query, query_vector(), settled(knobs), leave_out=leave_out)


def chosen(knobs, view=VIEW):
    return choose_context(view, "x", query_vector(), knobs, leave_out=False)


@pytest.mark.parametrize("scale", [BiasScale.RAW, BiasScale.Z_SCORE, BiasScale.SURPRISE])
@pytest.mark.parametrize("name", WITH_TRIANGLE)
def test_each_cell_has_the_context_that_is_chosen_there(name, scale):
    found = triangle(method=name, bias_scale=scale)
    method = METHODS[name]
    for lambda_d, lambda_b in PLACES:
        knobs = method.settle(Knobs(name, 4, lambda_d, lambda_b=lambda_b, bias_scale=scale))
        at = found.drawing.places(weights_at(knobs.lambda_d, knobs.lambda_b))
        cell = found.drawing.cell_at(at)
        context = chosen(knobs)
        assert found.lists[cell].tolist() == context.indices.tolist()
        number = found.context_of[cell]
        assert sorted(found.context(number).ids.tolist()) == sorted(context.ids.tolist())
        assert found.diversity[number] == pytest.approx(context.diversity, abs=1e-6)
        redundancy = np.nan_to_num(context.redundancy)
        np.testing.assert_allclose(found.redundancy[cell], redundancy, atol=1e-5)


def test_what_is_left_out_is_in_no_context():
    view = pool(["Alpha?"] * 3 + [f"query {number}" for number in range(6)])
    vector = view.embeddings[0]
    found = context_triangle(view, "alpha?", vector, settled(Knobs(k=4)), leave_out=True)
    assert min(found.demonstrations) > 2
    assert {*found.demonstrations} == set(found.lists.ravel().tolist())


def test_one_of_each_query_is_chosen_if_that_is_asked():
    view = pool([f"query {number // 2}" for number in range(N)])
    for cell in triangle(view, one_per_query=True).lists:
        assert len({*view.groups[cell].tolist()}) == 4


def test_candidates_cut_the_pool_before():
    nearest = np.argsort(-VIEW.relevance(query_vector()), kind="stable")[:6]
    assert {*triangle(candidates=6).demonstrations} <= {*nearest}


def test_what_the_model_can_never_score_is_in_no_context():
    bias = VIEW.quality_bias.copy()
    bias[5] = -np.inf
    found = triangle(replace(VIEW, quality_bias=bias))
    assert 5 not in found.demonstrations
    assert np.isfinite(found.bias).all()


def test_one_set_in_two_orders_is_one_context_unless_the_prompt_follows_the_choice():
    found, ordered = triangle(k=3), triangle(k=3, order=PromptOrder.AS_CHOSEN)
    sets = {tuple(sorted(each)) for each in found.lists.tolist()}
    lists = {tuple(each) for each in found.lists.tolist()}
    assert found.n_contexts == len(sets) < ordered.n_contexts == len(lists)
    for each in (found, ordered):
        for number in range(each.n_contexts):
            cells = each.lists[each.context_of == number].tolist()
            same = {tuple(cell) for cell in cells} if each is ordered else {
                tuple(sorted(cell)) for cell in cells
            }  # fmt: skip
            assert len(same) == 1


def test_without_a_scored_quality_there_is_the_edge_without_it():
    bias = VIEW.quality_bias.copy()
    bias[3] = np.nan
    found = triangle(replace(VIEW, quality_bias=bias))
    assert found.drawing.is_edge
    assert {len(cell.polygon) for cell in found.cells} == {2}
    assert all((cell.polygon[:, 1] == 0).all() for cell in found.cells)


def test_relevance_and_bias_alone_are_the_edge_without_diversity():
    found = triangle(method="rel+bias")
    assert found.drawing.is_edge
    assert all((cell.polygon[:, 2] == 0).all() for cell in found.cells)
    ends = [found.cells[0].polygon[0].tolist(), found.cells[-1].polygon[1].tolist()]
    assert ends == [[0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize("k", [0, 1, N, N + 1])
def test_both_ends_of_k(k):
    found = triangle(k=k)
    assert found.lists.shape[1] == min(k, N)
    assert found.diversity.shape == (found.n_contexts,)
    assert np.isnan(found.diversity).all() == (min(k, N) < 2)
    assert found.n_contexts == (1 if k in (0, N, N + 1) else len({*found.lists.ravel()}))


def test_an_empty_pool_has_one_empty_context():
    found = triangle(pool([]))
    assert found.lists.shape == (1, 0)
    assert found.n_contexts == 1
    assert len(found.context(0)) == 0


@pytest.mark.parametrize("name", sorted({*METHODS} - {*WITH_TRIANGLE}))
def test_other_methods_have_none(name):
    with pytest.raises(InvalidInput, match="No triangle of weights"):
        triangle(method=name)


def test_places_are_drawn_with_quality_in_units_of_its_spread():
    found = triangle()
    relevance = VIEW.relevance(query_vector())
    spread = found.drawing.spread
    assert spread == pytest.approx(VIEW.quality_bias.std() / relevance.std())
    assert found.drawing.places([0.5, 0.25, 0.25]).tolist() == pytest.approx(
        [0.5 / (0.75 + 0.25 * spread), 0.25 * spread / (0.75 + 0.25 * spread),
         0.25 / (0.75 + 0.25 * spread)]
    )  # fmt: skip
    assert found.drawing.places(np.eye(3)).tolist() == np.eye(3).tolist()
    assert found.drawing.shares.sum() == pytest.approx(1)


def test_equal_qualities_are_drawn_as_they_are():
    view = replace(VIEW, quality_bias=np.full(N, -1.0))
    assert triangle(view).drawing.spread == 1.0


def test_the_middle_of_every_cell_is_in_that_cell():
    for name in WITH_TRIANGLE:
        drawing = triangle(method=name).drawing
        assert [drawing.cell_at(middle) for middle in drawing.middles] == [
            *range(len(drawing.polygons))
        ]
