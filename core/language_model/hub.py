"""From the name of a model to a folder on this machine: given, of a GGUF file, cached, fetched."""

import re
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..settings import PRACTICE, practice_model_folder
from .gguf.conversion import as_folder
from .gguf.header import find_gguf
from .served import served_by

_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
_FILES = [
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


def find_folder(name_or_folder: str | Path) -> tuple[str, Path]:
    """The model's name for people, and its folder.

    Args:
        name_or_folder: `practice` for the bundled model; a folder; a GGUF file or a folder with
            one, which becomes a folder of the usual kind once; else a name on the hub, looked up in
            the local cache first.

    Raises:
        InvalidInput: There is no such folder, and no such model in the cache or on the hub.
    """
    given = str(name_or_folder).strip()
    if given == PRACTICE:
        return PRACTICE, practice_model_folder()
    folder = Path(given).expanduser()
    file = find_gguf(folder) if given else None
    if file is not None:
        return as_folder(given, file)
    if given and folder.is_dir():
        return folder.resolve().name, folder
    refuse_no_folder(given)
    return given, _cached(given) or _fetched(given)


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


def _cached(name: str) -> Path | None:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(name, local_files_only=True, allow_patterns=_FILES))
    except (LocalEntryNotFoundError, HFValidationError):
        return None
    complete = (folder / "config.json").is_file() and any(
        (folder / file).is_file() for file in _WEIGHTS
    )
    return folder if complete else None


def _fetched(name: str) -> Path:
    """Download the model; one quick question first, since the download itself retries for long."""
    from huggingface_hub import HfApi, errors, snapshot_download
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError

    # Whatever HTTP library the hub's client uses, its base error is named there.
    no_network: tuple[Any, ...] = (vars(errors)["HTTPError"], OSError)
    try:
        files = HfApi().model_info(name, timeout=_SECONDS).siblings or []
    except GatedRepoError as error:
        raise InvalidInput(
            f"The model {name!r} is gated; accept its terms on the hub and log in with "
            "`hf auth login`, or give a folder."
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise InvalidInput(
            f"There is no folder and no public model on the hub named {name!r}; check the name."
        ) from error
    except no_network as error:
        raise InvalidInput(
            f"There is no folder {name!r}, the local hub cache has no such model, and the hub "
            "cannot be reached; give a folder, or try again with a network."
        ) from error
    if not {file.rfilename for file in files} & _WEIGHTS:
        raise InvalidInput(
            f"The model {name!r} on the hub has no model.safetensors; only weights in that "
            "format are loaded: choose another model."
        )
    try:
        return Path(snapshot_download(name, allow_patterns=_FILES))
    except no_network as error:
        raise InvalidInput(
            f"The model {name!r} could not be fetched whole from the hub ({error}); try again, "
            "or give a folder."
        ) from error
