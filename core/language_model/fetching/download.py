"""A download by another program, which is watched by what has arrived, and can be stopped."""

import os
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ...errors import Cancelled
from ...types import IsCancelled, OnProgress

POLL = 0.2
"""Seconds between two looks."""
_PATIENCE = 5.0
"""Seconds that a program has to end after it was asked to."""


def download(
    command: list[str],
    log: Path,
    environment: dict[str, str],
    *,
    arrived: Callable[[], int],
    size: int,
    on_progress: OnProgress,
    cancelled: IsCancelled,
) -> tuple[bool, str]:
    """Whether the program ended well, and what it wrote.

    Args:
        command: The program with its arguments.
        log: The file that takes what it writes.
        environment: The program's.
        arrived: How many bytes have arrived by now.
        size: How many there will be.
        on_progress: Called with the two.
        cancelled: Asked between two looks.

    Raises:
        Cancelled: It was stopped, and the program with it.
    """
    with log.open("wb") as out:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment
        )
    try:
        while child.poll() is None:
            if cancelled():
                raise Cancelled("The download was stopped.")
            on_progress(min(arrived(), size), size)
            time.sleep(POLL)
    finally:
        _end(child)
    return child.returncode == 0, log.read_text(encoding="utf-8", errors="replace")


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def bytes_in(folder: Path, ending: str = "") -> int:
    """How many bytes the folder's files have whose names end so, while another program writes."""
    total = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            if name.endswith(ending):
                with suppress(FileNotFoundError):
                    total += (Path(inside) / name).stat().st_size
    return total
