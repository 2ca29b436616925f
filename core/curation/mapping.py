"""Which columns of a table hold the query, the answers and the rest: guessed, shown, corrected."""

import re
from dataclasses import dataclass, fields

from ..errors import InvalidInput
from ..types import Status
from .files.tables import Table, listed, short

_SYNONYMS: dict[str, tuple[str, ...]] = {
    "query": ("query", "question", "prompt", "instruction", "input", "problem", "text", "story"),
    "answer": (
        "answers", "correct_answers", "answer", "correct_answer", "correct", "response",
        "output", "completion", "target", "best_answer",
    ),
    "incorrect": (
        "incorrect", "incorrect_answers", "incorrect_answer", "wrong", "wrong_answers",
        "wrong_answer", "distractors", "distractor",
    ),
    "incorrect_kinds": ("incorrect_kinds", "incorrect_kind"),
    "tags": ("tags", "tag", "category", "categories", "label", "labels", "topic", "topics"),
    "best": ("best", "best_answer"),
    "status": ("status",),
    "note": ("note", "notes"),
}  # fmt: skip
"""Names of columns by what they mean, the most telling first."""

_MANY = ("answer", "incorrect", "incorrect_kinds", "tags")
"""What may be spread over several columns: answer1, answer2, ..."""


@dataclass(frozen=True, slots=True)
class Mapping:
    """The columns from which demonstrations are made.

    Attributes:
        query: The column of queries.
        answer: Columns of correct answers; a cell may hold one or a list.
        incorrect: Columns of incorrect answers; a cell may hold one or a list.
        tags: Columns of tags.
        best: Column that names the best of the row's answers, or says true on the best one.
        status: Column of included or excluded.
        note: Column of free text.
        incorrect_kinds: Columns of the incorrect answers' kinds, one for each of the row's.
        split: Letters that part the answers (and tags) within one cell; None parts nothing.
    """

    query: str
    answer: tuple[str, ...]
    incorrect: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    best: str | None = None
    status: str | None = None
    note: str | None = None
    split: str | None = None
    incorrect_kinds: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The mapping as `parse_mapping` reads it."""
        parts = []
        for key in (field.name for field in fields(self)):
            value = getattr(self, key)
            if value:
                parts.append(f"{key}={value if isinstance(value, str) else '|'.join(value)}")
        return ",".join(parts)


def guess_mapping(table: Table) -> Mapping:
    """The mapping that the names of the columns suggest.

    Raises:
        InvalidInput: No column looks like a query, or none like an answer.
    """
    found: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    for meaning in _SYNONYMS:
        columns = _columns_meaning(meaning, [name for name in table.columns if name not in taken])
        if meaning == "status":  # many tables have a status of their own
            columns = tuple(name for name in columns if _holds_status(table, name))
        found[meaning] = columns
        taken.update(columns)
    for meaning in ("query", "answer"):
        if not found[meaning]:
            raise InvalidInput(
                f"No column of {table.name or 'the table'} looks like the {meaning}; its columns "
                f"are {listed(table.columns)}: say which is which, as in "
                "query=COLUMN,answer=COLUMN."
            )
    return Mapping(
        query=found["query"][0],
        answer=found["answer"],
        incorrect=found["incorrect"],
        tags=found["tags"],
        best=next(iter(found["best"]), None),
        status=next(iter(found["status"]), None),
        note=next(iter(found["note"]), None),
        split=_default_split(table),
        incorrect_kinds=found["incorrect_kinds"] if found["incorrect"] else (),
    )


def parse_mapping(text: str, table: Table) -> Mapping:
    """The mapping that `query=COL,answer=COL|COL,...` says; what it leaves out is not used.

    Columns may hold commas and equals signs; upper and lower case are told apart only where the
    table needs it. `split=;` parts the answers of a cell, `split=none` keeps them whole.

    Raises:
        InvalidInput: An unknown key or column, a key twice, or no query or answer.
    """
    said = _pairs(text)
    split = said.pop("split", None)
    chosen = {key: _named_columns(key, value, table) for key, value in said.items()}
    for key in ("query", "answer"):
        if not chosen.get(key):
            raise InvalidInput(
                f'The mapping "{short(text, 200)}" names no column for {key}: write query=COLUMN,'
                f"answer=COLUMN with columns among {listed(table.columns)}."
            )
    mapping = Mapping(
        query=chosen["query"][0],
        answer=chosen["answer"],
        incorrect=chosen.get("incorrect", ()),
        tags=chosen.get("tags", ()),
        best=next(iter(chosen.get("best", ())), None),
        status=next(iter(chosen.get("status", ())), None),
        note=next(iter(chosen.get("note", ())), None),
        split=_default_split(table) if split is None else _split_letters(split),
        incorrect_kinds=chosen.get("incorrect_kinds", ()),
    )
    return checked_mapping(mapping, table)


def checked_mapping(mapping: Mapping, table: Table) -> Mapping:
    """The mapping itself, when its columns are the table's and no column has two meanings.

    Raises:
        InvalidInput: A column that is missing, or query, answer and incorrect overlap.
    """
    single = [name for name in (mapping.best, mapping.status, mapping.note) if name]
    many = (column for meaning in _MANY for column in getattr(mapping, meaning))
    for name in (mapping.query, *many, *single):
        if name not in table.columns:
            raise _unknown_column(name, table)
    if not mapping.answer:
        raise InvalidInput(
            f"The mapping names no column for answer: choose among {listed(table.columns)}."
        )
    texts = (mapping.query, *dict.fromkeys(mapping.answer), *dict.fromkeys(mapping.incorrect))
    for name in texts:
        if texts.count(name) > 1:
            raise InvalidInput(
                f'The column "{short(name)}" is mapped to more than one of query, answer and '
                f"incorrect: choose different ones among {listed(table.columns)}."
            )
    return mapping


def _columns_meaning(meaning: str, columns: list[str]) -> tuple[str, ...]:
    """The columns of the first synonym that occurs: one by its name, or a numbered series."""
    for synonym in _SYNONYMS[meaning]:
        same = tuple(name for name in columns if _plain(name) == synonym)
        if same:  # `answer` and `answer (2)`, which was a second `answer` in the file
            return same if meaning in _MANY else same[:1]
        series = tuple(name for name in columns if re.fullmatch(rf"{synonym}_?\d+", _plain(name)))
        if series and meaning in _MANY:
            return series
    return ()


def _plain(column: str) -> str:
    without_copy = re.sub(r" \(\d+\)$", "", column.strip())
    return re.sub(r"[\W_]+", "_", without_copy.casefold()).strip("_")


def _holds_status(table: Table, column: str) -> bool:
    said = {str(row.get(column) or "").strip().lower() for row in table.rows}
    return said <= {"", *Status}


def _default_split(table: Table) -> str | None:
    return ";" if table.format == "truthfulqa" else None


def _pairs(text: str) -> dict[str, str]:
    keys = [field.name for field in fields(Mapping)]
    said: dict[str, str] = {}
    last = ""
    for piece in text.split(","):
        key, equals, value = piece.partition("=")
        key = key.strip().lower()
        if equals and key in keys:
            if key in said and key not in _MANY:
                raise InvalidInput(
                    f'The mapping "{short(text, 200)}" names {key} twice: name it once.'
                )
            said[key] = f"{said[key]}|{value}" if key in said else value
            last = key
        elif last and (not equals or last == "split" or not key.isidentifier()):
            said[last] += f",{piece}"  # a column whose name holds a comma
        else:
            raise InvalidInput(
                f'"{short(piece)}" in the mapping is not understood: write KEY=COLUMN with the '
                f"keys {', '.join(keys)}."
            )
    return said


def _named_columns(key: str, value: str, table: Table) -> tuple[str, ...]:
    whole = _find_column(value, table)
    if whole is not None:
        return (whole,)
    names = [name for name in value.split("|") if name.strip()] if key in _MANY else [value]
    found = []
    for name in names:
        column = _find_column(name, table)
        if column is None:
            raise _unknown_column(name.strip(), table)
        found.append(column)
    return tuple(dict.fromkeys(found))


def _find_column(name: str, table: Table) -> str | None:
    if name in table.columns:
        return name
    alike = [
        column for column in table.columns if column.strip().casefold() == name.strip().casefold()
    ]
    exact = [column for column in alike if column.strip() == name.strip()]
    matches = exact or alike
    return matches[0] if len(matches) == 1 else None


def _split_letters(value: str) -> str | None:
    if value.strip().lower() in {"none", ""}:
        return None
    return value.strip()


def _unknown_column(name: str, table: Table) -> InvalidInput:
    return InvalidInput(
        f'There is no column "{short(name)}" in {table.name or "the table"}: its columns are '
        f"{listed(table.columns)}."
    )
