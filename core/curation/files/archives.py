"""The one table in a zip archive."""

import io
import zipfile
import zlib
from collections.abc import Callable
from typing import NamedTuple

from ...errors import InvalidInput

_LARGEST = 2**31
"""A file that would be larger than so many bytes is not unpacked: nothing so large can be read."""


class FileContent(NamedTuple):
    """A file's name and bytes, and sentences about the archive that it was in."""

    name: str
    content: bytes
    warnings: tuple[str, ...] = ()


def unpacked(name: str, content: bytes, is_table: Callable[[str], bool]) -> FileContent:
    """The only table of a zip archive; any other file as it is.

    Args:
        name: The file's name.
        content: Its bytes.
        is_table: Whether the name of a file in the archive is that of a table.

    Raises:
        InvalidInput: The archive is damaged, has a password, or has no table or several.
    """
    if not name.lower().endswith(".zip"):
        return FileContent(name, content)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = [each for each in archive.infolist() if not _is_hidden(each)]
            tables = [each for each in files if is_table(each.filename)]
            if len(tables) != 1:
                raise _not_one(name, [each.filename for each in tables or files], bool(tables))
            (table,) = tables
            if table.file_size > _LARGEST:
                raise InvalidInput(
                    f"{table.filename} in {name} is larger than can be read "
                    f"({table.file_size:,} bytes): split it into smaller files."
                )
            inner = archive.read(table)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as error:
        raise InvalidInput(
            f"{name} cannot be read as a zip archive: it is damaged or packed in another way; pack "
            "it again."
        ) from error
    except RuntimeError as error:  # how zipfile asks for a password
        raise InvalidInput(
            f"{name} is protected by a password: unpack it and import the file in it."
        ) from error
    others = [each.filename for each in files if each is not table]
    left = f"; not read: {', '.join(others)}" if others else ""
    warning = f'Only "{table.filename}" of the archive was read{left}.'
    base = table.filename.rpartition("/")[2]
    return FileContent(base, inner, (warning,) if others else ())


def _is_hidden(file: zipfile.ZipInfo) -> bool:
    """Whether it is a folder, or what an operating system adds to an archive."""
    parts = file.filename.split("/")
    return file.is_dir() or parts[0] == "__MACOSX" or parts[-1].startswith(".")


def _not_one(name: str, files: list[str], several: bool) -> InvalidInput:
    if not files:
        return InvalidInput(f"{name} contains no file: pack one table into it.")
    listed = ", ".join(files[:10]) + (f" and {len(files) - 10:,} more" if len(files) > 10 else "")
    if several:
        return InvalidInput(
            f"{name} contains several tables ({listed}): unpack it and import them one by one."
        )
    return InvalidInput(
        f"{name} contains no table of a known format ({listed}): unpack it, and give the table the "
        "ending of its format, such as .csv."
    )
