"""How good an answer's log-probabilities are, and how varied a context is: numpy only."""

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
    "diversity",
    "estimate",
    "family",
    "mean_interval",
    "paired_difference",
]
