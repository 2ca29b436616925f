"""A document: what is split into passages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its title, which is empty where there is none."""

    title: str
    text: str
