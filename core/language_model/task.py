"""Tasks of classification: what is asked of a text, and the words of its labels."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from ..errors import InvalidInput
from ..recorded import Recorded
from ..text import content_hash, is_blank, normalised
from .template import Template

TEXT = "{x}"
"""The place of the text in a question."""
ENDING = "The answer is"
HEADER = "Follow the demonstrations:"
BLANK_LINE = "\n\n"
OF_TEMPLATES = ("{query}", "{answer}")
"""The fields of a template, which is made of each task."""

_QUOTED = r'"((?:[^"]|"")*)"'
_WORD = re.compile(rf"\s*(?:{_QUOTED}|([^=]*?))\s*(?:=(.*))?", re.DOTALL)
_LABEL = re.compile(rf"\s*(?:{_QUOTED}|([^,]*?))\s*(?:,|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LabelWord:
    """A label as it appears in a prompt, and what data sets write for it: `1`, `DESC`."""

    word: str
    labels: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The same as one line, `word = label, label`; `read` reads it."""
        word = _in_a_line(self.word)
        return f"{word} = {', '.join(map(_in_a_line, self.labels))}" if self.labels else word

    @classmethod
    def read(cls, line: str) -> Self:
        """The label word of a line such as `positive = 1, pos`; the labels may be left out.

        A word or label with a comma, an equals sign or a quotation mark of its own is in double
        quotes, with each quotation mark inside doubled.
        """
        found = _WORD.fullmatch(line)
        assert found is not None  # every text has the form
        quoted, bare, rest = found.groups()
        labels = (_unquoted(*each) for each in _LABEL.findall(rest or ""))
        return cls(_unquoted(quoted, bare), tuple(filter(None, labels)))


def _in_a_line(text: str) -> str:
    one_line = " ".join(text.split())
    if any(letter in one_line for letter in '=,"'):
        return '"' + one_line.replace('"', '""') + '"'
    return one_line


def _unquoted(quoted: str | None, bare: str | None) -> str:
    return (quoted.replace('""', '"') if quoted else bare or "").strip()


@dataclass(frozen=True)
class Task(Recorded):
    """What is asked of every text, as data.

    Attributes:
        name: What it is called in the interface and in recorded runs.
        question: What comes before the ending; contains `{x}` once, for the text.
        label_words: The labels, two at least, in the order in which they are offered.
        ending: What the model continues from; no white space at its end.
        full_stop: Whether an exemplar ends in a full stop.

    Source: PGRA, section 2.2 and table 13; the line breaks are those of the authors' code.
    """

    name: str
    question: str
    label_words: tuple[LabelWord, ...]
    ending: str = ENDING
    full_stop: bool = False

    def __post_init__(self) -> None:
        """Refuse what would lose the text, the ending or a label."""
        if is_blank(self.name):
            raise InvalidInput("The task has no name; give it one, such as 'moods'.")
        if self.question.count(TEXT) != 1:
            raise InvalidInput(
                f"The question of task {self.name!r} is {self.question!r}; it must contain "
                f"{TEXT} once, where the text belongs."
            )
        if not self.ending.strip() or self.ending != self.ending.rstrip():
            raise InvalidInput(
                f"The ending of task {self.name!r} is {self.ending!r}; it must have some text and "
                "no white space at its end: that belongs to the label word."
            )
        field = next((each for each in OF_TEMPLATES if each in self.question + self.ending), None)
        if field is not None:
            raise InvalidInput(
                f"Question or ending of task {self.name!r} has {field}, which would be taken for "
                f"a field of a template; write {TEXT} for the text's place, or another word."
            )
        self._check_label_words()

    def _check_label_words(self) -> None:
        """Refuse fewer than two, an empty one, and an answer that would have two labels."""
        if len(self.label_words) < 2:
            words = ", ".join(repr(one.word) for one in self.label_words) or "none"
            raise InvalidInput(
                f"The label words of task {self.name!r} are {words}; give two or more."
            )
        seen: set[str] = set()
        for name in self.names:
            folded = normalised(name)
            if not folded:
                raise InvalidInput(
                    f"A label word of task {self.name!r}, or an answer that it represents, is "
                    "empty; write some text for each."
                )
            if folded in seen:
                raise InvalidInput(
                    f"Among the label words of task {self.name!r} and their answers, {name!r} "
                    "appears twice; an answer can have one label word only."
                )
            seen.add(folded)

    @property
    def words(self) -> tuple[str, ...]:
        """The label words in their order."""
        return tuple(one.word for one in self.label_words)

    @property
    def names(self) -> tuple[str, ...]:
        """The answers that the task names: label words, and what data sets write for them."""
        return tuple(each for one in self.label_words for each in _names(one))

    def word_of(self, answer: str) -> str | None:
        """The label word of an answer that is a label or the word itself; None for another."""
        return self._word_of.get(normalised(answer))

    def words_of(self, answers: Sequence[str]) -> tuple[str, ...]:
        """The label word of each of the answers, in their order; "" for one that is no label."""
        word_of = {answer: self.word_of(answer) or "" for answer in set(answers)}
        return tuple(word_of[answer] for answer in answers)

    def text(self, x: str) -> str:
        """What is read of a text: its last token is where the answer is about to be written."""
        return f"{self.question.replace(TEXT, x)}\n{self.ending}"

    def exemplar(self, x: str, word: str) -> str:
        """A text with its label word, as it comes before the text that is read."""
        return f"{self.text(x)} {word}{'.' if self.full_stop else ''}"

    def prefix(self, exemplars: Sequence[tuple[str, str]]) -> str:
        """The text before every text: the exemplars, (text, label word) each; "" for none."""
        if not exemplars:
            return ""
        parts = (HEADER, *(self.exemplar(x, word) for x, word in exemplars))
        return BLANK_LINE.join(parts) + BLANK_LINE

    @cached_property
    def template(self) -> Template:
        """The same prompt as a template: demonstrations are exemplars, answers label words."""
        question = self.question.replace(TEXT, "{query}")
        return Template(
            f"task {self.name}",
            demonstration=f"{question}\n{self.ending} {{answer}}{'.' if self.full_stop else ''}",
            query=f"{question}\n{self.ending}",
            separator=BLANK_LINE,
            instruction=HEADER,
        )

    @cached_property
    def fingerprint(self) -> str:
        """32 hex digits of everything but the name: equal for tasks that make equal prompts."""
        labels = (part for one in self.label_words for part in ("", *_names(one)))
        return content_hash(self.question, self.ending, str(self.full_stop), *labels)

    def to_json(self) -> dict[str, Any]:
        """The task for JSON."""
        return {
            "name": self.name,
            "question": self.question,
            "ending": self.ending,
            "label_words": [[one.word, *one.labels] for one in self.label_words],
            "full_stop": self.full_stop,
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The task that `to_json` wrote."""
        words = tuple(LabelWord(word, tuple(labels)) for word, *labels in row["label_words"])
        return cls(row["name"], row["question"], words, row["ending"], row["full_stop"])

    @cached_property
    def _word_of(self) -> dict[str, str]:
        return {normalised(name): one.word for one in self.label_words for name in _names(one)}


def _names(one: LabelWord) -> tuple[str, ...]:
    """The names of a label: its word, and what data sets write for it where that differs."""
    others = (label for label in one.labels if normalised(label) != normalised(one.word))
    return (one.word, *others)


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "sentiment",
            "Does the following sentence have a positive or negative sentiment?\n{x}",
            (LabelWord("negative", ("0",)), LabelWord("positive", ("1",))),
            full_stop=True,
        ),
        Task(
            "sentiment-5",
            "What sentiment does this sentence have? terrible, bad, okay, good or great\n{x}",
            tuple(
                LabelWord(word, (str(label),))
                for label, word in enumerate(("terrible", "bad", "okay", "good", "great"))
            ),
        ),
        Task(
            "acceptability",
            'The following sentence is either "acceptable", meaning it is grammatically correct '
            'and makes sense, or "unacceptable". Which is it?\n{x}',
            (LabelWord("unacceptable", ("0",)), LabelWord("acceptable", ("1",))),
        ),
        Task(
            "subjectivity",
            "Is this a subjective or objective description?\n{x}",
            (LabelWord("subjective", ("0",)), LabelWord("objective", ("1",))),
        ),
        Task(
            "question-type",
            "Which category best describes the following question: {x}\nChoose from the following "
            "list: Description, Entity, Abbreviation, Person, Quantity, Location.",
            (
                LabelWord("Description", ("DESC", "0")),
                LabelWord("Entity", ("ENTY", "1")),
                LabelWord("Abbreviation", ("ABBR", "2")),
                LabelWord("Person", ("HUM", "3")),
                LabelWord("Quantity", ("NUM", "5")),
                LabelWord("Location", ("LOC", "4")),
            ),
            full_stop=True,
        ),
    )
}
"""The tasks of the paper by name: SST-2, CR, MR and MPQA; SST-5; CoLA; Subj; TREC (table 13)."""
PLAIN = "plain"


def plain_task(labels: Sequence[str]) -> Task:
    """The text and its label, and no question: the task of a pool that names no other.

    Args:
        labels: The pool's labels as they are written, two or more.
    """
    return Task(PLAIN, TEXT, tuple(map(LabelWord, labels)))
