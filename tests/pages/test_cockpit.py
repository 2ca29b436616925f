"""The cockpit of Explore: what the browser gets of a query's triangle."""

import base64
import json
from dataclasses import replace

import numpy as np
import pytest

from core.background import JobSnapshot
from core.demonstration.demonstration import incorrect_answers
from core.retrieval.knobs import BiasScale, Knobs
from core.studio.explore.effect import effect_of
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.slots import TriangleNow
from core.studio.explore.triangle import (
    TriangleScores,
    is_of_its_cell,
    prompt_sizes,
    triangle_of,
)
from core.studio.session.studio import Setup
from pages.common.explore.cockpit.colours import Measure
from pages.common.explore.cockpit.sending import live_to_json, stage_to_json
from tests.pages.conftest import POOL, QUERIES


def sent(app):
    """All that the handle can show, the scores, and what changes; nothing without a cockpit."""
    components = (each.proto for each in app.get("bidi_component"))
    return [json.loads(c.json) for c in components if "cockpit" in c.component_name]


def numbers(made):
    return np.frombuffer(base64.b64decode(made["bytes"]), f"<{made['kind']}")


@pytest.fixture
def explored(visited_pool, language_model, open_page, finish):
    return finish(open_page("explore", k="3"))


@pytest.fixture
def ask(explored, the_studio, language_model):
    """Resolves the page's own request, with other knobs."""

    def asked(**knobs):
        request = ExploreRequest(
            Setup(POOL, None, str(language_model)),
            QUERIES[0],
            Knobs(k=3),
            leave_out=True,
            answers=("No, says the book (0)", "Not at all, says the book (0)"),
            incorrect=incorrect_answers(["Of course", "Nobody knows"]),
        )
        return resolve(the_studio(), request.with_knobs(**knobs))

    return asked


def test_every_cell_has_its_context_and_what_that_does_to_the_model(explored, ask, the_studio):
    stage, scores, live = sent(explored)
    resolved = ask()
    triangle, found = triangle_of(resolved), explore(resolved)
    k, cells, places = stage["k"], numbers(stage["contexts"]), triangle.demonstrations
    assert (k, len(cells), stage["open"]) == (3, len(triangle.cells), ["lambda_d", "lambda_b"])
    assert stage["likely"] == "likely"
    lists = numbers(stage["lists"]).reshape(-1, k)
    view = triangle.asked.view
    assert [
        [stage["demonstrations"][number]["answer"] for number in chosen] for chosen in lists
    ] == [[view.answers[place] for place in cell.indices] for cell in triangle.cells]
    corners = np.split(
        numbers(stage["corners"]).reshape(-1, 2), np.cumsum(numbers(stage["counts"]))[:-1]
    )
    for drawn, polygon in zip(corners, triangle.drawing.polygons, strict=True):
        np.testing.assert_array_equal(drawn, polygon[:, :2].astype(np.float32))

    assert live["at"] == [0.75, 0.95]
    assert live["tied"] is None
    here = triangle.cell_at(0.75, 0.95)
    shown = [stage["demonstrations"][number] for number in lists[here]]
    assert [each["query"] for each in shown] == [pick.query for pick in found.picks]
    assert [each["relevance"] for each in shown] == pytest.approx(
        [pick.relevance for pick in found.picks], abs=1e-6
    )
    assert [each["quality"] for each in shown] == pytest.approx(
        [pick.quality_bias for pick in found.picks]
    )
    assert numbers(stage["redundancy"]).reshape(-1, k)[here] == pytest.approx(
        [pick.redundancy or 0.0 for pick in found.picks], abs=1e-5
    )
    context = cells[here]
    effect = effect_of(resolved.request, the_studio().engine(resolved.request.setup), found.prompt)
    assert numbers(scores["dpo"])[context] == pytest.approx(effect.dpo, abs=1e-4)
    assert numbers(scores["delta"])[context] == pytest.approx(effect.delta, abs=1e-4)
    assert numbers(scores["logProbs"]).reshape(-1, 4)[context] == pytest.approx(
        [row.with_context.total for row in effect.rows], abs=1e-4
    )
    assert numbers(stage["sameness"])[context] == pytest.approx(found.diversity, abs=1e-5)
    assert numbers(scores["tokens"])[context] == found.tokens
    assert len(places) == len(stage["demonstrations"]) <= 10
    assert [(each["correct"], each["best"]) for each in stage["answers"]] == [
        (True, True), (True, False), (False, False), (False, False)
    ]  # fmt: skip


def test_the_sliders_change_only_where_the_handle_is(explored, finish):
    stage, scores, live = sent(explored)
    explored.number_input(key="explore_lambda_d_typed").set_value(0.3).run()
    after, same, moved = sent(finish(explored))
    assert (after, same) == (stage, scores)
    assert moved["at"] == [0.3, 0.95]
    assert moved | {"at": live["at"], "tied": None} == live | {"tied": None}


def test_where_ties_decide_the_context_itself_is_sent(ask):
    """Both answers of a query are equally similar: at lambda_b 1 the first in the pool is taken."""
    resolved = ask(lambda_b=1.0, lambda_d=1.0)
    found, triangle = explore(resolved), triangle_of(resolved)
    assert not is_of_its_cell(found, triangle)
    assert is_of_its_cell(explore(ask()), triangle)
    scores = TriangleScores.unscored(triangle.n_contexts, 4)
    now = TriangleNow(scores=scores, sizes=prompt_sizes(resolved, triangle), job=None)
    stage = stage_to_json(found, triangle, "a")
    cell = triangle.lists[triangle.cell_at(1.0, 1.0)]
    assert [pick.id for pick in found.picks] != triangle.asked.view.ids[cell].tolist()
    effect = effect_of(resolved.request, resolved.studio.engine(resolved.request.setup), "")
    tied = live_to_json(found, triangle, "a", now, effect, Measure.DPO, None)["tied"]
    rows = [*stage["demonstrations"], *reversed(tied["others"])]
    assert [rows[number]["answer"] for number in tied["chosen"]] == [
        pick.answer for pick in found.picks
    ]
    assert tied["redundancy"] == [pick.redundancy or 0.0 for pick in found.picks]
    assert (tied["dpo"], tied["tokens"]) == (effect.dpo, found.tokens)
    assert tied["logProbs"] == [row.with_context.total for row in effect.rows]


@pytest.mark.parametrize(
    ("state", "error", "offered", "progress"),
    [
        ("finished", None, False, ("", "", "")),
        ("running", None, False, ("1 of 5 contexts scored.", "Cancel", "cancel")),
        ("waiting", None, False, ("1 of 5 contexts scored.", "Cancel", "cancel")),
        (
            "cancelled",
            None,
            False,
            ("Stopped after 1 of 5 contexts; what is scored is kept.", "Go on", "again"),
        ),
        ("failed", "It broke.", False, ("It broke.", "Go on", "again")),
        (None, None, False, ("", "", "")),
        (None, None, True, ("1 of 5 contexts scored.", "Score all", "score")),
    ],
)
def test_how_far_scoring_is_and_what_can_be_done(ask, state, error, offered, progress):
    resolved = ask()
    triangle = triangle_of(resolved)
    scores = replace(TriangleScores.unscored(5, 4), scored=1)
    job = (
        None
        if state is None
        else JobSnapshot(id=1, slot="cells", label="Cells", state=state, error=error)
    )
    sizes = prompt_sizes(resolved, triangle)
    now = TriangleNow(scores=scores, sizes=sizes, job=job, offered=offered)
    made = live_to_json(explore(resolved), triangle, "a", now, None, Measure.DPO, None)["progress"]
    assert (made["text"], made["label"], made["does"]) == progress


def test_only_what_can_be_shown_is_offered(explored, open_page, finish):
    assert [name for name, _ in sent(explored)[0]["measures"]] == list(Measure)
    app = finish(open_page("explore", **{"from": "typed", "typed": "Is it so?"}))
    stage, scores, live = sent(app)
    assert stage["answers"] == []
    assert [name for name, _ in stage["measures"]] == ["sameness"]
    assert live["measure"] == "sameness"
    assert np.isnan(numbers(scores["dpo"])).all()


@pytest.mark.parametrize(("link", "measure"), [("tokens", "tokens"), ("beauty", "dpo")])
def test_the_colour_is_read_from_the_link(
    visited_pool, language_model, open_page, finish, link, measure
):
    app = finish(open_page("explore", k="3", cell_colour=link))
    assert sent(app)[2]["measure"] == measure


@pytest.mark.parametrize(
    ("method", "opened"), [("rel+div", ["lambda_d"]), ("rel+bias", ["lambda_b"]), ("vrsd", None)]
)
def test_a_method_opens_the_weights_that_it_uses(
    visited_pool, language_model, open_page, finish, method, opened
):
    app = finish(open_page("explore", k="3", method=method))
    assert not app.exception
    found = sent(app)
    assert (found[0]["open"] if found else None) == opened


def test_surprise_turns_the_corner_around(explored, ask):
    resolved = ask(bias_scale=BiasScale.SURPRISE)
    assert stage_to_json(explore(resolved), triangle_of(resolved), "a")["likely"] == "unlikely"


def test_among_candidates_of_an_index_the_page_says_what_the_triangle_is_of(
    visited_pool, language_model, open_page, finish
):
    app = finish(open_page("explore", k="2", index="hnsw", candidates="4"))
    assert "The triangle is exact, for the whole pool." in [each.value for each in app.caption]
