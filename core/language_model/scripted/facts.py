"""The sentences of the two-hop questions and passages: how they are written, and read again."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_WORK = r"The [A-Z]\w+ [A-Z]\w+"
_PERSON = r"[A-Z]\w+ [A-Z]\w+"
_NAME = r"[A-Z]\w+"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What one fact says of a thing.

    Attributes:
        fact: The sentence of a passage, with {subject} and {object}.
        summary: The same in the model's words.
        question: What asks for the object.
        queries: Search queries for it, the likeliest first.
        kind: What the object is.
        read: Finds subject and object in either sentence.
    """

    fact: str
    summary: str
    question: str
    queries: tuple[str, ...]
    kind: str
    read: re.Pattern[str]

    def of(self, subject: str, texts: Iterable[str]) -> str | None:
        """The object that the first of the texts which has it gives for the subject."""
        for text in texts:
            for found in self.read.finditer(text):
                if found[1] == subject:
                    return found[2]
        return None

    def objects(self, texts: Iterable[str]) -> list[str]:
        """Every object that the texts name, each once, in their order."""
        named = (found[2] for text in texts for found in self.read.finditer(text))
        return list(dict.fromkeys(named))


AUTHOR = Relation(
    fact="{subject} is a novel by {object}.",
    summary="{subject} was written by {object}.",
    question="Who wrote {subject}?",
    queries=(
        "who wrote {subject}",
        "author of {subject}",
        "{subject} novel",
        "{subject} written by",
    ),
    kind="person",
    read=re.compile(rf"\b({_WORK}) (?:is a novel|was written) by ({_PERSON})"),
)
BIRTHPLACE = Relation(
    fact="{subject} was born in {object}",
    summary="{subject} was born in {object}.",
    question="Where was {subject} born?",
    queries=(
        "where was {subject} born",
        "birthplace of {subject}",
        "{subject} born",
        "{subject} early life",
    ),
    kind="town",
    read=re.compile(rf"\b({_PERSON}) was born in ({_NAME})"),
)
RIVER = Relation(
    fact="{subject} lies on the river {object}.",
    summary="{subject} lies on the river {object}.",
    question="On which river does {subject} lie?",
    queries=(
        "on which river does {subject} lie",
        "river of {subject}",
        "{subject} river",
        "{subject} town",
    ),
    kind="river",
    read=re.compile(rf"\b({_NAME}) lies on the river ({_NAME})"),
)


@dataclass(frozen=True, slots=True)
class Chain:
    """A question that takes two facts: the object of the first is the subject of the second.

    Attributes:
        question: With {subject}.
        first: From the subject to what is between.
        second: From there to the answer.
        beside: A query that asks for something near the answer, and finds none of it.
        read: Finds the subject in a question.
    """

    question: str
    first: Relation
    second: Relation
    beside: str
    read: re.Pattern[str]


CHAINS = (
    Chain(
        "In which town was the author of {subject} born?",
        AUTHOR,
        BIRTHPLACE,
        "towns in which authors of novels were born",
        re.compile(rf"In which town was the author of ({_WORK}) born\?"),
    ),
    Chain(
        "Which river flows through the birthplace of {subject}?",
        BIRTHPLACE,
        RIVER,
        "rivers that flow through the birthplace of an author",
        re.compile(rf"Which river flows through the birthplace of ({_PERSON})\?"),
    ),
)
"""The two kinds of questions."""


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """A question that was understood; `subject` is what it begins from."""

    text: str
    chain: Chain
    subject: str


def understood(question: str) -> FactQuestion | None:
    """The question as one of the two kinds; None for any other."""
    for chain in CHAINS:
        found = chain.read.search(question)
        if found:
            return FactQuestion(question.strip(), chain, found[1])
    return None
