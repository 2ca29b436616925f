"""Programs that demonstrate, search and predict with a language model and a retriever (DSP)."""

from .example import Example, Passage, ScoredPassage, Turn
from .run import Generates, Program, Retrieves, Run
from .steps import Step, Trace

__all__ = [
    "Example",
    "ScoredPassage",
    "Generates",
    "Passage",
    "Program",
    "Retrieves",
    "Run",
    "Step",
    "Trace",
    "Turn",
]
