"""The text of a file's bytes, whatever wrote them, and the encoding that was found."""

import codecs
import gzip
import zlib
from dataclasses import dataclass
from enum import StrEnum

from ...errors import InvalidInput
from .encoding_guess import PLAUSIBLE, guess, is_clear, sample_of

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES = (
    (b"PAR1", "parquet"),
    (b"PK\x03\x04", "xlsx or zip"),
    (b"\xd0\xcf\x11\xe0", "old Excel (.xls) or password-protected Excel"),
    (b"%PDF", "PDF"),
)
_CONTROL_BYTES = bytes(sorted(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b")))
_WITHOUT_CONTROLS = dict.fromkeys(_CONTROL_BYTES)
_MOST_CONTROL_BYTES = 0.01
"""Text has next to none; in random bytes one in ten is a control byte."""

_NO_ENCODINGS_OF_FILES = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
_MOST_OTHERS = 5
_MANY_BY_CHANCE = 0.25
"""In East Asian encodings a short line can be UTF-8 by chance; no file has so many."""


class Sureness(StrEnum):
    """How certain the encoding is in which a file was read."""

    CERTAIN = "certain"
    """Its bytes are UTF-8, or begin with the mark of UTF-16 or UTF-32."""
    LIKELY = "likely"
    """A guess: in no other encoding do its letters read nearly as well."""
    UNSURE = "unsure"
    """A guess: others read as well, too few letters distinguish them, or the file mixes two."""
    CHOSEN = "chosen"
    """A person named it."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding that was found for a file.

    Attributes:
        name: Its name, as `--encoding` takes it; two joined by "and" where lines differ.
        sureness: How certain it is.
        others: Other encodings that fit, best first; none when it is certain or chosen.
    """

    name: str
    sureness: Sureness = Sureness.CERTAIN
    others: tuple[str, ...] = ()

    @property
    def in_words(self) -> str:
        """Its name with what it is for, where that is known."""
        purpose = PLAUSIBLE.get(self.name)
        return f"{self.name} ({purpose})" if purpose else self.name


def decompressed(content: bytes, name: str) -> bytes:
    """The content, unpacked if it is gzip (by its first bytes, not by the file's name).

    Raises:
        InvalidInput: The gzip data are damaged or cut short.
    """
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise InvalidInput(
            f"{name} cannot be unpacked: its gzip data are damaged or cut short; "
            "fetch or compress it again."
        ) from error


def decode(content: bytes, name: str, encoding: str | None = None) -> tuple[str, Encoding]:
    """The text and the encoding found: a mark decides, then UTF-8, then a guess.

    Lines of UTF-8 and of an older encoding in one file are each read in their own. Latin-1 is the
    last resort, line by line, for bytes that the guess leaves undefined.

    Args:
        content: The file's bytes.
        name: The file's name, for messages.
        encoding: The encoding as a person named it; None finds it.

    Raises:
        InvalidInput: The bytes are not text, the encoding is unknown or cannot decode them.
    """
    for signature, what in _SIGNATURES:
        if content.startswith(signature):
            raise InvalidInput(
                f"{name} is not a text file but looks like {what}: rename it, name its format, "
                "or save it as CSV (UTF-8)."
            )
    if encoding is not None:
        return _decode_as(content, name, known_encoding(encoding))
    certain = _decode_certainly(content, name)
    if certain is not None:
        return certain
    _refuse_binary(content, name)
    return _decode_by_guess(content)


def known_encoding(encoding: str) -> str:
    """Python's name of the encoding: `Windows-1251` is `cp1251`.

    Raises:
        InvalidInput: There is no such encoding of text.
    """
    try:
        found = codecs.lookup(encoding.strip())
        # Only text encodings pass this; Python's other codecs map bytes to bytes.
        "".encode(found.name)
    except (LookupError, ValueError):
        found = None
    if found is None or found.name in _NO_ENCODINGS_OF_FILES:
        raise InvalidInput(
            f'There is no encoding "{encoding[:60]}": name one that Python knows, such as utf-8, '
            f"{', '.join(PLAUSIBLE)}."
        )
    return found.name


def _decode_as(content: bytes, name: str, encoding: str) -> tuple[str, Encoding]:
    try:
        text = content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{name} is not in {encoding}: byte {error.start:,} of it is no letter there; name "
            "another encoding, or none to have it guessed."
        ) from error
    controls = len(text) - len(text.translate(_WITHOUT_CONTROLS))
    if controls > _MOST_CONTROL_BYTES * len(text):
        raise InvalidInput(
            f"{name} read as {encoding} is not text but contains control characters: name another "
            "encoding, or none to have it guessed."
        )
    return text, Encoding(encoding, Sureness.CHOSEN)


def _decode_certainly(content: bytes, name: str) -> tuple[str, Encoding] | None:
    """The text when a byte-order mark or UTF-8 itself determines the encoding, else None."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding), Encoding(encoding)
            except UnicodeDecodeError as error:
                if encoding == "utf-8-sig":
                    break
                raise InvalidInput(
                    f"{name} begins as {encoding} but is damaged at byte {error.start}: "
                    "save it again as UTF-8."
                ) from error
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8-sig"), Encoding("utf-8")
    except UnicodeDecodeError:
        return None  # it is in an older encoding, or no text


def _refuse_binary(content: bytes, name: str) -> None:
    controls = len(content) - len(content.translate(None, delete=_CONTROL_BYTES))
    if b"\0" in content or controls > _MOST_CONTROL_BYTES * len(content):
        raise InvalidInput(
            f"{name} is not a text file: it contains binary data; save it as CSV, JSON or JSON "
            "lines in UTF-8, or name its encoding."
        )


def _decode_by_guess(content: bytes) -> tuple[str, Encoding]:
    lines = [line for line in content.split(b"\n") if not line.isascii()]
    older = [line for line in lines if not _decodes(line, "utf-8")]
    sample = sample_of(older)
    ranked = guess(sample)
    best = ranked[0].encoding if ranked else "cp1252"
    fitting = [each for each in ranked if _decodes(content, each.encoding)]
    utf8_share = 1 - len(older) / len(lines)
    mixed = utf8_share >= _MANY_BY_CHANCE or content.startswith(codecs.BOM_UTF8)
    mixed = mixed or (utf8_share > 0 and best.startswith("cp125"))
    if fitting[:1] == ranked[:1] != [] and not mixed:
        text = content.decode(best).removeprefix("\ufeff")
        name, sureness = best, Sureness.LIKELY if is_clear(fitting, sample) else Sureness.UNSURE
    else:
        tried = ("utf-8", best, "latin-1") if mixed else (best, "latin-1")
        text, name = _decode_by_line(content, tried)
        sureness = Sureness.UNSURE
    others = tuple(each.encoding for each in fitting if each.encoding != name)
    return text, Encoding(name, sureness, others[:_MOST_OTHERS])


def _decodes(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decode_by_line(content: bytes, encodings: tuple[str, ...]) -> tuple[str, str]:
    """Each line in the first encoding that decodes it, and the names of those that were used."""
    found = set()
    texts = []
    for line in content.split(b"\n"):
        encoding = next(each for each in ("ascii", *encodings) if _decodes(line, each))
        found.add(encoding)
        texts.append(line.decode(encoding))
    text = "\n".join(texts).removeprefix("\ufeff")
    return text, " and ".join(each for each in encodings if each in found)
