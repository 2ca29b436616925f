"""Text to unit rows: the encoder protocol and the encoders of sentence-transformers."""

from .encoder import Encoder, unit_rows
from .loading import load_encoder

__all__ = ["Encoder", "load_encoder", "unit_rows"]
