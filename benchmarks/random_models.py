"""Models of random weights, with a tokenizer made of the words of a pool."""

from collections.abc import Sequence
from pathlib import Path

from core.demonstration.demonstration import Draft

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


def random_gpt2(folder: Path, drafts: list[Draft]) -> Path:
    """The default shape with random weights, and a tokenizer of the pool's own words."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    texts = [
        text for d in drafts for text in (d.query, d.answer, *(each.text for each in d.incorrect))
    ]
    byte_level_tokenizer(folder, texts, vocabulary=8000)
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(bos_token_id=0, eos_token_id=0))
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(3)  # log-probabilities of different answers differ clearly
    model.save_pretrained(folder)
    return folder
