"""What programs leave in texts: a space in front, marks at the end, words for an empty cell."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..demonstration.demonstration import Draft
from .findings.checks.escaped import repair
from .rows import TableRow

_EMPTY = frozenset((
    "nan", "NaN", "NAN", "-nan", "null", "NULL", "Null", "(null)", "None", r"\N", "N/A", "n/a",
    "NA", "<NA>", "#N/A", "NaT", "nil", "undefined",
))  # fmt: skip
"""What programs write for an empty cell. Each may be an answer, so none is left out unasked."""

_QUERY_END = re.compile(r"\s*(?:#{2,}|-+>|=+>|\|{2,})\s*\Z")
_ANSWER_END = re.compile(r"\s*(?:END|STOP|#{2,}|</s>|<\|\w+\|>)\s*\Z")
"""What files for fine-tuning put behind every prompt and every answer, with the space around it."""
_LONGEST_END = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftovers:
    """What the texts of a file have that programs left there.

    Attributes:
        spaced: How many texts begin or end with white space.
        answers: How many answers do.
        led: How many answers begin with just one space, while their queries end without one.
        of_answers: How many answers there are.
        incorrect: How many incorrect answers begin or end with white space.
        of_incorrect: How many incorrect answers there are.
        query_end: The mark in which all queries end, such as `###`; empty where they do not.
        answer_end: The mark in which all answers end: ` END`.
        empty: How many texts are a word for an empty cell, by the word.
        escaped: How many texts have letters that are written as something else, as in `&quot;`.
    """

    spaced: int
    answers: int
    led: int
    of_answers: int
    incorrect: int
    of_incorrect: int
    query_end: str
    answer_end: str
    empty: dict[str, int]
    escaped: int

    @property
    def led_by_a_space(self) -> bool:
        """Whether most answers begin with one space."""
        return 2 * self.led > self.of_answers

    @property
    def differ(self) -> bool:
        """Whether mostly either the answers or the incorrect ones have white space around them."""
        if not self.of_answers or not self.of_incorrect:
            return False
        shares = self.answers / self.of_answers, self.incorrect / self.of_incorrect
        return abs(shares[0] - shares[1]) > 0.5


def leftovers_in(drafts: Sequence[Draft]) -> Leftovers:
    """What programs left in the texts of the demonstrations."""
    incorrect = dict.fromkeys(
        (draft.query, each.text) for draft in drafts for each in draft.incorrect
    )
    texts = [*dict.fromkeys(draft.query for draft in drafts), *(draft.answer for draft in drafts)]
    texts += [text for _, text in incorrect]
    words = Counter(word for text in texts if (word := text.strip()) in _EMPTY)
    every = {*texts, *(tag for draft in drafts for tag in draft.tags)}
    return Leftovers(
        spaced=sum(_spaced(text) for text in texts),
        answers=sum(_spaced(draft.answer) for draft in drafts),
        led=sum(_led(draft.answer) and not draft.query.endswith(" ") for draft in drafts),
        of_answers=len(drafts),
        incorrect=sum(_spaced(text) for _, text in incorrect),
        of_incorrect=len(incorrect),
        query_end=_common_end(_QUERY_END, (draft.query for draft in drafts)),
        answer_end=_common_end(_ANSWER_END, (draft.answer for draft in drafts)),
        empty=dict(words),
        escaped=sum(repair(text) != text for text in every),
    )


def about(found: Leftovers) -> Iterator[str]:
    """What to say about it: kept as written, and what takes it away."""
    if found.spaced:
        of_incorrect = f", {found.incorrect:,} of {found.of_incorrect:,} incorrect answers"
        yield (
            f"Texts that begin or end with white space: {found.spaced:,} ({found.answers:,} of "
            f"{found.of_answers:,} answers{of_incorrect if found.of_incorrect else ''}); they are "
            "kept as written."
        )
    if found.led_by_a_space:
        yield "Most answers begin with a space, and a prompt puts one in front of them already."
    if found.differ:
        yield (
            "Correct and incorrect answers differ in the white space around them, so a model can "
            "tell them apart by that alone."
        )
    ends = [
        f"all {name} end in {json.dumps(end, ensure_ascii=False)}"
        for name, end in (("queries", found.query_end), ("answers", found.answer_end))
        if end
    ]
    if ends:
        marks = " and ".join(ends)
        yield f"As in files for fine-tuning, {marks}."
    if found.empty:
        words = ", ".join(f'"{word}" ({count:,})' for word, count in found.empty.items())
        yield f"Words that may stand for an empty cell: {words}; they are kept as texts."
    if found.escaped:
        yield (
            f"Texts and tags with escaped letters, such as &quot;: {found.escaped:,}; they are "
            "kept as written, and Review finds and repairs them."
        )


def without_ends(rows: Sequence[TableRow]) -> list[TableRow]:
    """The rows without the marks in which all their queries, or all their answers, end."""
    query_end = _common_end(_QUERY_END, (row.query for row in rows))
    answer_end = _common_end(_ANSWER_END, (text for row in rows for text in row.answers))

    def bare(text: str) -> str:
        return text.removesuffix(answer_end) or text

    return [
        replace(
            row,
            query=row.query.removesuffix(query_end) or row.query,
            answers=[bare(text) for text in row.answers],
            best=None if row.best is None else bare(row.best),
            incorrect=tuple(each._replace(text=bare(each.text)) for each in row.incorrect),
        )
        for row in rows
    ]


def _spaced(text: str) -> bool:
    return text != text.strip()


def _led(text: str) -> bool:
    return text[:1] == " " and text[1:2].strip() != ""


def _common_end(mark: re.Pattern[str], texts: Iterable[str]) -> str:
    """The mark in which all the texts end; empty where they do not, or there is only one text."""
    ends: set[str] = set()
    distinct = set(texts)
    for text in distinct:
        found = mark.search(text, max(0, len(text) - _LONGEST_END))
        if not found:
            return ""
        ends.add(found[0])
    return ends.pop() if len(ends) == 1 < len(distinct) else ""
