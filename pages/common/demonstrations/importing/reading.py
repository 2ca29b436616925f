"""Import: the file as a table, read once for each choice of how to read it."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.curation import DELIMITERS, FileTable, ImportPreview, Mapping
from core.studio.pools import pools
from core.studio.pools.pools import ImportRequest
from pages.common.demonstrations.importing.encoding import Upload, named

READ = "import_read"


@dataclass(frozen=True)
class How:
    """How a file is read; None is found from the file."""

    format: str
    encoding: str | None
    delimiter: str | None = None
    sheet: str | None = None


@dataclass(frozen=True)
class Read:
    """The uploaded file as a table, and what its columns were guessed to mean."""

    key: Hashable
    table: FileTable
    guessed: ImportPreview
    previewed: dict[Mapping, ImportPreview]


def read_as_chosen(place: Any, upload: Upload, how: How, number: int) -> Read:
    """The file's table, after the choice of another delimiter or sheet where there is one."""
    read = _read(upload, how)
    chosen = replace(
        how,
        delimiter=_choose_delimiter(place, read.table, number),
        sheet=_choose_sheet(place, read.table, number),
    )
    return read if chosen == how else _read(upload, chosen)


def _choose_delimiter(place: Any, found: FileTable, number: int) -> str | None:
    """Draw the choice where cells may be separated wrongly; None for what was found."""
    delimited = found.format in ("csv", "tsv")
    if not delimited or (found.delimiter == "," and found.format == "csv"):
        return None
    usual = "\t" if found.format == "tsv" else ","
    if found.delimiter == usual and len(found.columns) > 1:
        return None
    options = [found.delimiter, *(letter for letter in DELIMITERS if letter != found.delimiter)]
    chosen = place.selectbox(
        "Cells are separated by",
        options,
        format_func=lambda letter: DELIMITERS.get(letter, letter or "nothing"),
        key=f"import_delimiter_{number}_{found.name}",
        persist_state="session",
        help="The one that makes the file's rows equally long was taken.",
    )
    return None if chosen == found.delimiter else str(chosen)


def _choose_sheet(place: Any, found: FileTable, number: int) -> str | None:
    """Draw the choice where a workbook has several sheets; None for the one that was taken."""
    if not found.other_sheets:
        return None
    chosen = place.selectbox(
        "Sheet",
        [found.sheet, *found.other_sheets],
        key=f"import_sheet_{number}_{found.name}",
        persist_state="session",
        help="The first visible one whose columns contain queries and answers was taken.",
    )
    return None if chosen == found.sheet else str(chosen)


def _read(upload: Upload, how: How) -> Read:
    """The file's table; what was read of another file, format or encoding is forgotten."""
    file = (upload.key, how.format, how.encoding)
    cached: dict[How, Read] = st.session_state.get(READ, {})
    if any(read.key != file for read in cached.values()):
        cached = {}
    if how not in cached:
        with st.spinner("Reading the file"):
            table = pools.read_upload(
                upload.name,
                upload.content,
                format=named(how.format),
                encoding=how.encoding,
                delimiter=how.delimiter,
                sheet=how.sheet,
            )
            guessed = pools.preview_import(ImportRequest(table, ""))
        cached[how] = Read(file, table, guessed, {})
    st.session_state[READ] = cached
    return cached[how]
