"""The streams of a command: any text can be written to them, and their reader may go away."""

import io
import os
import re
import sys
from contextlib import suppress
from typing import TextIO

READER_LEFT = 141
"""The exit status where nobody reads standard output any more: 128 and the number of SIGPIPE."""

_CONTROLS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys instead of showing, and what reverses a line; except tab and newline."""


class OutputLost(Exception):
    """Standard output takes nothing more, often because its reader went away."""

    def __init__(self, error: OSError) -> None:
        super().__init__(
            f"standard output cannot be written ({error.strerror or error}); what was done is kept."
        )
        self.reader_left = isinstance(error, BrokenPipeError)


def accept_every_letter() -> None:
    """Let both streams write an escape for each letter that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def put(text: str) -> None:
    """Write to standard output at once; the empty text writes what was still waiting.

    Raises:
        OutputLost: The reader went away, or there is no room.
    """
    if sys.stdout is None:  # closed before the command began
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        _discard(sys.stdout)
        raise OutputLost(error) from error


def say(line: str) -> None:
    """Write one line to standard error; the work goes on where nobody reads it any more."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(f"{one_line(line)}\n")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def visible(text: str) -> str:
    """The text with escapes for control characters, so that a terminal shows and never obeys it."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """The same with escapes for tabs and the ends of lines too, for a cell of a table."""
    return visible(text).replace("\t", "\\t").replace("\n", "\\n")


def _discard(stream: TextIO) -> None:
    """Discard what is still in the stream's buffer: Python would write it again as it ends."""
    with suppress(OSError):
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
