"""The figure of a map of passages: whose points are where, and what a search draws over them."""

import numpy as np
import pytest

from core.reporting.figures.passage_map import passage_figure
from core.reporting.results.pool_map import Layout, PassageMap

N = 12


def map_of(sources):
    n = len(sources)
    points = np.arange(2 * n, dtype=np.float32).reshape(n, 2)
    return PassageMap(
        collection="facts", version=3, encoder="hashing", seed=0,
        ids=np.arange(n) + 100, coordinates=points,
        titles=tuple(f"T<{at}>" for at in range(n)), texts=tuple(f"text {at}" for at in range(n)),
        sources=tuple(sources), layout=Layout((), points, points, 0, 0),
    )  # fmt: skip


def ids(trace):
    return np.asarray(trace.customdata).tolist()


def figure(found, picked=(), query=None, **options):
    return passage_figure(found, np.array(picked, dtype=np.int64), query, **options)


def test_each_file_has_a_colour_and_those_beyond_seven_are_grey():
    sources = ["b"] * 3 + ["a"] * 2 + list("cdefgh") + ["a"]
    traces = figure(map_of(sources)).data
    assert [trace.name for trace in traces] == [
        "other files (1)", "a (3)", "b (3)", "c (1)", "d (1)", "e (1)", "f (1)", "g (1)",
    ]  # fmt: skip
    assert ids(traces[1]) == [103, 104, 111]
    assert ids(traces[0]) == [110]
    assert np.asarray(traces[1].x).tolist() == [6.0, 8.0, 22.0]
    assert traces[1].hovertext[0] == "T&lt;3&gt;<br>text 3<br>id 103"
    assert len({(t.marker.color, t.marker.symbol) for t in traces}) == 8


def test_what_was_found_is_drawn_by_rank_also_where_a_sample_lacks_it():
    drawn = figure(map_of(["a"] * N), [111, 100, 999], (1.0, 2.0), most=3)
    sample, found, query = drawn.data
    assert len(ids(sample)) == 3
    assert (ids(found), list(found.text)) == ([111, 100], ["1", "2"])
    assert (list(query.x), list(query.y)) == ([1.0], [2.0])
    assert "facts" in drawn.layout.title.text


@pytest.mark.parametrize("most", [N, N + 1])
def test_without_a_search_there_is_one_point_a_passage(most):
    (trace,) = figure(map_of(["a"] * N), most=most).data
    assert ids(trace) == list(range(100, 100 + N))
