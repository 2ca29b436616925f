"""A prompt in its parts."""

from dataclasses import dataclass

PASSAGE = "passage"
"""The kind of a part that is evidence."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A part of a prompt.

    Attributes:
        kind: `instruction`, `raw` or `augmented` for a demonstration, `format`, `query`, `passage`;
            "" between the parts.
        text: Exactly as in the prompt.
        number: Of a demonstration or a passage among those of its kind, from 1; 0 for others.
    """

    kind: str
    text: str
    number: int = 0
