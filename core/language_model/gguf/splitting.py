"""How a GGUF file's tokenizer cuts a text before it looks words up."""

from typing import Any

from ...errors import InvalidInput
from .header import GgufHeader

_PLAIN = {"", "default", "gpt-2", "phi-2", "olmo", "mpt", "jais", "roberta-bpe"}
"""Those that cut as GPT-2 does."""
_EACH_DIGIT = {
    "smollm",
    "codeshell",
    "command-r",
    "exaone",
    "minerva-7b",
    "refact",
    "starcoder",
}
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
