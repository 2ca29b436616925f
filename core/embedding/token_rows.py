"""The vectors of a text's tokens, as a model of sentence-transformers has them."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .encoder import no_token_rows

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
