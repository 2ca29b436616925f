"""The main program: `python -m core COMMAND`, or `shotlist COMMAND` when installed."""

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from .models import run_model
from .parser import argument_parser
from .program import Program

if TYPE_CHECKING:
    from ..studio import Studio
    from .documents import CommandDocument

Found = TypeVar("Found")

_MODULES = {
    "bootstrap": "programs",
    "check": "curation",
    "fixed": "adaptive",
    "neighbours": "adaptive",
    "run": "programs",
    "suggest": "curation",
    "worth": "curation",
}
"""Where a command's function is, if not in `run`."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    return Program("shotlist", argument_parser, _run).main(arguments)


def _run(options: argparse.Namespace) -> "CommandDocument":
    if options.command == "model":
        return run_model(options)
    return in_workspace(options, _command(options.command))


def in_workspace(
    options: argparse.Namespace, command: "Callable[[Studio, argparse.Namespace], Found]"
) -> Found:
    """What a command finds in the workspace of its options, which is open meanwhile."""
    from ..studio.session.studio import Studio, let_threads_sleep

    let_threads_sleep()
    with Studio.open(options.workspace) as studio:
        return command(studio, options)


def _command(name: str) -> "Callable[[Studio, argparse.Namespace], CommandDocument]":
    """The function `run_NAME` of the command's module."""
    module = import_module(f".{_MODULES.get(name, 'run')}", __package__)
    command: Callable[[Studio, argparse.Namespace], CommandDocument] = getattr(
        module, f"run_{name}"
    )
    return command
