"""Where a model's thoughts end and its answer begins, in texts that have both."""

from typing import NamedTuple

_PAIRS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)
"""What models write around their thoughts."""


class Thoughts(NamedTuple):
    """The thoughts before an answer, and where the answer begins in the whole text.

    `ended` is False where the text ends before its thoughts do.
    """

    text: str
    answer_at: int
    ended: bool


NO_THOUGHTS = Thoughts("", 0, ended=True)
"""Those of a text that is an answer from its first letter on."""


def thoughts_in(text: str) -> Thoughts:
    """The thoughts with which a text begins; their marks belong to neither part.

    Thoughts whose beginning is in the prompt, as some chat formats have it, end where their mark
    ends. Of several blocks in a row all are thoughts.
    """
    found: list[str] = []
    at = 0
    while (block := _block(text, at, first=not found)) is not None:
        thought, end = block
        found.append(thought.strip())
        if end is None:
            return Thoughts("\n".join(found), len(text), ended=False)
        at = end
    if not found:
        return NO_THOUGHTS
    blanks = len(text[at:]) - len(text[at:].lstrip())
    return Thoughts("\n".join(found), at + blanks, ended=True)


def _block(text: str, at: int, *, first: bool) -> tuple[str, int | None] | None:
    """The thoughts that begin here and where they end, which is None where they go on."""
    begins = at + len(text[at:]) - len(text[at:].lstrip())
    for opening, closing in _PAIRS:
        if text.startswith(opening, begins):
            inner = begins + len(opening)
            end = text.find(closing, inner)
            return (text[inner:], None) if end < 0 else (text[inner:end], end + len(closing))
    if not first:
        return None
    ends = [
        (end, closing)
        for opening, closing in _PAIRS
        if (end := text.find(closing)) >= 0 and opening not in text[:end]
    ]
    if not ends:
        return None
    end, closing = min(ends)
    return text[:end], end + len(closing)
