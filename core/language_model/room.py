"""Whether a model has room on the disk, before it is fetched or converted."""

import shutil
from pathlib import Path

from ..errors import InvalidInput

_SPARE = 200_000_000
"""Bytes that stay free."""


def refuse_no_room(given: str, needed: int, where: Path) -> None:
    """Refuse a model for which the disk has no room; `given` is how the user named it.

    Args:
        given: The model.
        needed: Bytes that are to be written.
        where: A folder on the disk.

    Raises:
        InvalidInput: There is less than that, and some to spare.
    """
    if shutil.disk_usage(where).free < needed + _SPARE:
        raise no_room(given, needed, where)


def no_room(given: str, needed: int, where: Path) -> InvalidInput:
    """What to raise where the disk is full."""
    free = shutil.disk_usage(where).free
    return InvalidInput(
        f"The model {given!r} needs {needed / 1e9:.1f} GB of disk space once, and {where} has "
        f"{free / 1e9:.1f} GB left: free some, or set SHOTLIST_MODELS to a folder on another disk."
    )
