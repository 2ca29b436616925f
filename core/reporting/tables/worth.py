"""What each demonstration is worth: counts in a sentence, the figures as a table, their origin."""

from collections.abc import Mapping, Sequence

from ...demonstration.demonstration import Demonstration
from ...evaluation.runs.worth import DemonstrationWorth, Worth
from ...interval import Sign
from ...metrics.registry import METRICS
from ...retrieval.choosing import METHODS
from ...text import listed
from ..words.calibration_findings import ANOTHER_MODEL
from ..words.provenance import chosen_among, examples_used
from ..words.rows import knobs_in_words
from .table import Column, Table

ONE_SIDE = 0.025
"""The share of 95 % intervals that lie above the true figure by chance; as many lie below it."""
_KNOBS = ("k", "lambda_d", "lambda_b")


def worth_counts(found: Worth) -> str:
    """How many help, harm, are unclear, are rarely shown or never, and what chance alone shows.

    Where the figures mean nothing, that alone.
    """
    if found.settings.by_a_toy:
        return ANOTHER_MODEL
    helps, harms, unclear = map(found.of_sign, (Sign.POSITIVE, Sign.NEGATIVE, Sign.UNCLEAR))
    few = len(found.demonstrations) - helps - harms - unclear
    bounded = helps + harms + unclear
    others = [f"of {unclear:,} it is not clear"] if unclear else []
    others += [f"{few:,} are in too few contexts to say"] if few else []
    counts = (
        f"Of {len(found.demonstrations) + found.unused:,} included demonstrations {helps:,} help "
        f"and {harms:,} harm beyond chance; "
        f"{listed([*others, f'{found.unused:,} are in none'])}."
    )
    if not bounded:
        return counts
    return (
        f"{counts} If none of the {bounded:,} with an interval mattered, about "
        f"{ONE_SIDE * bounded:.1f} would seem to help, and as many to harm."
    )


def worth_origin(found: Worth) -> str:
    """What the contexts were chosen with, and which pool, model and examples the figures are of."""
    settings, request = found.settings, found.settings.request
    depends = METHODS[request.method].knobs if request.method in METHODS else ("k",)
    knobs = {name: getattr(request, name) for name in _KNOBS if name in depends}
    return "; ".join(
        (
            f"{METRICS[found.metric].label} ({METRICS[found.metric].unit})",
            ", ".join(filter(None, (request.method, knobs_in_words(knobs))))
            + chosen_among(settings.candidates, settings.embed)
            + (", at most one answer per query" if settings.one_per_query else ""),
            f"{examples_used(found)}, template {settings.template}, seed {settings.seed}"
            + (", leaks left out" if settings.leave_out_leaks else ""),
            f"pool version {settings.pool_version}",
        )
    )


def worth_table(figures: Sequence[DemonstrationWorth], rows: Mapping[int, Demonstration]) -> Table:
    """A row for each figure, with its 95 % interval and the texts of those that are there."""
    numbers = (Column(name, 3) for name in ("worth", "low", "high"))
    columns = (Column("id"), *numbers, *map(Column, ("contexts", "query", "answer")))
    texts = {id: (row.query, row.answer) for id, row in rows.items()}
    return Table(
        columns,
        tuple(
            (each.id, *each.worth.numbers, each.worth.n, *texts.get(each.id, ("", "")))
            for each in figures
        ),
    )
