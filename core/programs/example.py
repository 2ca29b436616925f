"""What a program works on: examples with all that is known of them, passages, turns.

An `Example` is never changed: `copy` and `without` give another one. Its usual keys are attributes
with a type; any other key is a text.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import Any

from ..recorded import Recorded


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that is searched and shown as evidence; `id` is its key among the passages."""

    id: int
    text: str
    title: str = ""

    @property
    def shown(self) -> str:
        """Title and text as prompts have them: "title | text"."""
        return f"{self.title} | {self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class ScoredPassage:
    """A passage that was found, with its score; the higher the better.

    Attributes:
        passage: What was found.
        score: The retriever's own score, or the sum that fusion gave it.
        probability: In [0, 1], from a retriever that has one; None from the others.
    """

    passage: Passage
    score: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of a conversation."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class StageTexts:
    """What one stage of a program saw of an example, and what was written there.

    Attributes:
        stage: Its name, such as `hop 1` or `qa`.
        texts: The generated fields, by their names.
        summaries: The summaries that its prompt had.
        passages: The passages that its prompt had.
    """

    stage: str
    texts: Mapping[str, str]
    summaries: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Example(Recorded):
    """A question with what is known of it: a training example, a demonstration or an input.

    Beside the attributes, an example has any further texts: `copy(rationale="...")` adds one, and
    `example.rationale` is it.

    Attributes:
        question: What is asked; of a conversation, its last question.
        answers: The accepted answers, the first one for showing; empty where none is known.
        history: The earlier turns of its conversation.
        train: The training examples that a program may make demonstrations of.
        demos: The demonstrations that prompts show, in the order of the prompt.
        summaries: What earlier hops found out, shown before the passages.
        passages: The evidence, in the order of the prompt.
        pred: What the program answered.
        augmented: Whether it is a demonstration with its intermediate fields filled in.
        stages: What each stage saw and wrote, for the prompts of the same stage.
        texts: The further texts by name.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.1, and the `Example` of its
        code.
    """

    question: str = ""
    answers: tuple[str, ...] = ()
    history: tuple[Turn, ...] = ()
    _: KW_ONLY
    train: "tuple[Example, ...]" = ()
    demos: "tuple[Example, ...]" = ()
    summaries: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    pred: str = ""
    augmented: bool = False
    stages: tuple[StageTexts, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    def __getattr__(self, name: str) -> str:
        """The further text of that name."""
        if not name.startswith("_") and name not in _ATTRIBUTES and name in self.texts:
            return self.texts[name]
        raise AttributeError(f"the example has no {name!r}")

    def get(self, name: str) -> str:
        """The further text of that name, "" where there is none."""
        return self.texts.get(name, "")

    def copy(self, **changes: Any) -> "Example":
        """Another example with these values; a name that is no attribute is a further text.

        Raises:
            TypeError: A further text is no text.
        """
        own = {name: value for name, value in changes.items() if name in _ATTRIBUTES}
        further = {name: value for name, value in changes.items() if name not in _ATTRIBUTES}
        for name, value in further.items():
            if not isinstance(value, str):
                raise TypeError(f"{name!r} of an example must be a text, not {value!r}")
        return replace(self, **{"texts": {**own.pop("texts", self.texts), **further}, **own})

    def without(self, *names: str) -> "Example":
        """Another example without these; attributes get their default."""
        plain = Example()
        own = {name: getattr(plain, name) for name in names if name in _ATTRIBUTES}
        texts = {name: text for name, text in self.texts.items() if name not in names}
        return replace(self, **{"texts": texts, **own})

    def completed(self, stage: str, texts: Mapping[str, str]) -> "Example":
        """Another example that remembers what a stage wrote, and what its prompt had as evidence.

        The texts are also further texts of the example, where a later stage replaces them.
        """
        others = tuple(each for each in self.stages if each.stage != stage)
        seen = StageTexts(stage, dict(texts), self.summaries, self.passages)
        return replace(self, stages=(*others, seen), texts={**self.texts, **texts})

    def at(self, stage: str) -> "Example":
        """The example as that stage saw and completed it; itself where it was never there."""
        for each in self.stages:
            if each.stage == stage:
                texts = {**self.texts, **each.texts}
                return replace(self, summaries=each.summaries, passages=each.passages, texts=texts)
        return self


_ATTRIBUTES = frozenset(each.name for each in fields(Example))
