"""A pool to a file, which appears whole or not at all: one class per format."""

import csv
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ..demonstration.demonstration import Demonstration
from ..demonstration.fields import COLUMNS as KINDS
from ..demonstration.fields import FIELDS, cells
from ..errors import InvalidInput
from ..store import Store
from ..writing import place_for, whole_file

COLUMNS = ("id", *(field.name for field in FIELDS))
"""Every format has these, in this order."""


def to_json(demonstration: Demonstration) -> dict[str, Any]:
    """The demonstration as JSON values: lists, texts, and a boolean for `best`."""
    return {"id": demonstration.id, **cells(demonstration)}


def flat_cells(demonstration: Demonstration) -> tuple[str | int | bool, ...]:
    """A cell per column for formats whose cells are single texts: lists are written as JSON arrays.

    An answer that itself looks like a JSON array is written as a list of one, so that reading it
    back gives the one answer and not its parts.
    """
    answer, row = demonstration.answer, to_json(demonstration)
    if answer.strip().startswith("[") and answer.strip().endswith("]"):
        row["answer"] = [answer]
    return tuple(as_json(cell) if isinstance(cell, list) else cell for cell in row.values())


def as_json(value: Any) -> str:
    """The value as JSON on one line, letters of all scripts as they are."""
    return json.dumps(value, ensure_ascii=False)


LONGEST_XLSX_CELL = 32_767
"""Letters (UTF-16 units) that Excel allows in one cell; openpyxl cuts longer texts."""


class Exporter(Protocol):
    """Writes demonstrations to a file so that importing it gives the same ones.

    `name` is the format's name, `extension` what its files end in, `media_type` its MIME type.
    """

    name: str
    extension: str
    media_type: str

    def write(self, demonstrations: Iterable[Demonstration], path: Path) -> None:
        """Write them to the path, replacing what is there; an error may leave half a file.

        Raises:
            InvalidInput: One of them cannot be written in this format.
            OSError: The file cannot be written.
        """


class JsonLines:
    """One JSON object per line, UTF-8."""

    name = "jsonl"
    extension = ".jsonl"
    media_type = "application/jsonl"

    def write(self, demonstrations: Iterable[Demonstration], path: Path) -> None:
        """Write each as a line."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{as_json(to_json(each))}\n" for each in demonstrations)


class Json:
    """One JSON list with a row on each line, UTF-8."""

    name = "json"
    extension = ".json"
    media_type = "application/json"

    def write(self, demonstrations: Iterable[Demonstration], path: Path) -> None:
        """Write them as one list."""
        with path.open("w", encoding="utf-8", newline="\n") as file:
            file.write("[")
            for position, each in enumerate(demonstrations):
                file.write(f"{',' if position else ''}\n{as_json(to_json(each))}")
            file.write("\n]\n")


class Delimited:
    """Cells between delimiters, quoted as in RFC 4180; UTF-8 without a byte-order mark."""

    def __init__(self, name: str, delimiter: str, media_type: str) -> None:
        self.name = name
        self.extension = f".{name}"
        self.media_type = media_type
        self._delimiter = delimiter

    def write(self, demonstrations: Iterable[Demonstration], path: Path) -> None:
        """Write a header and a record for each."""
        with path.open("w", encoding="utf-8", newline="") as file:
            # The line ends of RFC 4180 also make the writer quote a lone carriage return.
            writer = csv.writer(file, delimiter=self._delimiter, lineterminator="\r\n")
            writer.writerow(COLUMNS)
            for cells in map(flat_cells, demonstrations):
                writer.writerow(map(_word, cells))


class Parquet:
    """Columns of texts and of lists of texts."""

    name = "parquet"
    extension = ".parquet"
    media_type = "application/vnd.apache.parquet"

    def write(self, demonstrations: Iterable[Demonstration], path: Path) -> None:
        """Write one table, compressed."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        types = {"text": pa.string(), "texts": pa.list_(pa.string()), "flag": pa.bool_()}
        fields = [(column, types[kind]) for column, kind in KINDS.items()]
        schema = pa.schema([("id", pa.int64()), *fields])
        table = pa.Table.from_pylist(list(map(to_json, demonstrations)), schema=schema)
        pq.write_table(table, path, compression="zstd")


class Xlsx:
    """One sheet named demonstrations; every text is a text, never a formula."""

    name = "xlsx"
    extension = ".xlsx"
    media_type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    def write(self, demonstrations: Iterable[Demonstration], path: Path) -> None:
        """Write a header and a row for each demonstration."""
        from openpyxl import Workbook
        from openpyxl.cell import WriteOnlyCell

        # All of them are checked before the workbook is created.
        rows = [_xlsx_row(each) for each in demonstrations]
        workbook = Workbook(write_only=True)
        sheet = workbook.create_sheet("demonstrations")
        sheet.append(list(COLUMNS))
        for values in rows:
            cells = [WriteOnlyCell(sheet, value) for value in values]
            for cell, value in zip(cells, values, strict=True):
                if isinstance(value, str):
                    cell.data_type = "s"  # else "=1+1" becomes a formula and "#N/A" an error
            sheet.append(cells)
        workbook.save(path)


def _xlsx_row(demonstration: Demonstration) -> list[Any]:
    values = []
    for column, value in zip(COLUMNS, flat_cells(demonstration), strict=True):
        text = _escaped(value) if isinstance(value, str) else ""
        if len(text.encode("utf-16-le")) // 2 > LONGEST_XLSX_CELL:
            raise InvalidInput(
                f"Demonstration {demonstration.id} cannot be exported as xlsx: its {column} is "
                f"longer than the {LONGEST_XLSX_CELL:,} letters of a cell; export as jsonl or csv."
            )
        values.append(text or (None if value == "" else value))
    return values


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _escaped(text: str) -> str:
    """The text with characters that XML does not allow as _xHHHH_ (ECMA-376, ST_Xstring)."""
    return re.sub(
        "_(?=x[0-9A-Fa-f]{4}_)|[\0-\x08\x0b-\x1f\ufffe\uffff]",
        lambda found: f"_x{ord(found[0]):04X}_",
        text,
    )


EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        JsonLines(),
        Json(),
        Delimited("csv", ",", "text/csv"),
        Delimited("tsv", "\t", "text/tab-separated-values"),
        Parquet(),
        Xlsx(),
    )
}
"""The formats that a pool can be exported in, by name."""


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
