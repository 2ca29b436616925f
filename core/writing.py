"""Files for people: none is replaced unless requested, and each appears whole or not at all."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import InvalidInput


def place_for(out: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
    """The file that may be written there; checked before long work, so that none is in vain.

    Args:
        out: The file to write; its folder must exist.
        overwrite: Whether a file that already exists may be replaced.

    Raises:
        InvalidInput: The path is a folder, a device or a file that already exists, its folder is
            missing, or it cannot exist.
    """
    path = _expanded(out)
    try:
        if path.is_dir():
            raise InvalidInput(f"{path} is a folder: name a file in it.")
        if not path.parent.is_dir():
            raise InvalidInput(f"There is no folder {path.parent}: make it first, or name another.")
        if path.exists() and not path.is_file():
            raise InvalidInput(f"{path} is no ordinary file: name another place.")
        if path.exists() and not overwrite:
            raise InvalidInput(
                f"{path} already exists: name another file, or replace it with --force "
                "(in the library: overwrite=True)."
            )
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def folder_for(out: str | os.PathLike[str]) -> Path:
    """The folder of that name, made where it is missing.

    Raises:
        InvalidInput: It is a file, or cannot be made.
    """
    path = _expanded(out)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InvalidInput(f"{path} is a file: name a folder.") from error
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A file beside the path to write to; it takes the path's place when the block ends well.

    Raises:
        InvalidInput: The file cannot be written; what was there before is unchanged.
    """
    target = Path(os.path.realpath(path))  # a link stays, and what it names is replaced
    unfinished = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        yield unfinished
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        unfinished.unlink(missing_ok=True)


def _expanded(out: str | os.PathLike[str]) -> Path:
    try:
        return Path(out).expanduser()
    except RuntimeError as error:
        raise InvalidInput(f"There is no home folder for {out}: name another place.") from error


def _unwritable(path: Path, error: OSError) -> InvalidInput:
    reason = error.strerror or str(error)
    return InvalidInput(f"{path} cannot be written ({reason}): name another place.")
