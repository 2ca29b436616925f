"""The command line of the studies: `python -m studies STUDY`.

What a study needs is imported when it runs: the list of commands needs neither numbers nor models.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from core.commands.flags import knobs_of, names_in
from core.commands.main import in_workspace
from core.commands.program import Program
from core.settings import Embed

from .options import BOTH, NAME, argument_parser

if TYPE_CHECKING:
    from core.commands.documents import CommandDocument
    from core.studio import Studio
    from core.watcher import Watcher

    from .study import Study


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one study and return the exit status."""
    return Program(NAME, argument_parser, _run).main(arguments)


def _run(options: argparse.Namespace) -> "CommandDocument":
    from core.commands.documents import ResultDocument
    from core.commands.progress import watcher

    from .study import study_sheet

    def study(studio: "Studio", options: argparse.Namespace) -> "CommandDocument":
        found = _RUNS[options.command](studio, options, watcher("evaluating"))
        return ResultDocument(found, study_sheet)

    return in_workspace(options, study)


def _run_vrsd(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Study":
    from .vrsd.study import VrsdRequest, vrsd

    request = VrsdRequest(
        pool=options.pool,
        k=options.k,
        candidates=options.candidates,
        share=options.share,
        seeds=options.seeds,
        embed=Embed(options.embed),
        encoders=names_in(options.encoders) or (None,),
        model=options.model,
        limit=options.limit,
    )
    return vrsd(studio, request, watcher)


def _run_ragsys(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Study":
    from core.language_model import known_template
    from core.studio.session.studio import Setup

    from .ragsys import RagsysRequest, ragsys

    template = known_template(options.template).name
    request = RagsysRequest(
        Setup(options.pool, options.encoder, template=template),
        names_in(options.models),
        knobs_of(options),
        examples=options.examples,
        limit=options.limit,
        leave_out_leaks=options.leave_out_leaks,
    )
    return ragsys(studio, request, watcher)


def _run_pgra(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Study":
    from .pgra.settings import PgraRequest, Sweep, Variant
    from .pgra.study import pgra
    from .readers.registry import READERS

    request = PgraRequest(
        pool=options.pool,
        base=Variant(
            model=options.model,
            candidates=options.candidates,
            kept=options.kept,
            exemplars=options.exemplars,
            stage_1=options.stage_1,
            draw=options.draw,
        ),
        task=options.task,
        encoder=options.encoder,
        similarities=names_in(options.similarities),
        readers=tuple(READERS) if options.reader == BOTH else (options.reader,),
        share=options.share,
        seeds=options.seeds,
        limit=options.limit,
        sweep=None if options.sweep is None else Sweep(options.sweep),
        values=names_in(options.values),
    )
    return pgra(studio, request, watcher)


_RUNS: "dict[str, Callable[[Studio, argparse.Namespace, Watcher], Study]]" = {
    "vrsd": _run_vrsd,
    "ragsys": _run_ragsys,
    "pgra": _run_pgra,
}
"""What each command runs; its watcher writes the progress to standard error."""
