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
from .parser import argument_parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status."""
    options = argument_parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    _quiet_libraries()
    try:
        result = _run(options)
    except InvalidInput as error:
        sys.stderr.write(f"shotlist {options.command}: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(f"shotlist {options.command}: stopped; what was computed is kept.\n")
        return 130
    if options.json:
        document = _without_nan(result.to_json())
        sys.stdout.write(json.dumps(document, ensure_ascii=False) + "\n")
    else:
        from .printing import as_text

        sys.stdout.write(as_text(options.command, result) + "\n")
    return 0


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
