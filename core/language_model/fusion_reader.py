"""The Fusion-in-Decoder reader: load one, query it, fine-tune it."""

from .fusion.checkpoint import Check
from .fusion.episode import Episode
from .fusion.reader import FusionReader
from .fusion.training import FineTuning, FineTuningReport, train

__all__ = ["Check", "Episode", "FineTuning", "FineTuningReport", "FusionReader", "train"]
