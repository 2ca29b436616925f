"""Tiny random T5s on disk, as `transformers` saves them; built in a second."""

from pathlib import Path

from tests.support.tiny_language_model import build_tokenizer


def build_t5_tokenizer(*, window: int = 128):
    """The tiny models' byte-level tokenizer, closing every text with its ending token as T5's."""
    from tokenizers import processors

    tokenizer = build_tokenizer(adds_bos=False, window=window)
    tokenizer.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="$A <eos>", special_tokens=[("<eos>", tokenizer.eos_token_id)]
    )
    tokenizer.pad_token = "<bos>"
    return tokenizer


def build_tiny_t5(
    folder: Path, seed: int = 0, *, dropout: float = 0.0, tied: bool = True, window: int = 128
) -> Path:
    """Save configuration, weights and tokenizer of a tiny random T5; return the folder."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    tokenizer = build_t5_tokenizer(window=window)
    config = T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4,
        dropout_rate=dropout, tie_word_embeddings=tied, pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id, decoder_start_token_id=tokenizer.pad_token_id,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = T5ForConditionalGeneration(config)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
