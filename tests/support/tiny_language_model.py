"""Tiny random language models on disk, as `transformers` saves them; built in a second."""

from pathlib import Path

SAMPLE = """
What is the capital of France? The capital of France is Paris. Where is the moon? It is in the sky.
Why do people say that water is wet? Because they think that it is true. How many legs does a
spider have? A spider has eight legs. Who wrote the story of the red house? Nobody knows who wrote
it. When did the war end? There is no answer to this question. Yes, no, never, always, nothing.
"""
BOS, EOS = "<bos>", "<eos>"
FAMILIES = ("llama", "gpt2", "qwen2", "gemma", "mistral", "opt", "gpt_neox")
ARCHITECTURES = (*FAMILIES, "bloom")
WITH_BOS = {"llama", "gemma", "mistral", "opt"}
"""Those whose tokenizer begins every text with BOS, as the real ones of that family do.

Mistral has a sliding window of 64 tokens; Bloom's positions come from the mask, so that its answers
cannot be packed.
"""

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""A chat template as Qwen's and SmolLM's are."""


def build_tokenizer(*, adds_bos: bool, window: int = 256):
    """A byte-level BPE tokenizer with a few merges: any text can be encoded."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=[BOS, EOS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SAMPLE.splitlines(), trainer)
    if adds_bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{BOS} $A", special_tokens=[(BOS, tokenizer.token_to_id(BOS))]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=BOS, eos_token=EOS, model_max_length=window
    )


def tiny_config(architecture: str, vocabulary: int, window: int, **more):
    """A configuration of two layers and some ten thousand parameters; `more` goes first."""
    from transformers import AutoConfig

    ids = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": None}
    if architecture in {"gpt2", "bloom"}:
        shape = {"n_layer": 2, "n_head": 4}
        shape |= {"n_embd": 32, "n_positions": window} if architecture == "gpt2" else {}
    else:
        shape = {"num_hidden_layers": 2, "num_attention_heads": 4}
        shape |= {"intermediate_size": 64, "max_position_embeddings": window}
    if architecture != "gpt2":
        shape |= {"hidden_size": 32}
    if architecture in {"llama", "qwen2", "gemma", "mistral"}:
        shape |= {"num_key_value_heads": 2, "head_dim": 8}
    if architecture in {"phi3", "starcoder2", "nemotron", "stablelm"}:
        shape |= {"num_key_value_heads": 4 if architecture == "stablelm" else 2}
        shape |= {"pad_token_id": 0}
    if architecture == "qwen3":
        shape |= {"num_key_value_heads": 2, "head_dim": 16}
    if architecture == "falcon":
        shape |= {"multi_query": True, "alibi": False, "new_decoder_architecture": False}
    if architecture == "mistral":
        shape |= {"sliding_window": 64}
    if architecture == "opt":
        shape |= {"word_embed_proj_dim": 32, "ffn_dim": 64, "pad_token_id": 1}
    return AutoConfig.for_model(architecture, vocab_size=vocabulary, **(ids | shape | more))


def build_tiny_language_model(
    folder: Path,
    architecture: str = "llama",
    seed: int = 0,
    *,
    window: int = 256,
    chat_template: str | None = None,
    **settings,
) -> Path:
    """Save configuration, weights and tokenizer of a tiny random model; return the folder.

    `settings` are further settings of the configuration.

    The weights are larger than an initialisation would make them, so that log-probabilities of
    different answers and of different contexts differ clearly.
    """
    import torch
    from transformers import AutoModelForCausalLM

    tokenizer = build_tokenizer(adds_bos=architecture in WITH_BOS, window=window)
    config = tiny_config(architecture, len(tokenizer), window, **settings)
    generator = torch.Generator().manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0.0, 0.25, generator=generator)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.chat_template = chat_template
    tokenizer.save_pretrained(folder)
    return folder
