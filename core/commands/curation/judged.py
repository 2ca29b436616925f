"""What `worth` prints: every figure for JSON, and the least and the most worth for people."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...demonstration.demonstration import Demonstration
from ...evaluation.results.worth import DemonstrationWorth, Worth
from ...reporting.tables.table import Part, Sheet
from ...reporting.tables.worth import worth_counts, worth_origin, worth_table
from ...text import short
from ..documents import Document

SHOWN = 10
"""So many of the least and of the most worth are printed."""
LETTERS = 30
"""How many letters of a text have room in a line."""


@dataclass(frozen=True)
class Judged(Document):
    """What each demonstration is worth, the least first, and the texts of those printed."""

    found: Worth
    rows: Mapping[int, Demonstration]

    @staticmethod
    def shown(found: Worth) -> tuple[DemonstrationWorth, ...]:
        """The least and the most worth, of those that have a figure."""
        known = tuple(each for each in found.demonstrations if each.worth.mean is not None)
        return known if len(known) <= 2 * SHOWN else (*known[:SHOWN], *known[-SHOWN:])

    def to_json(self) -> dict[str, Any]:
        """What the run recorded."""
        return self.found.to_json()

    def sheet(self) -> Sheet:
        """Counts in a sentence, the least and the most worth, and where the figures come from."""
        shown = self.shown(self.found)
        rows = {
            id: replace(row, query=short(row.query, LETTERS), answer=short(row.answer, LETTERS))
            for id, row in self.rows.items()
        }
        parts: list[Part] = [worth_counts(self.found)]
        if shown:
            parts.append(worth_table(shown, rows))
        if len(shown) < len(self.found.demonstrations):
            parts.append(
                f"The least and the most worth of {len(self.found.demonstrations):,}; "
                "--json has all."
            )
        return tuple((part,) for part in (*parts, worth_origin(self.found)))
