"""What `check` prints: the findings for JSON, and a table of each kind for people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...curation.findings.finding import Finding
from ...curation.findings.registry import CHECKS
from ...recorded import record_to_json, same
from ...reporting.tables.table import Column, Part, Sheet, Table
from ...text import short
from ..documents import Document

if TYPE_CHECKING:
    from ...studio.pools.findings import PoolFindings

SHOWN = 10
"""How many findings of a kind are printed."""
NAMED, LETTERS = 3, 30
"""How many ids of a finding and how many letters of a text have room in a line."""
_KEYS = same("ids", "measure", "text", "key")


@dataclass(frozen=True)
class Faults(Document):
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
