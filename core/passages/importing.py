"""A file into a collection of passages, all of it or nothing, and the report of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..curation.files.decoding import Sureness
from ..curation.files.tables import commas
from ..errors import InvalidInput
from ..recorded import Recorded
from ..store import PassageDraft, Store
from ..text import is_blank, short
from ..watcher import NOBODY, Watcher
from .columns import Columns
from .reading import Source
from .splitting import USUAL, Lengths, parts_of, word_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageImport(Recorded):
    """What an import read (see `Source`), added and left out.

    `documents` were read, of which `empties` have no text and `split` became several passages, the
    `longest` with so many words; `passages` were added, and `doubles` left out because the
    collection, or the file before, has them. `first_ids` are those of the first, six at most.
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

    def sentences(self, *, flags: bool = True) -> Iterator[str]:
        """What happened: how it was read, split, left out; without `flags` no advice on one."""
        if flags and self.encoding_sureness is Sureness.UNSURE:
            others = ", ".join(self.other_encodings)
            yield (
                f"{self.source} was read as {self.encoding}, which is unsure"
                f"{f' (it could be {others})' if others else ''}: look at the passages, and where "
                "letters are wrong, remove the collection and name another with --encoding NAME."
            )
        yield from self.warnings
        if self.columns is not None:
            yield self._columns()
        if self.split:
            yield (
                f"Documents longer than {self.size:,} words, which became several passages: "
                f"{self.split:,} of {self.documents:,}; the longest has {self.longest:,} words, "
                f"and a passage repeats {self.overlap:,} words of the one before."
            )
        if self.empties:
            yield f"Documents left out because they have no text: {self.empties:,}."
        if self.doubles:
            yield (
                f"Passages left out because the collection has the same title and text: "
                f"{self.doubles:,}."
            )

    def _columns(self) -> str:
        assert self.columns is not None
        title = self.columns.title
        titles = f'titles from "{short(title)}"' if title is not None else "no titles"
        guessed = ", a guess from the names" if self.columns.guessed else ""
        sentence = f'Texts are from the column "{short(self.columns.text)}", {titles}{guessed}.'
        if not self.unused_columns:
            return sentence
        return f"{sentence} Columns that are not used: {commas(self.unused_columns)}."


_BLOCK = 500
"""Documents split between two looks at whether to stop."""
FIRST_IDS = 6
"""How many of the new ids a report names."""


def import_documents(
    store: Store, source: Source, name: str, lengths: Lengths = USUAL, watcher: Watcher = NOBODY
) -> PassageImport:
    """Split a file's documents and add the passages to a collection, made where there is none.

    Raises:
        InvalidInput: The name is empty, or no document has a text. Nothing is written then.
        Cancelled: The watcher asked to stop before the passages were written.
    """
    drafts: list[PassageDraft] = []
    empties = several = longest = 0
    watcher.on_phase("splitting documents")
    for done, (words, new) in enumerate(parts(source, lengths), start=1):
        longest, several = max(longest, words), several + (len(new) > 1)
        empties += not words
        drafts += new
        if done % _BLOCK == 0 or done == len(source.documents):
            watcher.checkpoint("The import was cancelled; nothing was written.")
            watcher.advance(done, len(source.documents))
    if not drafts:
        raise InvalidInput(f"{source.name} has no text ({empties:,} empty): nothing to import.")
    watcher.on_phase(f"writing {len(drafts):,} passages")
    added = store.passages.add(name, drafts)
    return PassageImport(
        collection=added.collection.name,
        source=source.name,
        format=source.format,
        documents=len(source.documents),
        passages=len(added.ids),
        doubles=added.doubles,
        empties=empties,
        split=several,
        longest=longest,
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


def parts(source: Source, lengths: Lengths) -> Iterator[tuple[int, list[PassageDraft]]]:
    """Of each document its words, 0 for one without a text, and its passages."""
    for number, document in enumerate(source.documents, start=1):
        if is_blank(document.text):
            yield 0, []
            continue
        spans = word_spans(document.text)
        texts = [document.text[p.start : p.end] for p in parts_of(document.text, spans, lengths)]
        yield (
            len(spans),
            [
                PassageDraft(text, document.title, source.name, number, place)
                for place, text in enumerate(texts, start=1)
                if not is_blank(text)
            ],
        )


def cut_sentence(cut: Sequence[int], passages: int) -> str:
    """How many of so many passages the encoder's window cuts, by their ids; empty for none."""
    if not cut:
        return ""
    named = commas([str(number) for number in cut], 10)
    return (
        f"Passages longer than the encoder's window: {len(cut):,} of {passages:,} (ids {named}); "
        "only their beginnings count in a dense search: import with a smaller --size."
    )
