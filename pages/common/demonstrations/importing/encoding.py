"""The encoding of a file to import: what it looks like, and the choice of another one."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.curation import Encoding, FileTable, ImportReport, Sureness
from core.studio.pools import pools
from pages.common.frame.text import plain

ENCODING = "import_encoding"
GUESS = "guessed from the file"


@dataclass(frozen=True)
class Upload:
    """A chosen file: the browser's widget forgets it as soon as its page or section is left."""

    key: str
    name: str
    content: bytes


def choose_encoding(place: Any, upload: Upload, format: str, number: int) -> str | None:
    """Draw the choice where the encoding is a guess; what was chosen in place of it, or None."""
    found = _find_encoding(upload, format)
    return choose_among(place, found, f"import_encoding_{number}_{format}_{upload.key}")


def choose_among(place: Any, found: Encoding | None, key: str) -> str | None:
    """The same for what a file's encoding was found to be."""
    if found is None or found.sureness is Sureness.CERTAIN:
        return None
    options = list(dict.fromkeys([found.name, *found.others]))
    chosen = place.selectbox(
        "Encoding",
        options,
        format_func=lambda name: Encoding(name).in_words + (" *" if name == found.name else ""),
        key=key,
        persist_state="session",
        help="Which letters the file's bytes represent. The one marked * fits best; if letters "
        "below look wrong, choose another.",
    )
    if found.sureness is Sureness.UNSURE and chosen == found.name:
        st.warning(
            plain(
                f"The file may be in {found.in_words}, but this is not certain. If "
                "letters in the texts below look wrong, choose another encoding."
            ),
            icon=":material/translate:",
        )
    return None if chosen == found.name else str(chosen)


def _find_encoding(upload: Upload, format: str) -> Encoding | None:
    """What the file's encoding looks like, found once for each file and format."""
    key = (upload.key, format)
    cached = st.session_state.get(ENCODING)
    if cached is None or cached[0] != key:
        found = pools.upload_encoding(upload.name, upload.content, format=named(format))
        cached = st.session_state[ENCODING] = (key, found)
    encoding: Encoding | None = cached[1]
    return encoding


def named(format: str) -> str | None:
    """The format as a person named it; None while it is to be guessed."""
    return None if format == GUESS else format


def with_sureness(read: FileTable | ImportReport) -> str:
    """The encoding and, where it was a guess or a choice, how sure it is."""
    encoding = Encoding(read.encoding).in_words
    if read.encoding_sureness is Sureness.CERTAIN:
        return encoding
    return f"{encoding}, {read.encoding_sureness}"
