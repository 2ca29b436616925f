"""What a GGUF file says of its model, read without its weights, and its configuration.

transformers takes the defaults of an architecture for what it does not read. They are right for the
first model of each, and wrong for others without a word, so what decides the numbers is read here,
and a file with anything else is refused.
"""

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..types import FloatArray

MAGIC = b"GGUF"


@dataclass(frozen=True, eq=False)
class GgufHeader:
    """The head of a GGUF file.

    Attributes:
        path: The file.
        reader: The `gguf.GGUFReader` of it.
    """

    path: Path
    reader: Any

    @property
    def architecture(self) -> str:
        """llama.cpp's name of the architecture, such as `llama` or `qwen2`."""
        return str(self.value("general.architecture"))

    @cached_property
    def quantisation(self) -> str:
        """The kind of numbers that most tensors are in, such as `Q4_1`; plain ones only if all."""
        kinds = Counter(each.tensor_type.name for each in self.reader.tensors)
        quantised = {kind: number for kind, number in kinds.items() if kind != "F32"}
        return max(quantised, key=lambda kind: quantised[kind], default="F32")

    @property
    def parameters(self) -> int:
        """How many numbers the tensors contain."""
        return sum(int(each.n_elements) for each in self.reader.tensors)

    def value(self, key: str, default: Any = None) -> Any:
        """The value of a key, such as `general.name`."""
        field = self.reader.get_field(key)
        return default if field is None else field.contents()

    def own(self, key: str, default: Any = None) -> Any:
        """The value of one of the architecture's own keys, such as `context_length`."""
        return self.value(f"{self.architecture}.{key}", default)

    def own_keys(self) -> list[str]:
        """The architecture's own keys, in order."""
        own = f"{self.architecture}."
        return sorted(key.removeprefix(own) for key in self.reader.fields if key.startswith(own))

    def vector(self, name: str) -> FloatArray | None:
        """The numbers of a tensor of one dimension, (n,), which is never quantised; else None."""
        found = next((each for each in self.reader.tensors if each.name == name), None)
        return None if found is None else np.asarray(found.data, dtype=np.float64)


def find_gguf(path: Path) -> Path | None:
    """The GGUF file that a path names: a file that begins like one, or the only one of a folder.

    Raises:
        InvalidInput: The folder has several, and nothing that `transformers` saved.
    """
    if path.is_file():
        with path.open("rb") as file:
            return path if file.read(len(MAGIC)) == MAGIC else None
    if not path.is_dir() or (path / "config.json").is_file():
        return None
    found = sorted(path.glob("*.gguf"))
    if len(found) > 1:
        names = ", ".join(each.name for each in found[:5]) + ("..." if len(found) > 5 else "")
        raise InvalidInput(
            f"The folder {str(path)!r} has {len(found)} GGUF files ({names}); give the path of "
            "one of them."
        )
    return found[0] if found else None


def read_header(given: str, path: Path) -> GgufHeader:
    """The head of the file; `given` is how the user named it.

    Raises:
        InvalidInput: The file is damaged, cut off, of an old version, one part of several, or
            without a whole model.
    """
    from gguf import GGUFReader

    try:
        header = GgufHeader(path, GGUFReader(str(path)))
        parts, kind = header.value("split.count", 0), header.value("general.type", "model")
        known = header.value("general.architecture")
    except (struct.error, ValueError, IndexError, KeyError, OverflowError) as error:
        raise _damaged(given, path) from error
    if not known:
        raise _damaged(given, path)
    if parts > 1:
        raise InvalidInput(
            f"The file {path.name!r} is one of {parts} parts of a model; join them with "
            "llama-gguf-split --merge, and give the whole file."
        )
    if kind != "model":
        raise InvalidInput(
            f"The GGUF file of model {given!r} has no whole model but a part of one ({kind}); "
            "give the file of the model itself."
        )
    return header


def _damaged(given: str, path: Path) -> InvalidInput:
    return InvalidInput(
        f"The GGUF file of model {given!r} is damaged, cut off or of an old version "
        f"({path.name}); fetch it again."
    )


LLAMA3_ROPE = {
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
"""What all models of Llama 3.1 and later have; the file has only what follows from it."""
_Rope = dict[str, str | float | None]
"""The settings of positions, as a configuration has them."""
_IDS = {
    "bos_token_id": "bos_token_id",
    "eos_token_id": "eos_token_id",
    "pad_token_id": "padding_token_id",
}
_FROM_THE_TENSORS = {
    "attention.causal",
    "attention.layer_norm_epsilon",
    "attention.layer_norm_rms_epsilon",
    "attention.value_length",
    "expert_feed_forward_length",
    "feed_forward_length",
    "tensor_data_layout",
    "use_parallel_residual",
    "vocab_size",
}
"""Keys that transformers reads of some architectures, and that say no more than the tensors do."""
_READ_HERE = {
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.sliding_window",
    "attn_logit_softcapping",
    "block_count",
    "context_length",
    "embedding_length",
    "final_logit_softcapping",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.scaling.factor",
    "rope.scaling.finetuned",
    "rope.scaling.original_context_length",
    "rope.scaling.type",
}


def config_of(given: str, header: GgufHeader) -> Any:
    """The configuration of the file's model, as `transformers` has it.

    Raises:
        InvalidInput: The installed transformers does not know the architecture, or the file has a
            setting that is not read.
    """
    from transformers import AutoConfig

    try:
        read = AutoConfig.from_pretrained(header.path.parent, gguf_file=header.path.name)
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidInput(
            f"The GGUF file of model {given!r} is of the architecture {header.architecture!r}, "
            "which the installed transformers does not read from GGUF: give the model as a folder "
            "with safetensors, or choose another."
        ) from error
    _refuse_what_is_not_read(given, header)
    settings = _settings(given, header, read)
    stated = {name: value for name, value in settings if value is not None}
    ids = {name: header.value(f"tokenizer.ggml.{key}") for name, key in _IDS.items()}
    return type(read).from_dict(read.to_dict() | stated | ids)


def _settings(given: str, header: GgufHeader, read: Any) -> Iterator[tuple[str, Any]]:
    """What the file says and `read` may lack, by the configuration's own names."""
    width = _head_width(header)
    if read.to_dict().get("head_dim") is not None:
        yield "head_dim", width
    if header.architecture == "gpt2":
        yield "n_positions", header.own("context_length")
    for name in ("attn_logit_softcapping", "final_logit_softcapping"):
        yield name, header.own(name)
    if hasattr(read, "sliding_window") and not hasattr(read, "use_sliding_window"):
        yield "sliding_window", header.own("attention.sliding_window")
    if header.architecture.startswith("gemma"):
        yield "query_pre_attn_scalar", _gemma_scale(header, width)
    if "rope_theta" in (read.rope_parameters or {} if hasattr(read, "rope_parameters") else {}):
        yield "rope_parameters", dict(read.rope_parameters) | _rope(given, header, width)


def _head_width(header: GgufHeader) -> int:
    heads = int(header.own("attention.head_count"))
    return int(header.own("attention.key_length", header.own("embedding_length") // heads))


def _gemma_scale(header: GgufHeader, width: int) -> int:
    """What queries are scaled by the root of: the largest models differ, as llama.cpp knows."""
    largest = {"gemma2": 46, "gemma3": 62}.get(header.architecture)
    if header.own("block_count") != largest:
        return width
    return int(header.own("embedding_length")) // int(header.own("attention.head_count"))


def _rope(given: str, header: GgufHeader, width: int) -> _Rope:
    """How positions turn queries and keys, where it differs from the plain way."""
    turned = header.own("rope.dimension_count", width)
    found: _Rope = {} if turned == width else {"partial_rotary_factor": turned / width}
    kind = header.own("rope.scaling.type", "none")
    factors = header.vector("rope_freqs.weight")
    if factors is not None:
        return found | _llama3(given, header, factors)
    if kind == "linear":
        return found | {"rope_type": "linear", "factor": header.own("rope.scaling.factor")}
    if kind == "yarn":
        return found | {
            "rope_type": "yarn",
            "factor": header.own("rope.scaling.factor"),
            "original_max_position_embeddings": header.own("rope.scaling.original_context_length"),
        }
    if kind != "none":
        raise _not_read(given, header, f"positions scaled by {kind!r}")
    return found


def _llama3(given: str, header: GgufHeader, factors: FloatArray) -> _Rope:
    """The scaling of Llama 3.1 and later, from the factors of its frequencies."""
    factor = float(factors.max())
    theta = float(header.own("rope.freq_base", 10_000.0))
    if not np.allclose(factors, llama3_factors(theta, len(factors), factor), rtol=1e-4):
        raise _not_read(given, header, "factors of frequencies that are not those of Llama 3")
    return {"rope_type": "llama3", "factor": factor, **LLAMA3_ROPE}


def llama3_factors(theta: float, count: int, factor: float) -> FloatArray:
    """By what each frequency is divided in Llama 3.1 and later."""
    low, high = LLAMA3_ROPE["low_freq_factor"], LLAMA3_ROPE["high_freq_factor"]
    lengths = 2 * np.pi * theta ** (np.arange(count) / count)
    turns = LLAMA3_ROPE["original_max_position_embeddings"] / lengths
    smooth = np.clip((turns - low) / (high - low), 0.0, 1.0)
    found: FloatArray = 1.0 / ((1.0 - smooth) / factor + smooth)
    return found


def _refuse_what_is_not_read(given: str, header: GgufHeader) -> None:
    from transformers.integrations.ggml import GGUF_CONFIG_MAPPING
    from transformers.integrations.gguf.gguf_config_mapping import GGUF_CONFIG_ARCHS

    read_by_key: Any = GGUF_CONFIG_MAPPING
    if header.architecture == "falcon" and header.own("attention.head_count_kv") != 1:
        raise _not_read(given, header, "several heads of keys")
    if header.architecture in GGUF_CONFIG_ARCHS:
        return
    known = {*read_by_key.get(header.architecture, {}), *_FROM_THE_TENSORS, *_READ_HERE}
    other = next((key for key in header.own_keys() if key not in known), None)
    if other is not None:
        raise _not_read(given, header, f"the setting {other!r}")


def _not_read(given: str, header: GgufHeader, what: str) -> InvalidInput:
    return InvalidInput(
        f"The GGUF file of model {given!r} ({header.architecture}) has {what}, which is not read "
        "from GGUF here: give the model as a folder with safetensors, or choose another."
    )
