"""Which columns of a table have the query, the answers and the rest: written down and checked."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from ..demonstration.fields import COLUMNS, PLAIN
from ..errors import InvalidInput
from ..recorded import Recorded
from ..text import short
from .files.tables import FileTable, commas

_LISTS = tuple(field.name for field in PLAIN if COLUMNS[field.name] == "texts")
_TEXTS = tuple(field.name for field in PLAIN if COLUMNS[field.name] == "text")
MANY = ("answer", "incorrect", "incorrect_kinds", *_LISTS, "options", "split_in")
"""What may be spread over several columns: answer1, answer2, ..."""
KEYS = (
    "query", "answer", "incorrect", *_LISTS, "best", "status", *_TEXTS, "split", "split_in",
    "incorrect_kinds",
    "options", "first", "right", "empty", "strip",
)  # fmt: skip
"""The keys of a mapping, in the order in which they are written."""

Columns: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""For some fields, by name, their columns."""

WHOLE = ""
"""The `split` that keeps every cell whole."""
LINE_END = r"\n"
"""The `split` at the ends of lines, as it is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping(Recorded):
    """The columns from which demonstrations are made.

    Attributes:
        query: The column of queries; the texts of several columns are joined, a line each.
        answer: Columns of correct answers; a cell may have one or a list. Where there are options,
            what says which are right: letters, positions or texts, or a value for each option.
        incorrect: Columns of incorrect answers; a cell may have one or a list.
        plain: For each of the fields `PLAIN` that the file has its columns: several for a list,
            such as tags, and one for a text, such as a note.
        best: Column that names the best of the row's answers, or is true on the best one.
        status: Column of included, excluded or pinned, or of an annotator's verdict.
        split: The separator of answers (and tags) within one cell; None splits only lists that are
            written out in formats without lists, and `WHOLE` not even these.
        split_in: The only columns whose cells it separates; none for all of them.
        incorrect_kinds: Columns of the incorrect answers' kinds, one for each of the row's.
        options: Columns of candidates, of which some are right: one with all, one for each, or one
            with one in each row.
        first: The number from which the positions of options count, 0 or 1; None finds it from
            them.
        right: Which values beside options mean right (`candidates.verdicts.parse_right`), or one of
            `candidates.quiz.Key` where they could be meant in several ways; None takes words such
            as true, yes and 1.
        empty: Words that stand for an empty cell, such as `NULL`; such texts are left out.
        strip: Whether texts lose the white space around them, and queries and answers the marks
            in which all of them end (`leftovers`).
        joined: Whether the texts of the columns of answers are one answer, a line each.
    """

    query: tuple[str, ...]
    answer: tuple[str, ...]
    incorrect: tuple[str, ...] = ()
    plain: Columns = ()
    best: str | None = None
    status: str | None = None
    split: str | None = None
    split_in: tuple[str, ...] = ()
    incorrect_kinds: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    first: int | None = None
    right: str | None = None
    empty: tuple[str, ...] = ()
    strip: bool = False
    joined: bool = False

    def __str__(self) -> str:
        """The mapping as `parse_mapping` reads it."""
        parts = []
        for key, value in self.to_json().items():
            if key == "query":
                parts.append(f"query={'+'.join(value)}")
            elif key == "split" and value == WHOLE:
                parts.append("split=none")
            elif isinstance(value, bool):
                parts += ["strip=yes"] if value and key == "strip" else []
            elif key == "answer" and self.joined:
                parts.append(f"answer={'+'.join(value)}")
            elif isinstance(value, tuple):
                parts += [f"{key}={'|'.join(value)}"] if value else []
            elif value is not None:
                parts.append(f"{key}={value}")
        return ",".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Each of `KEYS` with its columns, or its one column or null."""
        plain: dict[str, Any] = dict.fromkeys(_LISTS, ())
        plain |= dict.fromkeys(_TEXTS)
        plain |= {name: found if name in _LISTS else found[0] for name, found in self.plain}
        written = {key: plain[key] if key in plain else getattr(self, key) for key in KEYS}
        return written | ({"joined": True} if self.joined else {})

    def columns_of(self, name: str) -> tuple[str, ...]:
        """The columns of a field, or of the options; none where the file does not have it."""
        found = self.to_json()[name]
        return found if isinstance(found, tuple) else (found,) if found else ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the mapping uses, once each."""
        return tuple(
            dict.fromkeys(
                column for name in (*COLUMNS, "options") for column in self.columns_of(name)
            )
        )


def parse_mapping(text: str, table: FileTable) -> Mapping:
    """The mapping written as `query=COL,answer=COL|COL,...`; columns it leaves out are not used.

    Columns may contain commas and equals signs; case matters only where the table needs it.
    `query=COL+COL` joins columns, and so does `answer=COL+COL`. `split=;` splits the answers of a
    cell and `split=LINE_END` at the ends of its lines, only in the columns of `split_in=COL|COL` if
    there are any; `split=none` keeps every cell whole. `options=COL` names candidates, `first=0` or
    `first=1` the number from which the answers count them, and `right=highest`, `lowest`, `>=N`,
    `<=N` or `WORD|WORD` the values that
    mean right. `empty=WORD|WORD` leaves such texts out, and `strip=yes` takes white space and marks
    around texts away.

    Raises:
        InvalidInput: An unknown key or column, a key twice, or no query or answer.
    """
    written = _pairs(text)
    split = written.pop("split", None)
    first = written.pop("first", None)
    right = written.pop("right", None)
    empty = written.pop("empty", "").split("|")
    strip = written.pop("strip", "no")
    chosen = {key: _named_columns(key, value, table) for key, value in written.items()}
    for key in ("query", "answer"):
        if not chosen.get(key):
            raise InvalidInput(
                f'The mapping "{short(text, 200)}" names no column for {key}: write query=COLUMN,'
                f"answer=COLUMN with columns among {commas(table.columns)}."
            )
    mapping = Mapping(
        query=chosen["query"],
        answer=chosen["answer"],
        incorrect=chosen.get("incorrect", ()),
        plain=plain_columns(chosen),
        best=next(iter(chosen.get("best", ())), None),
        status=next(iter(chosen.get("status", ())), None),
        split=default_split(table) if split is None else _split_letters(split),
        split_in=chosen.get("split_in", ()),
        incorrect_kinds=chosen.get("incorrect_kinds", ()),
        options=chosen.get("options", ()),
        first=None if first is None else _first_number(first),
        right=None if right is None else right.strip(),
        empty=tuple(word.strip() for word in empty if word.strip()),
        strip=_yes_or_no(strip),
        joined=_joins(written["answer"], table),
    )
    return checked_mapping(mapping, table)


def plain_columns(found: dict[str, tuple[str, ...]]) -> Columns:
    """The `plain` of a mapping: what was found for each of the fields `PLAIN`, if anything."""
    return tuple((field.name, found[field.name]) for field in PLAIN if found.get(field.name))


def checked_mapping(mapping: Mapping, table: FileTable) -> Mapping:
    """The mapping itself, when its columns are the table's and no column has two meanings.

    Raises:
        InvalidInput: A column that is missing, or query, answer and incorrect overlap.
    """
    for name in mapping.columns:
        if name not in table.columns:
            raise unknown_column(name, table)
    for meaning in ("query", "answer"):
        if not getattr(mapping, meaning):
            raise InvalidInput(
                f"The mapping names no column for {meaning}: choose among {commas(table.columns)}."
            )
    texts = [
        name
        for columns in (mapping.query, mapping.answer, mapping.incorrect, mapping.options)
        for name in dict.fromkeys(columns)
    ]
    for name in texts:
        if texts.count(name) > 1:
            raise InvalidInput(
                f'The column "{short(name)}" is mapped to more than one of query, answer, '
                f"incorrect and options: choose different ones among {commas(table.columns)}."
            )
    if mapping.joined and mapping.options:
        raise InvalidInput(
            "Joined columns cannot say which options are right: name one column for the answer, or "
            "several with | between them."
        )
    if mapping.right is not None and not mapping.options:
        raise InvalidInput(
            f'"right={short(mapping.right)}" says which options are right, and the mapping names '
            "none: add options=COLUMN, or leave it out."
        )
    return mapping


def default_split(table: FileTable) -> str | None:
    """The default separator within cells: semicolons in TruthfulQA's format."""
    return ";" if table.format == "truthfulqa" else None


def _pairs(text: str) -> dict[str, str]:
    written: dict[str, str] = {}
    last = ""
    for piece in text.split(","):
        key, equals, value = piece.partition("=")
        key = key.strip().lower()
        if equals and key in KEYS:
            if key in written and key not in MANY:
                raise InvalidInput(
                    f'The mapping "{short(text, 200)}" names {key} twice: name it once.'
                )
            written[key] = f"{written[key]}|{value}" if key in written else value
            last = key
        elif last and (not equals or last == "split" or not key.isidentifier()):
            written[last] += f",{piece}"  # a column whose name contains a comma
        else:
            raise InvalidInput(
                f'"{short(piece)}" in the mapping is not understood: write KEY=COLUMN with the '
                f"keys {', '.join(KEYS)}."
            )
    return written


def _named_columns(key: str, value: str, table: FileTable) -> tuple[str, ...]:
    whole = find_column(value, table)
    if whole is not None:
        return (whole,)
    parts = dict.fromkeys(MANY, "|") | {"query": "+"}
    if key == "answer" and _joins(value, table):
        parts[key] = "+"
    names = [name for name in value.split(parts[key]) if name.strip()] if key in parts else [value]
    found = []
    for name in names:
        column = find_column(name, table)
        if column is None:
            raise unknown_column(name.strip(), table)
        found.append(column)
    return tuple(dict.fromkeys(found))


def _joins(value: str, table: FileTable) -> bool:
    """Whether these columns are written to be one answer: A+B, unless a column is so called."""
    return "+" in value and "|" not in value and find_column(value, table) is None


def find_column(name: str, table: FileTable) -> str | None:
    """The table's column of that name, or the only one that differs in case or outer spaces."""
    if name in table.columns:
        return name
    folded = [
        column for column in table.columns if column.strip().casefold() == name.strip().casefold()
    ]
    exact = [column for column in folded if column.strip() == name.strip()]
    matches = exact or folded
    return matches[0] if len(matches) == 1 else None


def _split_letters(value: str) -> str:
    if value.strip().lower() in {"none", ""}:
        return WHOLE
    return value.strip()


def _yes_or_no(value: str) -> bool:
    if value.strip().lower() not in ("yes", "no"):
        raise InvalidInput(
            f'"strip={short(value)}" is not understood: write strip=yes or strip=no.'
        )
    return value.strip().lower() == "yes"


def _first_number(value: str) -> int:
    if value.strip() not in {"0", "1"}:
        raise InvalidInput(
            f'"first={short(value)}" is not understood: positions count from 0 or from 1, so write '
            "first=0 or first=1."
        )
    return int(value)


def unknown_column(name: str, table: FileTable) -> InvalidInput:
    """The error for a name that no column of the table has."""
    return InvalidInput(
        f'There is no column "{short(name)}" in {table.name or "the table"}: its columns are '
        f"{commas(table.columns)}."
    )
