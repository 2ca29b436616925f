"""Which columns may be the query, the answer and the rest, by words in their names and by cells."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ..errors import InvalidInput
from .candidates.columns import Strength, is_beside, separator_in, strength_of
from .candidates.judges import sample, text_in
from .candidates.keys import like_a_key
from .candidates.verdicts import may_be_verdict, number_in
from .files.cells import written_list
from .files.grid import plain
from .files.tables import FileTable, commas
from .mapping import LINE_END

_Words: TypeAlias = tuple[set[str], set[str]]

_QUERY: _Words = (
    {"question", "query", "prompt", "instruction", "utterance", "enquiry", "inquiry", "asked",
     "ask", "frage", "pregunta", "q"},
    {"customer", "user", "client", "caller", "human", "input", "message", "request", "issue",
     "problem", "complaint", "ticket", "title", "subject", "headline", "body", "text",
     "description"},
)  # fmt: skip
_ANSWER: _Words = (
    {"answer", "reply", "response", "completion", "output", "solution", "resolution", "antwort",
     "respuesta", "a"},
    {"agent", "assistant", "bot", "operator", "advisor", "staff", "result"},
)  # fmt: skip
"""Words of a column's name that say what it is, and words that may say so where none does."""

_LABELS = {"label", "intent", "class", "sentiment"}
_TAGS = {
    "category", "tag", "topic", "product", "department", "team", "queue", "area", "theme",
    "kategorie", "thema",
}  # fmt: skip
_INCORRECT = {
    "bad", "wrong", "incorrect", "rejected", "false", "negative", "distractor", "inaccurate",
    "falsche", "falsch",
}  # fmt: skip
_HEADS, _BODIES = {"title", "subject", "headline"}, {"body", "message", "text", "description"}
_STILL_TEXTS = {"title", "user"}
"""Words that `is_beside` knows and that do not keep a column of texts from being one of these."""

_MOST_WORDS = 5
_SHORT, _SEVERAL = 40, 0.2
"""Letters of a tag at most; the share of cells with several texts from which a mark splits them."""
_ASKING, _TELLING = 0.5, 0.2
"""Shares of texts that end in a question mark: queries from the one, answers up to the other."""


class Undecided(InvalidInput):
    """No column can be taken for the query or the answer: none fits, or several fit equally.

    Attributes:
        question: What is not decided, as a sentence of its own.
        found: The columns of each meaning that is decided.
        likely: For the others the columns that they may be, the likeliest first.
    """

    def __init__(
        self,
        message: str,
        question: str,
        found: Mapping[str, tuple[str, ...]],
        likely: Mapping[str, tuple[str, ...]],
    ) -> None:
        super().__init__(message)
        self.question = question
        self.found = dict(found)
        self.likely = dict(likely)


@dataclass(frozen=True, slots=True)
class WordGuess:
    """What the columns of a table seem to be.

    Attributes:
        columns: Of each meaning that was found.
        labelled: Whether the answers are labels of the queries.
        split: What separates the incorrect answers in a cell; None for nothing.
    """

    columns: dict[str, tuple[str, ...]]
    labelled: bool
    split: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """A column: the words in its name, and what its cells are.

    `are_several` says that each cell has as many texts, of which some may be wrong; `is_known` that
    it judges nothing: it has tags or incorrect answers, or is beside them. `asking` is the share of
    its texts that end in a question mark, `letters` their mean length.
    """

    name: str
    words: frozenset[str]
    are_texts: bool
    are_tags: bool
    are_lists: bool
    are_several: bool
    is_known: bool
    asking: float
    letters: float

    @property
    def is_label(self) -> bool:
        """Whether it has labels and is called so."""
        return self.are_tags and bool(self.words & (_LABELS | _TAGS))

    def rank(self, words: _Words) -> int:
        """2 where a word of its name says that it is this, 1 where one may say so, else 0."""
        strong, weak = words
        return 2 if self.words & strong else int(bool(self.words & weak))


def query_by_words(table: FileTable, free: Sequence[str]) -> tuple[str, ...]:
    """The column among the free ones that its name calls the query; none where several are.

    A title and the text below it are one.
    """
    fit = _named(_texts(_columns(table, free)), _QUERY, _ANSWER)
    return _names(fit) if _is_decided(fit) else ()


def guess_by_words(
    table: FileTable, found: Mapping[str, tuple[str, ...]], *, cells: bool = True
) -> WordGuess:
    """What the columns seem to be, after those that were found by their whole names.

    Args:
        table: The table.
        found: The columns of each meaning so far; none of the query or none of the answer.
        cells: Whether cells may decide where no name does.

    A column of another kind may judge the answers. Where there is one, the cells decide nothing,
    and what has several texts in each cell is not taken for answers that are all right.

    Raises:
        Undecided: No column fits as the query or as the answer, or several fit equally.
    """
    columns = {name: each for name, each in found.items() if each}
    taken = {name for each in columns.values() for name in each}
    free = _columns(table, [name for name in table.columns if name not in taken])
    wrong = [each for each in free if each.words & _INCORRECT]
    others = [each for each in free if each not in wrong]
    asked, answered = (_columns(table, columns.get(name, ())) for name in ("query", "answer"))
    named = _by_name(_texts(others), asked, answered)
    tagged = _columns(table, columns.get("tags", ()))
    labels = [each for each in [*others, *tagged] if each.is_label]
    labelled = not named.answer and len(labels) == 1 and len(_texts(others)) + len(asked) == 1
    if labelled:
        named = _Fit(named.query or _texts(others), labels)
        columns["tags"] = () if labels == tagged else columns.get("tags", ())
    fit = _by_cells(_texts(others), named) if cells else named
    every = _columns(table, table.columns)
    used = [*fit.query, *fit.answer]
    if any(not each.is_known and each not in used for each in every):
        fit = named
        if not answered and any(each.are_several for each in fit.answer):
            fit = _Fit(fit.query, [])
    _require_decided(table, columns, fit, _texts(others))
    columns |= {"query": _names(fit.query), "answer": _names(fit.answer)}
    columns |= _incorrect_and_tags(columns, wrong, others)
    split = _split(table, columns.get("incorrect", ()))
    return WordGuess(columns, labelled, split)


class _Fit(NamedTuple):
    """The columns that fit equally as the query, and as the answer."""

    query: list[_Column]
    answer: list[_Column]


def _by_name(texts: list[_Column], asked: list[_Column], answered: list[_Column]) -> _Fit:
    """What the names say: a title and the text below it make up the query, or query and answer."""
    answer = answered or _named(texts, _ANSWER, _QUERY)
    both = _heads_and_bodies(texts)
    if not asked and not answer and len(both) == len(texts) == 2:
        return _Fit(both[:1], both[1:])
    left = [each for each in texts if each not in answer]
    return _Fit(asked or _named(left, _QUERY, _ANSWER), answer)


def _by_cells(texts: list[_Column], named: _Fit) -> _Fit:
    """Where the names say nothing, queries end in question marks, and the only others do not."""
    left = [each for each in texts if each not in named.answer]
    query = named.query or [each for each in left if each.asking >= _ASKING]
    answer = named.answer
    if not answer and _is_decided(query) and query[0].asking >= _ASKING:
        left = [each for each in texts if each not in query]
        answer = left if all(each.asking <= _TELLING for each in left) else []
    return _Fit(query, answer)


def _is_decided(fit: list[_Column]) -> bool:
    """Whether there is one column, or a title and the text below it."""
    return len(fit) == 1 or len(_heads_and_bodies(fit)) == len(fit) == 2


def _require_decided(
    table: FileTable, found: Mapping[str, tuple[str, ...]], fit: _Fit, texts: list[_Column]
) -> None:
    """Refuse where the query or the answer is open, with the columns that it may be.

    Raises:
        Undecided: It is.
    """
    decided, likely = dict(found), dict[str, tuple[str, ...]]()
    for meaning, columns in fit._asdict().items():
        if meaning in found or _is_decided(columns):
            decided[meaning] = _names(columns)
        else:
            sign = -1 if meaning == "query" else 1
            left = [each for each in texts if (each.name,) not in decided.values()]
            order = sorted(left, key=lambda each: (sign * each.asking, -each.letters))
            likely[meaning] = _names(columns or order)
    if not likely:
        return
    open_fit = fit._asdict()
    questions = [
        f"Several columns may be the {meaning}: {commas(list(map(_quoted, names)))}"
        if open_fit[meaning]
        else f"No column of {table.name or 'the table'} looks like the {meaning}"
        for meaning, names in likely.items()
    ]
    query, *_ = decided.get("query") or likely["query"] or ("COLUMN",)
    answers = decided.get("answer") or likely["answer"]
    answer = next((name for name in answers if name != query), "COLUMN")
    raise Undecided(
        f"{questions[0]}; its columns are {commas(table.columns)}: name them, as in "
        f"query={query},answer={answer}.",
        f"{'. '.join(questions)}.",
        decided,
        likely,
    )


def _incorrect_and_tags(
    columns: Mapping[str, tuple[str, ...]], wrong: list[_Column], others: list[_Column]
) -> dict[str, tuple[str, ...]]:
    """The columns of texts that are called wrong, and the one column of tags."""
    found: dict[str, tuple[str, ...]] = {}
    if not columns.get("incorrect"):
        found["incorrect"] = _names(each for each in wrong if each.are_texts or each.are_lists)
    if not columns.get("tags"):
        used = {name for each in columns.values() for name in each}
        tags = [each for each in others if each.are_tags and each.name not in used]
        tags = [each for each in tags if each.words & _TAGS] or tags
        found["tags"] = _names(tags) if len(tags) == 1 else ()
    return {meaning: names for meaning, names in found.items() if names}


def _names(columns: Iterable[_Column]) -> tuple[str, ...]:
    return tuple(each.name for each in columns)


def _texts(columns: Iterable[_Column]) -> list[_Column]:
    return [each for each in columns if each.are_texts]


def _named(texts: Iterable[_Column], words: _Words, others: _Words) -> list[_Column]:
    """The columns whose names say most clearly that they are this and not the other.

    A title stands before its text where they are these two.
    """
    named = [each for each in texts if each.rank(words) > each.rank(others)]
    most = max((each.rank(words) for each in named), default=0)
    fit = [each for each in named if each.rank(words) == most]
    both = _heads_and_bodies(fit)
    return both if len(both) == len(fit) else fit


def _heads_and_bodies(columns: Iterable[_Column]) -> list[_Column]:
    """A column of titles and one of the texts below them; else none."""
    every = list(columns)
    heads = [each for each in every if each.words & _HEADS]
    bodies = [each for each in every if each.words & _BODIES and each not in heads]
    return [*heads, *bodies] if len(heads) == len(bodies) == 1 else []


def _columns(table: FileTable, names: Sequence[str]) -> list[_Column]:
    some, every = sample(table), set(map(plain, table.columns))
    letters = set() if {"q", "a"} <= every and "b" not in every else {"q", "a"}
    return [_column(some, name, _words(name) - letters) for name in names]


def _column(table: FileTable, name: str, words: frozenset[str]) -> _Column:
    cells = [cell for row in table.rows if (cell := row.get(name)) not in (None, "", [])]
    texts = [text for cell in cells if (text := text_in(cell))]
    kinds, count = set(texts), max(1, len(texts))
    letters = sum(map(len, texts)) / count
    are_values = 2 * sum(not _is_text(text) for text in kinds) >= len(kinds)
    kind = bool(words & (_TAGS | _LABELS))
    role = bool(words & (_QUERY[0] | _ANSWER[0] | _INCORRECT)) and not kind
    repeated = letters <= _SHORT and (2 * len(kinds) <= len(texts) or kind)
    beside = bool(words - _STILL_TEXTS) and is_beside("_".join(words - _STILL_TEXTS))
    are_lists = 2 * sum(map(_is_list, cells)) > len(cells)
    are_texts = not are_values and not beside and (role or not repeated)
    are_tags = repeated and not (are_values or are_lists or role)
    return _Column(
        name=name,
        words=words,
        are_texts=are_texts,
        are_tags=are_tags,
        are_lists=are_lists,
        are_several=_are_several(table, name),
        is_known=are_tags
        or strength_of(name) is Strength.HARMLESS
        or bool(words & _INCORRECT and (are_texts or are_lists)),
        asking=sum(text.endswith(("?", "\uff1f")) for text in texts) / count,
        letters=letters,
    )


def _are_several(table: FileTable, name: str) -> bool:
    mark = separator_in(table, name)
    if mark != ",":
        return mark is not None
    parts = [part for row in table.rows for part in text_in(row.get(name)).split(mark)]
    return max(map(len, parts)) <= _SHORT


def _is_list(cell: object) -> bool:
    """Whether the cell is or writes out a list with texts in it."""
    entries = written_list(cell) if isinstance(cell, str) else cell
    return isinstance(entries, list) and any(
        isinstance(each, str) and _is_text(each) for each in entries
    )


def _is_text(text: str) -> bool:
    """Whether it is no number, no date, no verdict, no key and no list."""
    value = may_be_verdict(text) or number_in(text) is not None or like_a_key(text)
    return not value and written_list(text) is None and bool(re.search(r"[^\W\d_]{2}", text))


def _words(name: str) -> frozenset[str]:
    """The words of a column's name in the singular; none where it is a sentence or a part."""
    words = plain(name).split("_")
    if len(words) > _MOST_WORDS or "." in name or name.endswith("!"):
        return frozenset()
    singular = (re.sub(r"ies\Z", "y", word) for word in words)
    return frozenset(re.sub(r"(?<=[a-z]{2})(?<!s)s\Z", "", word) for word in singular)


def _split(table: FileTable, columns: Sequence[str]) -> str | None:
    """What separates the texts in many cells of these columns: |, a line end or a semicolon."""
    rows = sample(table).rows
    texts = [text for row in rows for name in columns if (text := text_in(row.get(name)))]
    for mark in ("|", "\n", ";"):
        if texts and sum(mark in text for text in texts) >= _SEVERAL * len(texts):
            return LINE_END if mark == "\n" else mark
    return None


def _quoted(name: str) -> str:
    return f'"{name}"'
