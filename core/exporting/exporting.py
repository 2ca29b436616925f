"""A pool into a file: the whole file appears at once, or none."""

import os
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from ..store import Store
from ..types import Demonstration
from .exporters import EXPORTERS, Exporter


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written: how many demonstrations, and where."""

    rows: int
    path: Path


def export_pool(
    store: Store, pool_name: str, format: str, out: str | os.PathLike[str]
) -> ExportReport:
    """Write all demonstrations of the pool, the excluded ones too, ordered by id.

    A file of that name is replaced only when the new one is whole.

    Args:
        store: The workspace.
        pool_name: Which pool.
        format: One of `EXPORTERS`.
        out: The file to write; its folder must exist.

    Raises:
        InvalidInput: An unknown pool or format, a place that cannot be written, or a text that
            the format cannot hold.
    """
    exporter = _exporter(format)
    pool = store.pools.get(pool_name)
    return export_demonstrations(store.demonstrations.all(pool.id), exporter.name, out)


def export_demonstrations(
    demonstrations: Sequence[Demonstration], format: str, out: str | os.PathLike[str]
) -> ExportReport:
    """Write these demonstrations as `export_pool` does.

    Raises:
        InvalidInput: An unknown format, a place that cannot be written, or a text that the format
            cannot hold.
    """
    exporter = _exporter(format)
    path = Path(out).expanduser()
    if path.is_dir():
        raise InvalidInput(f"{path} is a folder: name a file in it.")
    if not path.parent.is_dir():
        raise InvalidInput(f"There is no folder {path.parent}: make it first, or name another.")
    unfinished = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        exporter.write(demonstrations, unfinished)
        _force_to_disk(unfinished)
        os.replace(unfinished, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(f"{path} cannot be written ({reason}): name another place.") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return ExportReport(len(demonstrations), path)


def _exporter(format: str) -> Exporter:
    exporter = EXPORTERS.get(format.strip().lower().lstrip("."))
    if exporter is None:
        raise InvalidInput(f'Unknown format "{format}": choose one of {", ".join(EXPORTERS)}.')
    return exporter


def _force_to_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
