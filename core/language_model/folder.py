"""Reading the parts of a model's folder, with a clear sentence for everything that can be wrong."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from .fingerprint import TOKENIZER_FILES

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
