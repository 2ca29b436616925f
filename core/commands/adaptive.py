"""`neighbours` and `fixed`: settings chosen query by query, and a fixed set found by trying."""

import argparse
from dataclasses import dataclass
from typing import Any

from ..evaluation.runs.crossvalidation import ChoicePerQuery, FixedSets
from ..reporting.tables.table import Sheet
from ..reporting.tables.worth import (
    SETS_TITLE,
    SETTINGS_TITLE,
    fixed_grounds,
    fixed_headline,
    sets_table,
    settings_table,
    worth_grounds,
    worth_headline,
)
from ..studio.pools.demonstrations import name_fixed
from ..studio.runs.adaptive import FixedRequest, NeighboursRequest, find_fixed, worth_of_choosing
from ..studio.session.studio import Studio
from .documents import CommandDocument
from .flags import setup_of
from .progress import watcher


@dataclass(frozen=True)
class Choosing(CommandDocument):
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
class Sets(CommandDocument):
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


def run_neighbours(studio: Studio, options: argparse.Namespace) -> Choosing:
    """`neighbours`: whether choosing a setting for each query pays, cross-validated."""
    request = NeighboursRequest(setup_of(options), options.run, options.nearest)
    return Choosing(worth_of_choosing(studio, request))


def run_fixed(studio: Studio, options: argparse.Namespace) -> Sets:
    """`fixed`: the best of random sets, judged on held-out examples."""
    request = FixedRequest(
        setup=setup_of(options),
        sets=options.sets,
        k=options.k,
        limit=options.limit,
        held_out=options.held_out,
        seed=options.seed,
    )
    found = find_fixed(studio, request, watcher("scores"))
    if options.choose:
        name_fixed(studio, options.pool, found.best.ids)
    return Sets(found, options.choose)
