"""A GGUF file as a folder of the usual kind, made once: plain weights, its tokenizer.

Reading and de-quantising a file takes many times as long as opening such a folder, and everything
else reads folders.
"""

import errno
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..settings import converted_folder
from .folder import digest, no_room, quiet, refuse_no_room
from .gguf_header import GgufHeader, config_of, read_header

_PLAIN = {"", "default", "gpt-2", "phi-2", "olmo", "mpt", "jais", "roberta-bpe"}
"""Those that cut as GPT-2 does."""
_EACH_DIGIT = {"smollm", "codeshell", "command-r", "exaone", "minerva-7b", "refact", "starcoder"}
"""Those that take every digit by itself first, and then cut as GPT-2 does."""


def split_as(given: str, tokenizer: Any, header: GgufHeader) -> None:
    """Let the tokenizer cut texts as the file says; a vocabulary without a name is left as it is.

    Raises:
        InvalidInput: It cuts in a way that neither transformers nor Shotlist knows.
    """
    from tokenizers import pre_tokenizers
    from transformers.integrations.gguf.gguf_tokenizer_mapping import GGUF_PRE_TOKENIZER_SPLITS

    kind = header.value("tokenizer.ggml.pre", "")
    if header.value("tokenizer.ggml.model") != "gpt2":
        return
    if kind in _EACH_DIGIT:
        tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [
                pre_tokenizers.Digits(individual_digits=True),
                pre_tokenizers.ByteLevel(add_prefix_space=False),
            ]
        )
    elif kind not in GGUF_PRE_TOKENIZER_SPLITS and kind not in _PLAIN:
        raise InvalidInput(
            f"The tokenizer in the GGUF file of model {given!r} cuts texts as {kind!r} does, "
            "which is not known here: give the model as a folder with safetensors, or choose "
            "another."
        )


CONVERSION = 1
"""Raised when the same file is converted into other numbers or tokens than before."""
HALF_FROM = 1_000_000_000
"""With this many parameters or more the weights are written in bfloat16: half of the space."""
_QUANTISATION = "quantisation.txt"


def as_folder(given: str, path: Path) -> tuple[str, Path]:
    """The model's name for people, and the folder that was made of its file.

    The folder is found again by the file's content, wherever the file is moved.

    Raises:
        InvalidInput: The file is damaged, or its architecture, tokenizer or a setting is not read;
            or there is no room on the disk.
    """
    folder = converted_folder() / f"{digest(path)[:32]}-{CONVERSION}"
    kind = folder / _QUANTISATION
    if not kind.is_file():
        _make(given, read_header(given, path), folder)
    return _name(path, kind.read_text(encoding="utf-8")), folder


def _name(path: Path, quantisation: str) -> str:
    """The file's name, with the quantisation where it does not have it."""
    stem = path.name.removesuffix(".gguf")
    return stem if quantisation.lower() in stem.lower() else f"{stem} ({quantisation})"


def _make(given: str, header: GgufHeader, folder: Path) -> None:
    """Write the folder beside its place, and move it there when it is whole."""
    half = header.parameters >= HALF_FROM
    needed = header.parameters * (2 if half else 4)
    folder.parent.mkdir(parents=True, exist_ok=True)
    refuse_no_room(given, needed, folder.parent)
    started = Path(tempfile.mkdtemp(prefix="making-", dir=folder.parent))
    try:
        _write(given, header, started, half=half)
        if not folder.exists():
            started.rename(folder)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise no_room(given, needed, folder.parent) from error
        if not (folder / _QUANTISATION).is_file():
            raise
    finally:
        shutil.rmtree(started, ignore_errors=True)


def _write(given: str, header: GgufHeader, folder: Path, *, half: bool) -> None:
    import torch
    from safetensors.torch import save_model
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = {"gguf_file": header.path.name, "trust_remote_code": False}
    with quiet(), _without_bar():
        config = config_of(given, header)
        try:
            tokenizer: Any = AutoTokenizer.from_pretrained(header.path.parent, **place)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise InvalidInput(
                f"The tokenizer in the GGUF file of model {given!r} is of a kind that is not read "
                "from GGUF here: give the model as a folder with safetensors, or choose another."
            ) from error
        split_as(given, tokenizer, header)
        try:
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                header.path.parent,
                config=config,
                dtype=torch.bfloat16 if half else torch.float32,
                output_loading_info=True,
                **place,
            )
        except (ValueError, RuntimeError, KeyError) as error:
            raise InvalidInput(
                f"The weights in the GGUF file of model {given!r} do not fit what it says of "
                "them; fetch it again, or give the model as a folder with safetensors."
            ) from error
        network, report = loaded
        missing = sorted(report["missing_keys"])
        if missing:
            raise InvalidInput(
                f"The GGUF file of model {given!r} lacks {len(missing)} parts that its "
                f"architecture has ({missing[0]}); choose a whole one."
            )
        tokenizer.save_pretrained(folder)
        save_model(network, str(folder / "model.safetensors"), metadata={"format": "pt"})
        (folder / "config.json").write_text(config.to_json_string(), encoding="utf-8")
        (folder / _QUANTISATION).write_text(header.quantisation, encoding="utf-8")


@contextmanager
def _without_bar() -> Iterator[None]:
    """Transformers 5.24 draws one bar whatever its own setting says."""
    from transformers import modeling_gguf_pytorch_utils

    reading: Any = modeling_gguf_pytorch_utils
    bar = reading.tqdm
    reading.tqdm = partial(bar, disable=True)
    try:
        yield
    finally:
        reading.tqdm = bar
