"""A pool to a file, which appears whole or not at all."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..demonstration.demonstration import Demonstration
from ..errors import InvalidInput
from ..store import Store
from ..writing import place_for, whole_file
from .exporters import EXPORTERS, Exporter

OTHER_ENDINGS = frozenset(
    (".gz", ".bz2", ".xz", ".zst", ".zip", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers")
)
"""Endings of formats that no exporter writes: packed files, and other kinds of sheets."""


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written: how many demonstrations, and where."""

    rows: int
    path: Path


def export_pool(
    store: Store,
    pool_name: str,
    format: str,
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> ExportReport:
    """Write all demonstrations of the pool, the excluded ones too, ordered by id.

    A file of that name is replaced only if `overwrite` is set, and once the new one is complete.

    Args:
        store: The workspace.
        pool_name: Which pool.
        format: One of `EXPORTERS`.
        out: The file to write; its folder must exist, and its ending must not be that of another
            format.
        overwrite: Whether a file that already exists is replaced.

    Raises:
        InvalidInput: An unknown pool or format, a file that cannot be written or already exists,
            or a text that the format does not allow.
    """
    exporter = _exporter(format)
    pool = store.pools.get(pool_name)
    demonstrations = store.demonstrations.all(pool.id)
    return export_demonstrations(demonstrations, exporter.name, out, overwrite=overwrite)


def export_demonstrations(
    demonstrations: Sequence[Demonstration],
    format: str,
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> ExportReport:
    """Write these demonstrations as `export_pool` does.

    Raises:
        InvalidInput: An unknown format, a file that cannot be written or already exists, or a text
            that the format does not allow.
    """
    exporter = _exporter(format)
    _check_ending(Path(out), exporter)
    path = place_for(out, overwrite=overwrite)
    with whole_file(path) as unfinished:
        exporter.write(demonstrations, unfinished)
    return ExportReport(len(demonstrations), path)


def _exporter(format: str) -> Exporter:
    exporter = EXPORTERS.get(format.strip().lower().lstrip("."))
    if exporter is None:
        raise InvalidInput(f'Unknown format "{format}": choose one of {", ".join(EXPORTERS)}.')
    return exporter


def _check_ending(path: Path, exporter: Exporter) -> None:
    """Refuse a name with the ending of another format."""
    ending = path.suffix.lower()
    if ending == exporter.extension:
        return
    named = next((other for other in EXPORTERS.values() if other.extension == ending), None)
    if named is None and ending not in OTHER_ENDINGS:
        return
    way = f"or choose the format {named.name}" if named else "since none is written in that form"
    raise InvalidInput(
        f"{path.name} ends in {path.suffix}, and the format is {exporter.name}: name a file that "
        f"ends in {exporter.extension}, {way}."
    )
