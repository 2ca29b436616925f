from dataclasses import replace

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from core.language_model.local.forward import can_leave_out, past_of, score_rows
from core.language_model.local.probing import (
    PROBE,
    Limits,
    agrees,
    choose_reading,
    is_causal,
    is_finite,
)
from core.language_model.local.rows import TokenReading
from tests.support.tiny_language_model import FAMILIES

PAST = ("cache", "past_key_values")
"""Under these names a network is given its past, by the version of transformers."""


@pytest.fixture
def network_of(architecture_folders):
    """A fresh network: choosing its reading may change its attention."""
    return lambda name: AutoModelForCausalLM.from_pretrained(architecture_folders[name]).eval()


class Wrapped:
    """A network that gets the inputs that `heard` lets through, with outputs made by `changed`."""

    def __init__(self, inner, heard, changed=lambda answer: answer):
        self.inner, self.heard, self.changed = inner, heard, changed

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __call__(self, **given):
        return self.changed(self.inner(**self.heard(given)))


def without(*names):
    return lambda given: {key: value for key, value in given.items() if key not in names}


def refusing(test, error):
    def heard(given):
        if test(given):
            raise error
        return given

    return heard


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_packs_with_the_prompt_left_out_of_the_mask(network_of, family):
    network = network_of(family)
    assert choose_reading(network) is TokenReading.PACKED
    assert can_leave_out(network)


def test_architecture_with_its_own_positions_falls_back_to_the_cache(network_of):
    network = network_of("bloom")
    assert not agrees(network, PROBE)
    assert choose_reading(network) is TokenReading.CACHED


@pytest.mark.parametrize("deaf_to", ["attention_mask", "position_ids"])
def test_network_that_ignores_what_packing_needs_falls_back_to_the_cache(network_of, deaf_to):
    network = Wrapped(network_of("llama"), without(deaf_to))
    assert choose_reading(network) is TokenReading.CACHED
    assert network.config._attn_implementation == "sdpa"


@pytest.mark.parametrize("family", FAMILIES)
def test_network_that_refuses_such_masks_falls_back_to_the_cache(network_of, family):
    error = ValueError("attention_mask must have two dimensions")
    network = Wrapped(network_of(family), refusing(lambda given: "attention_mask" in given, error))
    assert choose_reading(network) is TokenReading.CACHED


def test_network_that_wants_square_masks_gets_them(network_of):
    def oblong(given):
        return "attention_mask" in given and len(set(given["attention_mask"].shape[2:])) > 1

    network = Wrapped(network_of("llama"), refusing(oblong, IndexError("mask")))
    assert choose_reading(network) is TokenReading.PACKED
    assert not can_leave_out(network)


def test_eager_attention_packs_with_square_masks(architecture_folders):
    network = AutoModelForCausalLM.from_pretrained(
        architecture_folders["qwen2"], attn_implementation="eager"
    ).eval()
    assert choose_reading(network) is TokenReading.PACKED
    assert not can_leave_out(network)


def rounded(answer):
    """What a GPU makes of 16 bits: batches of other shapes sum in another order."""
    batch, tokens, size = answer.logits.shape
    drawn = torch.Generator().manual_seed(1000 * batch + tokens)
    answer.logits = answer.logits + 0.15 * torch.randn(batch, tokens, size, generator=drawn)
    return answer


@pytest.fixture
def decided(network_of):
    """A network in bfloat16 whose predictions differ clearly."""
    network = network_of("llama").to(torch.bfloat16)
    with torch.no_grad():
        network.lm_head.weight.mul_(20)
    return network


def test_rounding_of_16_bits_is_no_reason_to_read_answers_apart(decided):
    network = Wrapped(decided, without(), rounded)
    alone = [score_rows(network, [piece])[0][0][0] for piece in PROBE.pieces(1)]
    batched = [found[0][0] for found in score_rows(network, PROBE.pieces(1))]
    assert max(abs(a - b) for a, b in zip(alone, batched, strict=True)) > 0.1
    assert choose_reading(network) is TokenReading.PACKED


def test_rounding_of_16_bits_excuses_no_ignored_mask(decided):
    network = Wrapped(decided, without("attention_mask"), rounded)
    assert choose_reading(network) is TokenReading.CACHED


def test_rounding_excuses_nothing_in_32_bits(network_of):
    network = Wrapped(network_of("llama"), without(), rounded)
    assert choose_reading(network) is TokenReading.PLAIN


def forgetful(answer):
    """A cache that holds no more than the prompt's last token."""
    if (past := past_of(answer)) is not None:
        for layer in past.layers:
            layer.keys, layer.values = layer.keys[:, :, -1:], layer.values[:, :, -1:]
    return answer


@pytest.mark.parametrize(
    ("heard", "changed"),
    [
        (without("attention_mask", *PAST), lambda answer: answer),
        (without("attention_mask", "use_cache"), forgetful),
        (refusing(lambda given: {"attention_mask", *PAST} & set(given),
                  TypeError("unexpected keyword")), lambda answer: answer),
    ],
)  # fmt: skip
def test_network_without_a_cache_to_trust_falls_back_to_plain_batches(network_of, heard, changed):
    assert choose_reading(Wrapped(network_of("gpt2"), heard, changed)) is TokenReading.PLAIN


def test_architecture_without_attention_falls_back_to_plain_batches():
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        "mamba", vocab_size=400, hidden_size=32, num_hidden_layers=2, state_size=4
    )
    network = AutoModelForCausalLM.from_config(config).eval()
    assert choose_reading(network) is TokenReading.PLAIN
    assert all(score_rows(network, [replace(PROBE, reading=TokenReading.PLAIN).pieces(1)[0]])[0])


def test_decoders_are_causal_and_an_encoder_is_not(network_of, architecture_folders):
    assert all(is_causal(network_of(name)) for name in architecture_folders)
    config = AutoConfig.for_model(
        "bert", vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=4
    )
    torch.manual_seed(0)
    assert not is_causal(AutoModelForCausalLM.from_config(config).eval())


def test_weights_that_are_not_numbers_are_noticed(network_of):
    network = network_of("llama")
    assert is_finite(network)
    with torch.no_grad():
        network.lm_head.weight[8] = float("nan")
    assert not is_finite(network)


DYNAMIC = {
    "rope_parameters": {
        "rope_type": "dynamic",
        "factor": 2.0,
        "rope_theta": 10000.0,
        "original_max_position_embeddings": 500,
    }
}


@pytest.mark.parametrize(
    ("kind", "settings", "packed", "padded"),
    [
        ("llama", {}, 1000, 1000),
        ("mistral", {"sliding_window": 300}, 300, 1000),
        ("mistral", {"sliding_window": None}, 1000, 1000),
        ("qwen2", {"use_sliding_window": False, "max_window_layers": 3}, 1000, 1000),
        ("gpt_neo", {"window_size": 256}, 256, 1000),
        ("llama", DYNAMIC, 500, 500),
    ],
)
def test_limits_are_where_the_architecture_looks_at_distances(kind, settings, packed, padded):
    config = AutoConfig.for_model(kind, max_position_embeddings=1000, **settings)
    assert Limits.of(config, 1000) == (packed, padded)


def test_packing_ends_before_the_mask_grows_too_large():
    config = AutoConfig.for_model("llama", max_position_embeddings=100_000)
    assert Limits.of(config, 100_000) == (8192, 100_000)
