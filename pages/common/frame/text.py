"""Text as the pages show it: users' texts are not interpreted, numbers look the same everywhere."""

from core.text import number

MARKDOWN = r"\`*_{}[]()#+-.!|$:<>~&"
SPACE = "\N{OPEN BOX}"
"""A space that must be seen."""


def plain(text: str) -> str:
    """The text with everything escaped that Streamlit would read as markdown."""
    return "".join(f"\\{letter}" if letter in MARKDOWN else letter for letter in text)


def edged(text: str) -> str:
    """The text with the white space at its ends as open boxes: else nobody would see it."""
    inner = text.strip()
    before = len(text) - len(text.lstrip())
    return f"{SPACE * before}{inner}{SPACE * (len(text) - before - len(inner))}"


def bold(text: str) -> str:
    """The text as bold markdown, line by line; a space at an end of stars would show the stars."""
    lines = edged(text).split("\n")
    return "\n".join(f"**{plain(edged(line))}**" if line.strip() else "" for line in lines)


def nats(value: float | None) -> str:
    """A log-probability: two decimals, a dash where it is undefined."""
    return number(value, 2)
