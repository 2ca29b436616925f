"""The report of an import of passages in sentences: what happened to the file, and what to do."""

from collections.abc import Iterator, Sequence

from ..curation.files.encodings.decoding import Sureness
from ..curation.files.tables import commas
from ..text import short
from .importing import PassageImport


def import_sentences(report: PassageImport) -> Iterator[str]:
    """How the file was read, what was split and what was left out; only what happened."""
    if report.encoding_sureness is Sureness.UNSURE:
        others = ", ".join(report.other_encodings)
        yield (
            f"{report.source} was read as {report.encoding}, which is unsure"
            f"{f' (it could be {others})' if others else ''}: look at the passages, and where "
            "letters are wrong, remove the collection and name another with --encoding NAME."
        )
    yield from report.warnings
    if report.columns is not None:
        yield _columns(report)
    if report.split:
        yield (
            f"Documents longer than {report.size:,} words, which became several passages: "
            f"{report.split:,} of {report.documents:,}; the longest has {report.longest:,} words, "
            f"and a passage repeats {report.overlap:,} words of the one before."
        )
    if report.empties:
        yield f"Documents left out because they have no text: {report.empties:,}."
    if report.doubles:
        yield (
            f"Passages left out because the collection has the same title and text: "
            f"{report.doubles:,}."
        )


def cut_sentence(cut: Sequence[int], passages: int) -> str:
    """How many passages are longer than the encoder's window, by their ids; empty for none.

    Args:
        cut: Their ids.
        passages: How many were looked at.
    """
    if not cut:
        return ""
    named = commas([str(number) for number in cut], 10)
    return (
        f"Passages longer than the encoder's window: {len(cut):,} of {passages:,} (ids {named}); "
        "only their beginnings count in a dense search: import with a smaller --size."
    )


def _columns(report: PassageImport) -> str:
    assert report.columns is not None
    title = report.columns.title
    titles = f'titles from "{short(title)}"' if title is not None else "no titles"
    guessed = ", a guess from the names" if report.columns.guessed else ""
    sentence = f'Texts are from the column "{short(report.columns.text)}", {titles}{guessed}.'
    if not report.unused_columns:
        return sentence
    return f"{sentence} Columns that are not used: {commas(report.unused_columns)}."
