"""A document as passages of a given length that overlap."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidInput
from ..retrieval.wording import kinds_of

SIZE = 100
"""Words of a passage: Karpukhin et al. 2020, Dense Passage Retrieval, section 4.1."""

OVERLAP = 20
"""Words that a passage repeats of the one before, so that a sentence at the border is whole in one.

The passages of Dense Passage Retrieval do not overlap.
"""

_LAST = 5
"""A passage may end early, at the end of a sentence, within its last fifth."""

_UNIT = re.compile(r"o*n[mp]*|[wmpo]+")
"""Over the shapes of characters: a word with what is written at it, or one character of a script
without spaces, with its marks and punctuation."""
_SENTENCE_END = re.compile(r"[.!?…。！？｡؟।॥]+[\"'”’»)\]}」』）】]*$")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_OPENING = "([{«“‘「『（【"


class _Shapes(dict[int, str]):
    """The shape of each character: a space, n and m as in `kinds_of`, w, p for others, o opens."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        kind = kinds_of(letter)
        if letter.isspace():
            shape = " "
        elif letter in _OPENING:
            shape = "o"
        else:
            shape = kind if kind in "nmw" else "p"
        self[code] = shape
        return shape


_SHAPES = _Shapes()


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long passages are, and how many words each repeats of the one before.

    With a size of 1 every word is a passage, where a text is not longer it is one. An overlap of 0
    repeats none; with size - 1 every passage ends at most one word later than the one before.

    Raises:
        InvalidInput: One of them is out of its range.
    """

    size: int = SIZE
    overlap: int = OVERLAP

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidInput(f"A passage of {self.size} words was asked for; give 1 or more.")
        if not 0 <= self.overlap < self.size:
            raise InvalidInput(
                f"An overlap of {self.overlap} words was given for passages of {self.size}; give "
                f"a number from 0 to {self.size - 1}."
            )


USUAL = Lengths()
"""What is taken where nobody asks for another length."""


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A stretch of a document, from `start` up to `end`; its letters up to `new` are repeated.

    Between the end of a part and what is new of the next one there is white space only.
    """

    start: int
    new: int
    end: int


def split(text: str, lengths: Lengths = USUAL) -> list[DocumentPart]:
    """The parts of a text in their order; none where it has only white space.

    Words are separated by white space. In scripts without spaces between words (Han, kana,
    Thai, Lao, Khmer, Myanmar) every character counts as one, as BM25 counts a pair of characters
    for each. A part ends after `size` words, or earlier where a paragraph or, if none, a sentence
    ends within its last fifth: at the last such place. No word is divided.

    Source: blocks of words as in Karpukhin et al. 2020, Dense Passage Retrieval, section 4.1, where
        they are disjoint and end anywhere.
    """
    return parts_of(text, word_spans(text), lengths)


def parts_of(text: str, spans: Sequence[tuple[int, int]], lengths: Lengths) -> list[DocumentPart]:
    """The parts that `split` makes of a text, whose words are known already (`word_spans`)."""
    parts: list[DocumentPart] = []
    begin = known = 0
    while known < len(spans):
        end = _end(text, spans, begin, lengths)
        parts.append(DocumentPart(spans[begin][0], spans[known][0], spans[end - 1][1]))
        begin, known = end - lengths.overlap, end
    return parts


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where each word of the text begins and ends, in its order: what `split` counts."""
    return [found.span() for found in _UNIT.finditer(text.translate(_SHAPES))]


def _end(text: str, spans: Sequence[tuple[int, int]], begin: int, lengths: Lengths) -> int:
    """After which word the part ends that begins at word `begin`."""
    last = begin + lengths.size
    if last >= len(spans):
        return len(spans)
    # The part after it begins `overlap` words before its end, and later than this one.
    first = max(last - lengths.size // _LAST, begin + lengths.overlap + 1)
    places = range(last, first - 1, -1)
    for ends in (_paragraph_ends, _sentence_ends):
        for place in places:
            if ends(text, spans, place):
                return place
    return last


def _paragraph_ends(text: str, spans: Sequence[tuple[int, int]], place: int) -> bool:
    return _BLANK_LINE.search(text, spans[place - 1][1], spans[place][0]) is not None


def _sentence_ends(text: str, spans: Sequence[tuple[int, int]], place: int) -> bool:
    before, after = spans[place - 1], spans[place]
    small = text[after[0]].islower()  # "e.g. this" ends no sentence
    return not small and _SENTENCE_END.search(text, *before) is not None
