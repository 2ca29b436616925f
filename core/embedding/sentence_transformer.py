"""The sentence-transformers library's encoders: vectors of texts, and of their tokens."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..native import ONE_AT_A_TIME
from ..types import BoolArray
from ..watcher import NOBODY, Watcher
from .deferred import TextWindow
from .encoder import BATCH, batches, no_token_rows, rows_in_batches, unit_token_rows
from .packaged import folder_fingerprint

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from torch import Tensor


def token_rows(
    model: "SentenceTransformer", batch: list[str], name: str
) -> list[NDArray[np.float32]]:
    """For each text the rows of its tokens, shape (t, d), of any length, in the order of the text.

    The last states of a transformer, or the entries of a table of embeddings. What the tokenizer
    and the encoder's own prompt put around a text is left out.

    Raises:
        InvalidInput: The model is of neither kind.
    """
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    if isinstance(model[0], StaticEmbedding):
        return _entries(model[0], batch)
    computed: Any = model.encode(
        batch, batch_size=len(batch), output_value=None, show_progress_bar=False
    )
    needed = {"input_ids", "attention_mask", "token_embeddings"}
    if not callable(model.tokenizer) or not all(needed <= text.keys() for text in computed):
        raise no_token_rows(name)
    around = model.tokenizer("")["input_ids"]
    prompt = model.prompts.get(model.default_prompt_name or "") or ""
    of_prompt = len(model.tokenizer(prompt, add_special_tokens=False)["input_ids"])
    lists = []
    for text in computed:
        own = _array(text["attention_mask"]).astype(bool)
        own &= ~np.isin(_array(text["input_ids"]), around)
        lists.append(_array(text["token_embeddings"].float())[own][of_prompt:])
    return lists


def _array(tensor: "Tensor") -> NDArray[Any]:
    array: NDArray[Any] = tensor.cpu().numpy()
    return array


def _entries(table: "StaticEmbedding", batch: list[str]) -> list[NDArray[np.float32]]:
    weights = _array(table.embedding.weight.detach().float())
    encoded = table.tokenizer.encode_batch(batch, add_special_tokens=False)
    return [weights[np.array(each.ids, dtype=np.int64)] for each in encoded]


class SentenceTransformerEncoder:
    """An `Encoder` over one folder, in fp32 whatever type the weights are stored in.

    A text longer than the encoder's own window is cut there by the encoder, as its authors meant;
    `cut` finds them.
    """

    def __init__(
        self, folder: Path, files: Sequence[Path], *, name: str, device: str | None = None
    ) -> None:
        self.name = name
        self.fingerprint = folder_fingerprint(folder, files)
        self._model = _load(folder, device)
        # Fast tokenizers refuse to be used by two threads at once.
        self._lock = Lock()
        self._window = _window(self._model)
        self.dimensions = self._compute([name]).shape[1]

    def encode(self, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> NDArray[np.float32]:
        """Unit rows of the texts, in their order, shape (n, d); see `Encoder.encode`."""
        return rows_in_batches(texts, self._compute, self.name, self.dimensions, watcher=watcher)

    def encode_tokens(
        self, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> list[NDArray[np.float32]]:
        """Unit rows of each text's tokens, each (t, d); see `Encoder.encode_tokens`."""
        found: dict[str, NDArray[np.float32]] = {}
        for batch in batches(texts, watcher):
            with self._lock:
                computed = token_rows(self._model, batch, self.name)
            for text, rows in zip(batch, computed, strict=True):
                found[text] = unit_token_rows(rows, text, self.name)
        return [found[text] for text in texts]

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than the encoder's window, shape (n,); see `Encoder.cut`."""
        return np.zeros(len(texts), dtype=bool) if self._window is None else self._window.cut(texts)

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text that has no letters, shape (n,); see `Encoder.unknown`."""
        return np.zeros(len(texts)) if self._window is None else self._window.unknown(texts)

    def _compute(self, batch: list[str]) -> NDArray[np.float32]:
        with self._lock:
            computed = self._model.encode(
                batch, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True
            )
        return np.asarray(computed, dtype=np.float32)


def _load(folder: Path, device: str | None) -> "SentenceTransformer":
    import torch
    from sentence_transformers import SentenceTransformer

    try:
        with ONE_AT_A_TIME, _without_progress_bars():
            return SentenceTransformer(
                str(folder),
                device=device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True, "dtype": torch.float32},
            )
    except Exception as fault:  # the tokenizers library raises nothing narrower
        reason = str(fault).strip().splitlines()[0] if str(fault).strip() else type(fault).__name__
        raise InvalidInput(
            f"The encoder {folder} cannot be loaded ({reason}); "
            "download it again, or choose another one."
        ) from fault


def _window(model: "SentenceTransformer") -> TextWindow | None:
    """What the loaded encoder reads of a text; None where it has no tokenizer of the usual kind."""
    from tokenizers import Tokenizer

    given: Any = model.tokenizer
    shared = getattr(given, "backend_tokenizer", given)
    if not isinstance(shared, Tokenizer):
        return None
    limit = model.max_seq_length
    prefix = model.prompts.get(model.default_prompt_name or "") or ""
    # A tokenizer of its own: that of the model is cut and filled up to a length, batch by batch.
    return TextWindow(
        lambda: Tokenizer.from_str(shared.to_str()),
        int(limit) if limit is not None and math.isfinite(limit) else None,
        unknown=getattr(given, "unk_token", None) or getattr(shared.model, "unk_token", None),
        prefix=prefix,
    )


@contextmanager
def _without_progress_bars() -> Iterator[None]:
    logging: Any = import_module("transformers.utils.logging")  # untyped
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
