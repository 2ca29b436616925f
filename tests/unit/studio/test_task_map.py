"""The map by task as a service: planted states, whose neighbours are known."""

import shutil

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, Status
from core.errors import InvalidInput
from core.projection.same_label import NEAREST, chance_shares, same_label_shares
from core.reporting.figures.pool_map import MOST_TAGS, TAG_COLOURS, common_labels, map_figure
from core.reporting.results.pool_map import By
from core.retrieval.choosing import settled
from core.retrieval.exemplars import among_exemplars
from core.retrieval.knobs import Knobs
from core.retrieval.methods.pgra import prompt_of
from core.studio import Setup, Studio
from core.studio.map.pool_map import map_key, pool_map
from core.studio.map.task_map import by_task, place_query_by_task, task_layout
from core.studio.pools import demonstrations
from core.watcher import NOBODY
from tests.support.planted_model import LABELS, NO_STATES, PlantedModel, moods

SETUP = Setup("small")
N = 40


@pytest.fixture
def pool_drafts():
    return moods(N)


@pytest.fixture
def model(request):
    return PlantedModel(**getattr(request, "param", {}))


@pytest.fixture
def load_model(model):
    return lambda name: model


def found_by(ask, studio):
    """What a service gives once every job that it waits for is over."""
    for _ in range(9):
        found, job = ask()
        if job is None:
            return found
        assert job.wait(120)
        assert job.state == "finished", job.error
    raise AssertionError("one job after another")


def laid_out(studio, setup=SETUP, **own):
    knobs = Knobs("pgra", own_values=tuple(own.items()))
    return found_by(lambda: task_layout(studio, setup, studio.view(setup), knobs), studio)


def by_text(studio):
    return found_by(lambda: pool_map(studio, SETUP, studio.view(SETUP)), studio)


def used(studio, laid):
    """Rows, labels and groups of all but the exemplars."""
    view = studio.view(SETUP)
    there = np.setdiff1d(np.arange(len(view)), among_exemplars(view, laid.prompt))
    labels = np.array([LABELS.index(answer) for answer in view.answers])
    return view.matrix[there], labels[there], view.groups[there]


def test_states_of_the_label_alone_have_no_other_neighbours_than_its_own(studio):
    laid = laid_out(studio)
    same = laid.same_label
    rows, labels, groups = used(studio, laid)
    assert same.by_task.mean == 1.0
    assert same.by_text.mean == pytest.approx(same_label_shares(rows, labels, groups).mean())
    assert same.chance == pytest.approx(chance_shares(labels, groups).mean())
    assert (same.texts, same.nearest, same.sampled) == (N - 8, NEAREST, False)
    assert same.by_text.low <= same.by_text.mean <= same.by_text.high
    assert same.difference.mean == pytest.approx(1.0 - same.by_text.mean)


class Mistaken(PlantedModel):
    """Its states are the one-hot of a pair of texts, one of each label."""

    def states(self, prefix, texts, *, watcher=NOBODY):
        numbers = [int(text.split("Text ")[1].split()[0]) // 2 for text in texts]
        return np.eye(N)[numbers].astype(np.float32)


def test_states_that_pair_two_labels_give_each_text_a_neighbour_of_the_other(
    tmp_path, encoder, workspace_with
):
    workspace_with(tmp_path / "workspace", "small", moods(N))
    with Studio.open(
        tmp_path / "workspace",
        load_encoder=lambda name: encoder,
        load_model=lambda name: Mistaken(),
    ) as studio:
        laid = laid_out(studio, exemplars=0)
    # One neighbour is of the other label, the other nine are any of the rest: equal parts of all.
    others = N - 2
    expected = (NEAREST - 1) * (others / 2) / others / NEAREST
    assert laid.same_label.by_task.mean == pytest.approx(expected)
    assert laid.same_label.texts == N


def test_the_same_demonstrations_lie_where_their_states_are_near(studio):
    found, laid = by_text(studio), laid_out(studio)
    drawn = by_task(found, laid)
    assert drawn.ids.tolist() == found.ids.tolist()
    assert (drawn.by, found.by) == (By.TASK, By.TEXT)
    assert drawn.labels == found.labels == LABELS * (N // 2)
    glad = np.array([label == "1" for label in drawn.labels])
    centres = [drawn.coordinates[mask].mean(axis=0) for mask in (glad, ~glad)]
    apart = np.linalg.norm(centres[0] - centres[1])
    for mask, centre in zip((glad, ~glad), centres, strict=True):
        within = np.linalg.norm(drawn.coordinates[mask] - centre, axis=1)
        assert within.max() < apart / 4


@pytest.mark.parametrize("own", [{}, {"similarity": "centred"}, {"similarity": "dot"}])
def test_a_query_falls_among_the_texts_that_the_task_treats_alike(studio, model, own):
    laid = laid_out(studio, **own)
    read = len(model.read)

    def ask():
        return place_query_by_task(studio, SETUP, laid, "A new text of a glad day")

    point = found_by(ask, studio)
    assert len(model.read) == read + 1
    assert found_by(ask, studio) == point
    assert len(model.read) == read + 1, "a state is read once"
    glad = np.array(["glad" in query for query in laid.layout.queries])
    nearest = np.argmin(np.linalg.norm(laid.layout.points - np.array(point), axis=1))
    assert glad[nearest]


def test_centred_states_have_their_mean_taken_away_and_a_layout_of_their_own(studio):
    plain, centred = laid_out(studio), laid_out(studio, similarity="centred")
    assert plain.centre.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(centred.centre, [0.501, 0.501], atol=1e-3)
    expected = plain.states.states - plain.states.states.mean(axis=0)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(centred.layout.embeddings, expected, atol=1e-6)
    assert laid_out(studio) is plain
    assert laid_out(studio, similarity="centred") is centred


def test_what_was_read_and_laid_out_is_there_when_the_workspace_is_opened_again(
    studio, model, encoder, tmp_path
):
    laid = laid_out(studio)
    folder = shutil.copytree(studio.store.folder, tmp_path / "again")
    read = len(model.read)
    with Studio.open(
        folder, load_encoder=lambda name: encoder, load_model=lambda name: model
    ) as again:
        found = laid_out(again)
    assert len(model.read) == read
    np.testing.assert_array_equal(found.layout.points, laid.layout.points)
    assert found.same_label == laid.same_label


def test_excluded_demonstrations_and_texts_too_long_are_not_on_it(studio):
    pool = studio.store.pools.get("small").id
    studio.store.demonstrations.add(pool, [Draft("so " * 10_050 + "glad a day", "1")])
    text, laid = by_text(studio), laid_out(studio)
    assert (laid.reading.skipped, len(laid.layout.queries)) == (1, N)
    shown = {query for query, _ in laid.prompt.pairs}
    excluded = [row.id for row in text.demonstrations[:N] if row.query not in shown][:3]
    demonstrations.set_status(studio, excluded, Status.EXCLUDED)
    laid, text = laid_out(studio), by_text(studio)
    drawn = by_task(text, laid)
    too_long = int(text.ids[-1])
    assert sorted(set(text.ids.tolist()) - set(drawn.ids.tolist())) == [*excluded, too_long]
    assert len(drawn) == len(drawn.labels) == len(drawn.demonstrations) == N - 3
    np.testing.assert_array_equal(
        [row.id for row in drawn.demonstrations], drawn.ids, "each with its own point"
    )


@pytest.mark.parametrize("model", [{"hidden": False}], indirect=True)
def test_a_model_without_states_says_so_and_is_not_asked_again(studio):
    def asked():
        return task_layout(studio, SETUP, studio.view(SETUP), Knobs("pgra"))

    studio.language_model(None)
    laid, job = asked()
    assert job.wait(60)
    assert (laid, job.error) == (None, NO_STATES)
    assert asked() == (None, job)


def test_a_pool_without_a_task_is_refused(studio):
    pool = studio.store.pools.create("others").id
    studio.store.demonstrations.add(pool, [Draft(f"Why {n}?", f"So {n}.") for n in range(9)])
    setup = Setup("others")
    with pytest.raises(InvalidInput, match="not labels that many queries share"):
        task_layout(studio, setup, studio.view(setup), Knobs("pgra"))
    found = found_by(lambda: pool_map(studio, setup, studio.view(setup)), studio)
    assert (set(found.labels), found.label_words) == ({""}, ())


def test_the_two_maps_are_kept_under_keys_of_their_own(studio):
    by_text(studio)
    laid_out(studio)
    pool, view = studio.store.pools.get("small"), studio.view(SETUP)
    _, text = studio.store.coordinates.get(map_key(pool.id, view.encoder, pool.seed))
    np.testing.assert_array_equal(text, by_text(studio).layout.points)
    prompt = prompt_of(view, settled(Knobs("pgra")))
    assert laid_out(studio).prompt == prompt


def test_labels_have_colour_shape_and_name_and_what_has_none_is_grey(studio):
    pool = studio.store.pools.get("small").id
    studio.store.demonstrations.add(pool, [Draft("Text of no day", "neither")])
    found = by_text(studio)
    assert found.label_words == ("0", "1")
    traces = {trace.name: trace for trace in map_figure(found, "label").data}
    assert list(traces) == ["no label (1)", "0 (20)", "1 (20)"]
    looks = [(trace.marker.color, trace.marker.symbol) for trace in traces.values()]
    assert looks[1:] == [(TAG_COLOURS[0], "circle"), (TAG_COLOURS[1], "square")]
    assert len(set(looks)) == 3
    glad = [row.id for row in found.demonstrations if row.answer == "1"]
    assert sorted(traces["1 (20)"].customdata.tolist()) == glad


def test_of_many_labels_the_commonest_have_a_colour_in_the_order_of_the_task(studio):
    pool = studio.store.pools.create("many").id
    drafts = [
        Draft(f"Text {label} {n}", f"kind {label}") for label in range(9) for n in range(10 + label)
    ]
    studio.store.demonstrations.add(pool, drafts)
    setup = Setup("many")
    found = found_by(lambda: pool_map(studio, setup, studio.view(setup)), studio)
    assert common_labels(found) == [f"kind {label}" for label in range(2, 2 + MOST_TAGS)]
    names = [trace.name for trace in map_figure(found, "label").data]
    assert names[0] == "other labels (21)"
    assert names[1:] == [f"kind {label} ({10 + label})" for label in range(2, 2 + MOST_TAGS)]
