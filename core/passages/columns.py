"""Which columns of a table are the title and the text of a passage."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..curation.files.cells import texts_of
from ..curation.files.grid import Cells
from ..curation.files.tables import FileTable, commas
from ..curation.mapping import find_column, unknown_column
from ..errors import InvalidInput
from ..text import short

TITLES = ("title", "name", "heading")
"""What a column of titles may be called, the clearest first."""

TEXTS = ("text", "passage", "body", "contents", "content", "document", "paragraph")
"""What a column of texts may be called, the clearest first."""

_KEYS = ("text", "title")


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of texts and titles, None where there are none, `guessed` from their names."""

    text: str
    title: str | None = None
    guessed: bool = True

    def unused(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The other columns."""
        return tuple(name for name in columns if name not in (self.text, self.title))


class NoTextColumn(InvalidInput):
    """No column is called as a text may be; `columns` are those there are."""

    columns: tuple[str, ...] = ()


def has_texts(columns: Sequence[str]) -> bool:
    """Whether one of the columns is called as a text may be."""
    return _named(columns, TEXTS) is not None


def columns_of(table: FileTable, mapping: str | Columns | None = None) -> Columns:
    """The columns of title and text, chosen or as a person wrote them: `text=COLUMN,title=COLUMN`.

    None guesses from the names of the table's columns; the only one is its text.

    Raises:
        InvalidInput: The mapping has an unknown key or column or lacks the text, or no column is
            called as a text may be.
    """
    if isinstance(mapping, Columns):
        return mapping
    if mapping is not None:
        return _written(table, mapping)
    text = _named(table.columns, TEXTS)
    if text is None and len(table.columns) == 1:
        text = table.columns[0]
    if text is None:
        unknown = NoTextColumn(
            f"No column of {table.name or 'the table'} is called as a text may be "
            f"({commas(TEXTS)}): its columns are {commas(table.columns)}; name one with "
            "text=COLUMN, and with title=COLUMN the one of the titles."
        )
        unknown.columns = tuple(table.columns)
        raise unknown
    others = [name for name in table.columns if name != text]
    return Columns(text, _named(others, TITLES))


def title_and_text(row: Cells, columns: Columns, number: int, name: str) -> tuple[str, str]:
    """The title and the text of a row; a list of texts becomes lines of one.

    Its number, from 1, and its file's name are for the message.

    Raises:
        InvalidInput: A cell is an object, or a list of other things than texts.
    """
    title = "" if columns.title is None else _cell(row, columns.title, " ", number, name)
    return title.strip(), _cell(row, columns.text, "\n", number, name)


def _cell(row: Cells, column: str, between: str, number: int, name: str) -> str:
    try:
        return between.join(texts_of(row.get(column)))
    except ValueError as error:
        raise InvalidInput(
            f'{name}: row {number:,} has {error} in the column "{short(column)}": name another '
            "column with text=COLUMN or title=COLUMN."
        ) from error


def _named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The column that has the first of the names that any has, compared without case."""
    folded = {column.strip().casefold(): column for column in reversed(columns)}
    return next((folded[name] for name in names if name in folded), None)


def _written(table: FileTable, mapping: str) -> Columns:
    chosen: dict[str, str] = {}
    last = ""
    for piece in mapping.split(","):
        key, equals, value = piece.partition("=")
        known = key.strip().lower()
        if equals and known in _KEYS and known not in chosen:
            chosen[known], last = value, known
        elif last and not equals:
            chosen[last] += f",{piece}"  # a column whose name contains a comma
        else:
            raise InvalidInput(
                f'"{short(piece)}" in the mapping is not understood: write text=COLUMN, and '
                "title=COLUMN where there are titles, each once."
            )
    found = {key: _column(value, table) for key, value in chosen.items()}
    if "text" not in found:
        raise InvalidInput(
            f'The mapping "{short(mapping, 200)}" names no column for the text: write text=COLUMN '
            f"with one of {commas(table.columns)}."
        )
    return Columns(found["text"], found.get("title"), guessed=False)


def _column(name: str, table: FileTable) -> str:
    found = find_column(name, table)
    if found is None:
        raise unknown_column(name.strip(), table)
    return found
