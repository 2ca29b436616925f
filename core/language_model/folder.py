"""A model's folder: reading its parts, its fingerprint, and whether the disk has room."""

import hashlib
import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
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


_VOCABULARIES = set(TOKENIZER_FILES) - {
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
}


def read_config(given: str, folder: Path) -> Any:
    """The configuration of a causal language model; `given` is how the user named it."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

    config = any_config(given, folder)
    if config.is_encoder_decoder or type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING:
        raise not_causal(given, config)
    return config


def any_config(given: str, folder: Path) -> Any:
    """The configuration of a model of any kind; `given` is how the user named it."""
    path = folder / "config.json"
    if not path.is_file():
        raise InvalidInput(
            f"The folder of model {given!r} has no config.json; give a folder with config.json, "
            "model.safetensors and a tokenizer, as save_pretrained writes it."
        )
    from transformers import AutoConfig

    try:
        json.loads(path.read_text(encoding="utf-8"))
        return AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput(
            f"The config.json of model {given!r} is damaged, or names an architecture that the "
            "installed transformers does not have; no code that comes with a model is run: "
            "choose another model or update transformers."
        ) from error


def not_causal(given: str, config: Any) -> InvalidInput:
    """What to raise for a model that sees later tokens, or reads with an encoder."""
    return InvalidInput(
        f"The model {given!r} ({config.model_type}) is not a causal language model: it does not "
        "predict each token from those before it alone; choose one that does, such as a GPT, "
        "Llama or Qwen model."
    )


def weight_files(given: str, folder: Path) -> list[Path]:
    """Every file of safetensors that makes up the model."""
    index = folder / "model.safetensors.index.json"
    whole = folder / "model.safetensors"
    if whole.is_file():
        return [whole]
    if not index.is_file():
        other = sorted(path.name for path in folder.glob("*.bin"))
        found = f" ({other[0]} is never read, since it can run code)" if other else ""
        raise InvalidInput(
            f"The folder of model {given!r} has no model.safetensors{found}; save the model with "
            "safetensors or choose another."
        )
    try:
        listed = json.loads(index.read_text(encoding="utf-8"))
        names = set(listed["weight_map"].values()) if "metadata" in listed else set()
    except (ValueError, KeyError, AttributeError, TypeError):
        names = set()
    if not names:
        raise InvalidInput(
            f"The file {index.name} of model {given!r} is damaged; fetch the model again."
        )
    files = sorted(folder / str(file) for file in names)
    for file in files:
        if not file.is_file():
            raise InvalidInput(
                f"The model {given!r} is not whole: {file.name} is missing; fetch the model again."
            )
    return files


def count_parameters(given: str, weights: list[Path]) -> int:
    """How many numbers the files contain; opening them also finds damaged and truncated ones."""
    from safetensors import SafetensorError, safe_open

    total = 0
    for path in weights:
        try:
            with safe_open(path, framework="pt") as file:
                for key in sorted(file.keys()):
                    size = 1
                    for extent in file.get_slice(key).get_shape():
                        size *= extent
                    total += size
        except (SafetensorError, OSError) as error:
            raise InvalidInput(
                f"The weights {path.name} of model {given!r} are damaged or cut off; fetch the "
                "model again."
            ) from error
    return total


def has_tokenizer(folder: Path) -> bool:
    """Whether the folder has a file from which a tokenizer can be read."""
    return any((folder / file).is_file() for file in _VOCABULARIES)


def read_tokenizer(given: str, folder: Path) -> Any:
    """The tokenizer, which makes at least one token of a text."""
    # Without these files transformers would make an empty tokenizer that knows no word.
    if not has_tokenizer(folder):
        raise InvalidInput(
            f"The folder of model {given!r} has no tokenizer (tokenizer.json or tokenizer.model); "
            "copy the tokenizer's files into it."
        )
    from transformers import AutoTokenizer

    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
            known = bool(tokenizer("a b")["input_ids"])
    except Exception as error:  # the tokenizers library raises nothing narrower
        raise InvalidInput(
            f"The tokenizer of model {given!r} is damaged, or of a kind that cannot be loaded "
            "here; add its tokenizer.json, or choose another model."
        ) from error
    if not known:
        raise InvalidInput(
            f"The tokenizer of model {given!r} makes no tokens of text; copy the tokenizer's files "
            "into its folder again."
        )
    return tokenizer


@contextmanager
def quiet() -> Iterator[None]:
    """Without the progress bars and reports of transformers: what matters becomes a sentence."""
    import transformers

    reports: Any = transformers.utils.logging
    level, bars = reports.get_verbosity(), reports.is_progress_bar_enabled()
    reports.set_verbosity(logging.CRITICAL)
    reports.disable_progress_bar()
    try:
        yield
    finally:
        reports.set_verbosity(level)
        if bars:
            reports.enable_progress_bar()


_SPARE = 200_000_000
"""Bytes that stay free."""


def refuse_no_room(given: str, needed: int, where: Path) -> None:
    """Refuse a model for which the disk has no room; `given` is how the user named it.

    Args:
        given: The model.
        needed: Bytes that are to be written.
        where: A folder on the disk.

    Raises:
        InvalidInput: There is less than that, and some to spare.
    """
    if shutil.disk_usage(where).free < needed + _SPARE:
        raise no_room(given, needed, where)


def no_room(given: str, needed: int, where: Path) -> InvalidInput:
    """What to raise where the disk is full."""
    free = shutil.disk_usage(where).free
    return InvalidInput(
        f"The model {given!r} needs {needed / 1e9:.1f} GB of disk space once, and {where} has "
        f"{free / 1e9:.1f} GB left: free some, or set SHOTLIST_MODELS to a folder on another disk."
    )
