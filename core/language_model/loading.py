"""Loading a language model by its name: from a folder, the hub or a server."""

from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..native import ONE_AT_A_TIME
from ..settings import PRACTICE, SCRIPTED, practice_model_folder
from .base import LanguageModel
from .folder import (
    count_parameters,
    fingerprint,
    not_causal,
    quiet,
    read_config,
    read_tokenizer,
    weight_files,
)
from .hub import KINDS, find_folder, served_by
from .scripted.model import ScriptedLanguageModel
from .template import chat_format

DTYPES = ("float32", "bfloat16", "float16")
BFLOAT16_FROM = 1_000_000_000
"""With this many parameters or more, a GPU computes in bfloat16 unless a type is given."""

DEFAULT_WINDOW = 2048
"""For models that name no window at all."""


_WINDOW_NAMES = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")


def load(name_or_folder: str | Path, *, device: str = "auto", dtype: str = "auto") -> LanguageModel:
    """A causal language model, ready to score.

    Weights come from safetensors or GGUF only, and no code that comes with a model is run.

    Args:
        name_or_folder: A folder as `transformers` saves it; or a GGUF file, or a folder with one;
            or a hub name, looked up in the local cache first, then on the hub; or `practice`, the
            bundled model, or `scripted`, rules in a model's place for the bundled two-hop
            questions; or `openai:` and the name of a model on the server that
            SHOTLIST_OPENAI_BASE_URL names, where device and type are the server's own.
        device: `auto` takes CUDA, else Apple's MPS, else the CPU; or one of `cpu`, `cuda`,
            `cuda:1`, `mps`.
        dtype: `auto` computes in float32 on a CPU and for models under a billion parameters, in
            bfloat16 otherwise; or one of `float32`, `bfloat16`, `float16`.

    Raises:
        InvalidInput: The model is not there, not whole, not a causal language model, or does not
            fit the device; the server is not there, or does not know the key or the model.
    """
    given = str(name_or_folder)
    kind_of_server = served_by(given)
    if kind_of_server is not None:
        return KINDS[kind_of_server](given.partition(":")[2])
    if given == SCRIPTED:
        return ScriptedLanguageModel()
    name, folder = find_folder(name_or_folder)
    config = read_config(given, folder)
    weights = weight_files(given, folder)
    place = find_device(device)
    kind = _dtype(dtype, place, count_parameters(given, weights))
    tokenizer = read_tokenizer(given, folder)
    from .local.local import LocalLanguageModel
    from .local.probing import is_causal, is_finite
    from .local.rows import PairEncoder

    with ONE_AT_A_TIME:
        network = _read_network(given, folder, config, kind, place)
    if not is_finite(network):
        raise InvalidInput(
            f"The model {given!r} puts out no finite numbers in {kind}; its weights are damaged, "
            "or the type is too small for it: fetch it again or choose float32."
        )
    if not is_causal(network):
        raise not_causal(given, config)
    return LocalLanguageModel(
        network,
        PairEncoder(tokenizer, vocabulary=network.get_input_embeddings().weight.shape[0]),
        name=name,
        fingerprint=fingerprint(folder, weights, kind),
        window=_window(config.get_text_config(), tokenizer),
        chat_format=chat_format(tokenizer),
    )


def known_fingerprint(name: str) -> str | None:
    """The fingerprint that a bundled model has once it is loaded by its name; else None.

    The practice model computes in float32 wherever it runs, being small. What another model
    computes in may depend on the device, which only torch knows.
    """
    if name == SCRIPTED:
        return ScriptedLanguageModel.fingerprint
    if name != PRACTICE:
        return None
    folder = practice_model_folder()
    return fingerprint(folder, weight_files(name, folder), "float32")


def find_device(asked: str) -> str:
    """The device that is wanted; `auto` is CUDA, else Apple's MPS, else the CPU.

    Raises:
        InvalidInput: It is not on this machine.
    """
    import torch

    if asked == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        kind, number = torch.device(asked).type, torch.device(asked).index or 0
    except RuntimeError:
        kind, number = "", 0
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available() and number < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if not there.get(kind, False):
        usable = ", ".join(["auto", *(key for key, usable in there.items() if usable)])
        raise InvalidInput(f"The device {asked!r} is not on this machine; choose one of {usable}.")
    return asked


def _dtype(asked: str, device: str, parameters: int) -> str:
    if asked == "auto":
        return "bfloat16" if device != "cpu" and parameters >= BFLOAT16_FROM else "float32"
    if asked not in DTYPES:
        raise InvalidInput(
            f"The number type {asked!r} is unknown; choose one of auto, {', '.join(DTYPES)}."
        )
    return asked


def _read_network(given: str, folder: Path, config: Any, dtype: str, device: str) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    from .local.memory import is_out_of_memory

    # TF32 would round every product to 10 bits.
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    try:
        with quiet():
            loaded: Any = AutoModelForCausalLM.from_pretrained(
                folder,
                config=config,
                dtype=getattr(torch, dtype),
                use_safetensors=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
        network, report = loaded
        missing = sorted(report["missing_keys"])
        if missing:
            raise InvalidInput(
                f"The weights of model {given!r} lack {len(missing)} parts that a causal language "
                f"model of its config.json has ({missing[0]}); choose a whole one."
            )
        return network.to(device).eval()
    except (RuntimeError, ValueError, OSError, ImportError, MemoryError) as error:
        if is_out_of_memory(error):
            raise InvalidInput(
                f"The model {given!r} does not fit into the memory of {device} in {dtype}; choose "
                "a smaller model, another device or bfloat16."
            ) from error
        raise InvalidInput(
            f"The weights of model {given!r} do not fit its config.json; fetch the model again."
        ) from error


def _window(config: Any, tokenizer: Any) -> int:
    for key in _WINDOW_NAMES:
        value = getattr(config, key, None)
        if isinstance(value, int) and value > 0:
            return value
    stated = int(tokenizer.model_max_length)
    return stated if 0 < stated < 1_000_000_000 else DEFAULT_WINDOW
