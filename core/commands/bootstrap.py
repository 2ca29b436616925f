"""`bootstrap`: a program tries queries with answers, and what comes out right can be kept."""

import argparse
from dataclasses import dataclass
from typing import Any

from ..recorded import record_to_json, same, write
from ..reporting.tables.table import Sheet, records_table
from ..studio.programs.attempts import Bootstrap, KeptAttempts, keep
from ..studio.programs.bootstrap import BootstrapRequest, run
from ..studio.session.studio import Studio
from .console import say
from .documents import CommandDocument
from .flags import setup_of
from .progress import watcher

_ATTEMPT = {
    **same("number", "query"),
    "answers": "example.answers",
    "outcome": "reason",
    "message": "attempt.message",
    **same("predicted", "rationale", "passages", "prompt"),
}


@dataclass(frozen=True)
class BootstrapDocument(CommandDocument):
    """What became of every query that a program tried, and what was kept; None for nothing."""

    found: Bootstrap
    kept: KeptAttempts | None

    def to_json(self) -> dict[str, Any]:
        """What was asked for, how many came out how, every attempt, and what was kept.

        The `prompt` of an attempt is the last one that the model was given.
        """
        attempts = [record_to_json(each, _ATTEMPT) for each in self.found.tried]
        counts = self._counts_to_json()
        kept = counts.pop("kept")
        return counts | {"attempts": attempts, "kept": kept}

    def sheet(self) -> Sheet:
        """What became of each query, and the counts."""
        tried = records_table(self.found.tried, ("number", "reason", "query", "predicted"))
        return ((tried, self._counts_to_json()),)

    def _counts_to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "run": found.run,
            **found.settings.to_json(),
            "tried": len(found.tried),
            "right": len(found.right),
            "outcomes": dict(found.outcomes),
            "kept": write(self.kept),
        }


def run_bootstrap(studio: Studio, options: argparse.Namespace) -> BootstrapDocument:
    """`bootstrap`: try the queries, going on where an earlier call stopped; keep what is right."""
    request = BootstrapRequest(
        setup=setup_of(options),
        program=options.program,
        examples=options.examples,
        file=options.file,
        passages=options.passages,
        annotate=options.annotate,
        shots=options.shots,
        limit=options.limit,
        seed=options.seed,
    )
    studio.store.pools.get(options.pool)  # refuses before the model is read
    found = run(studio, request, watcher("trying queries"))
    kept = None
    if options.keep_all_right or options.to is not None:
        if found.right:
            kept = keep(studio, found, to=options.to)
        else:
            say("Nothing came out right, so nothing is kept.")
    return BootstrapDocument(found, kept)
