"""Templates: the fields of an example, and how a prompt shows them in parts.

A prompt is the instruction, raw demonstrations, a description of the format, augmented
demonstrations, and the query, which ends with the label of the first field to be generated.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ...errors import InvalidInput
from ...text import listed
from ..example import Example, Turn

NOTHING = "N/A"
"""What an empty field shows where every field is shown."""


@dataclass(frozen=True, slots=True)
class TemplateField:
    """A field of a template.

    Attributes:
        name: The key of an example: `question`, `answer` (the first accepted one, else the
            prediction), `context` (summaries and passages), `history`, or a further text.
        label: What comes before it in the prompt, such as `Question:`.
        description: What the format's description says about it.
        generated: Whether the model writes it.
    """

    name: str
    label: str
    description: str
    generated: bool = False


def shown(example: Example, name: str) -> str:
    """A field of an example as prompts have it; "" where the example lacks it.

    Line breaks within texts become spaces. Of several accepted answers it is the first.
    """
    if name in _SHOWN:
        return _SHOWN[name](example)
    return one_line(example.get(name))


def _answer(example: Example) -> str:
    answers = [text for text in map(one_line, example.answers) if text]
    return answers[0] if answers else one_line(example.pred)


def _context(example: Example) -> str:
    passages = (passage.shown for passage in example.passages)
    texts = [one_line(text) for text in (*example.summaries, *passages)]
    if len(texts) == 1:
        return f"«{texts[0]}»"
    return "\n".join(f"[{number}] «{text}»" for number, text in enumerate(texts, 1))


def _history(example: Example) -> str:
    def lines(turn: Turn) -> Iterator[str]:
        yield f"User: {one_line(turn.question)}"
        if turn.answer:
            yield f"System: {one_line(turn.answer)}"

    return "\n".join(line for turn in example.history for line in lines(turn))


_SHOWN: dict[str, Callable[[Example], str]] = {
    "question": lambda example: one_line(example.question),
    "answer": _answer,
    "context": _context,
    "history": _history,
}


def one_line(text: str) -> str:
    """The text with single spaces for line breaks and other white space."""
    return " ".join(text.split())


def line(field: TemplateField, value: str) -> str:
    """The field in a prompt: its label, then the value, on a line of its own if it has several."""
    return f"{field.label}{chr(10) if chr(10) in value else ' '}{value}"


SEPARATOR = "\n\n---\n\n"
"""Between the parts of a prompt, as in DSP's code."""

LONG = 3
"""With more fields than these, those of one example are a blank line apart."""


class PartKind(StrEnum):
    """What a part of a prompt is."""

    INSTRUCTION = "instruction"
    RAW = "raw"
    """A demonstration as the training set has it."""
    FORMAT = "format"
    AUGMENTED = "augmented"
    """A demonstration with its intermediate fields."""
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """Where a part is in the text of its prompt: from `start` to before `end`."""

    kind: PartKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ProgramPrompt:
    """The text that a model is given, and what its parts are, in their order."""

    text: str
    parts: tuple[TemplatePart, ...]


@dataclass(frozen=True, slots=True)
class ProgramTemplate:
    """How a stage's prompt is made.

    Attributes:
        name: Of the template, and of its stage where no other is named.
        instruction: Comes first when it is not empty.
        fields: First those that are given, then those that are generated, at least one of each.
        separator: Between the parts. It also ends what the model writes, unless it is white space.
        describes: Whether the prompt describes the format.

    Raises:
        InvalidInput: The fields are in another order, or two have one name or label.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 2.4; order, separator and
        the lay-out of fields are those of `template_v2` of its code.
    """

    name: str
    instruction: str
    fields: tuple[TemplateField, ...]
    separator: str = SEPARATOR
    describes: bool = True

    def __post_init__(self) -> None:
        """Refuse fields that no completion could be read back with."""
        kinds = [field.generated for field in self.fields]
        if len(set(kinds)) < 2 or kinds != sorted(kinds):
            raise InvalidInput(
                f"The template {self.name!r} needs fields that are given and, after them, fields "
                "that are generated; put them in this order."
            )
        for what in ([field.name for field in self.fields], [field.label for field in self.fields]):
            twice = sorted({each for each in what if what.count(each) > 1})
            if twice or not all(each.strip() for each in what):
                raise InvalidInput(
                    f"The fields of the template {self.name!r} need names and labels of their own; "
                    f"{listed(twice) or 'an empty one'} is not one."
                )
        if not self.separator:
            raise InvalidInput(f"The separator of the template {self.name!r} must not be empty.")

    @property
    def given(self) -> tuple[TemplateField, ...]:
        """The fields that the prompt gives."""
        return tuple(field for field in self.fields if not field.generated)

    @property
    def generated(self) -> tuple[TemplateField, ...]:
        """The fields that the model writes, in their order."""
        return tuple(field for field in self.fields if field.generated)

    @property
    def gap(self) -> str:
        """What is between two fields of the query: a line break, or two in a long template."""
        return "\n\n" if len(self.fields) > LONG else "\n"

    @property
    def stop(self) -> tuple[str, ...]:
        """The texts at which a model may stop: another part, or another example, begins there."""
        line = self.separator.strip()
        labels = ("\n" + field.label for field in self.given)
        return (*(("\n" + line,) if line else ()), *labels)

    def demonstrations(
        self, demos: Sequence[Example], stage: str
    ) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
        """The raw and the augmented ones of these demonstrations at a stage, each in their order.

        Augmented are those that are so marked and have every generated field of the stage. Of the
        others those are raw that have the last field; without it there is nothing to imitate, and
        they are not shown at this stage.
        """
        raw, augmented = [], []
        for demo in demos:
            seen = demo.at(stage)
            if seen.augmented and all(shown(seen, field.name) for field in self.generated):
                augmented.append(seen)
            elif shown(seen, self.fields[-1].name):
                raw.append(seen)
        return tuple(raw), tuple(augmented)

    def prompt(
        self, example: Example, raw: Sequence[Example] = (), augmented: Sequence[Example] = ()
    ) -> ProgramPrompt:
        """The prompt for an example, whose answers and generated fields it never shows.

        Args:
            example: What is asked.
            raw: Demonstrations that show the fields they have.
            augmented: Demonstrations that show all fields.
        """
        blocks = [(PartKind.INSTRUCTION, self.instruction)] if self.instruction else []
        blocks += [(PartKind.RAW, self._some(demo)) for demo in raw]
        if self.describes:
            blocks.append((PartKind.FORMAT, self._format()))
        blocks += [(PartKind.AUGMENTED, self._whole(demo)) for demo in augmented]
        blocks.append((PartKind.QUERY, self.continued(example, {})))
        return self._joined(blocks)

    def continued(self, example: Example, written: Mapping[str, str]) -> str:
        """The query with the first generated fields as written, up to the label of the next one."""
        lines = [line(field, shown(example, field.name) or NOTHING) for field in self.given]
        for field in self.generated:
            if field.name not in written:
                return self.gap.join([*lines, field.label])
            lines.append(line(field, one_line(written[field.name])))
        raise ValueError("every generated field is written")

    def _whole(self, example: Example) -> str:
        return self.gap.join(
            line(field, shown(example, field.name) or NOTHING) for field in self.fields
        )

    def _some(self, example: Example) -> str:
        values = [(field, shown(example, field.name)) for field in self.fields]
        return "\n".join(line(field, value) for field, value in values if value)

    def _format(self) -> str:
        lines = self.gap.join(line(each, f"${{{each.description}}}") for each in self.fields)
        return f"Follow this format.\n\n{lines}"

    def _joined(self, blocks: Sequence[tuple[PartKind, str]]) -> ProgramPrompt:
        text, parts = "", list[TemplatePart]()
        for kind, block in blocks:
            if parts:
                together = kind is PartKind.RAW and parts[-1].kind is PartKind.RAW
                text += "\n\n" if together else self.separator
            parts.append(TemplatePart(kind, len(text), len(text) + len(block)))
            text += block
        return ProgramPrompt(text, tuple(parts))
