"""When two queries are the same, the hash under which content is cached, and how a lambda reads."""

import hashlib
import unicodedata

_IGNORABLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
"""Unicode's property Default_Ignorable_Code_Point: soft hyphens, zero-width spaces and joiners,
marks of direction, byte order marks, variation selectors. First and last of each range."""
_INVISIBLE = {code: None for first, last in _IGNORABLE for code in range(first, last + 1)}


def normalised(text: str) -> str:
    """The text after NFKC, casefold and white space, without characters that nobody sees.

    Two queries are the same when these agree. Joiners shape the letters of some scripts, so they
    stay in what is shown; for comparing they go with the other invisible characters.
    """
    if text.isascii():
        return " ".join(text.casefold().split())
    visible = unicodedata.normalize("NFKC", text.translate(_INVISIBLE)).translate(_INVISIBLE)
    return " ".join(visible.casefold().split())


def is_blank(text: str) -> bool:
    """Whether nothing of the text can be seen: white space and invisible characters alone."""
    return not (text.strip() if text.isascii() else normalised(text))


def content_hash(*parts: str) -> str:
    """32 hex digits that stand for the parts; different splits of the same letters differ."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()[:32]


def lambda_text(value: float) -> str:
    """A lambda with two decimals, and with more where it has more: at most twelve."""
    whole, decimals = f"{value:.12f}".split(".")
    return f"{whole}.{decimals.rstrip('0'):0<2}"
