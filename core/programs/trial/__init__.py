"""Programs over a set of questions: seeds, scores with intervals, an ablation."""

from .drawing import Share, draw
from .records import Answer, Cost, Demonstrated, Scores
from .results import Difference, RowResult, SeedScores, Trial, summarised
from .running import TrialRow, ablated, row_of, run_trial

__all__ = [
    "Answer", "Cost", "Demonstrated", "Difference", "TrialRow", "RowResult", "Scores",
    "SeedScores", "Share", "Trial", "ablated", "draw", "row_of", "run_trial", "summarised",
]  # fmt: skip
