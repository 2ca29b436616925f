"""Tables of each row against the reference: who wins, and whether sums go with answers."""

from markupsafe import Markup

from ...evaluation.results.comparison import Comparison
from ..words.pairs import percent
from .runs import text_table
from .table import Column, Table


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
