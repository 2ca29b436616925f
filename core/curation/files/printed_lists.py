"""Lists of texts as Python and numpy print them, read letter by letter: nothing is evaluated."""

import re

_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(\r\n|[\s\S]))")
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_SIMPLE |= {"\\": "\\", "'": "'", '"': '"'}

_ENTRY = re.compile(
    r"(?P<wrapped>(?:np\.|numpy\.)?str_\()?"
    r"(?:[uU]?(?:'(?P<single>(?:[^'\\]|\\[\s\S])*+)'|\"(?P<double>(?:[^\"\\]|\\[\s\S])*+)\")"
    r"|(?P<missing>None|nan)|(?P<flag>True|False))"
    r"(?(wrapped)\))"
)
"""A text in quotes, wrapped as by numpy 2 or not, a flag, or what is printed for a missing one."""

_BETWEEN = re.compile(r"\s*,\s*|\s+")
"""Python puts commas between the entries, numpy white space and the ends of its lines."""

_ARRAY = re.compile(r"(?:np\.|numpy\.)?array\(\s*(\[.*\])\s*(?:,\s*dtype=[^,()]+)?\)", re.DOTALL)
_MOST_UNICODE = 0x10FFFF


def printed_list(text: str) -> list[str | None] | None:
    """The entries of a list such as ['Bobby Scott', "O'Neil"] or ['banana' 'lemon'].

    Args:
        text: The content of a cell, without white space around it.

    Returns:
        The texts, None for an entry that is missing; None when the text is no such list: entries
        without quotes, numpy's "..." for what it left out, quotes that do not match.
    """
    array = _ARRAY.fullmatch(text)
    inner = array[1] if array else text
    if not (inner.startswith("[") and inner.endswith("]")):
        return None
    end = len(inner) - 1
    place = len(inner) - len(inner[1:].lstrip())
    entries: list[str | None] = []
    while place < end:
        entry = _ENTRY.match(inner, place, end)
        if entry is None:
            return None
        entries.append(_text_of(entry))
        place = entry.end()
        between = _BETWEEN.match(inner, place, end)
        if between is None and place < end:
            return None  # no library prints 'a''b'
        place = between.end() if between else place
    return entries if any(entry is not None for entry in entries) else None


def _text_of(entry: re.Match[str]) -> str | None:
    if entry["missing"]:
        return None
    if entry["flag"]:
        return entry["flag"]
    written = entry["single"] if entry["single"] is not None else entry["double"]
    return _ESCAPE.sub(_letter, written) if "\\" in written else written


def _letter(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        number = int(code, 16)
        return chr(number) if number <= _MOST_UNICODE else escape[0]
    if escape[4] in ("\n", "\r\n", "\r"):
        return ""
    return _SIMPLE.get(escape[4], escape[0])
