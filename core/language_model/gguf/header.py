"""What a GGUF file says of its model, read without its weights."""

import struct
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...types import FloatArray

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
