"""GGUF files of tiny models: what llama.cpp's converter makes of a folder of transformers."""

import json
from pathlib import Path

import gguf
import numpy as np

from tests.support.tiny_language_model import SAMPLE

GGUF_ARCHITECTURES = (
    "llama",
    "mistral",
    "qwen2",
    "qwen3",
    "gpt2",
    "phi3",
    "starcoder2",
    "stablelm",
    "nemotron",
    "falcon",
    "bloom",
)
_NORM_LESS_ONE = ("gemma2", "gemma3_text", "nemotron")
_BY_HAND = {
    "word_embeddings_layernorm": "token_embd_norm",
    "post_attention_layernorm": "blk.{}.ffn_norm",
}
"""Names that gguf's own map of tensors lacks."""


def write_gguf(folder: Path, path: Path, *, quantised: str | None = None, **more) -> Path:
    """Write the model of a folder as a GGUF file, its matrices quantised (`Q8_0`, ...) or plain.

    `more` are further keys and their values, such as `{"general.type": "adapter"}`.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    config = network.config
    architecture = _llama_cpp_name(config)
    writer = gguf.GGUFWriter(str(path), architecture)
    _write_shape(writer, config)
    _write_tokenizer(writer, tokenizer, config)
    for key, value in more.items():
        writer.kv_data[0][key] = gguf.gguf_writer.GGUFValue(value, _type_of(value))
    arch = {name: each for each, name in gguf.MODEL_ARCH_NAMES.items()}[architecture]
    names = gguf.get_tensor_name_map(arch, config.num_hidden_layers)
    for name, tensor in network.state_dict().items():
        if name == "lm_head.weight" and config.tie_word_embeddings:
            continue
        found = names.get_name(name, try_suffixes=(".weight", ".bias"))
        if found is None:
            *_, block, part, kind = name.split(".")
            found = f"{_BY_HAND[part].format(block)}.{kind}"
        _write_tensor(writer, found, _as_stored(name, tensor.float().numpy(), config), quantised)
    rope = config.to_dict().get("rope_parameters") or {}
    if rope.get("rope_type") == "llama3":
        writer.add_tensor("rope_freqs.weight", _llama3_factors(config))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _llama_cpp_name(config) -> str:
    return {"mistral": "llama", "gemma3_text": "gemma3"}.get(config.model_type, config.model_type)


def _type_of(value):
    if isinstance(value, str):
        return gguf.GGUFValueType.STRING
    return gguf.GGUFValueType.FLOAT32 if isinstance(value, float) else gguf.GGUFValueType.UINT32


def _write_shape(writer, config) -> None:
    heads, values = config.num_attention_heads, config.to_dict()
    width = values.get("head_dim") or config.hidden_size // heads
    writer.add_name(f"Tiny {config.model_type}")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(
        values.get("max_position_embeddings") or values.get("n_positions", 256)
    )
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(values.get("intermediate_size") or 4 * config.hidden_size)
    writer.add_head_count(heads)
    of_keys = 1 if values.get("multi_query") else values.get("num_key_value_heads", heads)
    writer.add_head_count_kv(of_keys)
    writer.add_key_length(width)
    writer.add_value_length(width)
    if "rms_norm_eps" in values:
        writer.add_layer_norm_rms_eps(values["rms_norm_eps"])
    else:
        kinds = ("layer_norm_eps", "norm_epsilon", "norm_eps", "layer_norm_epsilon")
        writer.add_layer_norm_eps(next(values[kind] for kind in kinds if kind in values))
    rope = values.get("rope_parameters") or {}
    if "rope_theta" in rope:
        writer.add_rope_freq_base(rope["rope_theta"])
        writer.add_rope_dimension_count(int(width * rope.get("partial_rotary_factor", 1)))
    if rope.get("rope_type") in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(rope["rope_type"]))
        writer.add_rope_scaling_factor(rope["factor"])
    if rope.get("rope_type") == "yarn":
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])


def _write_tokenizer(writer, tokenizer, config) -> None:
    state = json.loads(tokenizer.backend_tokenizer.to_str())
    by_id = sorted(tokenizer.get_vocab().items(), key=lambda each: each[1])
    tokens, special = [token for token, _ in by_id], set(tokenizer.all_special_tokens)
    writer.add_vocab_size(config.vocab_size)
    writer.add_token_list(tokens)
    if state["model"]["byte_fallback"]:
        writer.add_tokenizer_model("llama")
        writer.add_token_scores([-float(index) for index in range(len(tokens))])
        writer.add_token_types([_piece_type(token, special) for token in tokens])
    else:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_types([3 if token in special else 1 for token in tokens])
        writer.add_token_merges([" ".join(pair) for pair in state["model"]["merges"]])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_add_bos_token(tokenizer("x").input_ids[0] == tokenizer.bos_token_id)
    if tokenizer.chat_template:
        writer.add_chat_template(tokenizer.chat_template)


def _piece_type(token: str, special: set[str]) -> gguf.TokenType:
    if token == "<unk>":
        return gguf.TokenType.UNKNOWN
    if token in special:
        return gguf.TokenType.CONTROL
    return gguf.TokenType.BYTE if token.startswith("<0x") else gguf.TokenType.NORMAL


def use_sentencepiece(folder: Path) -> Path:
    """Give the tiny model of a folder a tokenizer as Llama 2 has; return the folder.

    Its tokens are in the order of their merges, as in those of sentencepiece.
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast

    special = ["<unk>", "<s>", "</s>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    given = [*special, *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = BpeTrainer(vocab_size=380, special_tokens=given, show_progress=False)
    tokenizer.train_from_iterator(SAMPLE.splitlines(), trainer)
    state = json.loads(tokenizer.to_str())
    state["added_tokens"] = [each for each in state["added_tokens"] if each["content"] in special]
    tokenizer = Tokenizer.from_str(json.dumps(state))
    tokenizer.pre_tokenizer = None
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace("\u2581", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    return folder


def _as_stored(name: str, tensor: np.ndarray, config) -> np.ndarray:
    """The numbers as llama.cpp's converter arranges them."""
    heads, kind = config.num_attention_heads, config.model_type
    if kind in ("llama", "mistral") and ("q_proj" in name or "k_proj" in name):
        many = heads if "q_proj" in name else config.num_key_value_heads
        halves = tensor.reshape(many, 2, tensor.shape[0] // many // 2, *tensor.shape[1:])
        return halves.swapaxes(1, 2).reshape(tensor.shape)
    if kind in _NORM_LESS_ONE and name.endswith("norm.weight"):
        return tensor + 1
    if kind == "gpt2" and name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
        return tensor.T
    if kind == "bloom" and "query_key_value" in name:
        each = tensor.reshape(heads, 3, -1, *tensor.shape[1:])
        return each.swapaxes(0, 1).reshape(tensor.shape)
    return tensor


def _llama3_factors(config) -> np.ndarray:
    """By what `transformers` divides each frequency, for which the file has a tensor."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    scaled, _ = ROPE_INIT_FUNCTIONS["llama3"](config, "cpu")
    width = config.head_dim
    plain = config.rope_parameters["rope_theta"] ** (-np.arange(0, width, 2) / width)
    return (plain / scaled.numpy()).astype(np.float32)


def _write_tensor(writer, name: str, tensor: np.ndarray, quantised: str | None) -> None:
    tensor = np.ascontiguousarray(tensor)
    if quantised is None or tensor.ndim < 2:
        writer.add_tensor(name, tensor)
        return
    kind = gguf.GGMLQuantizationType[quantised]
    writer.add_tensor(name, gguf.quants.quantize(tensor, kind), raw_dtype=kind)
