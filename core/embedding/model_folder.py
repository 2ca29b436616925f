"""Which files of a folder make a sentence-transformers encoder, and whether they may be loaded."""

import json
from pathlib import Path
from typing import Any

from ..errors import InvalidInput

FILES_READ = frozenset({".safetensors", ".json", ".txt", ".model"})
"""Suffixes of what is downloaded, hashed and read: weights, settings, vocabularies."""


def encoder_files(folder: Path) -> list[Path]:
    """The files of an encoder that may be loaded safely.

    Raises:
        InvalidInput: The folder is missing, empty, not of sentence-transformers, damaged, brings
            its own code, or has weights in another format than safetensors.
    """
    files = [path for part in _module_folders(folder) for path in part.rglob("*")]
    files += folder.iterdir()
    read = sorted({path for path in files if path.suffix in FILES_READ and path.is_file()})
    for pickled in {path for path in files if path.name == "pytorch_model.bin"}:
        if not any(path.suffix == ".safetensors" for path in pickled.parent.iterdir()):
            raise InvalidInput(
                f"The encoder {folder} keeps weights in {pickled.name}, which can run code when "
                "read; only safetensors are loaded: convert it, or choose another encoder."
            )
    if not any(path.suffix == ".safetensors" for path in read):
        raise InvalidInput(
            f"The encoder {folder} has no weights: no .safetensors file was found; "
            "download it again, or choose another encoder."
        )
    for path in read:
        if path.suffix == ".json":
            _parsed(path)
    return read


def _module_folders(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InvalidInput(
            f"There is no folder {folder}; give a sentence-transformers folder, a hub name "
            "such as sentence-transformers/all-MiniLM-L6-v2, or nothing for the default."
        )
    listing = folder / "modules.json"
    if not listing.is_file():
        raise InvalidInput(
            f"The folder {folder} is no sentence-transformers encoder: it has no modules.json; "
            "choose the folder that has one."
        )
    modules = _parsed(listing)
    if not isinstance(modules, list) or not all(
        isinstance(module, dict) and {"type", "path"} <= module.keys() for module in modules
    ):
        raise InvalidInput(f"{listing} is damaged: it lists no modules; download it again.")
    for module in modules:
        if not str(module["type"]).startswith("sentence_transformers."):
            raise InvalidInput(
                f"The encoder {folder} brings its own code ({module['type']}), which is never run; "
                "choose an encoder made of sentence-transformers' own modules."
            )
    root = folder.resolve()
    parts = [folder / str(module["path"]) for module in modules if module["path"]]
    if not all(part.resolve().is_relative_to(root) for part in parts):
        raise InvalidInput(f"{listing} names modules outside its folder; choose another encoder.")
    return [part for part in parts if part.is_dir()]


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as fault:
        raise InvalidInput(
            f"The encoder's file {path} is damaged ({fault}); download the encoder again."
        ) from fault
