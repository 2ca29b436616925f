"""What the columns of a table mean, guessed from names and cells; a file read as that table."""

import os
import re
from collections.abc import Sequence
from functools import partial

from ..demonstration.fields import FIELD, PLAIN
from ..errors import InvalidInput
from .candidates.columns import Candidates
from .candidates.questions import (
    Unclear,
    ask_about,
    ask_about_labels,
    guess_judged,
    refuse_if_judged,
)
from .candidates.verdicts import verdict_of
from .files.grid import Grid, plain
from .files.tables import FileTable, ReadingChoices, commas, table_in
from .guess_by_words import guess_by_words, query_by_words
from .mapping import MANY, Mapping, checked_mapping, default_split, parse_mapping, plain_columns
from .rows import are_statuses, status_of

_LABELS = (
    "label_text", "label_name", "label", "labels", "class_name", "class", "sentiment", "intent",
    "category", "target", "coarse_label", "label_coarse",
)  # fmt: skip
"""What a classification set may call the column of labels; names are clearer than numbers."""

_TAGS_BESIDE_LABELS = (
    "fine_label", "label_fine", "tags", "tag", "category", "categories", "topic", "topics",
)  # fmt: skip
"""Its tags: a `label` beside a `label_text` repeats it and is none."""

_LABELLED_TEXTS = (
    *FIELD["query"].synonyms, "sentence", "review", "content", "utterance", "document", "tweet",
    "comment", "message", "headline", "review_text", "review_body", "body", "abstract",
)  # fmt: skip
"""What it may call the text that has a label."""

_TWO_PARTS = (
    ("instruction", "input"),
    ("instruction", "context"),
    *((text, "question") for text in ("passage", "context", "article", "paragraph", "premise")),
)
"""Columns that make up the query together, in this order."""

_QUIZ_QUERIES = ("question_stem", "stem", "ctx", "goal", "sentence", "premise")
"""What a quiz may call its query besides."""


def guess_mapping(table: FileTable, *, cells: bool = True) -> Mapping:
    """The mapping that the columns suggest.

    Args:
        table: The table.
        cells: Whether the cells may decide which column is what where no name does.

    Raises:
        InvalidInput: No column looks like a query, or none like an answer.
        Undecided: The same, or several look alike; it has what is decided.
        Unclear: Some column may say which answers are right.
    """
    map_with = partial(_judged_mapping, table)
    judged = guess_judged(table, map_with)
    if isinstance(judged, Mapping):
        return judged
    try:
        answers, labelled = _guess_answers(table, cells=cells)
    except InvalidInput:
        ask_about(table, judged, None, map_with)
        raise
    ask_about(table, judged, answers, map_with)
    if labelled:
        ask_about_labels(table, answers, map_with)
    return refuse_if_judged(table, answers, map_with, labelled=labelled)


def _guess_answers(table: FileTable, *, cells: bool) -> tuple[Mapping, bool]:
    """The mapping of a table whose answers are all right, and whether these are labels."""
    found: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    verdict = _verdict_column(table)
    for meaning in FIELD:
        free = [name for name in table.columns if name not in taken]
        if meaning in ("answer", "best"):
            free = [name for name in free if name != verdict]
            # `correct` may be the answer, or say whether another column's text is.
            others = [name for name in free if not _is_flag(table, name)]
            free = others if _columns_meaning(meaning, others) else free
        columns = _columns_meaning(meaning, free)
        if meaning == "status":  # many tables have a status of their own
            columns = tuple(name for name in columns if _has_only_statuses(table, name))
        found[meaning] = columns
        taken.update(columns)
    if verdict is None and not (found["query"] and found["answer"]):
        with_labels = _guess_labelled(table, found["answer"])
        if with_labels is not None:
            return with_labels, True
    if verdict is not None and not found["answer"]:
        raise InvalidInput(
            f'The column "{verdict}" of {table.name or "the table"} contains verdicts '
            f"({commas(sorted(_words(table, verdict)))}), not answers; its columns are "
            f"{commas(table.columns)}: name the one with the answers, as in "
            f"query={found['query'][0] if found['query'] else 'COLUMN'},answer=COLUMN,"
            f"status={verdict}, or answer={verdict} where the verdicts are the answers."
        )
    labelled, split = False, default_split(table)
    split_in: tuple[str, ...] = ()
    if not (found["query"] and found["answer"]):
        guess = guess_by_words(table, found, cells=cells)
        found |= guess.columns
        taken = {name for columns in found.values() for name in columns}
        labelled = guess.labelled
        if guess.split and split is None:
            split, split_in = guess.split, found["incorrect"]
    mapping = Mapping(
        query=_parts_of_query(table, found["query"], taken),
        answer=found["answer"],
        incorrect=found["incorrect"],
        plain=plain_columns(found),
        best=next(iter(found["best"]), None),
        status=next(iter(found["status"]), verdict),
        split=split,
        split_in=split_in,
        incorrect_kinds=found["incorrect_kinds"] if found["incorrect"] else (),
    )
    return mapping, labelled


def _judged_mapping(
    table: FileTable, candidates: Candidates, judge: tuple[str, ...]
) -> Mapping | None:
    """The mapping with these columns of candidates, and those that judge them as the answer.

    None where no column is left for the query.
    """
    taken = {*candidates.columns, *judge}
    free = [name for name in table.columns if name not in taken]
    queries = [
        *_columns_meaning("query", free),
        *(name for name in free if plain(name) in _QUIZ_QUERIES),
    ]
    found = queries[:1] or query_by_words(table, free)
    if not found:
        return None
    query = _parts_of_query(table, found, taken)
    rest = [name for name in free if name not in query]
    verdict = _verdict_column(table)
    rest = [name for name in rest if name != verdict]
    incorrect = _columns_meaning("incorrect", rest)
    return Mapping(
        query=query,
        answer=judge,
        incorrect=incorrect,
        plain=plain_columns(_plain_fields([name for name in rest if name not in incorrect])),
        status=_status_column(table, rest, verdict),
        split=candidates.split or default_split(table),
        options=candidates.columns,
    )


def _guess_labelled(table: FileTable, answer: tuple[str, ...]) -> Mapping | None:
    """The mapping of a classification set, whose answers are labels of texts; else None.

    Args:
        table: The table.
        answer: The columns that are called answers, if any are: the label must be one of them.
    """
    label = _columns_called(_LABELS, answer or table.columns, many=False)
    others = [name for name in table.columns if name not in label]
    texts = _columns_called(_LABELLED_TEXTS, others, many=False)
    if not label or not texts:
        return None
    query = _parts_of_query(table, texts[:1], set(label))
    rest = [name for name in table.columns if name not in (*label, *query)]
    tags = _columns_called(_TAGS_BESIDE_LABELS, rest)
    return Mapping(
        query=query,
        answer=label,
        incorrect=_columns_meaning("incorrect", rest),
        plain=plain_columns(_plain_fields(rest) | {"tags": tags}),
        status=_status_column(table, rest, None),
    )


def _plain_fields(columns: list[str]) -> dict[str, tuple[str, ...]]:
    """The columns of each field that no method or metric uses."""
    return {field.name: _columns_meaning(field.name, columns) for field in PLAIN}


def _status_column(table: FileTable, columns: list[str], verdict: str | None) -> str | None:
    """The column of verdicts, else one of the columns with nothing but statuses."""
    if verdict is not None:
        return verdict
    named = _columns_meaning("status", columns)  # many tables have a status of their own
    return next((name for name in named if _has_only_statuses(table, name)), None)


def _parts_of_query(table: FileTable, found: Sequence[str], taken: set[str]) -> tuple[str, ...]:
    """The columns of the query, with a second one that belongs to a single one."""
    query, *more = found
    if more:
        return tuple(found)
    by_name = {plain(name): name for name in table.columns if name == query or name not in taken}
    for parts in _TWO_PARTS:
        found = tuple(by_name[part] for part in parts if part in by_name)
        if len(found) == len(parts) and query in found and all(map(partial(_words, table), found)):
            return found
    return (query,)


def _verdict_column(table: FileTable) -> str | None:
    """A column that is called answer but has only annotators' verdicts, as Prodigy's does.

    Where another column has the statuses, as in an export, an answer may be any word.
    """
    named_status = (name for name in table.columns if plain(name) == "status")
    if any(are_statuses(_words(table, name)) for name in named_status):
        return None
    for name in table.columns:
        if plain(name) in ("answer", "verdict") and are_statuses(_words(table, name)):
            return name
    return None


def _is_flag(table: FileTable, column: str) -> bool:
    """Whether a column called `correct` or `target` has verdicts, in most of its rows."""
    if not re.fullmatch(r"(?:correct|target)(?:_?\d+)?", plain(column)):
        return False
    words = _words(table, column)
    known = sum(verdict_of(word) is not None or word.endswith("%") for word in words)
    return 2 * known >= len(words)


def _has_only_statuses(table: FileTable, column: str) -> bool:
    return all(status_of(word) is not None for word in _words(table, column))


def _words(table: FileTable, column: str) -> set[str]:
    """The distinct cells of a column, as text."""
    return {str(row.get(column) or "").strip() for row in table.rows} - {""}


def _columns_meaning(meaning: str, columns: list[str]) -> tuple[str, ...]:
    """The columns of the first synonym that occurs: one by its name, or a numbered series."""
    return _columns_called(FIELD[meaning].synonyms, columns, many=meaning in MANY)


def _columns_called(
    names: Sequence[str], columns: Sequence[str], *, many: bool = True
) -> tuple[str, ...]:
    """The columns of the first of the names that occurs; a numbered series only where allowed."""
    for each in names:
        same = tuple(name for name in columns if plain(name) == each)
        if same:  # `answer` and `answer (2)`, which was a second `answer` in the file
            return same if many else same[:1]
        series = tuple(name for name in columns if re.fullmatch(rf"{each}_?\d+", plain(name)))
        if series and many:
            return series
    return ()


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
    mapping: Mapping | str | None = None,
) -> FileTable:
    """The table in a file; text stays text ("NA", "007" and "True" are words, not values).

    Args:
        path: The file; text formats may be gzipped.
        format: One of `FORMATS`; None takes it from the file's name, TruthfulQA from the columns
            of a csv file, and `sent-conv` from the lines of a file with no known extension.
        encoding: The encoding of a text file; None takes its mark, UTF-8, or a guess.
        delimiter: What separates the cells of a csv or tsv file: a letter, or one of comma,
            semicolon, tab and pipe; None takes the one that makes its rows equally long.
        sheet: The sheet of a workbook; None takes the first visible one whose columns fit, else
            the first visible one with rows.
        mapping: Which column is what, where that is known: the table has these columns wherever a
            reading of the file has them.

    Raises:
        InvalidInput: The file is missing, empty, damaged, not of the format, or has no rows; what
            was chosen is unknown, is not the file's, or does not belong to the format.
    """

    def fits(grid: Grid) -> bool:
        return _has_columns(grid, mapping) or _has_queries_and_answers(grid)

    return table_in(path, ReadingChoices(encoding, delimiter, sheet, fits), format=format)


def chosen_mapping(table: FileTable, mapping: Mapping | str | None) -> Mapping:
    """The mapping as it was written or given, or a guessed one where there is none.

    Raises:
        InvalidInput: It does not go with the table, or nothing can be guessed.
    """
    if mapping is None:
        return guess_mapping(table)
    if isinstance(mapping, str):
        return parse_mapping(mapping, table)
    return checked_mapping(mapping, table)


def _has_columns(grid: Grid, mapping: Mapping | str | None) -> bool:
    try:
        return mapping is not None and bool(chosen_mapping(_table(grid), mapping))
    except InvalidInput:
        return False


def _has_queries_and_answers(grid: Grid) -> bool:
    try:
        guess_mapping(_table(grid), cells=False)
    except Unclear:
        return True  # they are there, and only which of them are right is asked
    except InvalidInput:
        return False
    return True


def _table(grid: Grid) -> FileTable:
    return FileTable(columns=grid.columns, rows=grid.rows, encoding="", format="")
