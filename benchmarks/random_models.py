"""What models of random weights share: a tokenizer made of the words of a pool."""

from collections.abc import Sequence
from pathlib import Path

END = "<|endoftext|>"


def byte_level_tokenizer(folder: Path, texts: Sequence[str], vocabulary: int) -> None:
    """Train byte-level BPE of at most so many tokens on the texts and keep it in the folder."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=END, eos_token=END
    ).save_pretrained(folder)
