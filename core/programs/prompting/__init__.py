"""From an example to a prompt that fits the window, and from what was written back to fields."""

from .budget import LeftOut, fitted
from .extraction import Completion, best, extracted
from .template import PartKind, ProgramPrompt, ProgramTemplate, TemplateField, TemplatePart

__all__ = [
    "Completion",
    "TemplateField",
    "LeftOut",
    "TemplatePart",
    "PartKind",
    "ProgramPrompt",
    "ProgramTemplate",
    "best",
    "extracted",
    "fitted",
]
