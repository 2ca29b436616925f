"""Markdown as documents: one for each heading that has a text of its own."""

import re
from collections.abc import Iterator

from .document import Document

SEPARATOR = " > "
"""Between a heading and the one below it, in a title."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_HEADING = re.compile(r"[ \t]*$| {4}|\t| {0,3}(?:[-*+>|#]|\d+[.)] )")
"""A line that a line of dashes below it makes no heading of."""


def documents_in(text: str, title: str) -> Iterator[Document]:
    """The documents of a markdown text in their order, each with the headings above it as title.

    A heading's document is the text up to the next heading of any level; a heading without a text
    of its own is in the titles of those below it only. The text before the first heading has the
    given title. Headings are lines that begin with number signs, or are underlined with = or -. In
    a fenced block of code nothing is a heading, so that it is whole in one document.

    Args:
        text: The file's text, with line feeds.
        title: The title of what has no heading.
    """
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    for line, level in _levels(text):
        if not level:
            lines.append(line)
            continue
        if any(each.strip() for each in lines):
            yield Document(_title(path, title), "\n".join(lines))
        lines = []
        path = [each for each in path if each[0] < level] + [(level, line)]
    if any(each.strip() for each in lines):
        yield Document(_title(path, title), "\n".join(lines))


def _title(path: list[tuple[int, str]], title: str) -> str:
    return SEPARATOR.join(heading for _, heading in path if heading) or title


def _levels(text: str) -> Iterator[tuple[str, int]]:
    """Each line with the level of the heading that it is, 0 for none; a heading without its signs.

    A block of settings at the beginning of a file, between two lines of three dashes, has none.
    """
    lines = text.split("\n")
    place = _after_settings(lines)
    yield from ((line, 0) for line in lines[:place])
    fence, fresh = "", True  # whether a paragraph would begin with the next line
    while place < len(lines):
        line = lines[place]
        place += 1
        opened = _FENCE.match(line)
        level = 0
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opened:
            fence = opened[1]
        elif heading := _HEADING.match(line):
            line, level = (heading[2] or "").strip(), len(heading[1])
        elif fresh and _is_underlined(lines, place):
            line, level = line.strip(), 1 if "=" in lines[place] else 2
            place += 1
        yield line, level
        fresh = bool(level or opened) or not line.strip()


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _is_underlined(lines: list[str], place: int) -> bool:
    """Whether the line at this place underlines the one before it."""
    return (
        place < len(lines)
        and _UNDERLINE.match(lines[place]) is not None
        and not _NO_HEADING.match(lines[place - 1])
    )


def _after_settings(lines: list[str]) -> int:
    if lines[0].rstrip() != "---":
        return 0
    ends = (place for place, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "..."))
    return next(ends, -1) + 1
