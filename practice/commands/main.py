"""The command line of the practice model: `python -m practice COMMAND`."""

import argparse
from collections.abc import Sequence

from core.commands.documents import CommandDocument
from core.commands.program import Program

from .options import NAME, argument_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    return Program(NAME, argument_parser, _run).main(arguments)


def _run(options: argparse.Namespace) -> CommandDocument:
    from .run import RUNS

    return RUNS[options.command](options)
