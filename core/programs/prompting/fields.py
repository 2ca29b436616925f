"""The fields of an example, and how a prompt shows them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..example import Example, Passage, Turn

NOTHING = "N/A"
"""What an empty field shows where every field is shown."""


@dataclass(frozen=True, slots=True)
class Field:
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
    texts = [one_line(text) for text in (*example.summaries, *_texts(example.passages))]
    if len(texts) == 1:
        return f"«{texts[0]}»"
    return "\n".join(f"[{number}] «{text}»" for number, text in enumerate(texts, 1))


def _texts(passages: Sequence[Passage]) -> Iterator[str]:
    return (passage.shown for passage in passages)


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


def line(field: Field, value: str) -> str:
    """The field in a prompt: its label, then the value, on a line of its own if it has several."""
    return f"{field.label}{chr(10) if chr(10) in value else ' '}{value}"
