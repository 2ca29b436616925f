"""Import: a file, which column means what, a preview, and the report."""

from typing import Any

import streamlit as st

from core.curation import FORMATS, ImportPreview, Mapping
from core.reporting.words.importing import what_became_of_the_rows
from core.studio.pools import pools
from core.studio.pools.pools import ImportRequest
from core.text import counted
from pages.common.demonstrations.importing.button import PRESSED, import_button
from pages.common.demonstrations.importing.columns import choose_mapping
from pages.common.demonstrations.importing.encoding import (
    ENCODING,
    GUESS,
    Upload,
    choose_encoding,
    with_sureness,
)
from pages.common.demonstrations.importing.leftovers import choose_leftovers
from pages.common.demonstrations.importing.reading import READ, How, Read, read_as_chosen
from pages.common.demonstrations.importing.report import (
    REPORT,
    next_number,
    show_report,
    show_what_happened,
)
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.sidebar import switch_pool
from pages.common.frame.text import plain
from pages.common.state.address import Link
from pages.common.streamlit_workarounds.scrolling import show_from_here
from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number

PLACES = "import"
"""What is chosen here is reset after each import."""
FILE = "import_file"
BUTTON = "import_go"
ROWS = 3
"""So many rows of the file are shown, and of what they become."""
WIDTHS = {"query": 215, "answer": 215, "incorrect answers": 215, "tags": 120}
"""Pixels, so that all that is read is in sight at 1280."""


def import_section(frame: Frame) -> Link:
    """Draw the section; returns what of it belongs into the link."""
    place = st.container()
    show_report(frame)
    if not frame.setup.pool:
        st.info("There is no pool yet. Choose a file of demonstrations to make one.")
    number = key_number(PLACES)
    upload = _choose_file(number)
    if upload is None:
        for key in (READ, PRESSED.format(BUTTON)):
            st.session_state.pop(key, None)
        return {}
    name_place, format_place = st.columns([3, 1])
    format = format_place.selectbox(
        "Format", [GUESS, *FORMATS], key=f"import_format_{number}", persist_state="session"
    )
    with shown_errors():
        encoding = choose_encoding(format_place, upload, format, number)
        read = read_as_chosen(format_place, upload, How(format, encoding), number)
        name = name_place.text_input(
            "Pool",
            value=pools.suggested_name(upload.name),
            key=f"import_pool_{number}",
            persist_state="session",
            help="The pool to import into. A pool that exists is added to; what it already has is "
            "skipped.",
        ).strip()
        # Under another encoding or in another sheet the columns may have other names.
        how = (str(number), format, encoding, read.table.sheet, read.table.delimiter.strip(","))
        columns = "_".join(filter(None, how))
        chosen = choose_mapping(read.guessed, columns)
        mapping = choose_leftovers(_preview(read, chosen), columns)
        found = _preview(read, mapping)
        _show_question(read.guessed, chosen)
        _show_preview(found)
        exists = name in {summary.name for summary in pools.summaries(frame.studio)}
        if import_button(
            "pool",
            name,
            exists=exists,
            ready=found.report is not None,
            key=BUTTON,
            name_key=f"import_pool_{number}",
        ):
            with place:
                _import(frame, ImportRequest(found.table, name, mapping=found.mapping))
    return {}


def _choose_file(number: int) -> Upload | None:
    """The file that was chosen; it stays until it is imported or another one is chosen."""
    key = f"import_file_{number}"
    chosen = st.file_uploader(
        "File",
        key=key,
        on_change=lambda: st.session_state.pop(FILE, None),
        help="TruthfulQA's csv, or csv, tsv, json, jsonl, yaml, parquet, xlsx or sent-conv (a "
        "label and a text a line); text files may be gzipped, or one file in a zip archive. One "
        "query with one or many correct and incorrect answers a row: in lists, in columns of their "
        "own, or on repeated rows.",
    )
    if chosen is not None:
        st.session_state[FILE] = Upload(chosen.file_id, chosen.name, chosen.getvalue())
    kept: Upload | None = st.session_state.get(FILE)
    if chosen is None and kept is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{kept.name} is still chosen.")
            if st.button("Choose none", key="import_choose_none"):
                del st.session_state[FILE]
                st.rerun()
    return kept


def _preview(read: Read, mapping: Mapping | None) -> ImportPreview:
    """What the import would do with these columns, worked out once for each choice."""
    if mapping is None:
        problem = "Choose above which column has the query and which have the correct answers."
        return ImportPreview(
            table=read.table, mapping=None, drafts=[], report=None, problem=problem
        )
    if mapping not in read.previewed:
        read.previewed[mapping] = pools.preview_import(
            ImportRequest(read.table, "", mapping=mapping)
        )
    return read.previewed[mapping]


def _show_question(guessed: ImportPreview, mapping: Mapping | None) -> None:
    """What the guess asks, as long as its answer is the one that was put in."""
    if guessed.question and mapping == guessed.mapping:
        st.warning(
            plain(
                f"{guessed.question}, and is taken to say so here: look at the rows below. If all "
                "of the texts are right, choose their columns as the correct answers, and none as "
                "candidates."
            ),
            icon=":material/help:",
        )


def _show_preview(found: ImportPreview) -> None:
    st.text(
        f"The first of {counted(len(found.table.rows), 'row')} of the file ({found.table.format}, "
        f"{with_sureness(found.table)})"
    )
    rows = [
        {column: _cell(row.get(column)) for column in found.columns} for row in found.rows(ROWS)
    ]
    st.dataframe(rows, hide_index=True, height="content")
    if found.report is None:
        show = st.info if found.mapping is None else st.error
        show(plain(found.problem), icon=":material/info:")
        return
    made = counted(found.report.demonstrations, "demonstration")
    st.text(
        f"They become {made} of {counted(found.report.queries, 'query')}, with "
        f"{counted(found.report.triples, 'triple')}; the first ones:"
    )
    st.dataframe(
        [
            {
                "query": draft.query,
                "answer": draft.answer,
                "incorrect answers": [wrong.text for wrong in draft.incorrect],
                "tags": list(draft.tags),
                "best": draft.best,
            }
            for draft in found.drafts[:ROWS]
        ],
        hide_index=True,
        height="content",
        column_config={
            name: st.column_config.Column(width=width) for name, width in WIDTHS.items()
        },
    )
    st.caption(plain(what_became_of_the_rows(found.report)))
    show_what_happened(found.report)


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def _import(frame: Frame, request: ImportRequest) -> None:
    """Import the file; where that fails, say why and leave all that is chosen."""
    show_from_here(next_number())
    with shown_errors(), st.spinner(plain(f"Importing into {request.pool}"), show_time=True):
        st.session_state[REPORT] = pools.run_import(frame.studio, request)
        for key in (READ, FILE, ENCODING):
            st.session_state.pop(key, None)
        empty_widgets(PLACES)
        switch_pool(st.session_state[REPORT].pool)
        st.rerun()
