"""The command line of the Fusion-in-Decoder reader: `python -m fusion COMMAND`."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.commands.main import in_workspace
from core.commands.program import Program

from .options import NAME, argument_parser

if TYPE_CHECKING:
    from core.commands.documents import CommandDocument
    from core.studio import Studio


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    return Program(NAME, argument_parser, _run).main(arguments)


def _run(options: argparse.Namespace) -> "CommandDocument":
    def command(studio: "Studio", options: argparse.Namespace) -> "CommandDocument":
        from core.commands.progress import watcher

        from .run import RUNS

        return RUNS[options.command](studio, options, watcher("examples"))

    return in_workspace(options, command)
