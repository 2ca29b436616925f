"""Reading a T5 from a folder, with a clear sentence for everything that can be wrong."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.language_model.folder import (
    any_config,
    count_parameters,
    fingerprint,
    quiet,
    read_tokenizer,
    weight_files,
)
from core.language_model.hub import find_folder
from core.language_model.loading import find_device
from core.language_model.local.memory import is_out_of_memory
from core.native import ONE_AT_A_TIME

DEFAULT_WINDOW = 512
"""What T5 was trained with, for folders that name no window; its positions are relative."""


@dataclass(frozen=True, slots=True)
class ReaderParts:
    """What a reader is made of."""

    network: Any
    tokenizer: Any
    name: str
    fingerprint: str
    window: int


def read_parts(name_or_folder: str | Path, device: str) -> ReaderParts:
    """The parts of the reader in a folder.

    Raises:
        InvalidInput: There is no model, it is not whole, it is no T5, or it has no tokenizer.
    """
    given = str(name_or_folder)
    name, folder = find_folder(name_or_folder)
    config = _t5_config(given, folder)
    weights = weight_files(given, folder)
    count_parameters(given, weights)
    tokenizer = read_tokenizer(given, folder)
    if tokenizer.eos_token_id is None:
        raise InvalidInput(
            f"The tokenizer of model {given!r} names no token that ends a text (eos_token), with "
            "which a T5's answers end; add it to tokenizer_config.json."
        )
    place = find_device(device)
    with ONE_AT_A_TIME:
        network = _network(given, folder, config, place)
    return ReaderParts(
        network, tokenizer, name, fingerprint(folder, weights, "float32"), _window(tokenizer)
    )


def _t5_config(given: str, folder: Path) -> Any:
    """The configuration of a T5, whose encoder reads evidence and whose decoder answers."""
    config = any_config(given, folder)
    if config.model_type != "t5":
        raise InvalidInput(
            f"The model {given!r} ({config.model_type}) is no T5, and a Fusion-in-Decoder reader "
            "is made of one; give the folder of a T5, such as t5-small, as save_pretrained writes "
            "it."
        )
    return config


def _network(given: str, folder: Path, config: Any, device: str) -> Any:
    import torch
    from transformers import T5ForConditionalGeneration

    # TF32 would round every product to 10 bits.
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    reading: Any = T5ForConditionalGeneration
    try:
        with quiet():
            network, report = reading.from_pretrained(
                folder,
                config=config,
                dtype=torch.float32,
                use_safetensors=True,
                output_loading_info=True,
            )
        if missing := sorted(report["missing_keys"]):
            raise InvalidInput(
                f"The weights of model {given!r} lack {len(missing)} parts that a T5 of its "
                f"config.json has ({missing[0]}); choose a whole one."
            )
        return network.to(device).eval()
    except (RuntimeError, ValueError, OSError, ImportError, MemoryError) as error:
        if is_out_of_memory(error):
            raise InvalidInput(
                f"The model {given!r} does not fit into the memory of {device}; choose a smaller "
                "one or another device."
            ) from error
        raise InvalidInput(
            f"The weights of model {given!r} do not fit its config.json; fetch the model again."
        ) from error


def _window(tokenizer: Any) -> int:
    stated = int(tokenizer.model_max_length)
    return stated if 0 < stated < 1_000_000_000 else DEFAULT_WINDOW
