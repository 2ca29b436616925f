"""The words of a text, in any script, and how much two texts have in common in them."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from ..text import normalised

_WITHOUT_SPACES = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x19E0, 0x19FF), (0x3005, 0x3007),
    (0x3021, 0x3029), (0x3041, 0x30FF), (0x3105, 0x312F), (0x31F0, 0x31FF), (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F), (0xF900, 0xFAFF), (0x20000, 0x3FFFF),
)  # fmt: skip
"""Thai and Lao, Myanmar, Khmer, kana, bopomofo and Han. First and last of each range."""

_TOKEN = re.compile(r"w[wm]*(?:(?:\+\+|#)(?![wn]))?|n[nm]*")
"""Over the kinds of the letters. C++, C# and F# are other words than C and F."""
_CUT_OFF = {"wa", "ma"}
"""What comes before the letter s in "what's"."""


class _Kinds(dict[int, str]):
    """The kind of each character: of a word, of a script without spaces, a mark, or other."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if character in "+#":
            kind = character
        elif character in "'\u2019":
            kind = "a"
        elif unicodedata.category(character).startswith("M"):
            kind = "m"
        elif not (character.isalnum() or character == "_"):
            kind = " "
        else:
            kind = "n" if any(low <= code <= high for low, high in _WITHOUT_SPACES) else "w"
        self[code] = kind
        return kind


_KINDS = _Kinds()


def kinds_of(text: str) -> str:
    """The kind of each character, a letter each, in the text's order.

    w: of a word; n: of a script without spaces between words; m: a mark on the one before; a: an
    apostrophe; + and #: themselves; a space: any other.
    """
    return text.translate(_KINDS)


def words_of(text: str) -> list[str]:
    """The text's words in their order, compared as queries are (`text.normalised`).

    A single letter is a word too, unless an apostrophe cuts it off another. Han, kana, Thai,
    Lao, Khmer and Myanmar have no spaces between words: every two neighbouring characters, with
    the marks on them, count as one, and a character without a neighbour by itself.
    """
    text = normalised(text)
    kinds = kinds_of(text)
    found = []
    for token in _TOKEN.finditer(kinds):
        start, end = token.span()
        if kinds[start] == "n":
            found += _pairs(text[start:end], kinds[start:end])
        elif end - start > 1 or not (
            kinds[max(0, start - 2) : start] in _CUT_OFF or kinds[end : end + 2] == "aw"
        ):
            found.append(text[start:end])
    return found


def _pairs(text: str, kinds: str) -> list[str]:
    """Every two neighbouring characters, with their marks; the only one of a text that has one."""
    starts = [place for place, kind in enumerate(kinds) if kind == "n"]
    ends = [*starts[1:], len(text)]
    if len(starts) == 1:
        return [text]
    return [text[start:end] for start, end in zip(starts, ends[1:], strict=False)]


SLIP = 1
"""So many letters of a word may be wrong, left out, added or in the wrong order ..."""
SHORT = 4
"""... but none where both words have so many letters at most: "Iran" is not "Iraq"."""
LITTLE = frozenset(("a", "an", "the", "of", "is", "are", "do", "does"))
"""Words that say nothing by themselves; prepositions, tenses and negations do."""
_SIGN = re.compile(r"[+*/^%=<>#@&|~\\$€£¥±×÷√∞≤≥≠→↔∧∨¬⊃≡∪∩∈∀∃]|(?<!\w)-(?=\w)|-(?=\d)")
"""A sign that means something by itself; a hyphen where it is a minus."""


class Wording(NamedTuple):
    """The words of a text in their order, and what no slip may change in it.

    `exact` are the words with a digit and the signs of arithmetic, of money and the like, sorted;
    another one of them is another text, however much the rest has in common.
    """

    words: tuple[str, ...]
    exact: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Of a text, folded as queries are."""
        words = tuple(words_of(text))
        numbers = sorted(word for word in words if any(map(str.isdigit, word)))
        return cls(words, (*numbers, *sorted(_SIGN.findall(text))))

    @property
    def trigrams(self) -> set[str]:
        """Every three neighbouring letters of a word, with a space at both of its ends."""
        padded = [f" {word} " for word in self.words]
        return {word[at : at + 3] for word in padded for at in range(max(1, len(word) - 2))}


def same_words(one: Wording, other: Wording, *, in_order: bool = False) -> float:
    """How much of their letters two texts have in common, word by word.

    In [0, 1]; 1 for the same words in whatever case and punctuation; 0 where the numbers or signs
    in them differ. One letter more in a text of 40 is 0.99. Words like "the" do not count where
    they would lower it. Where words of the one are in the place of words of the other without
    being slips of them, it is the similarity of these words: in however long a text, "France" is
    not "Peru".

    Args:
        one: A text.
        other: Another one.
        in_order: Their words are compared in their order; else sorted, so that it does not matter.

    Source: `ratio` and `token_sort_ratio` of RapidFuzz, on the words of `words_of`; for the
    letters of a slip its `OSA`.
    """
    if one.exact != other.exact:
        return 0.0
    ours, theirs = Counter(one.words), Counter(other.words)
    only_ours, only_theirs = (
        sorted(word for word in left.elements() if word not in LITTLE)
        for left in (ours - theirs, theirs - ours)
    )
    if only_ours and only_theirs and not _slips(only_ours, only_theirs):
        return _common(only_ours, only_theirs)
    both = (one.words, other.words) if in_order else (sorted(one.words), sorted(other.words))
    return max(_common(*both), _common(*map(_without_little, both)))


def has_content(text: str) -> bool:
    """Whether there is a letter, a digit or a sign in the text, and not punctuation alone."""
    return any(map(str.isalnum, text)) or _SIGN.search(text) is not None


def _slips(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether each word of the shorter list is a slip of another one of the longer."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cdist
    from scipy.optimize import linear_sum_assignment

    short = np.array([len(word) <= SHORT for word in ours])[:, None] & [
        len(word) <= SHORT for word in theirs
    ]
    other = short | (cdist(ours, theirs, scorer=OSA.distance) > SLIP)
    return not bool(other[linear_sum_assignment(other)].any())


def _common(ours: Sequence[str], theirs: Sequence[str]) -> float:
    from rapidfuzz.distance import Indel

    return float(Indel.normalized_similarity(" ".join(ours), " ".join(theirs)))


def _without_little(words: Sequence[str]) -> Sequence[str]:
    return [word for word in words if word not in LITTLE] or words
