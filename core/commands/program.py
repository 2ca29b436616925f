"""The rules of every command line: one JSON document, one line for a mistake, exit statuses.

With `--json` one JSON document goes to standard output and nothing else; progress goes to standard
error. Exit status: 0 done, 2 the user's mistake (one line), 1 a fault of ours.
"""

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..interval import without_nan
from .console import READER_LEFT, OutputLost, accept_every_letter, put, say, visible

if TYPE_CHECKING:
    from .documents import CommandDocument

_VARIABLES = ("SHOTLIST_WORKSPACE", "SHOTLIST_MODEL")


@dataclass(frozen=True)
class Program:
    """A command line.

    Attributes:
        name: The beginning of its messages.
        parser: Makes the parser of its options; one of them, `command`, is the command.
        run: Runs the command and returns its result.
    """

    name: str
    parser: Callable[[], argparse.ArgumentParser]
    run: "Callable[[argparse.Namespace], CommandDocument]"

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Run one command and return the exit status; None takes the process's arguments."""
        accept_every_letter()
        command = self.name
        try:
            options = self._options(sys.argv[1:] if arguments is None else arguments)
            command = f"{self.name} {options.command}"
            logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
            _quiet_libraries()
            put(self._shown(options, self.run(options)))
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

    def _options(self, arguments: Sequence[str]) -> argparse.Namespace:
        """The options that the arguments give.

        Raises:
            InvalidInput: An argument, or a variable of ours, has bytes that encode no letter.
            SystemExit: Help was asked for, or something is not allowed; the message was written.
        """
        for text in (*arguments, *(os.environ.get(name, "") for name in _VARIABLES)):
            if any("\ud800" <= letter <= "\udfff" for letter in text):
                raise InvalidInput(
                    f"{text!r} was given, which is no text in {sys.getfilesystemencoding()}; write "
                    "it in that encoding, and rename a file or a folder whose name is not."
                )
        try:
            return self.parser().parse_args(arguments)
        except SystemExit:
            put("")  # the reader of a help may be gone as well
            raise

    def _shown(self, options: argparse.Namespace, result: "CommandDocument") -> str:
        """The text for standard output: the JSON document, in ASCII, or lines for people."""
        if options.json:
            document = json.dumps(without_nan(result.to_json()))
            return document.replace("\x7f", "\\u007f") + "\n"  # the one control that json leaves
        from .printing import as_text

        return visible(as_text(result.sheet())) + "\n"


def _quiet_libraries() -> None:
    """Keep standard error for our own lines, and the model to the available cores."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
