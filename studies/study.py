"""What every study returns: tables with titles, and notes on them in sentences."""

from typing import Any, Protocol

from core.reporting.tables.table import Sheet, Table


class Study(Protocol):
    """The result of a study, for people and for JSON."""

    @property
    def tables(self) -> tuple[tuple[str, Table], ...]:
        """The tables, each with its title."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the tables: how they differ from the paper, and what cannot be concluded."""

    def to_json(self) -> dict[str, Any]:
        """The same for JSON: `rows` at least."""


def study_sheet(study: Study) -> Sheet:
    """The tables, each below its title, and then the notes."""
    tables = (block for title, table in study.tables for block in ((title,), (table,)))
    return (*tables, study.notes)
