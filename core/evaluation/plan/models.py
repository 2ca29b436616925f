"""A comparison over several models is one comparison a model, one after the other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .rows import Row, check_rows


@dataclass(frozen=True)
class OfModel:
    """What is compared for one model: its rows, and those of them that are its references.

    No `references` leaves it to the comparison, which takes the first row.
    """

    model: str
    rows: tuple[Row, ...]
    references: tuple[str, ...] = ()


def by_model(rows: Sequence[Row], references: Sequence[str], chosen: str) -> tuple[OfModel, ...]:
    """The rows of each model, the models in the order in which they first appear.

    A reference counts for every model: for one that has no row of that name, its row of the same
    setting is the reference, where it has one.

    Args:
        rows: The rows of all models, with names of their own.
        references: Names of rows; one that no row has goes to every model, to be refused.
        chosen: The model of the rows that name none.

    Raises:
        InvalidInput: No rows, two of one name, or two of one setting under one model.
    """
    named = [replace(row, model=row.model or chosen) for row in rows]
    check_rows(named)
    groups: dict[str, list[Row]] = {}
    for row in named:
        groups.setdefault(row.model or chosen, []).append(row)
    by_name = {row.name: row for row in named}
    return tuple(
        OfModel(
            model,
            tuple(group),
            tuple(
                dict.fromkeys(
                    found
                    for name in references
                    if (found := _among(group, name, by_name.get(name))) is not None
                )
            ),
        )
        for model, group in groups.items()
    )


def setting_of(row: Row) -> tuple[Any, ...]:
    """All that the row's figures depend on except the model: what rows of two models share."""
    return replace(row, model=None).setting


def _among(group: Sequence[Row], name: str, reference: Row | None) -> str | None:
    """The name in the group of the reference of that name; None where the group has none."""
    if reference is None or reference in group:
        return name
    wanted = setting_of(reference)
    return next((row.name for row in group if setting_of(row) == wanted), None)
