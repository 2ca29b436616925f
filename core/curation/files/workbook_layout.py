"""What a sheet shows beyond its cells: rows that are hidden, and cells that are merged."""

import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any, NamedTuple

_HIDDEN_OR_MERGED = re.compile(
    rb"<(?:\w+:)?(?:row\b[^>]*\shidden=[\"'](?:1|true)[\"']|mergeCell\b)"
)
"""A hidden row, or a merged cell, in the XML of a sheet."""


class SheetRow(NamedTuple):
    """A row of a sheet: its number, from 1, and the texts of its cells."""

    number: int
    texts: list[str]


class MergedCells(NamedTuple):
    """Cells that are shown as one: the numbers of the first and last row, the places of columns.

    Rows count from 1, as the sheet does, and places from 0.
    """

    first_row: int
    last_row: int
    place: int
    last_place: int


class SheetLayout(NamedTuple):
    """The numbers of the sheet's hidden rows, and its merged cells."""

    hidden: frozenset[int]
    merged: tuple[MergedCells, ...]


def layout_of(content: bytes, title: str) -> SheetLayout:
    """The layout of the sheet, for which the whole workbook has to be opened where it has any."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = (archive.read(name) for name in archive.namelist() if "worksheets/" in name)
        plain = not any(_HIDDEN_OR_MERGED.search(sheet) for sheet in sheets)
    if plain:
        return SheetLayout(frozenset(), ())
    from openpyxl import load_workbook

    sheet: Any = load_workbook(io.BytesIO(content))[title]
    hidden = (number for number, row in sheet.row_dimensions.items() if row.hidden)
    ranges = sorted(
        (area.min_row, area.max_row, area.min_col - 1, area.max_col - 1)
        for area in sheet.merged_cells.ranges
    )
    return SheetLayout(frozenset(hidden), tuple(MergedCells(*area) for area in ranges))


def fill_merged(rows: Sequence[SheetRow], merged: Sequence[MergedCells]) -> dict[MergedCells, int]:
    """Write the text of merged cells into each of their rows.

    Returns:
        The merged cells of more than one row that have a text, with how many cells each filled.
    """
    filled: dict[MergedCells, int] = {}
    by_number = {row.number: row.texts for row in rows}
    for area in merged:
        text = _text_at(by_number.get(area.first_row, []), area.place)
        for number in range(area.first_row + 1, area.last_row + 1) if text.strip() else ():
            texts = by_number.get(number)
            if texts is not None and not _text_at(texts, area.place).strip():
                texts += [""] * (area.place + 1 - len(texts))
                texts[area.place] = text
                filled[area] = filled.get(area, 0) + 1
    return filled


def with_one_header(rows: Sequence[SheetRow], merged: Sequence[MergedCells]) -> list[SheetRow]:
    """The rows with a header of several rows as one, where cells of the first are merged downwards.

    A name that is merged over several columns begins the names below it: "Answer right".
    """
    if not rows:
        return []
    first = rows[0].number
    last = max((area.last_row for area in merged if area.first_row == first), default=first)
    header = [row for row in rows if row.number <= last]
    if len(header) in (1, len(rows)):
        return list(rows)
    width = max(len(row.texts) for row in header)
    names = [[_text_at(row.texts, place) for row in header] for place in range(width)]
    for area in merged:
        if area.first_row == first and area.last_place > area.place:
            for place in range(area.place + 1, min(area.last_place + 1, width)):
                names[place][0] = names[area.place][0]
    joined = [" ".join(filter(None, dict.fromkeys(map(str.strip, parts)))) for parts in names]
    return [SheetRow(first, joined), *rows[len(header) :]]


def about_merged(
    layout: SheetLayout, filled: dict[MergedCells, int], columns: dict[int, str], header: int
) -> list[str]:
    """What to say about merged cells below the header, which is row `header` or begins there."""
    warnings = []
    tall = [area for area in filled if area.first_row > header and area.place in columns]
    if tall:
        names = ", ".join(f'"{columns[place]}"' for place in sorted({each.place for each in tall}))
        count = sum(filled[area] for area in tall)
        warnings.append(
            f"Merged cells, in {names}: {len(tall):,}; the text of each counts for all its rows, "
            f"which filled {count:,} more."
        )
    wide = [each for each in layout.merged if each.last_place > each.place]
    below = sum(each.first_row > header for each in wide)
    if below:
        warnings.append(
            f"Cells that are merged over several columns: {below:,}; the text of each counts for "
            "the first of them."
        )
    return warnings


def _text_at(texts: Sequence[str], place: int) -> str:
    return texts[place] if place < len(texts) else ""
