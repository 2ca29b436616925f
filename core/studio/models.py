"""Which language models can be chosen, and what is known of the one in use."""

import os
from dataclasses import dataclass
from pathlib import Path

from ..language_model import LanguageModel
from ..settings import PRACTICE, chosen_model, practice_model_folder


@dataclass(frozen=True)
class ModelChoice:
    """A language model that lies on this machine; `size` in bytes."""

    name: str
    size: int
    where: str


@dataclass(frozen=True)
class ModelSummary:
    """What stands beside every figure that a language model made."""

    name: str
    parameters: int
    device: str
    dtype: str
    window: int
    fingerprint: str


def model_choices() -> list[ModelChoice]:
    """The model that SHOTLIST_MODEL names, those in the local hub cache, the practice model."""
    choices = []
    named = chosen_model()
    if named is not None:
        choices.append(ModelChoice(named, _folder_size(Path(named)), "SHOTLIST_MODEL"))
    practice = practice_model_folder()
    return [*choices, *_cached_models(), ModelChoice(PRACTICE, _folder_size(practice), "bundled")]


def describe(model: LanguageModel) -> ModelSummary:
    """Name, size, device, number type and window of a loaded model."""
    return ModelSummary(
        name=Path(model.name).name or model.name,
        parameters=model.parameters,
        device=model.device,
        dtype=model.dtype,
        window=model.window,
        fingerprint=model.fingerprint,
    )


def _cached_models() -> list[ModelChoice]:
    """Folders `models--org--name` of the hub cache that hold safetensors and a causal model."""
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    found = []
    for folder in sorted(cache.glob("models--*")) if cache.is_dir() else []:
        weights = list(folder.glob("snapshots/*/*.safetensors"))
        configs = list(folder.glob("snapshots/*/config.json"))
        if weights and any("CausalLM" in config.read_text("utf-8") for config in configs):
            name = folder.name.removeprefix("models--").replace("--", "/")
            size = sum(path.stat().st_size for path in weights)
            found.append(ModelChoice(name, size, "local hub cache"))
    return found


def _folder_size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))
