"""Which columns of a table have candidates, and what a column's name says of judging them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from ...demonstration.fields import FIELDS
from ..files.cells import listed_in
from ..files.grid import plain, series
from ..files.tables import FileTable
from .keys import split_options

KEYS = (
    "answerkey", "answer_key", "answer_index", "answer_idx", "answer_letter", "answer_id",
    "correct_index", "correct_option", "correct_choice", "answer", "correct_answer", "correct",
    "label", "gold", "target", "accept", "solution", "answers", "labels", "right", "right_answer",
    "winner", "cop", "key",
)  # fmt: skip
"""What a column that says which candidates are right may be called, the clearest first."""

_CERTAIN = {
    "correct", "iscorrect", "right", "gold", "truth", "true", "label", "labels", "target",
    "targets", "winner", "better", "preferred", "chosen", "selected", "accepted", "key",
    "answerkey", "cop",
}  # fmt: skip
_DOUBTFUL = {
    "wrong", "incorrect", "false", "not", "error", "errors", "bad", "invalid", "rejected",
    "valid", "ok", "good", "accept", "pass", "passed", "success", "verdict", "verdicts",
    "judgement", "judgment", "judgements", "judgments", "judge", "score", "scores", "rating",
    "ratings", "quality", "reward", "rewards", "rank", "ranks", "ranking", "grade", "grades",
    "relevance", "relevant", "helpfulness", "helpful", "correctness", "vote", "preference",
    "outcome", "result", "evaluation", "feedback", "thumbs", "liked", "supported", "faithful",
    "factual", "grounded", "match", "hit", "safe", "unsafe", "toxic", "hallucination",
    "hallucinated", "probability", "confidence", "logprob", "weight", "weights", "choice",
    "best", "truthful", "expected", "reference", "stars", "likert", "usefulness", "useful",
    "accuracy", "ans", "elo", "mos", "rouge", "bleu", "mark", "marks", "marked", "flag",
    "approved", "acceptable", "win", "korrekt", "richtig", "falsch", "bewertung", "punkte",
    "correcto", "correcta", "falso", "vrai", "faux", "juste", "bon", "lösung", "solución",
}  # fmt: skip
_HARMLESS = {
    "id", "ids", "idx", "offset", "start", "end", "length", "len", "count", "counts", "num",
    "number", "n", "time", "timestamp", "date", "created", "updated", "year", "page", "source",
    "sources", "url", "link", "author", "user", "annotator", "worker", "rater", "model",
    "models", "type", "types", "lang", "language", "version", "split", "level", "difficulty",
    "topic", "category", "name", "title", "context", "explanation", "exp", "rationale",
    "reason", "hint", "image", "seed", "fold", "order", "turn", "tokens", "latency", "cost",
    "temperature", "row", "urgent", "urgency", "priority", "hops", "batch", "run", "kinds",
    "group", "week", "unit", "chapter", "section", "age", "price", "tags",
}  # fmt: skip

_OPTIONS = (
    "options", "choices", "endings", "alternatives", "candidates", "possible_answers",
    "answer_options", "answer_choices", "answer_candidates", "mc2_targets", "mc1_targets",
    "mc0_targets", "targets",
)  # fmt: skip
_ANSWERS = (
    "answers", "responses", "completions", "outputs", "replies", "generations", "solutions",
    "hypotheses", "predictions",
)  # fmt: skip
_ONE = re.compile(
    r"(?:answer_|possible_)?(?:option|choice|ending|alternative|sol|opt|op|candidate)s?_?(?:text_)?#"
    r"|#|#_(?:option|choice|answer|response|candidate|completion)"
    r"|(?:model|assistant|system)_#_(?:output|response|answer|completion)"
    r"|(?:.*_)?(?:response|completion|output|reply|generation|solution|hypothesis|prediction|answer|"
    r"ans|ref|assistant|conversation)s?_?(?:text_)?#(?:_text)?"
)
"""One of a series of candidates, its letter or number written #."""


_NEGATIVE = {
    "wrong", "incorrect", "false", "not", "error", "errors", "bad", "invalid", "rejected", "unsafe",
    "toxic", "hallucination", "hallucinated", "falsch", "falso", "faux", "harmful",
}  # fmt: skip

_BESIDE = _HARMLESS - {"context", "model", "models", "name", "n", "type", "unit", "row"}
"""What columns of texts are called that are neither queries nor candidates."""


class Strength(IntEnum):
    """What a column's name says of whether its values judge candidates."""

    HARMLESS = 0
    """They do not."""
    UNKNOWN = 1
    DOUBTFUL = 2
    """They may, or may in part, or say the opposite."""
    CERTAIN = 3


@dataclass(frozen=True, slots=True)
class Candidates:
    """Columns with the candidates of a row.

    Attributes:
        columns: One with all of them, one for each, or one with a single candidate in each row.
        called_options: Whether their name says that some may be wrong; answers may all be right.
        several: Whether some row has several.
        split: What separates them within one cell.
    """

    columns: tuple[str, ...]
    called_options: bool
    several: bool = True
    split: str | None = None


def strength_of(column: str) -> Strength:
    """What the name of a column says of whether its values judge candidates."""
    name = plain(column)
    tokens = set(name.split("_"))
    if name in KEYS or plain(column.rpartition(".")[2]) in KEYS:
        return Strength.CERTAIN
    if tokens & {"level", "question"} and not tokens & _CERTAIN:
        return Strength.HARMLESS
    doubts = tokens & _DOUBTFUL
    if tokens & _CERTAIN and doubts <= {"choice", "answer"}:
        return Strength.CERTAIN
    if doubts:
        return Strength.DOUBTFUL
    return Strength.HARMLESS if tokens & _HARMLESS else Strength.UNKNOWN


def is_negative(column: str) -> bool:
    """Whether the name says the opposite of right."""
    return bool(set(plain(column).split("_")) & _NEGATIVE)


def is_beside(column: str) -> bool:
    """Whether the name says that the column has neither queries nor candidates."""
    return bool(set(plain(column).split("_")) & _BESIDE)


def has_texts(table: FileTable, column: str, *, words: bool, repeated: bool = False) -> bool:
    """Whether the column has texts that may be candidates or queries.

    Names such as `explanation` and `source` say that they are none.

    Args:
        table: The table.
        column: The column.
        words: Whether single words and numbers count, too.
        repeated: Whether the same text may be in most of the rows.
    """
    if is_beside(column):
        return False
    cells = (row.get(column) for row in table.rows)
    texts = [str(cell).strip() for cell in cells if not isinstance(cell, list | dict | bool)]
    texts = [text for text in texts if text and text != "None"]
    long = sum(words or " " in text for text in texts)
    different = repeated or 2 * len(set(texts)) >= len(texts)
    return 2 * long >= len(table.rows) and different


def candidates_in(table: FileTable) -> Iterator[Candidates]:
    """The columns that may have several candidates in a row, the clearest first."""
    names = (*_OPTIONS, *_ANSWERS)
    ranked: list[tuple[int, Candidates]] = []
    for column in table.columns:
        rank = min((names.index(part) for part in _names_of(column) if part in names), default=None)
        if rank is not None and (split := separator_in(table, column)) is not None:
            options = names[rank] in _OPTIONS
            ranked.append((rank, Candidates((column,), options, split=split or None)))
        elif rank is None and _has_values_beside(table, column):
            ranked.append((len(names), Candidates((column,), called_options=False)))
    for template, columns in series(table.columns).items():
        if _ONE.fullmatch(template) and _have_several(table, columns):
            called = re.search(r"answer|response|completion|output|reply|solution", template)
            options = called is None or bool(re.search(r"option|choice", template))
            rank = len(_OPTIONS) if options else len(names)
            ranked.append((rank, Candidates(tuple(columns.values()), options)))
    yield from (
        found for _, found in sorted(ranked, key=lambda one: (one[0], -_size(table, one[1])))
    )


def _has_values_beside(table: FileTable, column: str) -> bool:
    """Whether the column has the texts of objects, and others what these have beside them."""
    beside = any(name.rpartition(".")[0] == column for name in table.columns)
    return beside and any(isinstance(row.get(column), list) for row in table.rows)


def _size(table: FileTable, candidates: Candidates) -> int:
    """How much lists of candidates contain: of two that are called alike the fuller is first."""
    (column, *_) = candidates.columns
    cells = (row.get(column) for row in table.rows)
    return sum(len(cell) for cell in cells if isinstance(cell, list))


def columns_of_others(table: FileTable, candidates: Candidates) -> set[str]:
    """The other columns of options, and what belongs to the same objects as these."""
    own = {candidates.columns[0], candidates.columns[0].rpartition(".")[0]}
    others = {
        name
        for found in candidates_in(table)
        if found.called_options and found.columns != candidates.columns
        for name in found.columns
    }
    parents = others | {name.rpartition(".")[0] for name in others} - {""}
    return others | {name for name in table.columns if name.rpartition(".")[0] in parents - own}


def unnamed_in(table: FileTable) -> Iterator[Candidates]:
    """Lists and series of columns, whatever they are called."""
    for column in table.columns:
        if (split := separator_in(table, column)) in ("", "\n", "|", " / "):
            yield Candidates((column,), called_options=False, split=split or None)
    for columns in series(table.columns).values():
        if _have_several(table, columns):
            yield Candidates(tuple(columns.values()), called_options=False)


def siblings_of(table: FileTable, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The other series of as many columns, in their order: `score_a` and `score_b`."""
    every = [tuple(labels.values()) for labels in series(table.columns).values()]
    for own in every:
        if set(own) == set(columns):
            for other in every:
                if len(other) == len(own) and not set(other) & set(columns):
                    yield tuple(other[own.index(column)] for column in columns)
            return


def _names_of(column: str) -> Iterator[str]:
    """The name, and of what was an object's the name of its part and of the whole.

    Of a name that no field has, `Agent replies`, also its words, unless it says what is wrong.
    """
    yield plain(column)
    known = any(plain(column) in field.synonyms for field in FIELDS)
    if not (known or "." in column or is_negative(column) or is_beside(column)):
        yield from plain(column).split("_")
    whole, dot, part = column.rpartition(".")
    if dot:
        yield plain(part)
        if plain(part) == "text":
            yield plain(whole)


_SAMPLE = 2000
"""Of so many cells the form of a column is recognised."""

_SEPARATORS = ("\n", "|", " / ", ";", ",")


def separator_in(table: FileTable, column: str) -> str | None:
    """What separates the candidates in the column's cells: empty for lists, None for one text.

    A separator must split every cell, and all into as many parts.
    """
    cells = [cell for row in table.rows if (cell := row.get(column)) not in (None, "")][:_SAMPLE]
    if not cells:
        return None
    if not all(isinstance(cell, str) for cell in cells):
        several = any(isinstance(cell, list | dict) for cell in cells)
        return "" if several else None
    texts = [str(cell) for cell in cells]
    if all(listed_in(text, arrays=True) is not None for text in texts) or any(
        text.lstrip().startswith(("[{", "{")) for text in texts
    ):
        return ""
    if all(split_options(text) for text in texts):
        return ""
    for separator in _SEPARATORS:
        parts = {len(text.strip().split(separator)) for text in texts}
        if len(parts) == 1 and max(parts) > 1:
            return separator
    return None


def _have_several(table: FileTable, labels: dict[str, str]) -> bool:
    """Whether some row has a text in two of the columns, and none has a list."""
    several = False
    for row in table.rows:
        cells = [row.get(column) for column in labels.values()]
        if any(isinstance(cell, list | dict) for cell in cells):
            return False
        several |= sum(str(cell or "").strip() != "" for cell in cells) > 1
    return several
