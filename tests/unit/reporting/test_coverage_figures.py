"""The figures of coverage and of distributions: what is drawn, and that names are not markup."""

import numpy as np

from core.reporting.figures.distributions import by_tag_figure, nearest_figure


def test_the_histogram_has_every_query_and_the_line_where_holes_end():
    similarity = np.array([-1.0, 0.2, 0.2, 1.0])
    figure = nearest_figure(similarity, 0.3, "two of four")
    (bars,) = figure.data
    assert list(bars.x) == similarity.tolist()
    assert bars.xbins.start <= -1.0
    assert bars.xbins.end > 1.0
    (line,) = figure.layout.shapes
    assert (line.x0, line.x1) == (0.3, 0.3)
    assert figure.layout.title.text == "two of four"


def test_a_box_is_the_quartiles_of_its_tag():
    quantiles = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 2.0, 2.0, 2.0, 9.0]])
    figure = by_tag_figure(["<b>law</b> (3)", "art (1)"], quantiles, "characters", "Length")
    (boxes,) = figure.data
    assert list(boxes.y) == ["&lt;b&gt;law&lt;/b&gt; (3)", "art (1)"]
    drawn = (boxes.lowerfence, boxes.q1, boxes.median, boxes.q3, boxes.upperfence)
    assert np.array([list(each) for each in drawn]).T.tolist() == quantiles.tolist()
    assert figure.layout.xaxis.title.text == "characters"


def test_without_tags_there_are_no_boxes():
    figure = by_tag_figure([], np.empty((0, 5)), "characters", "Length")
    assert list(figure.data[0].y) == []
