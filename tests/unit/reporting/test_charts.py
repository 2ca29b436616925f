"""Figures: the values inside, titles that say the finding, gaps where nothing is defined."""

import json
from dataclasses import replace

import pytest

from core.evaluation.results.cells import ExactCurve, Line
from core.evaluation.results.run_figures import End
from core.reporting.figures.curves import dpo_by_diversity, lambda_curve
from core.reporting.figures.grids import dpo_by_k, lambda_heat_map
from core.reporting.figures.layout import take_title
from core.reporting.figures.methods import method_differences, method_dots
from core.reporting.figures.query import query_curve
from core.reporting.results.query import CurvePiece
from core.reporting.words.calibration_findings import exact_curve, for_drawing
from tests.unit.reporting.summaries import (
    DEFAULTS,
    calibration,
    cell,
    comparison,
    helps_then_hurts,
    interval,
    method,
    recommendation,
    three_methods,
)


def title(figure):
    return figure.layout.title.text.replace("<br>", " ")


def trace(figure, name):
    return next(each for each in figure.data if each.name == name)


def axis_titles(figure):
    axes = [*figure.select_xaxes(), *figure.select_yaxes()]
    return [axis.title.text.replace("<br>", " ") for axis in axes if axis.title.text]


def annotations(figure):
    return [each.text for each in figure.layout.annotations]


def every_figure(summary):
    return [draw(summary) for draw in (lambda_curve, dpo_by_diversity, lambda_heat_map, dpo_by_k)]


def test_the_lambda_curve_holds_dpo_above_and_diversity_below():
    figure = lambda_curve(helps_then_hurts(), current=0.75)
    dpo, diversity = trace(figure, "DPO per triple"), trace(figure, "Sameness")
    assert list(dpo.x) == list(diversity.x) == [0.0, 0.5, 0.6, 0.8, 1.0]
    assert list(dpo.y) == [-0.9, -0.52, -0.5, -0.53, -0.7]
    assert list(diversity.y) == pytest.approx([0.1, 0.3, 0.34, 0.42, 0.5])
    assert (dpo.yaxis, diversity.yaxis) == ("y", "y2")
    assert axis_titles(figure) == [
        "lambda_d (0 = diversity only, 1 = relevance only)",
        "DPO per triple (nats per triple)",
        "Sameness (lower is more diverse)",
    ]
    assert {"best 0.60", "now 0.75"} <= set(annotations(figure))
    assert (dpo.line.dash, diversity.line.dash) == ("solid", "dash")


def test_the_band_is_the_interval_and_has_a_gap_where_it_is_undefined():
    figure = lambda_curve(
        calibration(
            cell(0.0, -0.6),
            cell(0.25, -0.5),
            cell(0.5, None),
            cell(0.75, -0.4, half=None),
            cell(1.0, -0.3),
        )
    )
    bands = [each for each in figure.data if each.fill == "toself" and each.yaxis == "y"]
    assert [list(band.x) for band in bands] == [[0.0, 0.25, 0.25, 0.0], [1.0, 1.0]]
    assert list(bands[0].y) == pytest.approx([-0.55, -0.45, -0.55, -0.65])
    assert list(trace(figure, "DPO per triple").y) == [-0.6, -0.5, None, -0.4, -0.3]
    assert not trace(figure, "DPO per triple").connectgaps
    assert "NaN" not in figure.to_json()


def test_marks_at_one_place_share_their_label():
    figure = lambda_curve(helps_then_hurts(), current=0.6)
    assert "now and best 0.60" in annotations(figure)


@pytest.mark.parametrize(
    ("cells", "finding"),
    [
        (
            [cell(0.0, -0.6, 0.1), cell(0.5, -0.5), cell(1.0, -0.6, 0.1)],
            "No clear difference between the values of lambda_d",
        ),
        (
            [cell(0.0, -0.9, 0.4, clear=True), cell(0.5, -0.5), cell(1.0, -0.7, 0.2, clear=True)],
            "More diversity is better until lambda_d 0.50, then worse",
        ),
        (
            [cell(0.0, -0.6, 0.1), cell(0.5, -0.5), cell(1.0, -0.9, 0.4, clear=True)],
            "More diversity is better until lambda_d 0.50; beyond it, no clear difference",
        ),
        ([cell(0.0, -0.5), cell(1.0, -0.9, 0.4, clear=True)], "The more diversity, the better"),
        (
            [cell(0.0, -0.9, 0.4, clear=True), cell(1.0, -0.5)],
            "More diversity is worse: relevance only is best",
        ),
        (
            [cell(0.0, -0.9, 0.4, clear=True), cell(0.5, -0.55, 0.05), cell(1.0, -0.5)],
            "DPO is clearly worse only below lambda_d 0.50",
        ),
        (
            [
                cell(0.0, -0.9, 0.4, clear=True),
                cell(0.25, -0.5),
                cell(0.5, -0.8, 0.3, clear=True),
                cell(1.0, -0.6, 0.1),
            ],
            "Best at lambda_d 0.25; relevance only is not clearly worse",
        ),
        (
            [
                cell(0.0, -0.6, 0.1),
                cell(0.25, -0.8, 0.3, clear=True),
                cell(0.5, -0.5),
                cell(1.0, -0.9, 0.4, clear=True),
            ],
            "Best at lambda_d 0.50; diversity only is not clearly worse",
        ),
    ],
)
def test_the_title_says_what_lambda_d_does(cells, finding):
    assert title(lambda_curve(calibration(*cells))).startswith(finding)


def test_a_line_without_the_best_cell_is_read_against_it():
    summary = calibration(
        cell(0.0, -0.9, 0.4, clear=True, lambda_b=0.5),
        cell(1.0, -0.6, 0.1, lambda_b=0.5),
        cell(0.0, -0.6, 0.1),
        cell(1.0, -0.5),
    )
    assert title(lambda_curve(summary)) == "No clear difference between the values of lambda_d"
    assert title(lambda_curve(summary, lambda_b=0.5)) == (
        "1 of 2 values of lambda_d clearly behind the best (k 6, lambda_b 0.95)"
    )
    assert "best 1.00" not in annotations(lambda_curve(summary, lambda_b=0.5))


def test_figure_1_joins_the_lambdas_in_order_and_names_the_ends():
    figure = dpo_by_diversity(helps_then_hurts(), current=0.8)
    line = figure.data[0]
    assert list(line.x) == pytest.approx([0.1, 0.3, 0.34, 0.42, 0.5])
    assert list(line.y) == [-0.9, -0.52, -0.5, -0.53, -0.7]
    assert list(line.error_y.array) == pytest.approx([0.05] * 5)
    assert "0.00: diversity only" in annotations(figure)
    assert "1.00: relevance only" in annotations(figure)
    assert list(trace(figure, "in use now").y) == [-0.53]
    assert list(trace(figure, "best mean").x) == pytest.approx([0.34])
    assert "lower is more diverse" in axis_titles(figure)[0]
    assert title(figure) == (
        "Nothing is clearly worse at a sameness of 0.30 to 0.42 (lambda_d 0.50 to 0.80)"
    )


def test_the_legend_of_figure_1_names_intervals_only_where_there_are_some():
    few = calibration(cell(0.0, -0.9, half=None), cell(1.0, -0.5, half=None))
    assert dpo_by_diversity(few).data[0].name == "one point per lambda_d"
    with_them = dpo_by_diversity(helps_then_hurts()).data[0].name
    assert with_them == "one point per lambda_d, with its 95 % interval"


def test_one_demonstration_has_no_diversity_to_draw():
    figure = dpo_by_diversity(calibration(cell(0.0, -0.6, k=1), cell(1.0, -0.5, k=1)))
    assert list(figure.data[0].x) == []
    assert title(figure) == "Sameness needs at least two demonstrations"


def grid():
    return calibration(
        *(
            cell(d, dpo, -0.4 - dpo, clear=dpo < -0.6, k=k, lambda_b=b)
            for k, b, d, dpo in (
                (2, 0.5, 0.0, -0.9),
                (2, 0.5, 1.0, -0.8),
                (2, 1.0, 0.0, -0.7),
                (2, 1.0, 1.0, -0.65),
                (6, 0.5, 0.0, -0.75),
                (6, 0.5, 1.0, -0.7),
                (6, 1.0, 0.0, -0.5),
                (6, 1.0, 1.0, -0.4),
            )
        )
    )


def test_the_heat_map_shows_the_best_k():
    figure = lambda_heat_map(grid())
    assert [list(row) for row in figure.data[0].z] == [[-0.75, -0.7], [-0.5, -0.4]]
    assert list(figure.data[0].y) == ["0.50", "1.00"]
    assert (figure.data[1].x[0], figure.data[1].y[0]) == (1.0, "1.00")
    assert title(figure) == "Best at lambda_d 1.00 with lambda_b 1.00; lambda_b 0.50 clearly behind"
    assert [list(row) for row in lambda_heat_map(grid(), k=2).data[0].z] == [
        [-0.9, -0.8],
        [-0.7, -0.65],
    ]


def test_the_curve_over_k_takes_each_k_at_its_best():
    figure = dpo_by_k(grid())
    assert (list(figure.data[0].x), list(figure.data[0].y)) == ([2, 6], [-0.65, -0.4])
    assert title(figure) == "More demonstrations are better: k 6 is best, k 2 clearly behind"


@pytest.mark.parametrize(
    "summary",
    [
        calibration(),
        calibration(cell(0.5, -0.5)),
        calibration(cell(0.5, -0.5, half=None)),
        calibration(cell(0.0, None), cell(1.0, None)),
    ],
)
def test_no_cell_and_one_cell_can_be_drawn(summary):
    for figure in every_figure(summary):
        assert title(figure)
        assert "NaN" not in json.dumps(figure.to_plotly_json(), default=str)


def test_examples_without_incorrect_answers_are_drawn_by_their_own_metric():
    rows = []
    for row in (cell(0.0, None), cell(1.0, None)):
        own = interval(-3.0 - row.lambda_d, 0.1)
        rows.append(replace(row, value=own, diversity=interval(0.3, 0.01)))
    figure = lambda_curve(calibration(*rows, metric="dpo_correct_only"))
    line = trace(figure, "DPO without incorrect answers")
    assert list(line.y) == [-3.0, -4.0]
    assert "nats per query" in axis_titles(figure)[1]


def test_a_run_without_a_figure_says_why_and_only_one_that_goes_on_says_yet():
    cells = cell(0.0, None), cell(1.0, None)
    ended, so_far = calibration(*cells, without_incorrect=40), calibration(*cells, total=90)
    why = (
        "No example has incorrect answers, which DPO per triple needs: "
        "read DPO without incorrect answers"
    )
    for draw in (lambda_curve, dpo_by_diversity, dpo_by_k, lambda_heat_map):
        assert title(draw(ended)) == why
        assert title(draw(so_far)) == "DPO per triple: no figures yet"


def test_both_charts_of_methods_say_why_a_metric_has_no_figure():
    rows = {name: method(name, None, lead=0.0) for name in ("none", "rel")}
    found = replace(comparison(needed=20, **rows), without_incorrect=40)
    for draw in (method_dots, method_differences):
        assert title(draw(found, "mc1")) == (
            "No example has incorrect answers, which MC1 needs: read DPO without incorrect answers"
        )
        assert title(draw(found, "diversity")) == (
            "No context has as many demonstrations as Sameness needs"
        )
        assert title(draw(found, "gain_per_token")) == (
            "This run did not record what Gain per token needs: run it again to have it"
        )
    nobody = replace(found, examples=0, without_incorrect=0, end=End.ALL)
    assert title(method_dots(nobody)) == "No example could be used, so DPO per triple has no figure"


def test_charts_of_too_few_examples_say_how_many_it_takes():
    found = comparison(needed=20, none=method("none", -0.7), rel=method("rel", -0.6, lead=0.1))
    assert title(method_dots(found)) == (
        "Too few examples to say which method leads in DPO per triple: it takes about 20"
    )
    assert title(method_differences(found)) == (
        "Too few examples to compare with no demonstrations: it takes about 20"
    )
    few = calibration(cell(1.0, -0.5), advice=recommendation(DEFAULTS, needed=30))
    assert title(lambda_curve(few)) == "Too few examples to say what differs: it takes about 30"


def test_methods_are_drawn_by_the_metric_that_leads():
    rows = {
        "none": method("none", None, dpo_correct_only=-3.0),
        "rel": method("rel", None, lead=0.0, dpo_correct_only=-2.0),
    }
    found = replace(comparison(**rows), without_incorrect=40, metric="dpo_correct_only")
    for draw in (method_dots, method_differences):
        assert draw(found).layout.xaxis.title.text.startswith("DPO without incorrect answers")


def test_methods_stand_in_their_order_with_intervals_best_and_reference_marked():
    figure = method_dots(three_methods())
    assert list(figure.layout.yaxis.categoryarray) == ["rel+div", "rel", "none"]
    best, reference, others = (trace(figure, name) for name in ("best mean", "reference", "method"))
    assert (list(best.y), list(best.x)) == (["rel+div"], [-0.5])
    assert list(best.error_x.array) == pytest.approx([0.05])
    assert (list(reference.y), list(others.y)) == (["none"], ["rel"])
    assert len({each.marker.symbol for each in figure.data}) == 3
    assert title(figure) == "rel+div leads in DPO per triple, clearly ahead of every other method"


def test_differences_are_filled_where_zero_is_left_out():
    figure = method_differences(three_methods())
    clear, unclear = (trace(figure, name) for name in ("clear difference", "no clear difference"))
    assert (list(clear.y), list(clear.x)) == (["rel+div"], [0.193])
    assert (list(unclear.y), list(unclear.x)) == (["rel"], [0.013])
    assert (clear.marker.symbol, unclear.marker.symbol) == ("circle", "circle-open")
    assert figure.layout.shapes[0].x0 == 0
    assert title(figure) == "Against no demonstrations: 1 of 2 clearly better"
    assert axis_titles(figure) == ["DPO per triple minus that of none (nats per triple)"]


def test_methods_without_a_clear_difference_say_so():
    summary = comparison(none=method("none", -0.69), rel=method("rel", -0.68, lead=0.01))
    assert (
        title(method_dots(summary)) == "No clear difference between the methods in DPO per triple"
    )
    assert title(method_differences(summary)) == "No method differs clearly from no demonstrations"


def test_diversity_has_no_best_and_undefined_methods_keep_their_row():
    figure = method_dots(three_methods(), "diversity")
    assert list(trace(figure, "best mean").y) == []
    assert list(trace(figure, "reference").x) == [None]
    assert list(figure.layout.yaxis.categoryarray) == ["rel+div", "rel", "none"]


def test_one_method_and_no_method_can_be_drawn():
    for summary in (comparison(rel=method("rel", -0.6), reference="rel"), comparison()):
        for draw in (method_dots, method_differences):
            assert title(draw(summary))


@pytest.mark.parametrize("names", [("none", "rel"), tuple("abcdefgh")])
def test_the_legend_stands_at_the_foot_of_the_figure_at_any_height(names):
    summary = comparison(names[0], **{name: method(name, -0.6) for name in names})
    legend = method_dots(summary).layout.legend
    assert (legend.yref, legend.y, legend.yanchor) == ("container", 0, "bottom")


def test_a_title_is_taken_out_as_it_was_said_and_leaves_no_gap():
    figure = method_dots(comparison("<b>", **{"<b>": method("rel", -0.5)}))
    high, top, as_text = figure.layout.height, figure.layout.margin.t, title(figure)
    assert take_title(figure) == as_text.replace("&lt;", "<").replace("&gt;", ">")
    assert (figure.layout.height, figure.layout.margin.t) == (high - 24, top - 24)
    assert take_title(figure) == ""


def test_names_of_horizontal_axes_are_broken_for_the_narrowest_figure():
    name = method_differences(three_methods(), "diversity").layout.xaxis.title.text
    lines = name.split("<br>")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 36


def test_names_from_outside_are_not_read_as_markup():
    name = "<b onclick=1>rel</b>"
    summary = comparison(name, **{name: method("rel", -0.5), "x": method("rel", -0.6, lead=-0.1)})
    text = json.dumps(method_differences(summary).to_plotly_json(), default=str)
    assert "<b onclick" not in text
    assert "&lt;b onclick" in text


def with_steps(k=6, lambda_b=0.95, steps=3):
    lows = [at / steps for at in range(steps)]
    dpo = tuple(-0.9 + 0.1 * (at % 5) for at in range(steps))
    diversity = tuple(0.1 + 0.2 * low for low in lows)
    curve = ExactCurve(Line(k, lambda_b), tuple(lows), dpo, dpo, diversity)
    return helps_then_hurts(curve=curve)


def exact_lines(figure):
    return [each for each in figure.data if each.mode == "lines" and each.fill is None]


def test_an_exact_curve_holds_each_value_up_to_the_next_step():
    figure = lambda_curve(with_steps())
    dpo, diversity = exact_lines(figure)
    third = 1 / 3
    assert list(dpo.x) == pytest.approx([0.0, third, third, 2 * third, 2 * third, 1.0])
    assert list(dpo.y) == pytest.approx([-0.9, -0.9, -0.8, -0.8, -0.7, -0.7])
    assert list(diversity.y[::2]) == pytest.approx([0.1, 0.1 + 0.2 / 3, 0.1 + 0.4 / 3])
    assert (
        dpo.hovertext[2]
        == dpo.hovertext[3]
        == "lambda_d from 0.3333<br>DPO per triple -0.800<br>sameness 0.167"
    )
    (cells,) = (each for each in figure.data if each.name == "DPO per triple")
    assert cells.mode == "markers"
    assert list(cells.y) == [-0.9, -0.52, -0.5, -0.53, -0.7]


def test_a_line_that_is_not_the_exact_one_is_drawn_through_its_cells():
    for summary in (with_steps(k=3), with_steps(lambda_b=0.5), helps_then_hurts()):
        figure = lambda_curve(summary)
        assert not exact_lines(figure)
        (cells,) = (each for each in figure.data if each.name == "DPO per triple")
        assert cells.mode == "lines+markers"


def test_many_steps_are_read_off_at_even_distances():
    summary = with_steps(steps=4321)
    curve = exact_curve(summary)
    drawn = for_drawing(curve)
    assert drawn.lows == tuple(at / 1000 for at in range(1000))
    for at in (0, 1, 499, 999):
        place = int(at / 1000 * 4321 + 1e-9)
        assert drawn.values[at] == curve.values[place]
        assert drawn.diversity[at] == curve.diversity[place]
    assert for_drawing(exact_curve(with_steps())).lows == (0.0, 1 / 3, 2 / 3)


def pieces_of(*pieces):
    """A query's curve from (low, diversity) or (low, diversity, DPO per triple)s."""
    highs = [*(low for low, *_ in pieces[1:]), 1.0][: len(pieces)]
    return [
        CurvePiece(low, high, (), diversity, dpo_per_triple=dpo[0] if dpo else None)
        for (low, diversity, *dpo), high in zip(pieces, highs, strict=True)
    ]


def test_a_query_without_answers_shows_diversity_alone():
    figure = query_curve(pieces_of((0.0, 0.1), (0.4, 0.2), (0.9, 0.5)), current=0.5)
    assert len(figure.data) == 1
    assert list(figure.data[0].x) == [0.0, 0.4, 0.4, 0.9, 0.9, 1.0]
    assert list(figure.data[0].y) == [0.1, 0.1, 0.2, 0.2, 0.5, 0.5]
    assert annotations(figure) == ["now 0.50"]
    assert title(figure) == "Sameness runs from 0.10 to 0.50"


def test_a_query_with_answers_shows_where_its_dpo_is_best():
    pieces = pieces_of(
        (0.0, 0.1, -0.9), (0.25, 0.1, -0.5), (0.5, 0.2, -0.5), (0.75, None, -0.6), (0.9, 0.5, -0.7)
    )
    figure = query_curve(pieces, current=0.75)
    assert [list(each.y[::2]) for each in figure.data] == [
        [-0.9, -0.5, -0.5, -0.6, -0.7],
        [0.1, 0.1, 0.2, None, 0.5],
    ]
    assert (
        title(figure) == "For this query lambda_d from 0.25 to 0.75 is within 0.04 nats of the best"
    )
    known = [*pieces[:2], replace(pieces[2], dpo_per_triple=None), *pieces[3:]]
    figure = query_curve(known, complete=False)
    assert title(figure) == (
        "Filling in, so far: for this query lambda_d from 0.25 to 0.50 is within 0.04 nats of "
        "the best"
    )
    assert list(figure.data[0].x[4:6]) == [0.5, 0.75]
    assert list(figure.data[0].y[4:6]) == [None, None]


def test_the_last_of_equally_good_stretches_is_named():
    pieces = pieces_of((0.0, 0.1, -0.5), (0.3, 0.1, -0.9), (0.6, 0.2, -0.5))
    assert (
        title(query_curve(pieces))
        == "For this query lambda_d from 0.60 to 1.00 is within 0.04 nats of the best"
    )


def test_a_needle_in_one_query_s_curve_is_not_called_best():
    pieces = pieces_of((0.0, 0.1, -0.9), (0.51, 0.1, -0.2), (0.512, 0.1, -0.8))
    assert title(query_curve(pieces)) == (
        "For this query DPO is best in narrow stretches of lambda_d only"
    )


@pytest.mark.parametrize(
    "pieces", [pieces_of(), pieces_of((0.0, None)), pieces_of((0.0, 0.2, -0.5))]
)
def test_a_query_with_no_piece_or_one_can_be_drawn(pieces):
    assert title(query_curve(pieces))


def test_a_query_that_lambda_d_does_not_move_says_so():
    figure = query_curve(pieces_of((0.0, 0.1, -0.5), (0.4, 0.1, -0.5)))
    assert title(figure) == "lambda_d makes no difference to this query"


def test_zooms_survive_a_redraw_and_backgrounds_are_the_pages():
    for figure in (*every_figure(helps_then_hurts()), method_dots(three_methods())):
        assert figure.layout.uirevision == "shotlist"
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0,0,0,0)"
    assert interval(None, 1.0).low is None
