"""How good an answer's log-probabilities are, and how varied a context is: numpy only."""

from .bounds.intervals import estimate, mean_interval, paired_difference
from .bounds.simultaneous import Family, family
from .cos_sum import cos_sum
from .diversity import diversity
from .metric import MetricInfo
from .pairs import Wins, rank_correlation, wins
from .registry import METRICS
from .scores import AnswerScores

__all__ = [
    "METRICS", "AnswerScores", "Family", "MetricInfo", "Wins", "cos_sum", "diversity",
    "estimate", "family", "mean_interval", "paired_difference", "rank_correlation", "wins",
]  # fmt: skip
