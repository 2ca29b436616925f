"""Tables of a comparison: each row against the reference, how models rank the rows, one example."""

from markupsafe import Markup

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.verdict import CORRECT_ONLY, PER_TRIPLE
from ...interval import Interval
from ...metrics.registry import METRICS
from ...retrieval.choosing import METHODS
from ...retrieval.knobs import LAMBDAS
from ...text import listed
from ..results.story import AnswerLine, MethodLine, Story
from ..words.own_answers import short_verdict_of_answer
from ..words.rows import breakable, knobs_in_words, percent
from ..words.verdict import short_verdict
from .runs import text_table
from .table import Column, Table

SHOWN = ("k", *LAMBDAS)
"""The knobs by which settings of two runs are told apart."""


def wins_figures(comparison: Comparison, metric: str, reference: str | None = None) -> Table:
    """One row per row of the comparison that has wins over the reference; no row where none has.

    Args:
        comparison: Complete or partial.
        metric: A metric of the registry.
        reference: Another one than the comparison's.
    """
    reference = comparison.reference if reference is None else reference
    rows = []
    for name in comparison.methods:
        found = comparison.wins(name, metric, reference)
        if name == reference or found is None:
            continue
        share = comparison.win_share(name, metric, reference)
        known = share.low is not None and share.high is not None
        rows.append(
            (
                *(name, 100 * found.win_rate),
                f"{percent(share.low or 0.0, '')} to {percent(share.high or 0.0, '')}"
                if known
                else "-",
                *(100 * found.ties / found.n, 100 * found.losses / found.n),
                *(found.max_diff, found.max_diff_reverse, found.n),
            )
        )
    return Table(
        (
            *(Column(f"against {reference}"), Column("wins %", 1), Column("95 % of wins %")),
            *(Column("ties %", 1), Column("losses %", 1)),
            *(Column("most ahead", 3), Column("most behind", 3), Column("queries")),
        ),
        tuple(rows),
    )


def wins_table(comparison: Comparison, metric: str) -> Markup:
    """The same as an HTML table; empty where there are no wins."""
    table = wins_figures(comparison, metric)
    return text_table(table) if table.rows else Markup()


def runs_table(one: Comparison, other: Comparison, metric: str) -> Table:
    """A row for each setting of two runs of one model: the metric in the one and in the other.

    Rows of one name whose knobs differ are two.
    """
    found: dict[str, dict[int, Interval]] = {}
    for place, run in enumerate((one, other)):
        for name, each in run.methods.items():
            method = METHODS.get(each.request.method)
            depends = () if method is None or not method.chooses else method.knobs
            knobs = {knob: getattr(each.request, knob) for knob in SHOWN if knob in depends}
            words = f"{name} ({knobs_in_words(knobs)})" if knobs else name
            found.setdefault(words, {})[place] = run.value(name, metric)
    names = ("setting", f"{METRICS[metric].label} in this run", "in the other")
    rows = ((name, str(each.get(0, "-")), str(each.get(1, "-"))) for name, each in found.items())
    return Table(tuple(map(Column, names)), tuple(rows))


def sums_figures(comparison: Comparison, reference: str | None = None) -> Table:
    """One row per row of the comparison: the rank correlation of its sums with its answers.

    Rows without one are left out.
    """
    reference = comparison.reference if reference is None else reference
    found = {
        name: each.sums[reference].rho
        for name, each in comparison.methods.items()
        if reference in each.sums
    }
    numbers = (Column(name, 3) for name in ("rank correlation", "low", "high"))
    return Table(
        (Column(f"against {reference}"), *numbers, Column("queries")),
        tuple((name, *rho.numbers, rho.n) for name, rho in found.items() if rho.mean is not None),
    )


def sums_table(comparison: Comparison) -> Markup:
    """The same as an HTML table; empty where there is no correlation."""
    table = sums_figures(comparison)
    return text_table(table) if table.rows else Markup()


TITLE = "Do the models agree on the order of the settings?"
RANKS_TITLE = "Ranks of the settings, 1 for the best mean"


def orders_table(comparison: Comparison) -> Table:
    """A row for each pair of models and each metric: the rank correlation, and what is best.

    No rows for one model.
    """
    columns = (
        *map(Column, ("model", "other model", "metric")),
        Column("rank correlation", 2),
        Column("low", 2),
        Column("high", 2),
        *map(Column, ("settings", "examples", "best", "best for the other")),
    )
    rows = []
    for order in comparison.orders:
        best = (listed(each) if each else "" for each in order.best)
        found = order.correlation
        rows.append(
            (
                *order.models,
                METRICS[order.metric].label,
                *(*found.numbers, len(order.rows), found.n),
                *best,
            )
        )
    return Table(columns, tuple(rows))


def ranks_table(comparison: Comparison, metric: str | None = None) -> Table:
    """A row for each setting that two models have in common: its rank for each.

    `metric` None takes the one that leads. No rows for one model.
    """
    columns = map(Column, ("model", "setting", "other model", "its setting"))
    rows = tuple(
        (first, row.names[0], second, row.names[1], *row.ranks)
        for order in comparison.orders.of(metric or comparison.metric)
        for first, second in [order.models]
        for row in order.rows
    )
    return Table((*columns, Column("rank", 1), Column("rank for the other", 1)), rows)


_COMPARED = {"delta": "delta", PER_TRIPLE: METRICS[PER_TRIPLE].label}
_CORRECT_ONLY = {"gain_per_answer": "gain per answer", CORRECT_ONLY: METRICS[CORRECT_ONLY].label}
"""The metrics of one example, and the names of their columns."""


def methods_in(story: Story) -> Table:
    """One line per row: its metrics for this example, their verdict, and the ids it chose."""
    metrics = _COMPARED if story.has_triples else _CORRECT_ONLY
    judged = story.has_triples
    numbers = (Column(words, 3) for words in metrics.values())
    return Table(
        (
            *(
                Column(story.row_word),
                *numbers,
                *[Column("effect")] * judged,
                Column("sameness", 3),
            ),
            *(Column("left out"), Column("demonstrations")),
        ),
        tuple(
            (
                *(breakable(line.method), *(getattr(line, name) for name in metrics)),
                *[short_verdict(line)] * judged,
                *(line.diversity, line.left_out),
                ", ".join(map(str, line.ids)) or "none",
            )
            for line in story.methods
        ),
    )


def answers_in(story: Story) -> Table:
    """One line per answer: its log-probability alone and under each row's context."""
    methods = [line.method for line in story.methods]
    numbers = (Column(name, 2) for name in ("alone", *methods))
    return Table(
        (Column("answer"), Column("kind"), *numbers),
        tuple(
            (line.text, _kind(line), line.alone, *(line.by_method[name] for name in methods))
            for line in story.answers
        ),
    )


def generated_in(story: Story) -> Table:
    """One line per row: what the model itself answered after its context, and what that is."""
    return Table(
        tuple(Column(name) for name in (story.row_word, "answer", "is", "ended by")),
        tuple(
            (breakable(line.method), own.text, short_verdict_of_answer(own), own.ended_by.value)
            for line in story.methods
            if (own := line.answer) is not None
        ),
    )


def _kind(line: AnswerLine) -> str:
    if line.correct:
        return "correct"
    return f"incorrect: {line.kind}" if line.kind else "incorrect"


def context_in(line: MethodLine) -> Table:
    """One row per demonstration of the method's context, in the order chosen."""
    return Table(
        tuple(Column(name) for name in ("rank", "id", "query", "answer")),
        tuple(
            (rank, each.id, each.query, each.answer)
            for rank, each in enumerate(line.demonstrations, start=1)
        ),
    )
