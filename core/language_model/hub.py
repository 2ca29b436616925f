"""From the name of a model to a folder on this machine: given, of GGUF, cached, fetched."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..settings import PRACTICE, practice_model_folder
from .base import LanguageModel
from .folder import has_tokenizer, weight_files
from .gguf_conversion import as_folder
from .gguf_header import find_gguf
from .offers import wheel_file


def _of_openai(name: str) -> LanguageModel:
    from .server.server import load_server

    return load_server(name)


KINDS: dict[str, Callable[[str], LanguageModel]] = {"openai": _of_openai}
"""By what comes before the colon of a name; each gets the rest of it."""


def served_by(name: str) -> str | None:
    """The kind of server that a model of this name is behind; None where it runs here."""
    kind, colon, _ = name.partition(":")
    return kind if colon and kind in KINDS else None


_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
FILES = [
    "config.json",
    "generation_config.json",
    "tokenizer*",
    "chat_template.jinja",
    "special_tokens_map.json",
    "added_tokens.json",
    "spiece.model",
    "vocab.*",
    "merges.txt",
    "model.safetensors",
    "model.safetensors.index.json",
    "model-*.safetensors",
]
"""What a model needs, and nothing that could run code: no pickled weights, no Python."""

_WEIGHTS = {"model.safetensors", "model.safetensors.index.json"}

_SECONDS = 10.0
"""How long the hub may take to answer before it counts as out of reach."""


class HubUnreachable(InvalidInput):
    """The hub does not answer."""


def find_folder(name_or_folder: str | Path) -> tuple[str, Path]:
    """The model's name for people, and its folder.

    Args:
        name_or_folder: `practice` for the bundled model; `smollm2` for the one that is fetched
            out of a package; a folder; a GGUF file or a folder with one, which becomes a folder of
            the usual kind once; else a name on the hub, looked up in the local cache first.

    Raises:
        InvalidInput: There is no such folder, and no such model in the cache or on the hub.
    """
    given = str(name_or_folder).strip()
    if given == PRACTICE:
        return PRACTICE, practice_model_folder()
    folder = Path(given).expanduser()
    file = wheel_file(given) or (find_gguf(folder) if given else None)
    if file is not None:
        return as_folder(given, file)
    if given and folder.is_dir():
        return folder.resolve().name, folder
    refuse_no_folder(given)
    return given, cached_folder(given) or _fetched(given)


def refuse_no_folder(name: str) -> None:
    """Refuse at once what can only be a folder and is none.

    A name on the hub is not looked up, and a server is not asked for its model.

    Raises:
        InvalidInput: The name is that of a file, or neither a folder nor a possible hub name.
    """
    if served_by(name) is not None:
        return
    folder = Path(name).expanduser()
    if folder.is_file() and find_gguf(folder) is None:
        raise InvalidInput(
            f"The model {name!r} is a file, and none in the GGUF format; give the folder that "
            "contains it, with config.json, model.safetensors and a tokenizer."
        )
    if folder.is_file():
        return
    possible = _HUB_NAME.fullmatch(name) and not name.startswith(".")
    if not possible and not (name and folder.is_dir()):
        raise InvalidInput(
            f"There is no model folder {name!r}; give a folder with config.json, "
            "model.safetensors and a tokenizer, or a hub name such as 'owner/model'."
        )


def cached_folder(name: str) -> Path | None:
    """The folder of a hub's model in the local cache; None unless all of it is there."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, local_files_only=True, allow_patterns=FILES))
        weight_files(name, folder)
    except (LocalEntryNotFoundError, HFValidationError, InvalidInput):
        return None
    return folder if (folder / "config.json").is_file() else None


def ask_hub(name: str) -> Any:
    """What the hub says of a model with safetensors: a `ModelInfo` with the sizes of its files.

    Raises:
        HubUnreachable: The hub does not answer.
        InvalidInput: There is none of that name, or it is gated or has no safetensors.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError

    try:
        info = HfApi().model_info(name, timeout=_SECONDS, files_metadata=True)
    except GatedRepoError as error:
        raise InvalidInput(
            f"The model {name!r} is gated; accept its terms on the hub and log in with "
            "`hf auth login`, or give a folder."
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise InvalidInput(
            f"There is no folder and no public model on the hub named {name!r}; check the name."
        ) from error
    except _no_network() as error:
        raise HubUnreachable(
            f"There is no folder {name!r}, the local hub cache has no such model, and the hub "
            "cannot be reached; give a folder, or try again with a network."
        ) from error
    if not {file.rfilename for file in info.siblings or []} & _WEIGHTS:
        raise InvalidInput(
            f"The model {name!r} on the hub has no model.safetensors; only weights in that "
            "format are loaded: choose another model."
        )
    return info


def not_whole(name: str, why: str) -> InvalidInput:
    """What to raise where a hub's model was not fetched whole."""
    return InvalidInput(
        f"The model {name!r} could not be fetched whole from the hub ({why}); try again, "
        "or give a folder."
    )


def _fetched(name: str) -> Path:
    """Download the model; one quick question first, since the download itself retries for long."""
    from huggingface_hub import snapshot_download

    ask_hub(name)
    try:
        return Path(snapshot_download(name, allow_patterns=FILES))
    except _no_network() as error:
        raise not_whole(name, str(error)) from error


def _no_network() -> tuple[Any, ...]:
    from huggingface_hub import errors

    # Whatever HTTP library the hub's client uses, its base error is named there.
    return (vars(errors)["HTTPError"], OSError)


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
