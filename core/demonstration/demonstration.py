"""A demonstration, the table of its fields, and the evaluation examples made of a pool.

Incorrect answers as columns: how files, JSON and the database write them, and how they are read.

Apart from the type itself, `IncorrectAnswer`, only this module knows its attributes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Annotated, NamedTuple

from ..errors import InvalidInput
from ..text import same_text


class Status(StrEnum):
    """Whether a demonstration may be retrieved."""

    INCLUDED = "included"
    EXCLUDED = "excluded"
    PINNED = "pinned"
    """In every context of its pool, before all others."""


class IncorrectAnswer(NamedTuple):
    """An incorrect answer to a query; `kind` names in a word what it gets wrong, or is ""."""

    text: str
    kind: str = ""


class Kind(StrEnum):
    """What the values of a field are, and so what can be done with them."""

    TEXT = "text"
    TEXTS = "texts"
    """Several texts, each once."""
    FLAG = "flag"
    STATUS = "status"
    INCORRECT = "incorrect"
    """The texts of incorrect answers."""
    INCORRECT_KINDS = "incorrect kinds"
    """Their kinds, one for each of the texts, or none at all."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a demonstration: everything that Shotlist knows about it.

    Attributes:
        name: Its column in the store, in files and in tables, and its key in JSON.
        kind: What its values are.
        synonyms: The names that its column may have in a file, in lower case, the most specific
            first.
        label: Its name in a sentence.
        heading: The heading of its column; empty for the label.
        required: Whether every demonstration must have it.
        editable: Whether it can be edited in the table.
        sortable: Whether the table can be sorted by it.
        versioned: Whether a change of it is a new version of the pool: embeddings, contexts or
            figures depend on it, or what is shown beside them.
    """

    name: str
    kind: Kind
    synonyms: tuple[str, ...]
    _: KW_ONLY
    label: str
    heading: str = ""
    required: bool = False
    editable: bool = True
    sortable: bool = True
    versioned: bool = True


@dataclass(frozen=True, slots=True)
class Draft:
    """A demonstration that is not in a pool yet, and the table of a demonstration's fields.

    The `Field` beside an attribute's type defines how it is stored, imported, exported, edited and
    sorted; `fields.py` reads it. Another text or list of texts is one more attribute here and one
    migration. `rationale`, `passages_shown` and `written_by` are of a demonstration that a program
    wrote: the steps that led to the answer, the evidence that the prompt showed, and which program,
    model and run it was. `dismissed` are the keys of findings that are none and of
    suggestions that were refused, `reviewed` the times (UTC) when somebody read it and decided
    about it, the latest last, as 2026-11-27T09:30:00.000. Prompts and figures do without them.
    """

    # fmt: off
    query: Annotated[str, Field("query", Kind.TEXT, (
        "query", "question", "prompt", "instruction", "input", "problem", "text", "story",
    ), label="query", required=True)]
    answer: Annotated[str, Field("answer", Kind.TEXT, (
        "answers", "correct_answers", "answer", "correct_answer", "correct", "response", "output",
        "completion", "target", "chosen", "solution", "canonical_solution", "reply", "best_answer",
        "ideal",
    ), label="answer", required=True)]
    incorrect: Annotated[tuple[IncorrectAnswer, ...], Field("incorrect", Kind.INCORRECT, (
        "incorrect", "incorrect_answers", "incorrect_answer", "wrong", "wrong_answers",
        "wrong_answer", "distractors", "distractor", "rejected",
    ), label="incorrect answers", heading="incorrect"), Field(
        "incorrect_kinds", Kind.INCORRECT_KINDS, ("incorrect_kinds", "incorrect_kind"),
        label="kinds of incorrect answers", heading="kinds of incorrect", sortable=False,
    )] = ()
    tags: Annotated[tuple[str, ...], Field("tags", Kind.TEXTS, (
        "tags", "tag", "category", "categories", "label", "labels", "topic", "topics",
    ), label="tags", versioned=False)] = ()
    best: Annotated[bool, Field("best", Kind.FLAG, ("best", "best_answer"), label="best")] = False
    status: Annotated[Status, Field("status", Kind.STATUS, (
        "status", "verdict", "decision", "review_status", "validation_status", "state",
    ), label="status")] = Status.INCLUDED
    note: Annotated[
        str, Field("note", Kind.TEXT, ("note", "notes"), label="note", versioned=False)
    ] = ""
    rationale: Annotated[str, Field(
        "rationale", Kind.TEXT, ("rationale",), label="rationale", versioned=False
    )] = ""
    passages_shown: Annotated[tuple[str, ...], Field(
        "passages_shown", Kind.TEXTS, ("passages_shown",), label="passages shown", versioned=False,
    )] = ()
    written_by: Annotated[str, Field(
        "written_by", Kind.TEXT, ("written_by",), label="written by"
    )] = ""
    dismissed: Annotated[tuple[str, ...], Field(
        "dismissed", Kind.TEXTS, ("dismissed",), label="dismissed findings and suggestions",
        heading="dismissed", editable=False, sortable=False, versioned=False,
    )] = ()
    reviewed: Annotated[tuple[str, ...], Field(
        "reviewed", Kind.TEXTS, ("reviewed",), label="times of review", heading="reviewed",
        editable=False, sortable=False, versioned=False,
    )] = ()
    # fmt: on


@dataclass(frozen=True, slots=True)
class Demonstration(Draft):
    """One pair (query, answer) of a pool, with its incorrect answers.

    `best` marks the best answer of its query; `revision` grows by one with every change, so that an
    edit of an older one is refused.
    """

    id: int = field(kw_only=True)
    revision: int = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class EvaluationExample:
    """One query with all its correct and all its incorrect answers.

    `best` is the position of the best answer in `answers`.
    """

    query: str
    answers: tuple[str, ...]
    incorrect: tuple[IncorrectAnswer, ...]
    best: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of its answers, the correct ones first."""
        return (*self.answers, *(each.text for each in self.incorrect))


TEXTS, KINDS = "incorrect", "incorrect_kinds"
COLUMNS = (TEXTS, KINDS)
"""Each has one value for every incorrect answer; the kinds are empty where no answer has one."""


def incorrect_answers(
    texts: Sequence[str], kinds: Sequence[str] = ()
) -> tuple[IncorrectAnswer, ...]:
    """Incorrect answers from the values of `COLUMNS`.

    Args:
        texts: Their texts.
        kinds: One for each of them, or none at all.

    Raises:
        InvalidInput: Another number of kinds.
    """
    if kinds and len(kinds) != len(texts):
        raise InvalidInput(
            f"Incorrect answers: {len(texts):,}, kinds of them: {len(kinds):,}; give each answer "
            "one (empty where it has none), or none at all."
        )
    return tuple(map(IncorrectAnswer, texts, kinds) if kinds else map(IncorrectAnswer, texts))


def from_columns(row: Mapping[str, Sequence[str]]) -> tuple[IncorrectAnswer, ...]:
    """The incorrect answers of a row; a missing column counts as empty."""
    return incorrect_answers(*(row.get(column, ()) for column in COLUMNS))


def to_columns(answers: Iterable[IncorrectAnswer]) -> dict[str, list[str]]:
    """The values of each of `COLUMNS`."""
    kept = list(answers)
    kinds = [each.kind for each in kept]
    return {TEXTS: [each.text for each in kept], KINDS: kinds if any(kinds) else []}


def distinct(answers: Iterable[IncorrectAnswer]) -> tuple[IncorrectAnswer, ...]:
    """The incorrect answers that are different texts (`text.same_text`), as they are written.

    Blank ones are left out. Of one that appears twice, the first text counts, and the first kind
    that is not empty.
    """
    kept: dict[str, IncorrectAnswer] = {}
    for answer in answers:
        key = same_text(answer.text)
        first = kept.get(key)
        if first is None:
            kept[key] = answer if not answer.kind else answer._replace(kind=answer.kind.strip())
        elif not first.kind and answer.kind:
            kept[key] = first._replace(kind=answer.kind.strip())
    kept.pop("", None)
    return tuple(kept.values())


def edited(
    answers: Sequence[IncorrectAnswer], columns: Mapping[str, Sequence[str]]
) -> tuple[IncorrectAnswer, ...]:
    """The incorrect answers after some of their columns got other values.

    With other texts alone, an answer that stays keeps its kind and a new one has none. Kinds may be
    fewer than the answers: the last ones then have none.

    Raises:
        InvalidInput: More kinds than answers.
    """
    texts = columns.get(TEXTS, [each.text for each in answers])
    known = {same_text(each.text): each.kind for each in answers}
    kinds = columns.get(KINDS, [known.get(same_text(text), "") for text in texts])
    return incorrect_answers(texts, [*kinds, *[""] * (len(texts) - len(kinds))])
