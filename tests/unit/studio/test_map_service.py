"""The map as a service: points stay with their demonstrations whatever happens to the pool."""

import shutil
import threading
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest

import core.studio.map.pool_map
from core.demonstration.demonstration import Draft, Status
from core.errors import InvalidInput
from core.projection import place_all, project, umap_projection
from core.projection.umap_projection import spread
from core.reporting.figures.layout import CHOSEN, NEUTRAL, take_title
from core.reporting.figures.pool_map import (
    COLOURINGS,
    CROWDED,
    MOST_TAGS,
    common_tags,
    map_figure,
)
from core.studio import Setup, Studio
from core.studio.map.pool_map import (
    lay_out_again,
    place_demonstrations,
    place_query,
    pool_map,
    present,
    shows,
)
from core.studio.pools import demonstrations, edits, pools

SETUP = Setup("small")
DRAFTS = [
    Draft(f"What is {number} plus {other}?", f"{answer}: {number + other}", tags=(tag,))
    for number, tag in enumerate(("zero", "one", "two", "three", "four"))
    for other in range(6)
    for answer in ("it is", "that makes")
]


@pytest.fixture(scope="module")
def opened(hashing_encoder):
    """Opens a workspace with the fake encoder."""
    return lambda folder: Studio.open(folder, load_encoder=lambda name: hashing_encoder)


@pytest.fixture(scope="module")
def made(tmp_path_factory, opened):
    """A workspace whose map was never asked for."""
    folder = tmp_path_factory.mktemp("map") / "new"
    with opened(folder) as studio:
        pool = studio.store.pools.create("small", seed=3)
        studio.store.demonstrations.add(pool.id, DRAFTS)
    return folder


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory, opened, made):
    """The same after its map was laid out, which takes longer than most tests."""
    folder = shutil.copytree(made, tmp_path_factory.mktemp("map") / "laid out")
    with opened(folder) as studio:
        find(studio)
    return folder


@pytest.fixture
def new_studio(tmp_path, opened, made):
    with opened(shutil.copytree(made, tmp_path / "workspace")) as studio:
        yield studio


@pytest.fixture
def studio(tmp_path, opened, laid_out):
    with opened(shutil.copytree(laid_out, tmp_path / "workspace")) as studio:
        yield studio


def find(studio):
    """The map, laid out if need be."""
    found, job = pool_map(studio, SETUP, studio.view(SETUP))
    if job is not None:
        assert job.wait(120)
        assert job.state == "finished", job.error
        found, job = pool_map(studio, SETUP, studio.view(SETUP))
    assert job is None
    return found


def points(found):
    return dict(zip(found.ids.tolist(), map(tuple, found.coordinates.tolist()), strict=True))


def test_the_layout_is_made_once_in_the_background_and_kept(new_studio):
    asked_twice = threading.Event()
    new_studio.pool_worker.submit("test", "Holds the worker", lambda job: asked_twice.wait(60))
    found, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
    assert found is None
    assert pool_map(new_studio, SETUP, new_studio.view(SETUP))[1] is job
    asked_twice.set()
    assert job.wait(120)
    assert job.partial == "Placing 30 queries in rounds"
    first, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
    assert job is None
    assert first.layout.points.shape == (30, 2)  # one point a distinct query
    again, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
    assert job is None
    assert points(again) == points(first)
    assert (first.seed, first.layout.placed) == (3, 0)
    assert first.version == new_studio.store.pools.get("small").version


def test_the_layout_is_there_at_once_when_the_workspace_is_opened_again(studio):
    found, job = pool_map(studio, SETUP, studio.view(SETUP))
    assert job is None
    assert found.layout.points.shape == (30, 2)
    assert (found.seed, found.layout.placed) == (3, 0)


def test_answers_of_one_query_stand_side_by_side_on_its_point(studio):
    found = find(studio)
    assert len(found) == 60
    order = {query: place for place, query in enumerate(found.layout.queries)}
    spots = found.layout.points[[order[row.query] for row in found.demonstrations]]
    np.testing.assert_array_equal(found.coordinates, spread(spots))
    assert len(np.unique(found.coordinates, axis=0)) == 60
    extent = np.ptp(found.coordinates, axis=0).max()
    assert np.abs(found.coordinates - spots).max() < 0.02 * extent


def test_excluding_tagging_and_editing_answers_move_nothing(studio):
    before = points(find(studio))
    ids = sorted(before)
    demonstrations.set_status(studio, ids[5:9], Status.EXCLUDED)
    demonstrations.add_tag(studio, ids[:3], "seen")
    row = studio.store.demonstrations.by_ids([ids[20]])[0]
    edits.save_edits(studio, edits.edits_of([row], {0: {"answer": "none of it"}}).values())
    found = find(studio)
    assert points(found) == before
    assert found.ids[found.excluded].tolist() == ids[5:9]
    assert found.layout.placed == 0
    assert len(studio.view(SETUP)) == 56


def test_a_deleted_demonstration_leaves_and_the_others_stay(studio):
    before = points(find(studio))
    ids = sorted(before)
    demonstrations.delete(studio, ids[:2])  # all of the first query
    after = points(find(studio))
    assert after == {id: point for id, point in before.items() if id not in ids[:2]}


def test_a_new_query_stands_among_its_neighbours_until_the_map_is_laid_out_anew(studio):
    before = find(studio)
    draft = Draft("What is 4 plus 55?", "59")
    added = demonstrations.add(studio, "small", draft).ids[0]
    found = find(studio)
    assert found.layout.placed == 1
    old = {id: point for id, point in points(found).items() if id != added}
    assert old == points(before)
    near = place_demonstrations(found, [added])[0]
    low, high = before.coordinates.min(axis=0), before.coordinates.max(axis=0)
    assert ((near >= low) & (near <= high)).all()
    lay_out_again(studio, SETUP).wait(120)
    assert find(studio).layout.placed == 0


def test_many_new_queries_make_a_new_layout(studio):
    find(studio)
    pool = studio.store.pools.get("small").id
    studio.store.demonstrations.add(pool, [Draft(f"New {n}?", "yes") for n in range(40)])
    found, job = pool_map(studio, SETUP, studio.view(SETUP))
    assert found is None
    assert job.wait(120)
    assert find(studio).layout.placed == 0


def test_a_pools_own_query_falls_on_its_own_point(studio):
    found = find(studio)
    for place in (0, 7, 29):
        query = found.layout.queries[place]
        np.testing.assert_allclose(
            place_query(studio, SETUP, found, query), found.layout.points[place], atol=1e-2
        )
    with pytest.raises(InvalidInput, match="query is empty"):
        place_query(studio, SETUP, found, "  ")


def test_context_and_selection_come_in_the_order_of_their_ids_given(studio):
    found = find(studio)
    ids = found.ids.tolist()
    wanted = [ids[9], 10**9, ids[2], ids[40]]
    assert [row.id for row in present(found, wanted)] == [ids[9], ids[2], ids[40]]
    np.testing.assert_array_equal(
        place_demonstrations(found, wanted), found.coordinates[[9, 2, 40]]
    )
    assert place_demonstrations(found, []).shape == (0, 2)


def test_another_pool_has_a_map_of_its_own_and_a_renamed_one_keeps_its(studio):
    before = points(find(studio))
    pools.rename(studio, "small", "renamed")
    found, job = pool_map(studio, Setup("renamed"), studio.view(Setup("renamed")))
    assert job is None
    assert points(found) == before
    studio.store.demonstrations.add(studio.store.pools.create("other").id, DRAFTS[:4])
    assert pool_map(studio, Setup("other"), studio.view(Setup("other")))[0] is None


def test_a_large_pools_map_is_made_beside_the_page_and_laid_out_once(new_studio, monkeypatch):
    monkeypatch.setattr(core.studio.map.pool_map, "LARGE_POOL", 59)  # the pool has sixty

    def made_beside():
        found, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
        assert found is None
        assert job.wait(120)
        return job.result, job.partial

    first, last_step = made_beside()
    assert last_step == "Placing 30 queries in rounds"
    again, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
    assert (job, again.demonstrations) == (None, first.demonstrations)
    assert again.layout is first.layout
    demonstrations.add_tag(new_studio, sorted(points(first))[:3], "seen")
    tagged, last_step = made_beside()
    assert last_step == "Reading the pool", "it is not laid out again"
    assert points(tagged) == points(first)
    assert [row.tags for row in tagged.demonstrations[:3]] == [("zero", "seen")] * 3
    job = lay_out_again(new_studio, SETUP)
    assert job.wait(120)
    assert job.partial == "Placing 30 queries in rounds"


def test_a_map_shares_the_views_rows_and_reads_those_of_excluded_demonstrations(studio):
    found, view = find(studio), studio.view(SETUP)
    assert found.layout.embeddings is view.embeddings
    rows = dict(zip(found.layout.queries, found.layout.embeddings.tolist(), strict=True))
    excluded = [row.id for row in found.demonstrations if row.query == found.layout.queries[7]]
    demonstrations.set_status(studio, excluded, Status.EXCLUDED)
    found = find(studio)
    assert len(studio.view(SETUP).embeddings) == 29
    assert dict(zip(found.layout.queries, found.layout.embeddings.tolist(), strict=True)) == rows


def test_a_cancelled_layout_stays_cancelled_until_it_is_forgotten(new_studio):
    _, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
    job.cancel()
    assert job.wait(120)
    if job.state == "cancelled":
        assert pool_map(new_studio, SETUP, new_studio.view(SETUP))[1] is job
        new_studio.pool_worker.forget(job.slot)
    assert len(find(new_studio)) == 60


def test_while_umap_is_loaded_the_map_says_so_and_can_be_cancelled(new_studio, monkeypatch):
    loading = threading.Event()

    def load():
        loading.set()
        return Future()  # which is never done

    monkeypatch.setattr(umap_projection, "load_umap", load)
    _, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
    assert loading.wait(120)
    assert (job.partial, job.total) == ("Loading UMAP", 0)
    job.cancel()
    assert job.wait(120)
    assert job.state == "cancelled"


def test_a_failure_to_load_umap_is_said_where_the_map_is_asked_for(new_studio, monkeypatch):
    failed = Future()
    failed.set_exception(ImportError("no numba"))
    monkeypatch.setattr(umap_projection, "load_umap", lambda: failed)
    _, job = pool_map(new_studio, SETUP, new_studio.view(SETUP))
    assert job.wait(120)
    assert (job.state, job.error) == ("failed", "ImportError('no numba')")


@pytest.mark.parametrize("colour", COLOURINGS)
def test_each_point_is_drawn_once_with_its_id_and_place_in_every_colouring(studio, colour):
    ids = find(studio).ids.tolist()
    demonstrations.set_status(studio, ids[:4], Status.EXCLUDED)
    found = find(studio)
    figure = map_figure(found, colour, ["one", "two"])
    drawn = {
        int(id): (x, y)
        for trace in figure.data
        for id, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }
    assert sum(len(trace.x) for trace in figure.data) == 60
    assert drawn == points(found)
    hollow = figure.data[-1]
    assert hollow.marker.symbol == "circle-open"
    assert sorted(hollow.customdata.tolist()) == ids[:4]


def test_the_tool_in_use_is_seen_on_the_page_whatever_its_background(studio):
    tools = map_figure(find(studio), "status").layout.modebar
    assert (tools.color, tools.activecolor) == (NEUTRAL, CHOSEN)


def test_tags_get_colour_and_shape_and_the_rarest_wanted_one_counts(studio):
    ids = find(studio).ids.tolist()
    demonstrations.add_tag(studio, ids[12:24], "zero")  # those of "one" carry both now
    found = find(studio)
    assert common_tags(found, 2) == ["zero", "four"]
    figure = map_figure(found, "tag", ["one", "zero"])
    by_name = {trace.name: sorted(trace.customdata.tolist()) for trace in figure.data}
    assert by_name["one (12)"] == ids[12:24]
    assert by_name["zero (12)"] == ids[:12]
    assert by_name["other tags (36)"] == ids[24:]
    colours = [(trace.marker.color, trace.marker.symbol) for trace in figure.data]
    assert len(set(colours)) == len(colours)
    assert MOST_TAGS == 7
    assert figure.layout.legend.title.text == "Of several tags, the rarest:"


@pytest.mark.parametrize(
    ("decides", "ones", "words"),
    [("rarest", 12, "rarest"), ("commonest", 0, "most frequent"), ("listed", 0, "first chosen")],
)
def test_whoever_looks_chooses_which_of_several_tags_colours(studio, decides, ones, words):
    ids = find(studio).ids.tolist()
    demonstrations.add_tag(studio, ids[12:24], "zero")  # those of "one" carry both now
    found = find(studio)
    figure = map_figure(found, "tag", ["zero", "one"], decides=decides)
    by_name = {trace.name: sorted(trace.customdata.tolist()) for trace in figure.data}
    named = {f"zero ({24 - ones})": ids[: 24 - ones], "other tags (36)": ids[24:]}
    assert by_name == named | ({"one (12)": ids[12:24]} if ones else {})
    assert figure.layout.legend.title.text == f"Of several tags, the {words}:"
    plain = map_figure(found, "tag", ["zero", "four"], decides=decides)
    assert plain.layout.legend.title.text is None, "none carries both"
    listed = map_figure(found, "tag", ["one", "zero"], decides="listed")
    assert listed.data[-2].name == "one (12)"


def test_the_bar_of_tools_has_room_above_the_points(studio):
    figure = map_figure(find(studio), "tag")
    assert take_title(figure)
    assert figure.layout.margin.t == 36


def test_quality_is_coloured_where_it_is_scored_and_lengths_count_words(studio):
    found = find(studio)
    figure = map_figure(found, "quality")
    assert [trace.name for trace in figure.data] == ["not scored yet (60)"]
    lengths = map_figure(found, "length").data[0].marker.color
    assert set(lengths.tolist()) == {5.0}


def test_what_users_typed_is_never_markup_in_a_label(studio):
    pool = studio.store.pools.get("small").id
    wild = Draft("<b>bold</b> & <a href='x'>?", "x" * 300 + "\nline", tags=("<i>t</i>",))
    id = studio.store.demonstrations.add(pool, [wild]).ids[0]
    found = find(studio)
    figure = map_figure(found, "tag", ["<i>t</i>"])
    trace = next(trace for trace in figure.data if id in trace.customdata)
    assert trace.name == "&lt;i&gt;t&lt;/i&gt; (1)"
    label = trace.text[list(trace.customdata).index(id)]
    query, answer, rest = label.split("<br>")
    assert query == "&lt;b&gt;bold&lt;/b&gt; &amp; &lt;a href='x'&gt;?"
    assert answer == "x" * 87 + "..."
    assert rest == f"id {id} | &lt;i&gt;t&lt;/i&gt;"


def test_of_very_many_queries_a_seeded_sample_is_laid_out_and_the_others_are_placed(
    new_studio, monkeypatch
):
    monkeypatch.setattr(core.studio.map.pool_map, "LAID_OUT", 20)
    found = find(new_studio)
    assert found.layout.drawn_in == 10
    embeddings = found.layout.embeddings
    sampled = np.isin(np.arange(30), np.random.default_rng(3).permutation(30)[:20])
    laid_out = project(embeddings[sampled], seed=3)
    np.testing.assert_array_equal(found.layout.points[sampled], laid_out)
    expected = place_all(embeddings[~sampled], embeddings[sampled], laid_out)
    np.testing.assert_allclose(found.layout.points[~sampled], expected, atol=1e-4)
    assert find(new_studio).layout.drawn_in == 10


def test_of_very_many_demonstrations_a_seeded_sample_is_drawn(studio):
    found = find(studio)
    drawn = map_figure(found, "status", most=25).data[0]
    assert len(drawn.x) == 25
    assert set(drawn.customdata) < set(found.ids.tolist())
    again = map_figure(found, "tag", common_tags(found), most=25)
    assert {id for trace in again.data for id in trace.customdata} == set(drawn.customdata)
    where = dict(zip(found.ids.tolist(), found.coordinates.tolist(), strict=True))
    for id, x, y in zip(drawn.customdata, drawn.x, drawn.y, strict=True):
        assert where[id] == pytest.approx([x, y])


def repeated(found, times):
    """A map with each demonstration so many times, on its place."""
    return replace(
        found,
        demonstrations=found.demonstrations * times,
        labels=found.labels * times,
        **{
            name: np.concatenate([getattr(found, name)] * times)
            for name in ("ids", "coordinates", "excluded", "quality_bias", "query_words")
        },
    )


def test_the_labels_of_a_crowded_map_are_short(studio):
    found = find(studio)
    times = CROWDED // len(found)
    for many, label in (
        (times, f"What is 0 plus 0?<br>it is: 0<br>id {found.ids[0]} | zero"),
        (times + 1, f"What is 0 plus 0?<br>id {found.ids[0]}"),
    ):
        drawn = map_figure(repeated(found, many), "status").data[0]
        assert drawn.text[0] == label
        assert len(drawn.text) == many * 60


def test_a_map_is_drawn_anew_for_another_version_and_at_every_twentieth_of_the_scoring(studio):
    view = studio.view(SETUP)

    def scored(count):
        bias = np.where(np.arange(60) < count, -1.0, np.nan)
        return replace(view, quality_bias=bias)

    def shown(view):
        return shows(studio, view)

    before = shown(view)
    assert shown(scored(0)) == before == shown(scored(1))
    assert len({shown(scored(count)) for count in range(61)}) == 21
    assert shown(scored(59)) != shown(scored(60))
    assert shown(replace(view, version=view.version + 1)) != before
    assert shown(replace(view, encoder="other")) != before
    demonstrations.add_tag(studio, view.ids[:1].tolist(), "new")
    assert studio.view(SETUP) is view
    assert shown(view) != before
    (row,) = [row for row in find(studio).demonstrations if row.id == view.ids[0]]
    assert "new" in row.tags
