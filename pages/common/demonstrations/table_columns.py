"""The table's columns: the fields of a demonstration, and what else is known about it."""

from collections.abc import Mapping, Sequence

import streamlit as st

from core.demonstration.demonstration import Field, Kind, Status
from core.demonstration.fields import FIELD
from core.store import CHANGED, ID, QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH
from core.studio.pools.edits import EDITABLE
from pages.common.demonstrations.editing import TICK

WIDTHS = {
    "status": 85, "query": 240, "answer": 240, "incorrect": 130, "tags": 105, "best": 60,
    "note": 120, "incorrect_kinds": 140,
}  # fmt: skip
"""Of the fields' columns, in pixels, in the order in which they are shown; others come last."""
WIDTH = 120
STATUS = "status"

SHOWN = [FIELD[name] for name in (*WIDTHS, *(name for name in FIELD if name not in WIDTHS))]
NOT_EDITABLE = [
    "id", *(name for name in FIELD if name not in EDITABLE), "similarity", "quality bias",
    "retrieved", "worth", "changed",
]  # fmt: skip


def _sorted_by(field: Field) -> str:
    return f"{_heading(field)}, how many" if field.kind is Kind.INCORRECT else _heading(field)


def _heading(field: Field) -> str:
    return field.heading or field.label


SORTS = {
    ID: "id",
    **{field.name: _sorted_by(field) for field in SHOWN if field.sortable},
    QUALITY_BIAS: "quality bias",
    RETRIEVED: "how often retrieved",
    WORTH: "worth",
    CHANGED: "changed last",
}
"""What the table can be sorted by, and its name on the page."""


def in_order(columns: Mapping[str, object], by: str, *, judged: bool) -> list[str]:
    """The names of the columns as they are shown.

    How often each is retrieved, what it is worth, and how near it is to the meaning of a search,
    come early where the rows are ordered by it. The last is not shown otherwise, and the worth only
    once it is judged.
    """
    shown = {SIMILARITY: by == SIMILARITY, WORTH: judged}
    names = [name for name in columns if shown.get(name, True)]
    if by in (RETRIEVED, SIMILARITY, WORTH) and by in names:
        names.remove(by)
        names.insert(names.index(STATUS) + 1, by)
    return names


def table_columns(tags: Sequence[str]) -> dict[str, object]:
    """The columns by name, in the order in which they are shown; `tags` are the pool's."""
    column = st.column_config
    return {
        TICK: column.CheckboxColumn("", width=40, pinned=True),
        "id": column.NumberColumn("id", width=55, pinned=True, format="%d"),
        **{field.name: _field_column(field, tags) for field in SHOWN},
        SIMILARITY: column.NumberColumn("similarity", width=75, format="%.2f"),
        "quality bias": column.NumberColumn("quality bias", width=90, format="%.2f"),
        RETRIEVED: column.NumberColumn("retrieved", width=75, format="percent"),
        WORTH: column.NumberColumn(
            "worth",
            width=70,
            format="%.3f",
            help="What the contexts that it is in owe to it, as last judged on Review.",
        ),
        "changed": column.DatetimeColumn(
            "changed",
            width=130,
            format="YYYY-MM-DD HH:mm",
            timezone=st.context.timezone,
            help="In your time zone.",
        ),
    }


def _field_column(field: Field, tags: Sequence[str]) -> object:
    """How the editor shows a field, and what can be typed into its cells."""
    column = st.column_config
    heading, width = _heading(field), WIDTHS.get(field.name, WIDTH)
    match field.kind:
        case Kind.INCORRECT | Kind.INCORRECT_KINDS:
            return column.ListColumn(heading, width=width)
        case Kind.TEXTS:
            options = list(tags) if field.name == "tags" else []
            return column.MultiselectColumn(
                heading, width=width, options=options, accept_new_options=True
            )
        case Kind.FLAG:
            return column.CheckboxColumn(heading, width=width)
        case Kind.STATUS:
            statuses = [status.value for status in Status]
            return column.SelectboxColumn(
                heading, width=width, options=statuses, required=True, pinned=True
            )
        case Kind.TEXT:
            return column.TextColumn(heading, width=width)
