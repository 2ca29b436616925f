"""A file into a collection of passages: all of it or nothing."""

import os
from dataclasses import dataclass

from ..curation.files.encodings.decoding import Sureness
from ..errors import InvalidInput
from ..recorded import Recorded
from ..store import PassageDraft, Store
from ..text import is_blank
from .columns import Columns
from .reading import Source, read_documents
from .splitting import USUAL, Lengths, parts_of, word_spans


@dataclass(frozen=True, slots=True)
class PassageImport(Recorded):
    """What an import read, added and left out.

    Attributes:
        collection: The name of the collection.
        source: The file's name.
        format: One of `reading.FORMATS`.
        documents: Documents read, those without a text included.
        passages: Passages added.
        doubles: Passages left out because the collection, or the file before, has them.
        empties: Documents left out because they have no text.
        split: Documents that became several passages.
        longest: Words of the longest document.
        size: Words of a passage, at most.
        overlap: Words that a passage repeats of the one before.
        encoding: What was found in a text file, "binary" for parquet and xlsx.
        encoding_sureness: How certain it is.
        other_encodings: Others in which the file could be, best first.
        columns: Those that were used of a table; None for txt and md.
        unused_columns: Its others.
        warnings: Sentences of the reader of the format.
        first_ids: Ids of the first passages that were added, six at most.
    """

    collection: str
    source: str
    format: str
    documents: int
    passages: int
    doubles: int
    empties: int
    split: int
    longest: int
    size: int
    overlap: int
    encoding: str
    encoding_sureness: Sureness
    other_encodings: tuple[str, ...] = ()
    columns: Columns | None = None
    unused_columns: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    first_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Drafted:
    drafts: list[PassageDraft]
    empties: int
    split: int
    longest: int


FIRST_IDS = 6
"""How many of the new ids a report names."""


def import_passages(
    store: Store,
    path: str | os.PathLike[str],
    name: str,
    lengths: Lengths = USUAL,
    *,
    format: str | None = None,
    mapping: str | None = None,
    encoding: str | None = None,
) -> PassageImport:
    """Split the documents of a file and add the passages to a collection, made where there is none.

    Args:
        store: The workspace.
        path: The file.
        name: The collection's; pools have names of their own.
        lengths: How long passages are, and how far they overlap.
        format: One of `reading.FORMATS`; None takes it from the file's name.
        mapping: For tables, `text=COLUMN,title=COLUMN`; None guesses.
        encoding: The encoding of a text file; None finds it.

    Raises:
        InvalidInput: The file, what was chosen or the name cannot be used, or no document has a
            text. Nothing is written then.
    """
    source = read_documents(path, format=format, mapping=mapping, encoding=encoding)
    drafted = _drafted(source, lengths)
    if not drafted.drafts:
        raise InvalidInput(
            f"{source.name} has no text ({drafted.empties:,} empty): nothing to import."
        )
    added = store.passages.add(name, drafted.drafts)
    return PassageImport(
        collection=added.collection.name,
        source=source.name,
        format=source.format,
        documents=len(source.documents),
        passages=len(added.ids),
        doubles=added.doubles,
        empties=drafted.empties,
        split=drafted.split,
        longest=drafted.longest,
        size=lengths.size,
        overlap=lengths.overlap,
        encoding=source.encoding,
        encoding_sureness=source.encoding_sureness,
        other_encodings=source.other_encodings,
        columns=source.columns,
        unused_columns=source.unused_columns,
        warnings=source.warnings,
        first_ids=added.ids[:FIRST_IDS],
    )


def _drafted(source: Source, lengths: Lengths) -> _Drafted:
    """The passages of every document, before the store compares them."""
    drafts: list[PassageDraft] = []
    empties = several = longest = 0
    for number, document in enumerate(source.documents, start=1):
        if is_blank(document.text):
            empties += 1
            continue
        spans = word_spans(document.text)
        parts = parts_of(document.text, spans, lengths)
        longest, several = max(longest, len(spans)), several + (len(parts) > 1)
        for place, part in enumerate(parts, start=1):
            text = document.text[part.start : part.end]
            if not is_blank(text):
                drafts.append(PassageDraft(text, document.title, source.name, number, place))
    return _Drafted(drafts, empties, several, longest)
