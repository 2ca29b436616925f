"""Text to unit rows: the encoder protocol, the bundled encoders and sentence-transformers'."""

from .deferred import DeferredEncoder
from .encoder import Encoder, unit_rows, unit_token_rows, unread_share
from .loading import load_encoder

__all__ = [
    "DeferredEncoder",
    "Encoder",
    "load_encoder",
    "unit_rows",
    "unit_token_rows",
    "unread_share",
]
