"""Passages: a file's documents are looked at, split and added to a collection; one is removed."""

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st

from core.background import Job
from core.curation import Encoding
from core.passages.columns import Columns, NoTextColumn
from core.passages.importing import PassageImport
from core.passages.reading import FORMATS, Source
from core.passages.splitting import USUAL, Lengths
from core.studio import passages
from core.studio.passages import PassagesImportRequest
from core.studio.pools.pools import suggested_name
from core.text import counted
from pages.common.demonstrations.importing.button import import_button
from pages.common.demonstrations.importing.encoding import GUESS, choose_among, named
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import plain
from pages.common.frame.watching import watch
from pages.common.programs.widgets import IMPORT, PAGE
from pages.common.state.address import write_link
from pages.common.state.state import remember
from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number

PLACES, REMOVED = "passages", "passages removed"
"""What is chosen here is reset after each import."""
JOB, DONE, READ = (f"passages_{name}" for name in ("job", "done", "read"))
FIRST = 3
"""So many passages of the file are shown before it is imported."""


@dataclass(frozen=True)
class _File:
    """A chosen file, and the format it is read as."""

    key: str
    name: str
    content: bytes
    format: str


def draw_passages(frame: Frame) -> None:
    """What there is, what came of the last import, and a file to import."""
    write_link(do=IMPORT, pool=frame.setup.pool)
    _show_import(frame)
    _show_collections(frame)
    number = key_number(PLACES)
    upload = st.file_uploader(
        "File",
        key=f"passages_file_{number}",
        help="A text, markdown (a document for each heading), or a table with a document in each "
        f"row: {', '.join(FORMATS)}; text files may be gzipped.",
    )
    if upload is None:
        st.session_state.pop(READ, None)
        return
    name_place, format_place, size_place, overlap_place = st.columns(
        [3, 2, 1, 1], vertical_alignment="bottom"
    )
    format = format_place.selectbox("Format", [GUESS, *FORMATS], key=f"passages_format_{number}")
    with name_place:
        name = st.text_input(
            "Collection",
            value=suggested_name(upload.name),
            key=f"passages_name_{number}",
            help="A collection that exists is added to; what it already has is skipped.",
        ).strip()
    size = size_place.number_input(
        "Words, at most",
        min_value=1,
        value=USUAL.size,
        key=f"passages_size_{number}",
        help="Of a passage: a longer document becomes several, which end at a sentence if one ends "
        "in their last fifth.",
    )
    overlap = overlap_place.number_input(
        "Overlap",
        min_value=0,
        value=USUAL.overlap,
        key=f"passages_overlap_{number}",
        help="Words that a passage repeats of the one before, fewer than it has.",
    )
    with shown_errors():
        file = _File(upload.file_id, upload.name, upload.getvalue(), format)
        source = _choose_reading(file, number)
        lengths = Lengths(int(size), int(overlap))
        if source is None:
            return
        request = PassagesImportRequest(source=source, collection=name, lengths=lengths)
        if _show_first(request):
            _import_button(frame, request)


def _choose_reading(file: _File, number: int) -> Source | None:
    """The file's documents with the encoding and the columns that are chosen; None without any."""
    found, encoding, key = _read(file), None, f"{number}_{file.format}_{file.key}"
    if isinstance(found, Source):
        guess = Encoding(found.encoding, found.encoding_sureness, found.other_encodings)
        encoding = choose_among(st, guess, f"passages_encoding_{key}")
        found = _read(file, encoding)
    columns = _choose_columns(found, f"{key}_{encoding}")
    if columns is not None:
        found = _read(file, encoding, columns)
    return found if isinstance(found, Source) else None


def _read(
    file: _File, encoding: str | None = None, columns: Columns | None = None
) -> Source | NoTextColumn:
    """The file's documents, read once for each choice; or that its texts must be named."""
    kept: tuple[_File | None, dict[Hashable, Source | NoTextColumn]]
    kept = st.session_state.get(READ, (None, {}))
    if kept[0] != file:
        kept = st.session_state[READ] = (file, {})
    found = kept[1].get((encoding, columns))
    if found is None:
        with st.spinner("Reading the file"):
            try:
                found = passages.read_upload(
                    file.name,
                    file.content,
                    format=named(file.format),
                    mapping=columns,
                    encoding=encoding,
                )
            except NoTextColumn as unknown:
                found = unknown
        kept[1][encoding, columns] = found
    return found


def _choose_columns(found: Source | NoTextColumn, key: str) -> Columns | None:
    """Which columns of a table are text and title; None for the guess, and until one is chosen."""
    guess = found.columns if isinstance(found, Source) else None
    names = found.all_columns if isinstance(found, Source) else found.columns
    if not names:
        return None
    if guess is None:
        st.info("No column's name says that it has the texts: choose the one that has them.")
    text_place, title_place = st.columns(2)
    text = text_place.selectbox(
        "Column of the texts",
        names,
        index=None if guess is None else names.index(guess.text),
        key=f"passages_text_{key}",
        placeholder="Choose the column that has the texts",
    )
    titles = [name for name in names if name != text]
    title = title_place.selectbox(
        "Column of the titles",
        titles,
        index=titles.index(guess.title) if guess is not None and guess.title in titles else None,
        key=f"passages_title_{key}",
        placeholder="none",
    )
    if text is None or (guess is not None and (text, title) == (guess.text, guess.title)):
        return None
    return Columns(text, title, guessed=False)


def _show_first(request: PassagesImportRequest) -> bool:
    """What the file's first documents become; whether there is any text."""
    source, first = request.source, passages.first_passages(request, FIRST)
    if not first:
        st.error(
            plain(f"{source.name} has no text: choose another file, or the column that has it."),
            icon=":material/error:",
        )
        return False
    many = counted(len(source.documents), "document")
    st.text(f"The first passages of {many} ({source.format}, {source.encoding})")
    st.dataframe(
        [{"title": each.title, "text": each.text} for each in first],
        hide_index=True,
        height="content",
        column_config={"title": st.column_config.TextColumn(width=180)},
    )
    for sentence in source.warnings:
        st.caption(plain(sentence))
    return True


def _import_button(frame: Frame, request: PassagesImportRequest) -> None:
    """Begin the import once it is pressed."""
    name = request.collection
    exists, ready = name in passages.names(frame.studio), _running() is None
    if import_button("collection", name, exists=exists, ready=ready, key="passages_go"):
        st.session_state[JOB] = passages.start_import(frame.studio, request)
        st.rerun()


def _running() -> Job | None:
    job: Job | None = st.session_state.get(JOB)
    return job if job is not None and job.state in ("waiting", "running") else None


def _show_import(frame: Frame) -> None:
    """How far the import is, then what came of it."""
    job: Job | None = st.session_state.get(JOB)
    if job is None:
        return
    if job.state != "finished":
        if frame.studio.pool_worker.latest(job.snapshot().slot) is job:
            watch(frame.studio, job, "Choose again", stops=True)
        else:
            del st.session_state[JOB]
        return
    report: PassageImport = job.result
    if st.session_state.get(READ) is not None and st.session_state.get(DONE) is not job:
        empty_widgets(PLACES)
        remember(PAGE, "passages", report.collection)
        st.session_state[DONE] = job
        st.rerun()
    with st.container(border=True):
        were = "was" if report.passages == 1 else "were"
        added = counted(report.passages, "passage")
        st.markdown(f"**{added} {were} added to {plain(report.collection)}**")
        many = counted(report.documents, "document")
        st.caption(plain(f"{many} of {report.source}, {report.format}, {report.encoding}."))
        for sentence in report.sentences(flags=False):
            st.caption(plain(sentence))
        if report.passages:
            st.caption("They are embedded when they are first searched, or shown on the Map.")
        with st.container(horizontal=True):
            if st.button("Show on the Map", key="passages_map"):
                remember("map", "passages", report.collection)
                st.switch_page("pages/map.py")
            if st.button("Close", key="passages_close"):
                del st.session_state[JOB]
                st.rerun()


def _show_collections(frame: Frame) -> None:
    """The collections that there are; a question before one is removed for good."""
    found = {each.name: each for each in passages.summaries(frame.studio)}
    if not found:
        st.caption("There are no passages yet. Choose a file of texts that programs may search.")
        return
    st.dataframe(
        [
            {
                "collection": each.name,
                "passages": each.passages,
                "documents": each.documents,
                "files": each.sources,
            }
            for each in found.values()
        ],
        hide_index=True,
        height="content",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.selectbox(
            "Remove",
            list(found),
            index=None,
            key=f"passages_remove_{key_number(REMOVED)}",
            placeholder="Choose a collection",
            width=300,
        )
        sure = name is not None and st.button(
            f"Remove {counted(found[name].passages, 'passage')} for good", key="passages_remove_yes"
        )
    if sure and name is not None:
        passages.remove(frame.studio, name)
        empty_widgets(REMOVED)
        st.rerun()
