"""How good an answer's log-probabilities are, and how varied a context is: numpy only."""

from .cos_sum import WinRate, cos_sum, largest_difference, win_rate
from .diversity import diversity
from .intervals import estimate, mean_interval, paired_difference
from .registry import METRICS, MetricInfo
from .scores import AnswerScores
from .simultaneous import Family, family

__all__ = [
    "METRICS",
    "AnswerScores",
    "Family",
    "MetricInfo",
    "WinRate",
    "cos_sum",
    "diversity",
    "estimate",
    "family",
    "largest_difference",
    "mean_interval",
    "paired_difference",
    "win_rate",
]
