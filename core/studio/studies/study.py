"""What every study gives: tables with titles, and what to know of them in sentences."""

from typing import Any, Protocol

from ...reporting.tables.table import Table


class Study(Protocol):
    """The result of a study, for a terminal and for JSON."""

    @property
    def tables(self) -> tuple[tuple[str, Table], ...]:
        """The tables, each behind its title."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of them: what differs from the paper, what they do not say."""

    def to_json(self) -> dict[str, Any]:
        """The same for JSON: `rows` at least."""
