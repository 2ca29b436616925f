"""From an example to a prompt that fits the window, and from what was written back to fields."""

from .budget import LeftOut, fitted
from .extraction import Completion, best, extracted
from .template import Field, Part, PartKind, Prompt, Template

__all__ = [
    "Completion",
    "Field",
    "LeftOut",
    "Part",
    "PartKind",
    "Prompt",
    "Template",
    "best",
    "extracted",
    "fitted",
]
