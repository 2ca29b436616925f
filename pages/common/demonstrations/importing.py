"""Import: a file, which column means what, a preview, and the report."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.curation import FORMATS, ImportPreview, ImportReport, Mapping, Oddity, Table
from core.studio.pools import demonstrations, pools
from core.studio.pools.pools import ImportRequest
from pages.common.demonstrations.encoding import (
    ENCODING,
    GUESS,
    Upload,
    choose_encoding,
    named,
    with_sureness,
)
from pages.common.demonstrations.only_these import show_only
from pages.common.frame.notice import note
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.sidebar import switch_pool
from pages.common.frame.text import plain
from pages.common.state.callbacks import to_the_end
from pages.common.state.knobs import apply_knobs
from pages.common.state.state import Link

ROUND = "import_round"
FILE = "import_file"
READ = "import_read"
REPORT = "import_report"
NONE = "(none)"
ROWS = 5
ODD = 10
"""So many of the rows behind a warning are shown."""


@dataclass(frozen=True)
class Read:
    """The uploaded file as a table, and what its columns were guessed to mean."""

    key: tuple[str, str, str | None]
    table: Table
    guessed: ImportPreview
    previewed: dict[Mapping, ImportPreview]


def import_section(frame: Frame) -> Link:
    """Draw the section; returns what of it belongs into the link."""
    _show_report(frame)
    if not frame.setup.pool:
        st.info("There is no pool yet. Choose a file of demonstrations to make one.")
    turn = st.session_state.setdefault(ROUND, 0)
    upload = _choose_file(turn)
    if upload is None:
        st.session_state.pop(READ, None)
        return {}
    name_place, format_place = st.columns([3, 1])
    format = format_place.selectbox(
        "Format", [GUESS, *FORMATS], key=f"import_format_{turn}", persist_state="session"
    )
    with shown_errors():
        encoding = choose_encoding(format_place, upload, format, turn)
        read = _read(upload, format, encoding)
        name = name_place.text_input(
            "Pool",
            value=pools.suggested_name(upload.name),
            key=f"import_pool_{turn}",
            persist_state="session",
            help="The pool to import into. A pool that exists is added to; what it already has is "
            "skipped.",
        ).strip()
        # Under another encoding the columns may have other names.
        mapping = _choose_mapping(read, "_".join(filter(None, (str(turn), format, encoding))))
        found = _preview(read, mapping)
        _show_preview(found)
        _import_button(frame, read, found, name)
    return {}


def _choose_file(turn: int) -> Upload | None:
    """The file that was chosen; it stays until it is imported or another one is chosen."""
    key = f"import_file_{turn}"
    chosen = st.file_uploader(
        "File",
        key=key,
        on_change=lambda: st.session_state.pop(FILE, None),
        help="TruthfulQA's csv, or csv, tsv, json, jsonl, parquet or xlsx; text files may be "
        "gzipped. One query with one or many correct and incorrect answers a row: in lists, in "
        "columns of their own, or on repeated rows.",
    )
    if chosen is not None:
        st.session_state[FILE] = Upload(chosen.file_id, chosen.name, chosen.getvalue())
    held: Upload | None = st.session_state.get(FILE)
    if chosen is None and held is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{held.name} is still chosen.")
            if st.button("Choose none", key="import_choose_none"):
                del st.session_state[FILE]
                st.rerun()
    return held


def _read(upload: Upload, format: str, encoding: str | None) -> Read:
    """The file's table, read once for each file, format and encoding."""
    key = (upload.key, format, encoding)
    held: Read | None = st.session_state.get(READ)
    if held is not None and held.key == key:
        return held
    st.session_state.pop(READ, None)
    with st.spinner("Reading the file"):
        table = pools.read_upload(
            upload.name, upload.content, format=named(format), encoding=encoding
        )
        guessed = pools.preview_import(ImportRequest(table, ""))
    held = Read(key, table, guessed, {})
    st.session_state[READ] = held
    return held


def _choose_mapping(read: Read, turn: str) -> Mapping | None:
    """The columns as chosen, starting from the guess; None until query and answer are named."""
    columns = read.table.columns
    guess = read.guessed.mapping or Mapping("", ())
    st.markdown("**Which column is what**")

    def one(place: Any, label: str, name: str, help: str) -> str | None:
        options = [NONE, *columns]
        start = getattr(guess, name) or NONE
        chosen = place.selectbox(
            label,
            options,
            options.index(start),
            key=f"import_{name}_{turn}",
            help=help,
            persist_state="session",
        )
        return None if chosen == NONE else str(chosen)

    def many(place: Any, label: str, name: str, help: str) -> tuple[str, ...]:
        start = list(getattr(guess, name))
        key = f"import_{name}_{turn}"
        chosen = place.multiselect(
            label, columns, start, key=key, help=help, persist_state="session"
        )
        return tuple(chosen)

    first = st.columns(4)
    query = one(first[0], "Query", "query", "The text to answer.")
    answer = many(first[1], "Correct answers", "answer", "One or several columns.")
    incorrect = many(
        first[2],
        "Incorrect answers",
        "incorrect",
        "Each makes a triple with each correct answer, for DPO.",
    )
    tags = many(first[3], "Tags", "tags", "Such as a category.")
    with st.expander("More columns"):
        second = st.columns(4)
        best = one(second[0], "Best answer", "best", "Holds the best answer, or true on its row.")
        status = one(second[1], "Status", "status", "included or excluded.")
        note = one(second[2], "Note", "note", "Free text.")
        kinds = many(
            second[3],
            "Kinds of incorrect answers",
            "incorrect_kinds",
            "What each of the row's incorrect answers gets wrong: as many kinds as answers.",
        )
        split = st.text_input(
            "Answers in one cell are separated by",
            value=guess.split or "",
            key=f"import_split_{turn}",
            persist_state="session",
            help="TruthfulQA separates them with semicolons. Left empty, a cell is one answer, or "
            "a JSON list of answers.",
        )
    if query is None or not answer:
        return None
    mapping = Mapping(query, answer, incorrect, tags, best, status, note)
    return replace(mapping, split=split.strip() or None, incorrect_kinds=kinds)


def _preview(read: Read, mapping: Mapping | None) -> ImportPreview:
    """What the import would do with these columns, worked out once for each choice."""
    if mapping is None:
        problem = "Choose above which column holds the query and which hold the correct answers."
        return ImportPreview(read.table, None, [], None, problem)
    if mapping not in read.previewed:
        read.previewed[mapping] = pools.preview_import(
            ImportRequest(read.table, "", mapping=mapping)
        )
    return read.previewed[mapping]


def _show_preview(found: ImportPreview) -> None:
    st.text(
        f"The file's first rows, of {len(found.table.rows):,} ({found.table.format}, "
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
    st.text(
        f"They become {found.report.demonstrations:,} demonstrations of "
        f"{found.report.queries:,} queries, with {found.report.triples:,} triples; the first ones:"
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
    )
    _show_dropped(found.report)


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def _show_dropped(report: ImportReport) -> None:
    dropped = [f"{count:,} x {reason}" for reason, count in report.dropped.items() if count]
    if dropped:
        st.caption(plain(f"Left out: {', '.join(dropped)}."))
    named = {oddity.sentence for oddity in report.oddities}
    for warning in report.warnings:
        if warning not in named:
            st.caption(plain(warning))
    for oddity in report.oddities:
        _show_oddity(report, oddity)


def _show_oddity(report: ImportReport, oddity: Oddity) -> None:
    """The rows behind a warning; after the import with the way to them."""
    rows = oddity.demonstrations[:ODD]
    with st.container(border=True):
        st.markdown(plain(oddity.sentence))
        st.dataframe(
            [
                {
                    "file's row": ", ".join(map(str, row.rows)),
                    "query": row.query,
                    "correct answer": row.answer,
                    "incorrect in row": ", ".join(map(str, row.against)),
                }
                | ({"id": str(row.id)} if row.id is not None else {})
                for row in rows
            ],
            hide_index=True,
            height="content",
        )
        if len(oddity.demonstrations) > ODD:
            st.caption(f"The first {ODD} of {len(oddity.demonstrations):,}.")
        if oddity.ids:
            these = "this one" if len(oddity.ids) == 1 else f"these {len(oddity.ids):,}"
            st.button(
                f"Show {these} in the table",
                key=f"import_show_{oddity.kind}",
                icon=":material/table_rows:",
                on_click=_turn_to,
                args=[report.pool, oddity.ids],
            )


@to_the_end
def _turn_to(pool: str, ids: tuple[int, ...]) -> None:
    """Turn to the table with these rows alone; for callbacks."""
    show_only(pool, ids)
    apply_knobs(["demonstrations"], section="table")


def _import_button(frame: Frame, read: Read, found: ImportPreview, name: str) -> None:
    exists = name in {summary.name for summary in pools.summaries(frame.studio)}
    ready = found.report is not None and bool(name)
    label = "Add to the pool" if exists else "Import as a new pool"
    if not name:
        st.caption("Give the pool a name.")
    if st.button(label, type="primary", disabled=not ready, key="import_go"):
        with st.spinner("Importing"):
            report = pools.run_import(
                frame.studio, ImportRequest(read.table, name, mapping=found.mapping)
            )
        st.session_state[REPORT] = report
        st.session_state[ROUND] += 1
        st.session_state.pop(READ, None)
        st.session_state.pop(FILE, None)
        st.session_state.pop(ENCODING, None)
        switch_pool(report.pool)
        st.rerun()


def _show_report(frame: Frame) -> None:
    """The report of the last import, until it is closed."""
    report: ImportReport | None = st.session_state.get(REPORT)
    if report is None:
        return
    with st.container(border=True):
        st.markdown(
            f"**{report.demonstrations:,} demonstrations were added to {plain(report.pool)}**"
        )
        for place, (label, count) in zip(
            st.columns(5),
            (
                ("Rows read", report.rows),
                ("Pairs added", report.demonstrations),
                ("Already there", report.already_there),
                ("Queries in the file", report.queries),
                ("Triples in the file", report.triples),
            ),
            strict=True,
        ):
            place.metric(label, f"{count:,}")
        st.caption(plain(f"Format {report.format}, encoding {with_sureness(report)}."))
        _show_dropped(report)
        with st.container(horizontal=True):
            fix = st.button(
                "Use as fixed",
                key="import_fixed",
                help="The method fix shows the same demonstrations for every query: makes it the "
                f"file's first {len(report.first_ids)}, in the file's order.",
            )
            if st.button("Close", key="import_close"):
                st.session_state.pop(REPORT)
                st.rerun()
    if fix:
        with shown_errors():
            demonstrations.name_fixed(frame.studio, report.pool, report.first_ids)
            note(
                "demonstrations",
                report.pool,
                f"The method fix now shows the file's first {len(report.first_ids)}.",
            )
            st.rerun()
