"""The main program: `python -m core COMMAND`, or `shotlist COMMAND` when installed."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .parser import argument_parser
from .program import Program

if TYPE_CHECKING:
    from .printing import Result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    return Program("shotlist", argument_parser, _run, _as_text).main(arguments)


def _run(options: argparse.Namespace) -> "Result":
    from ..studio import Studio
    from . import run as commands

    command: Callable[[Studio, argparse.Namespace], Result]
    command = getattr(commands, f"run_{options.command}")
    with Studio.open(options.workspace) as studio:
        return command(studio, options)


def _as_text(command: str, result: "Result") -> str:
    from .printing import as_text

    return as_text(command, result)
