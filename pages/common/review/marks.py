"""Two texts that are nearly the same, with the marks of what only one of them has."""

import re
from difflib import SequenceMatcher

from core.demonstration.demonstration import Demonstration
from pages.common.frame.text import SPACE, plain

LONGEST = 2_000
"""Words of two texts that are compared; of longer ones nothing is marked."""
_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


def marked(text: str, other: str) -> str:
    """The text as markdown, what the other text does not have on a coloured ground.

    Spaces that the other one does not have are drawn as open boxes.
    """
    ours, theirs = _TOKEN.findall(text), _TOKEN.findall(other)
    if len(ours) + len(theirs) > LONGEST:
        return plain(text)
    parts = []
    for what, _, _, start, end in SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        part = "".join(ours[start:end])
        if what == "equal":
            parts.append(plain(part))
        elif part:
            shown = re.sub(r"\s", SPACE, part) if part.isspace() else part
            parts.append(f":orange-background[{plain(shown)}]")
    return "".join(parts)


def marked_texts(row: Demonstration, other: Demonstration) -> str:
    """The query and below it the answer of a demonstration, marked beside those of another one."""
    return f"{marked(row.query, other.query)}  \n{marked(row.answer, other.answer)}"
