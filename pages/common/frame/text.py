"""Text as the pages show it: users' texts are not interpreted, numbers look the same everywhere."""

from core.text import number

MARKDOWN = r"\`*_{}[]()#+-.!|$:<>~&"


def plain(text: str) -> str:
    """The text with everything escaped that Streamlit would read as markdown."""
    return "".join(f"\\{letter}" if letter in MARKDOWN else letter for letter in text)


def nats(value: float | None) -> str:
    """A log-probability: two decimals, a dash where it is undefined."""
    return number(value, 2)
