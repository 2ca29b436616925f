"""What `neighbours` and `fixed` print: their figures for JSON, tables and sentences for people."""

from dataclasses import dataclass
from typing import Any

from ...evaluation.adaptive.crossvalidation import ChoicePerQuery
from ...evaluation.adaptive.fixed_sets import FixedSets
from ...reporting.adaptive.tables import SETS_TITLE, SETTINGS_TITLE, sets_table, settings_table
from ...reporting.adaptive.words import (
    fixed_grounds,
    fixed_headline,
    worth_grounds,
    worth_headline,
)
from ...reporting.tables.table import Sheet
from ..documents import Document


@dataclass(frozen=True)
class Choosing(Document):
    """What choosing a setting for each query is worth."""

    found: ChoicePerQuery

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether it pays, and what that is based on."""
        return (worth_headline(self.found), *worth_grounds(self.found))

    def to_json(self) -> dict[str, Any]:
        """The figures, and the same in sentences."""
        return self.found.to_json() | {"notes": list(self.notes)}

    def sheet(self) -> Sheet:
        """The settings, then the notes."""
        return ((SETTINGS_TITLE,), (settings_table(self.found),), self.notes)


@dataclass(frozen=True)
class Sets(Document):
    """The sets that were tried; `chosen`: the method `fix` shows the best one now."""

    found: FixedSets
    chosen: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether the best is better than the present one, and what that is based on."""
        end = "The method fix shows the best set now." if self.chosen else ""
        sentences = (fixed_headline(self.found), *fixed_grounds(self.found), end)
        return tuple(filter(None, sentences))

    def to_json(self) -> dict[str, Any]:
        """The figures, and the same in sentences."""
        return self.found.to_json() | {"chosen": self.chosen, "notes": list(self.notes)}

    def sheet(self) -> Sheet:
        """The sets, then the notes."""
        return ((SETS_TITLE,), (sets_table(self.found),), self.notes)
