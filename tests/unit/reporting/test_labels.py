"""Labels and sweeps in words and pictures: what is drawn and written, and where nothing is."""

from dataclasses import replace

import pytest

from core.evaluation.results.comparison import Front
from core.evaluation.results.label_figures import (
    CONSISTENCY,
    Consistent,
    LabelFigures,
    LabelsOfRow,
    TaskSorting,
)
from core.evaluation.results.run_figures import RecordedRequest
from core.interval import Interval
from core.metrics.registry import metrics_of
from core.reporting.figures.consistency import consistent_queries, rows_to_show
from core.reporting.figures.methods import method_dots
from core.reporting.figures.sweeps import sweep_figure, sweep_finding, swept_metric
from core.reporting.html.reports import comparison_report
from core.reporting.results.sweeps import sweep_of_models, sweeps_of
from core.reporting.tables.runs import method_table
from core.reporting.words.comparison_findings import difference_finding, offered_metrics
from core.reporting.words.reading import read_comparison
from core.reporting.words.verdict import label_sentences, sorting_warnings
from tests.unit.reporting.summaries import comparison, method, three_methods

LINK = Interval(0.5, 0.2, 0.7, 40)


def of_row(*queries, link=LINK):
    """Queries by 0, 1, ... consistent demonstrations, of which a half is answered right."""
    found = (
        Consistent(count, n, Interval(0.5, 0.3, 0.7, n) if n else Interval(None, None, None))
        for count, n in enumerate(queries)
    )
    return LabelsOfRow(tuple(found), link)


def sorted_row(difference, row="pgra", stage="rel", by="rel"):
    return TaskSorting(row, stage, by, difference)


def labels(*sorting, all_offered=True, **rows):
    return LabelFigures(
        task="question-type",
        examples=40,
        chance=0.2,
        all_offered=all_offered,
        rows=rows,
        sorted=sorting,
    )


def knobs(name, k=6, candidates=0, **own):
    return RecordedRequest(
        method=name,
        k=k,
        lambda_d=1.0,
        lambda_b=1.0,
        seed=0,
        bias_scale="raw",
        candidates=candidates,
        own=own,
    )


def row(name, consistency, **given):
    made = method(name.partition("@")[0], -0.5, **{CONSISTENCY: consistency})
    return replace(made, request=knobs(name.partition("@")[0], **given))


def compared(*sorting, best=None, **rows):
    found = comparison(best=best, reference="rel", **rows)
    shown = {name: of_row(4, 10, 26) for name in rows}
    fronts = {**found.fronts, CONSISTENCY: Front(tuple(best or rows), 40, 0)}
    return replace(found, labels=labels(*sorting, **shown), fronts=fronts)


BEHIND = sorted_row(Interval(-0.144, -0.253, -0.034, 60))
PAIR = {"rel": row("rel", 0.536), "pgra": row("pgra", 0.392, candidates=150)}


def test_a_model_that_does_not_know_the_task_is_named_plainly_before_all_else():
    found = compared(BEHIND, **PAIR)
    assert sorting_warnings(found) == [
        "This model sorts these texts worse than their embeddings do: it does not know this task. "
        "Take a larger model, or rel. Label consistency (true labels), pgra less rel "
        "-0.144 [-0.253, -0.034]."
    ]
    reading = read_comparison(found)
    assert reading.warnings[0] == sorting_warnings(found)[0]
    assert not [each for each in reading.sentences if "sorts these texts" in each]


@pytest.mark.parametrize(
    ("difference", "words", "warns"),
    [
        (Interval(0.3, 0.2, 0.4, 60), "sorts these texts clearly better than their", False),
        (Interval(0.1, -0.1, 0.2, 60), "does not sort these texts clearly better than", True),
        (Interval(0.1, None, None, 5, 20), "Too few examples to say whether this model", False),
    ],
)
def test_the_other_verdicts_claim_no_more_than_they_know(difference, words, warns):
    found = compared(sorted_row(difference), **PAIR)
    places = sorting_warnings(found), label_sentences(found)
    texts = [" ".join(each) for each in places]
    assert words in texts[0 if warns else 1]
    assert words not in texts[1 if warns else 0]


def test_rows_of_one_verdict_share_a_sentence_by_their_first_stage():
    words = sorted_row(Interval(-0.2, -0.3, -0.1, 60), "by words", "bm25", "bm25")
    other = sorted_row(Interval(0.0, -0.1, 0.1, 60), "pgra@k=4", "rel@k=4")
    first, second = sorting_warnings(compared(BEHIND, words, other, **PAIR))
    assert "no better than their embeddings do" in first
    assert "pgra less rel -0.144" in first
    assert "pgra@k=4 less rel@k=4 0.000 [-0.100, 0.100]." in first
    assert "than the words that they share do" in second
    assert "Take a larger model, or bm25." in second


def test_chance_and_what_mc1_is_stand_beside_the_figures():
    found = compared(**PAIR)
    chance, accuracy = label_sentences(found)
    assert chance.startswith("Chance for label consistency (true labels): 0.200, the mean share")
    assert chance.endswith("(task question-type).")
    assert accuracy.startswith("MC1 here is the accuracy of choosing the label")
    table = method_table(found)
    assert "chance 0.200" in table
    assert "accuracy of the label" not in table, "no row has a figure of MC1"
    partly = replace(found, labels=replace(found.labels, all_offered=False, chance=None))
    assert label_sentences(partly) == []
    assert "chance 0" not in method_table(partly)


def test_too_few_examples_still_have_their_chance():
    found = compared(**PAIR)
    few = replace(
        found, fronts={name: replace(each, needed=20) for name, each in found.fronts.items()}
    )
    reading = read_comparison(few, CONSISTENCY)
    assert "too few to say which method serves best" in reading.headline
    assert reading.sentences[1:] == tuple(label_sentences(found))


def test_without_labels_nothing_speaks_of_them():
    found = three_methods()
    assert label_sentences(found) == sorting_warnings(found) == rows_to_show(found) == []
    assert CONSISTENCY not in offered_metrics(found)
    assert set(offered_metrics(found)) == set(metrics_of(generated=False)) - {CONSISTENCY}
    assert CONSISTENCY in offered_metrics(compared(**PAIR))
    report = comparison_report(found)
    assert "abel consistency" not in report.split("<main>")[1]
    reading = read_comparison(found, CONSISTENCY)
    assert "needs a pool with a task, and examples that have its labels" in reading.headline


def test_figure_2_has_a_panel_a_row_with_bars_of_queries_and_points_of_right_answers():
    found = compared(BEHIND, **PAIR)
    assert rows_to_show(found) == ["rel", "pgra"]
    figure = consistent_queries(found, ["rel", "pgra"])
    bars, points, *_ = figure.data
    assert (bars.type, list(bars.x), list(bars.y)) == ("bar", [0, 1, 2], [4, 10, 26])
    assert (list(points.x), list(points.y)) == ([0, 1, 2], [0.5, 0.5, 0.5])
    assert list(points.error_y.array) == pytest.approx([0.2, 0.2, 0.2])
    assert len(figure.data) == 4
    assert points.name == "accuracy among them"
    assert [each.text for each in figure.layout.annotations] == ["rel", "pgra"]
    assert figure.layout.title.text.startswith("With rel, more demonstrations with the query's")
    assert "go with more right answers" in figure.layout.title.text


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (Interval(-0.5, -0.7, -0.2, 40), "go with fewer right answers"),
        (Interval(0.1, -0.2, 0.4, 40), "say nothing about the right answers"),
        (Interval(None, None, None, 40), "cannot be ordered"),
        (Interval(0.1, None, None, 5, 20), "Too few examples to say"),
    ],
)
def test_the_title_of_figure_2_says_no_more_than_the_link(link, words):
    found = compared(**PAIR)
    found = replace(found, labels=labels(rel=of_row(0, 5, link=link)))
    figure = consistent_queries(found, ["rel"])
    assert words in figure.layout.title.text
    assert list(figure.data[1].x) == [1], "nobody answers where there is no query"


def test_without_incorrect_answers_figure_2_has_bars_alone():
    nobody = Interval(None, None, None)
    counted = LabelsOfRow(
        tuple(Consistent(n, 5, nobody) for n in range(3)), replace(nobody, needed=20)
    )
    found = replace(compared(**PAIR), labels=labels(rel=counted))
    figure = consistent_queries(found, ["rel"])
    assert [each.type for each in figure.data] == ["bar"]
    assert figure.layout.yaxis2.title.text is None
    assert "no right answer to count" in figure.layout.title.text


def test_rows_that_are_all_worse_and_others_that_are_as_good_are_named_apart_by_first_stage():
    words = sorted_row(Interval(0.0, -0.1, 0.1, 60), "by words", "bm25", "bm25")
    first, second = sorting_warnings(compared(BEHIND, words, **PAIR))
    assert first.startswith("This model sorts these texts worse than their embeddings do")
    assert second.startswith("This model sorts these texts no better than the words")


def test_names_in_figure_2_are_no_markup_and_no_row_can_be_drawn():
    found = compared(**{"<b>x": row("rel", 0.5)})
    assert consistent_queries(found, ["<b>x"]).layout.annotations[0].text == "&lt;b&gt;x"
    assert consistent_queries(found, []).layout.title.text == "No context has labels to count"


def test_chance_is_a_line_among_the_rows():
    (line,) = method_dots(compared(**PAIR), CONSISTENCY).layout.shapes
    assert (line.x0, line.x1) == (0.2, 0.2)
    assert not method_dots(compared(**PAIR), "dpo_per_triple").layout.shapes


SWEPT = {
    "rel": row("rel", 0.5),
    "pgra@candidates=16": row("pgra", 0.6, candidates=16),
    "pgra@candidates=50": row("pgra", 0.4, candidates=50),
    "pgra": row("pgra", 0.3, candidates=150),
    "pgra@k=12": row("pgra", 0.2, k=12, candidates=150),
}


def test_rows_that_differ_in_one_number_alone_are_a_sweep():
    candidates, k = sweeps_of(compared(**SWEPT))
    assert (candidates.knob, k.knob) == ("candidates", "k")
    (line,) = candidates.lines
    assert (line.name, [(each.value, each.row) for each in line.points]) == (
        "pgra",
        [(16, "pgra@candidates=16"), (50, "pgra@candidates=50"), (150, "pgra")],
    )
    assert [(each.value, each.row) for each in k.lines[0].points] == [
        (6, "pgra"),
        (12, "pgra@k=12"),
    ]
    assert CONSISTENCY in candidates.metrics()
    assert "mc1" not in candidates.metrics(), "it has no figure"
    assert swept_metric(candidates, compared(**SWEPT)) == CONSISTENCY


def test_lines_of_one_method_are_told_apart_by_what_they_differ_in():
    rows = {
        f"{similarity} {k}": row("pgra", 0.5, k=k, similarity=similarity)
        for similarity in ("dot", "cosine")
        for k in (4, 8)
    }
    (sweep,) = sweeps_of(compared(**rows))
    assert [line.name for line in sweep.lines] == [
        "pgra, similarity dot",
        "pgra, similarity cosine",
    ]


def test_methods_seeds_names_and_the_whole_pool_make_no_sweep():
    assert sweeps_of(three_methods()) == ()
    seeds = {f"s{seed}": replace(row("random", 0.5)) for seed in (1, 2)}
    seeds = {
        name: replace(each, request=replace(each.request, seed=place))
        for place, (name, each) in enumerate(seeds.items())
    }
    assert sweeps_of(compared(**seeds)) == ()
    pools = {"all": row("mmr", 0.5), "some": row("vrsd", 0.5, candidates=9)}
    assert sweeps_of(compared(**pools)) == ()
    gone = {"a": row("gone", 0.5, k=2), "b": row("gone", 0.5, k=4)}
    assert sweeps_of(compared(**gone)) == ()


def test_a_sweep_is_drawn_with_intervals_chance_and_the_reference():
    found = compared(**SWEPT)
    sweep = sweeps_of(found)[0]
    figure = sweep_figure(sweep, CONSISTENCY)
    (line,) = figure.data
    assert (list(line.x), list(line.y)) == ([16, 50, 150], [0.6, 0.4, 0.3])
    assert list(line.error_y.array) == pytest.approx([0.05] * 3)
    heights = {each.y0: each.line.dash for each in figure.layout.shapes}
    assert heights == {0.5: "dot", 0.2: "dash"}
    labels = [each.text for each in figure.layout.annotations]
    assert labels == ["rel 0.500", "chance 0.200"]
    assert figure.layout.xaxis.title.text == "candidates"
    by_dpo = sweep_figure(sweep, "dpo_per_triple")
    assert [each.y0 for each in by_dpo.layout.shapes] == [-0.5], "chance is one of labels"


@pytest.mark.parametrize(
    ("best", "ending"),
    [
        (list(SWEPT), ", with no clear difference between the values"),
        (["pgra@candidates=16"], ", and some of its values are clearly behind"),
        (["rel"], "candidates 16"),
    ],
)
def test_the_title_of_a_sweep_claims_what_the_rows_in_the_lead_allow(best, ending):
    sweep = sweeps_of(compared(best=best, **SWEPT))[0]
    finding = sweep_finding(sweep, CONSISTENCY)
    assert finding.startswith(
        "pgra has its best mean Label consistency (true labels) at candidates 16"
    )
    assert finding.endswith(ending)


def test_models_are_swept_by_shares_only():
    one, other = compared(**PAIR), compared(**SWEPT)
    settings = replace(other.settings, model="/models/<large>", model_fingerprint="f" * 32)
    several = replace(other, settings=settings, earlier=(one,))
    assert sweep_of_models(one) is None
    sweep = sweep_of_models(several)
    assert [line.name for line in sweep.lines] == ["rel", "pgra"]
    assert [each.estimate(CONSISTENCY).mean for each in sweep.lines[1].points] == [0.392, 0.3]
    assert sweep.metrics() == (CONSISTENCY,), "nats of two models are on two scales"
    figure = sweep_figure(sweep, CONSISTENCY)
    assert list(figure.data[0].x)[1] == "&lt;large&gt;"
    finding = "Label consistency (true labels) of pgra: the best mean is that of tiny"
    assert sweep_finding(sweep, CONSISTENCY) == finding, "rel is the same whatever the model"


def test_the_report_has_the_pictures():
    report = comparison_report(compared(BEHIND, **SWEPT))
    assert "go with more right answers" in report
    assert "pgra has its best mean Label consistency (true labels) at candidates 16" in report
    assert "it does not know this task" in report


def test_a_reference_without_a_figure_is_said_to_have_none():
    rows = {"none": row("none", None), **PAIR}
    found = replace(compared(**rows), reference="none")
    finding = difference_finding(found, CONSISTENCY)
    assert finding == (
        "Label consistency (true labels) is undefined for no demonstrations: choose another "
        "reference"
    )
