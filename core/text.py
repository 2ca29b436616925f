"""When two texts are the same, the hash of content, and texts, lists and numbers for sentences.

There are two folds, for two uses. Both only compare: texts are stored and shown as written.
`same_text` decides what is merged: answers belong to one query only where its texts look identical,
because merging too much makes wrong answers right. `normalised` decides what is left out: an
evaluation example does not see a query that differs from its own in case, spacing or the form of
letters alone, because leaving out too much costs little.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence

_IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Unicode's property Default_Ignorable_Code_Point: soft hyphens, zero-width spaces and joiners,
marks of direction, byte order marks, variation selectors. First and last of each range."""
_INVISIBLE = re.compile(
    "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in _IGNORABLE) + "]+"
)


def same_text(text: str) -> str:
    """The narrow fold: NFC, without outer white space and invisible characters.

    Queries, answers and incorrect answers are the same text when these agree. Letters keep their
    case and form ("Co" is not "CO", "3²" not "32"), and code keeps its inner white space.
    """
    if text.isascii():
        return text.strip()
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text).strip())


def normalised(text: str) -> str:
    """The loose fold: NFKC, casefold and white space, without invisible characters.

    Texts with the same loose fold are left out as an example's own query or as a leak, and reported
    where that is odd; nothing is merged by it. Joiners shape the letters of some scripts, so they
    stay in what is shown; for comparing they are removed with the other invisible characters.
    """
    if text.isascii():
        if "  " not in text and text.isprintable():  # the same, and three times as fast
            return text.lower().strip()
        return " ".join(text.casefold().split())
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)))
    return " ".join(visible.casefold().split())


def is_blank(text: str) -> bool:
    """Whether the text has only white space and invisible characters."""
    return not same_text(text)


def content_hash(*parts: str) -> str:
    """32 hex digits that identify the parts; different splits of the same letters differ."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()[:32]


def cut(text: str, most: int = 60) -> str:
    """The text, of at most `most` letters: a longer one ends in three dots."""
    return text if len(text) <= most else f"{text[: most - 3]}..."


def short(text: str, most: int = 60) -> str:
    """The text on one line, cut to at most so many letters, for a message."""
    return cut(" ".join(text.split()), most)


def listed(names: Sequence[str], last: str = "and") -> str:
    """The names as a list in a sentence, the word `last` between the last two: "a, b and c"."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


def counted(count: int, noun: str) -> str:
    """The number with its noun, which is in the plural unless it is one: "1 query", "0 queries"."""
    plural = re.sub(r"(?<![aeou])y\Z", "ie", noun) + "s"
    return f"{count:,} {noun if count == 1 else plural}"


def lambda_text(value: float) -> str:
    """A lambda with two decimals, and with more where it has more: at most twelve."""
    whole, decimals = f"{value:.12f}".split(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"


def number(value: float | None, places: int = 3, *, sign: str = "", none: str = "-") -> str:
    """The number as tables and sentences write it; `none` where it is undefined.

    A whole number has commas and no decimals; zero has no sign. `sign` "+" writes the sign of
    positive numbers and of zero too.
    """
    if value is None:
        return none
    return format(value, "," if isinstance(value, int) else f"{sign}z.{places}f")


def three_decimals(value: float, *, sign: str = "") -> str:
    """The same with three decimals; a huge one in scientific notation."""
    return number(float(value), sign=sign) if abs(value) < 1e5 else format(value, f"{sign}.1e")
