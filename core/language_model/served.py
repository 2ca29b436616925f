"""The kinds of servers that a model can be behind: what begins its name, and what reaches it."""

from collections.abc import Callable

from .base import LanguageModel


def _of_openai(name: str) -> LanguageModel:
    from .server.loading import load_server

    return load_server(name)


KINDS: dict[str, Callable[[str], LanguageModel]] = {"openai": _of_openai}
"""By what comes before the colon of a name; each gets the rest of it."""


def served_by(name: str) -> str | None:
    """The kind of server that a model of this name is behind; None where it runs here."""
    kind, colon, _ = name.partition(":")
    return kind if colon and kind in KINDS else None
