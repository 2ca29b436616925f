"""The fingerprint of a language model: two models with one fingerprint give the same numbers."""

import hashlib
import json
from functools import lru_cache
from pathlib import Path

from ..text import content_hash

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "tokenizer.model",
    "spiece.model",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
)
_WITHOUT_EFFECT = {"_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version"}


def fingerprint(folder: Path, weights: list[Path], dtype: str) -> str:
    """32 hex digits of weights, configuration, tokenizer with its special tokens, and number type.

    It is made of contents, never of names or dates, so a copied folder keeps it.

    Args:
        folder: Has the configuration and the tokenizer.
        weights: Every file of weights.
        dtype: The type the model computes in: bfloat16 moves log-probabilities by up to a nat.
    """
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    meant = {key: value for key, value in config.items() if key not in _WITHOUT_EFFECT}
    parts = [dtype, json.dumps(meant, sort_keys=True)]
    files = [*sorted(weights), *(folder / name for name in TOKENIZER_FILES)]
    return content_hash(*parts, *(digest(path) for path in files if path.is_file()))


def digest(path: Path) -> str:
    """SHA-256 of a file in 64 hex digits, read once while it does not change."""
    state = path.stat()
    return _digest(path.resolve(), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _digest(path: Path, size: int, changed: int) -> str:
    del size, changed
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
