"""The text of a file's bytes, whatever wrote them, and the name of the encoding that was found."""

import codecs
import gzip
import zlib

from ..errors import InvalidInput

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
_MOST_CONTROL_BYTES = 0.01
"""Text has next to none; in random bytes one in ten is a control byte."""


def decompressed(content: bytes, name: str) -> bytes:
    """The content, unpacked if it is gzip (told by its first bytes, not by the file's name).

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


def decode(content: bytes, name: str) -> tuple[str, str]:
    """The text and the encoding found: a byte-order mark decides, then UTF-8, then cp1252.

    Lines of UTF-8 and of cp1252 in one file are each read as what they are. Latin-1 is the last
    resort, for bytes that cp1252 leaves undefined.

    Raises:
        InvalidInput: The bytes are not text.
    """
    for signature, what in _SIGNATURES:
        if content.startswith(signature):
            raise InvalidInput(
                f"{name} is not a text file but looks like {what}: rename it, name its format, "
                "or save it as CSV (UTF-8)."
            )
    for mark, encoding in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding), encoding
            except UnicodeDecodeError as error:
                if encoding == "utf-8-sig":
                    break
                raise InvalidInput(
                    f"{name} begins as {encoding} but is damaged at byte {error.start}: "
                    "save it again as UTF-8."
                ) from error
    if b"\0" not in content:
        try:
            return content.decode("utf-8-sig"), "utf-8"
        except UnicodeDecodeError:
            pass  # then it is an older encoding, or no text
    _refuse_binary(content, name)
    return _decode_by_line(content)


def _refuse_binary(content: bytes, name: str) -> None:
    controls = len(content) - len(content.translate(None, delete=_CONTROL_BYTES))
    if b"\0" in content or controls > _MOST_CONTROL_BYTES * len(content):
        raise InvalidInput(
            f"{name} is not a text file: it holds binary data; save it as CSV, JSON or JSON lines "
            "in UTF-8."
        )


def _decode_by_line(content: bytes) -> tuple[str, str]:
    found: set[str] = set()
    lines = [_decode_line(line, found) for line in content.split(b"\n")]
    text = "\n".join(lines).removeprefix("\ufeff")
    return text, " and ".join(sorted(found, reverse=True))


def _decode_line(line: bytes, found: set[str]) -> str:
    if line.isascii():
        return line.decode("ascii")
    for encoding in ("utf-8", "cp1252"):
        try:
            text = line.decode(encoding)
        except UnicodeDecodeError:
            continue
        found.add(encoding)
        return text
    found.add("latin-1")
    return line.decode("latin-1")
