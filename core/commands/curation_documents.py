"""What `check`, `worth` and `suggest` print: every figure for JSON, tables for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..curation.findings.finding import Finding
from ..curation.findings.registry import CHECKS
from ..curation.suggestion import Suggestion, SuggestionOutcome
from ..demonstration.demonstration import Demonstration
from ..evaluation.results.run_figures import SkippedExample
from ..evaluation.runs.worth import DemonstrationWorth, Worth
from ..recorded import record_to_json, same
from ..reporting.tables.table import Column, Part, Sheet, Table, named, records_table
from ..reporting.tables.worth import worth_counts, worth_origin, worth_table
from ..text import short
from .documents import CommandDocument

if TYPE_CHECKING:
    from ..studio.pools.findings import PoolFindings


SHOWN = 10
"""How many findings of a kind are printed, and how many of the least and of the most worth."""
NAMED, LETTERS = 3, 30
"""How many ids of a finding and how many letters of a text have room in a line."""
_KEYS = same("ids", "measure", "text", "key")


@dataclass(frozen=True)
class Faults(CommandDocument):
    """What is wrong with a pool, kind by kind, the worst first, and the dismissed keys."""

    found: "PoolFindings"
    dismissed: frozenset[str]

    def to_json(self) -> dict[str, Any]:
        """What was checked, then every finding by the name of its check."""
        findings = {
            name: [
                record_to_json(each, _KEYS) | {"dismissed": each.key in self.dismissed}
                for each in found
            ]
            for name, found in self.found.findings.items()
        }
        return self._pool_to_json() | {"findings": findings}

    def sheet(self) -> Sheet:
        """What was checked, how many findings of each kind there are, and the gravest of each.

        Dismissed ones are counted and not shown.
        """
        rows = []
        blocks: list[tuple[Part, ...]] = []
        for name, every in self.found.findings.items():
            found = [each for each in every if each.key not in self.dismissed]
            members = {id for each in found for id in each.ids}
            rows.append((name, len(found), len(members), len(every) - len(found)))
            if found:
                check, more = CHECKS[name], len(found) - SHOWN
                rest = (f"... and {more:,} more; --json has all",) if more > 0 else ()
                blocks.append((f"{check.label}. {check.explanation}",))
                blocks.append((self._table(found[:SHOWN]), *rest))
        names = ("finding", "found", "demonstrations", "dismissed")
        kinds = Table(tuple(map(Column, names)), tuple(rows))
        return ((self._pool_to_json(),), (kinds,), *blocks)

    def _pool_to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "pool": found.request.setup.pool,
            "demonstrations": len(found.rows),
            "queries": found.queries,
            "threshold": found.request.threshold,
            "asked": None if found.retrieved is None else found.retrieved.asked,
            "note": found.note or None,
        }

    def _table(self, findings: Sequence[Finding]) -> Table:
        rows = []
        for each in findings:
            ids = ", ".join(map(str, each.ids[:NAMED])) + ", ..." * (len(each.ids) > NAMED)
            first = self.found.rows[each.ids[0]]
            query, text = short(first.query, LETTERS), short(each.text or first.answer, LETTERS)
            rows.append((ids, each.measure, query, text))
        columns = (Column("ids"), Column("measure", 2), Column("query"), Column("text or answer"))
        return Table(columns, tuple(rows))


@dataclass(frozen=True)
class WorthDocument(CommandDocument):
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


_NEAR = ("ids", "query", "answer", "text", "source", "source_query", "cosine")
_OWN = ("ids", "query", "answer", "text", "shown", "log_prob")


@dataclass(frozen=True, kw_only=True)
class Suggestions(CommandDocument):
    """Incorrect answers for queries of a pool; undoing `action` removes them again.

    Attributes:
        pool: Its name.
        queries: How many queries there are, or were asked.
        without_incorrect: How many of the pool's have no incorrect answers.
        suggestions: Those of each query together; the model's own with the likeliest first.
        accepted: Whether they were written into the pool.
        action: The action that did.
        model: The model whose own answers they are; None for those of near queries.
        answers: How many of its distinct answers are what; None likewise.
        skipped: The queries that it could not be asked.
    """

    pool: str
    queries: int
    without_incorrect: int
    suggestions: tuple[Suggestion, ...]
    accepted: bool
    action: int | None
    model: str | None = None
    answers: Mapping[SuggestionOutcome, int] | None = None
    skipped: tuple[SkippedExample, ...] = ()

    def sheet(self) -> Sheet:
        """A row for each, then the counts."""
        counts = named(self, "pool", "queries", "without_incorrect", "accepted", "action")
        if self.answers is not None:
            counts |= {"model": self.model, "skipped": len(self.skipped)}
            counts |= {f"answers: {each}": self.answers.get(each, 0) for each in SuggestionOutcome}
        names = _NEAR if self.model is None else _OWN
        return ((records_table(self.suggestions, names), counts),)
