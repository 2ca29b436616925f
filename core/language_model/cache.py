"""The causal language models of the local hub cache, ready to be loaded by name."""

import json
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from .folder import has_tokenizer, weight_files

_CAUSAL = ("ForCausalLM", "LMHeadModel")
"""How `transformers` ends the names of causal architectures; the second are GPT-2 and its kin."""


@dataclass(frozen=True)
class CachedModel:
    """A model of the cache by its hub name; `size` of its weights in bytes."""

    name: str
    size: int


def cached_models() -> list[CachedModel]:
    """Every causal model that is complete in the cache, in the order of names.

    Complete is what can be loaded without a network: the main revision with a config.json that can
    be read, all weights as safetensors and a tokenizer. Interrupted downloads, adapters, encoders
    and everything else there are skipped.
    """
    from huggingface_hub import constants

    found = []
    for repository in sorted(Path(constants.HF_HUB_CACHE).glob("models--*")):
        name = repository.name.removeprefix("models--").replace("--", "/")
        snapshot = _main_snapshot(repository)
        if snapshot is None or not _is_causal(snapshot) or not has_tokenizer(snapshot):
            continue
        try:
            weights = weight_files(name, snapshot)
        except InvalidInput:
            continue
        found.append(CachedModel(name, sum(path.stat().st_size for path in weights)))
    return found


def _main_snapshot(repository: Path) -> Path | None:
    """The folder that loading by name would take."""
    try:
        commit = (repository / "refs" / "main").read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return repository / "snapshots" / commit if commit else None


def _is_causal(snapshot: Path) -> bool:
    try:
        config = json.loads((snapshot / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    named = config.get("architectures") if isinstance(config, dict) else None
    return isinstance(named, list) and any(str(each).endswith(_CAUSAL) for each in named)
