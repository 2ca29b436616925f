"""The command line: `python -m core COMMAND`, or `shotlist COMMAND` when installed.

With `--json` one JSON document goes to standard output and nothing else; progress goes to standard
error. Exit status: 0 done, 2 the user's mistake (one line), 1 a fault of ours.
"""

import argparse
import json
import logging
import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import InvalidInput
from .console import READER_LEFT, OutputLost, accept_every_letter, put, say, visible
from .parser import argument_parser

_VARIABLES = ("SHOTLIST_WORKSPACE", "SHOTLIST_MODEL")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    accept_every_letter()
    command = "shotlist"
    try:
        options = _options(sys.argv[1:] if arguments is None else arguments)
        command = f"shotlist {options.command}"
        logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
        _quiet_libraries()
        put(_shown(options, _run(options)))
    except InvalidInput as error:
        say(f"{command}: {error}")
        return 2
    except OSError as error:
        if error.filename is None:
            raise
        say(f"{command}: {error.filename} cannot be read or written ({error.strerror}).")
        return 1
    except KeyboardInterrupt:
        say(f"{command}: stopped; what was computed is kept.")
        return 130
    except OutputLost as lost:
        if not lost.reader_left:
            say(f"{command}: {lost}")
        return READER_LEFT if lost.reader_left else 1
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    """The options that the arguments give.

    Raises:
        InvalidInput: An argument, or a variable of ours, has bytes that stand for no letter.
        SystemExit: Help was asked for, or something is not allowed; it has been written.
    """
    for text in (*arguments, *(os.environ.get(name, "") for name in _VARIABLES)):
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InvalidInput(
                f"{text!r} was given, which is no text in {sys.getfilesystemencoding()}; write it "
                "in that encoding, and rename a file or a folder whose name is not."
            )
    try:
        return argument_parser().parse_args(arguments)
    except SystemExit:
        put("")  # the reader of a help may be gone as well
        raise


def _shown(options: argparse.Namespace, result: Any) -> str:
    """What standard output gets: the JSON document, in ASCII, or lines for people."""
    if options.json:
        document = json.dumps(_without_nan(result.to_json()))
        return document.replace("\x7f", "\\u007f") + "\n"  # the one control that json leaves
    from .printing import as_text

    return visible(as_text(options.command, result)) + "\n"


def _run(options: argparse.Namespace) -> Any:
    from ..studio import Studio
    from . import run as commands

    if options.command == "practice":
        from . import practice

        return practice.RUNS[options.action](options)
    command: Callable[[Studio, argparse.Namespace], Any]
    command = getattr(commands, f"run_{options.command}")
    with Studio.open(options.workspace) as studio:
        return command(studio, options)


def _quiet_libraries() -> None:
    """Keep standard error for our own lines, and the model to the cores that there are."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")


def _without_nan(value: Any) -> Any:
    """The value with every undefined number as null: JSON knows no NaN."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
