"""Wins and sums against answers in words, tables and the scatter."""

import re
from dataclasses import replace

import pytest

from core.evaluation.results.pairs import SumAndAnswers
from core.interval import Interval
from core.metrics import Wins
from core.metrics.bounds.sequential import last_look
from core.reporting.figures.layout import take_title
from core.reporting.figures.methods import sum_against_answers
from core.reporting.html.reports import comparison_report
from core.reporting.results.story import SumPoint, SumsOfRow
from core.reporting.tables.comparison import sums_figures, sums_table, wins_figures, wins_table
from core.reporting.words.rows import percent, sums_finding, win_sentence
from tests.unit.reporting.summaries import comparison, method

EVIL = "<b>x</b>"
RHO = SumAndAnswers("dpo_per_triple", Interval(0.312, 0.049, 0.532, 50))


def compared(wins=None, reference="rel", **more):
    """vrsd against rel over 50 queries of a run that ended as planned; none has no sum."""
    wins = Wins(2, 2, 46, 0.03, 0.16) if wins is None else wins
    methods = {
        "none": method("none", -0.693, lead=-0.2),
        "rel": method("rel", -0.5, cos_sum=0.6),
        "vrsd": method("vrsd", -0.4, lead=0.1, cos_sum=0.7),
    }
    found = comparison(reference, **methods)
    pairs = {
        ("none", "rel"): {"dpo_per_triple": Wins(10, 0, 40, 0.5, 0.75)},
        ("rel", "vrsd"): {"cos_sum": wins, "dpo_per_triple": Wins(25, 0, 25, 1.5, 2.25)},
    }
    sums = {"vrsd": {"rel": RHO}, "none": {"rel": replace(RHO, rho=Interval(None, None, None, 0))}}
    rows = {name: replace(each, sums=sums.get(name, {})) for name, each in found.methods.items()}
    look = last_look(50, ended=True)
    return replace(found, methods=rows, pairs=pairs, examples=50, look=look, **more)


def test_a_sentence_says_how_often_and_by_how_much_both_ways():
    assert win_sentence(compared(), "vrsd", "cos_sum") == (
        "Against rel, vrsd has the larger cosine of the sum on 46 of 50 queries (95 % interval "
        "81 % to 98 %), by at most 0.160; on 2 the smaller, by at most 0.030; on 2 neither."
    )
    assert win_sentence(compared(reference="vrsd"), "rel", "cos_sum").startswith(
        "Against vrsd, rel has the larger cosine of the sum on 2 of 50 queries"
    )
    assert win_sentence(compared(), "none", "dpo_per_triple") == (
        "Against rel, showing no demonstrations has the larger DPO per triple on 10 of 50 "
        "queries (95 % interval 10 % to 34 %), by at most 0.500; on 40 the smaller, by at "
        "most 0.750."
    )


@pytest.mark.parametrize(
    ("wins", "sentence"),
    [
        (Wins(0, 50, 0, 0.0, 0.0), "vrsd has the same cosine of the sum on every query."),
        (
            Wins(50, 0, 0, 0.2, -0.1),
            "vrsd never has the larger cosine of the sum; on 50 of 50 queries the smaller, by at "
            "most 0.200.",
        ),
        (
            Wins(0, 0, 50, -1e-4, 2e-4),
            "vrsd has the larger cosine of the sum on 50 of 50 queries (95 % interval 93 % to "
            "100 %), by at most 2e-04; never the smaller.",
        ),
        (
            Wins(0, 1, 49, 0.0, None),
            "vrsd has the larger cosine of the sum on 49 of 50 queries (95 % interval 89 % to "
            "99.9 %); never the smaller; on 1 neither.",
        ),
    ],
)
def test_the_ends_of_a_sentence(wins, sentence):
    """The wins are those of rel over vrsd, so they are swapped."""
    assert win_sentence(compared(wins), "vrsd", "cos_sum") == f"Against rel, {sentence}"


def test_a_sentence_says_why_nothing_was_counted():
    found = compared()
    assert win_sentence(found, "none", "cos_sum") == (
        "Cosine of the sum is undefined for no demonstrations."
    )
    assert win_sentence(replace(found, reference="none"), "rel", "cos_sum") == (
        "Cosine of the sum is undefined for the reference, no demonstrations; choose another one."
    )
    nothing = replace(found, pairs={("rel", "vrsd"): {}})
    assert win_sentence(nothing, "vrsd", "cos_sum") == (
        "Cosine of the sum is defined for both vrsd and rel on no query."
    )


@pytest.mark.parametrize(
    ("rho", "title"),
    [
        (RHO.rho, "A better sum goes with better answers: rank correlation 0.312 [0.049, 0.532]"),
        (
            Interval(-0.4, -0.6, -0.1, 50),
            "A better sum goes with worse answers: rank correlation -0.400 [-0.600, -0.100]",
        ),
        (
            Interval(-0.0001, -0.2, 0.2, 50),
            "A better sum says nothing about the answers: rank correlation 0.000 [-0.200, 0.200]",
        ),
        (
            Interval(0.5, None, None, 12, 20),
            "Too few examples to say whether a better sum goes with better answers: "
            "it takes about 20",
        ),
        (Interval(1.0, None, None, 50), "Rank correlation of the sum with the answers: 1.000"),
        (
            Interval(None, None, None, 50),
            "No rank correlation: the sums or the answers do not differ",
        ),
    ],
)
def test_the_title_says_whether_a_better_sum_means_better_answers(rho, title):
    assert sums_finding(rho) == title


def test_shares_as_text():
    assert [percent(share) for share in (0, 1, 0.5, 0.004, 0.9991, 1 / 2837, 2999 / 3000)] == [
        "0 %", "100 %", "50 %", "0.4 %", "99.9 %", "0.04 %", "99.97 %",
    ]  # fmt: skip


def test_the_table_of_wins_has_a_row_for_each_that_can_win():
    table = wins_figures(compared(), "cos_sum")
    assert table.names == (
        "against rel", "wins %", "95 % of wins %", "ties %", "losses %", "most ahead",
        "most behind", "queries",
    )  # fmt: skip
    assert table.rows == (("vrsd", 92.0, "81 to 98", 4.0, 4.0, 0.16, 0.03, 50),)
    assert [row[:2] for row in wins_figures(compared(), "dpo_per_triple").rows] == [
        ("none", 20.0), ("vrsd", 50.0),
    ]  # fmt: skip
    swapped = wins_figures(compared(), "cos_sum", "vrsd")
    assert swapped.rows == (("rel", 4.0, "0.5 to 14", 4.0, 92.0, 0.03, 0.16, 50),)
    before = replace(compared(), look=last_look(20), examples=20)
    assert before.win_share("vrsd", "cos_sum").low is None
    assert wins_figures(before, "cos_sum").values("95 % of wins %") == ("-",)
    assert wins_table(compared(), "mc1") == ""
    assert ">81 to 98<" in wins_table(compared(), "cos_sum")


def test_the_table_of_correlations_leaves_out_what_has_none():
    assert sums_figures(compared()).rows == (("vrsd", 0.312, 0.049, 0.532, 50),)
    assert sums_figures(compared(), "vrsd").rows == ()
    assert sums_table(compared(reference="vrsd")) == ""


def test_the_report_has_both_tables_and_the_correlations():
    report = comparison_report(compared())
    titles = re.findall(r"<h2>(.*?)</h2>", report)
    assert titles[-4:-1] == [
        "Cosine of the sum: wins against rel, in % of the queries",
        "DPO per triple: wins against rel, in % of the queries",
        "Does a better sum mean better answers, by DPO per triple?",
    ]
    assert "exact (Clopper-Pearson); each is valid for its own pair" in report
    rows = {name: replace(each, sums={}) for name, each in compared().methods.items()}
    alone = comparison_report(replace(compared(), pairs={}, methods=rows))
    assert "wins against" not in alone
    assert "Clopper-Pearson) and that" not in alone


def scatter(points, rho=RHO, row="vrsd"):
    return sum_against_answers(SumsOfRow(row, "rel", tuple(points), rho))


def test_the_scatter_has_a_point_a_query_and_lines_at_zero():
    figure = scatter([SumPoint("Is <b>it</b> so?", 0.125, -1.5), SumPoint("Why?", 0.0, 0.25)])
    (points,) = figure.data
    assert (list(points.x), list(points.y)) == ([0.125, 0.0], [-1.5, 0.25])
    assert list(points.hovertext) == [
        "Is &lt;b&gt;it&lt;/b&gt; so?<br>cosine of the sum +0.125<br>DPO per triple -1.500",
        "Why?<br>cosine of the sum +0.000<br>DPO per triple +0.250",
    ]
    assert [(line.x0, line.x1) for line in figure.layout.shapes][0] == (0, 0)
    assert [(line.y0, line.y1) for line in figure.layout.shapes][1] == (0, 0)
    axes = [
        axis.title.text.replace("<br>", " ") for axis in (figure.layout.xaxis, figure.layout.yaxis)
    ]
    assert axes == [
        "Cosine of the sum, vrsd minus rel (right is nearer to the query)",
        "DPO per triple, vrsd minus rel (nats per triple; up is better)",
    ]
    assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
    assert take_title(figure) == sums_finding(RHO.rho)


def test_a_long_query_is_cut_and_a_rows_name_is_no_markup():
    figure = scatter([SumPoint("word " * 200, 0.1, 0.1)], row=EVIL)
    lines = figure.data[0].hovertext[0].split("<br>")
    assert len(lines) == 6
    assert lines[3].endswith(" ...")
    assert EVIL not in figure.layout.xaxis.title.text + figure.layout.yaxis.title.text
