"""The main program: `python -m core COMMAND`, or `shotlist COMMAND` when installed."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from .parser import argument_parser
from .program import Program

if TYPE_CHECKING:
    from ..studio import Studio
    from .printing import Result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    return Program("shotlist", argument_parser, _run, _as_text).main(arguments)


def _run(options: argparse.Namespace) -> "Result":
    from ..studio import Studio

    command: Callable[[Studio, argparse.Namespace], Result] = _command(options.command)
    with Studio.open(options.workspace) as studio:
        return command(studio, options)


def _command(name: str) -> "Callable[[Studio, argparse.Namespace], Result]":
    """What a command runs: a function of `run`, or of a folder of its own."""
    if name == "run":
        from .programs.command import run_programs

        return run_programs
    from . import run as commands

    command: Callable[[Studio, argparse.Namespace], Result] = getattr(commands, f"run_{name}")
    return command


def _as_text(command: str, result: "Result") -> str:
    from .printing import as_text
    from .programs.document import TrialDocument, trial_as_text

    if isinstance(result, TrialDocument):
        return trial_as_text(result)

    return as_text(command, result)
