"""The script: from a prompt to the texts that may follow it, each with its weight.

What it writes depends on the prompt alone. It finds an answer only where the facts for it are in
the prompt's passages or summaries, and guesses otherwise. Its faults are planted, so that each part
of a program has something to mend; which questions meet which fault is decided by their hashes:

- A hasty query: at the second hop, for a share `HASTY` of the questions the likeliest single query
  asks beside the point, though most of the weight is on queries that do not.
- A slip: in a chain of thought, for a share `SLIPS` of the questions the likeliest single text
  ends in another name from the context, though most of the weight is on right ones.
- Halfway: without a demonstration that is worked out in steps, for a share `HALFWAY` of the
  questions every chain of thought ends after the first step.
- Self-distraction: in self-ask, for a share `DISTRACTED` of the questions the second question
  is a neighbouring one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...text import content_hash
from .facts import FactQuestion, understood

HASTY, SLIPS, HALFWAY, DISTRACTED = 0.35, 0.35, 0.35, 0.35
"""The shares of questions that meet each fault."""

UNKNOWN = "unknown"
"""The answer where there is nothing to guess from."""

RIGHT = (0.17, 0.16, 0.15, 0.14)
FAULTY = 0.38
"""The weights of four right wordings and of a faulty one, where that one is the likeliest."""
SURE = (0.4, 0.3, 0.2, 0.1)

Texts: TypeAlias = list[tuple[str, float]]
"""What may follow a prompt, each with its weight; the weights sum to 1."""

_QUOTED = re.compile(r"«(.*?)»")
_ANSWERED = re.compile(r"^Question: ([^\n]+)\n+(?:[^\n]+\n+)*?Answer: ([^\n]+)$", re.MULTILINE)
_SEPARATOR = "\n\n---\n\n"
_STEPS = "Rationale: Let's think step by step."
_ASKING, _FINAL = "Are follow up questions needed here:", "So the final answer is:"
_SEARCH, _BETWEEN = "Search query:", "Intermediate answer:"


def texts_after(prompt: str) -> Texts:
    """The texts that may follow the prompt, the likeliest first."""
    if _ASKING in prompt:
        return _asking_itself(prompt)
    reading = _read(prompt)
    end = prompt.rstrip()
    if reading.asked is None:
        return [(_in_the_form_of(end, UNKNOWN), 1.0)]
    if end.endswith(_STEPS):
        return _chain_of_thought(reading) if "Context:" in reading.query else _first_hop(reading)
    if end.endswith("Summary: Let's summarize the above context."):
        return _next_hop(reading)
    if end.endswith("Search Query:"):
        return [(f" {reading.asked.text}", 1.0)]
    return [(f" {_answer(reading)}", 1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What the model makes of a prompt.

    `between` and `answer` are the objects of the two facts, None where the context lacks them.
    """

    prompt: str
    query: str
    asked: FactQuestion | None
    context: tuple[str, ...]
    between: str | None
    answer: str | None

    @property
    def worked_out(self) -> bool:
        """Whether a demonstration before the query shows its steps."""
        _, _, after = self.prompt.rpartition("Follow this format.")
        return any(_STEPS in block for block in after.split(_SEPARATOR)[1:-1])


def _read(prompt: str) -> _Reading:
    query = prompt.rsplit(_SEPARATOR, 1)[-1]
    asked = understood(query.rsplit("Question:", 1)[-1])
    return _understood(prompt, query, asked, tuple(_QUOTED.findall(query)))


def _understood(
    prompt: str, query: str, asked: FactQuestion | None, context: tuple[str, ...]
) -> _Reading:
    if asked is None:
        return _Reading(
            prompt=prompt, query=query, asked=None, context=context, between=None, answer=None
        )
    question = asked.text.split("\n")[0]
    asked = FactQuestion(question, asked.chain, asked.subject)
    between = asked.chain.first.of(asked.subject, context)
    answer = None if between is None else asked.chain.second.of(between, context)
    return _Reading(
        prompt=prompt, query=query, asked=asked, context=context, between=between, answer=answer
    )


def _first_hop(reading: _Reading) -> Texts:
    assert reading.asked is not None
    relation, subject = reading.asked.chain.first, reading.asked.subject
    rationale = f"The first step is to find out: {relation.question.format(subject=subject)}"
    return [
        (f" {rationale}\nSearch Query: {query.format(subject=subject)}", weight)
        for query, weight in zip(relation.queries, SURE, strict=True)
    ]


def _next_hop(reading: _Reading) -> Texts:
    asked = reading.asked
    assert asked is not None
    first, second = asked.chain.first, asked.chain.second
    if reading.between is None:
        missing = first.question.format(subject=asked.subject)
        return [(_hop(f"The context does not answer: {missing}", missing), 1.0)]
    known = first.summary.format(subject=asked.subject, object=reading.between)
    if reading.answer is not None:
        return [(_hop(known, "N/A"), 1.0)]
    queries = [query.format(subject=reading.between) for query in second.queries]
    if not _meets(asked, "hasty", HASTY):
        return [(_hop(known, each), w) for each, w in zip(queries, SURE, strict=True)]
    right = [(_hop(known, each), w) for each, w in zip(queries, RIGHT, strict=True)]
    return [(_hop(known, asked.chain.beside), FAULTY), *right]


def _hop(summary: str, query: str) -> str:
    return f" {summary}\n\nSearch Query: {query}"


def _chain_of_thought(reading: _Reading) -> Texts:
    asked, between, answer = reading.asked, reading.between, reading.answer
    assert asked is not None
    if between is not None and not reading.worked_out and _meets(asked, "halfway", HALFWAY):
        return [(_thought(asked.chain.first.summary, asked.subject, between), 1.0)]
    if between is None or answer is None:
        guess = _guess(reading)
        return [(f" The context does not say it; it may be {guess}.\n\nAnswer: {guess}", 1.0)]
    known = asked.chain.first.summary.format(subject=asked.subject, object=between)
    then = asked.chain.second.summary.format(subject=between, object=answer)
    wordings = [f"{known} {then}", f"{then} {known}", then, f"{known} And {then}"]
    right = [f" {each}\n\nAnswer: {answer}" for each in wordings]
    others = [name for name in asked.chain.second.objects(reading.context) if name != answer]
    if not _meets(asked, "slip", SLIPS):
        return list(zip(right, SURE, strict=True))
    wrong = (others or [between])[0]
    slip = f" {known} Beside it the context names {wrong}.\n\nAnswer: {wrong}"
    return [(slip, FAULTY), *zip(right, RIGHT, strict=True)]


def _thought(summary: str, subject: str, object: str) -> str:
    return f" {summary.format(subject=subject, object=object)}\n\nAnswer: {object}"


def _answer(reading: _Reading) -> str:
    return reading.answer or _guess(reading)


def _guess(reading: _Reading) -> str:
    """A name of the right kind from the context, else an answer to a question of the same kind."""
    asked = reading.asked
    assert asked is not None
    named = asked.chain.second.objects(reading.context)
    if named:
        return named[0]
    for question, answer in _ANSWERED.findall(reading.prompt):
        other = understood(question)
        if other is not None and other.chain is asked.chain:
            return str(answer).strip()
    return UNKNOWN


def _asking_itself(prompt: str) -> Texts:
    """The next step of self-ask, plain or with search queries."""
    before, _, query = prompt.rpartition("\n\nQuestion:")
    searching = _SEARCH in before
    shown = _QUOTED.findall(query) if searching else re.findall(rf"{_BETWEEN} (.+)", query)
    reading = _understood(prompt, query, understood(query), tuple(shown))
    asked, steps = reading.asked, query.count("Follow up:")
    end = query.rstrip()
    if asked is None or end.endswith(_FINAL):
        return [(f" {UNKNOWN if asked is None else _answer(reading)}", 1.0)]
    start = ""
    if end.endswith(_ASKING):
        start = " Yes.\n"
    elif end.endswith(_BETWEEN):
        learnt = reading.answer or reading.between if steps > 1 else reading.between
        start = f" {learnt or UNKNOWN}\n"
    first, second = asked.chain.first, asked.chain.second
    if steps == 0:
        question = first.question.format(subject=asked.subject)
    elif steps == 1 and reading.between is not None and reading.answer is None:
        distracted = _meets(asked, "distracted", DISTRACTED)
        question = second.question.format(subject=reading.between)
        question = f"What are {asked.chain.beside}?" if distracted else question
    else:
        return [(f"{start}{_FINAL} {_answer(reading)}", 1.0)]
    search = f"{_SEARCH} {question.rstrip('?')}\n" if searching else ""
    return [(f"{start}Follow up: {question}\n{search}", 1.0)]


def _meets(asked: FactQuestion, fault: str, share: float) -> bool:
    return int(content_hash(asked.text, fault), 16) / 2**128 < share


def _in_the_form_of(end: str, answer: str) -> str:
    """The answer with the labels that come before it."""
    return f" {answer}\n\nAnswer: {answer}" if end.endswith(_STEPS) else f" {answer}"


def sharpened(weights: Sequence[float], temperature: float) -> list[float]:
    """The weights at a temperature, with sum 1: towards 0 all is on the largest."""
    highest = max(weights)
    powers = [(weight / highest) ** (1 / temperature) for weight in weights]
    return [power / sum(powers) for power in powers]
