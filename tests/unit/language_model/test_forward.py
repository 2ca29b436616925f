import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from core.language_model.forward import is_causal, is_finite, packing_limit, packs, score_rows
from core.language_model.rows import Row


@pytest.fixture(scope="module")
def networks(architecture_folders):
    return {
        name: AutoModelForCausalLM.from_pretrained(folder).eval()
        for name, folder in architecture_folders.items()
    }


def one_by_one(network, prompt, answer):
    ids = torch.tensor([[*prompt, *answer]])
    with torch.no_grad():
        log_probs = network(ids).logits[0].log_softmax(-1)
    start = len(prompt) - 1
    return [log_probs[start + i, token].item() for i, token in enumerate(answer)]


ROWS = [
    Row((0, 40, 41, 42, 43), ((50, 51, 52), (60,), (50, 51, 52, 53), (60,)), (0, 1, 2, 3)),
    Row((0, 40), ((44, 45),), (4,)),
    Row(tuple(range(30, 42)), ((1, 2), (3, 4, 5)), (5, 6)),
]


@pytest.mark.parametrize(
    "architecture", ["llama", "gpt2", "qwen2", "gemma", "mistral", "opt", "gpt_neox"]
)
def test_packed_rows_of_several_prompts_equal_one_by_one(networks, architecture):
    network = networks[architecture]
    assert packs(network)
    for row, found in zip(ROWS, score_rows(network, ROWS), strict=True):
        for answer, tokens in zip(row.answers, found, strict=True):
            assert tokens == pytest.approx(one_by_one(network, row.prompt, answer), abs=2e-5)


def test_padded_rows_without_a_mask_equal_one_by_one(networks):
    rows = [piece for row in ROWS for piece in row.pieces(1)]
    for network in networks.values():
        for row, (tokens,) in zip(rows, score_rows(network, rows), strict=True):
            expected = one_by_one(network, row.prompt, row.answers[0])
            assert tokens == pytest.approx(expected, abs=2e-5)


def test_architecture_with_its_own_positions_does_not_pack(networks):
    assert not packs(networks["bloom"])


class Wrapped:
    """A network that hears only what `heard` lets through."""

    def __init__(self, inner, heard):
        self.inner, self.heard = inner, heard

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __call__(self, **given):
        return self.inner(**self.heard(given))


@pytest.mark.parametrize("deaf_to", ["attention_mask", "position_ids"])
def test_network_that_ignores_what_packing_needs_does_not_pack(networks, deaf_to):
    def heard(given):
        return {key: value for key, value in given.items() if key != deaf_to}

    assert not packs(Wrapped(networks["llama"], heard))


def test_network_that_refuses_such_masks_does_not_pack(networks):
    def heard(given):
        if "attention_mask" in given:
            raise ValueError("attention_mask must have two dimensions")
        return given

    assert not packs(Wrapped(networks["llama"], heard))


def test_decoders_are_causal_and_an_encoder_is_not(networks):
    assert all(is_causal(network) for network in networks.values())
    config = AutoConfig.for_model(
        "bert", vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=4
    )
    torch.manual_seed(0)
    assert not is_causal(AutoModelForCausalLM.from_config(config).eval())


def test_weights_that_are_not_numbers_are_noticed(architecture_folders):
    network = AutoModelForCausalLM.from_pretrained(architecture_folders["llama"])
    assert is_finite(network)
    with torch.no_grad():
        network.lm_head.weight[8] = float("nan")
    assert not is_finite(network)


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("llama", {}, 1000),
        ("mistral", {"sliding_window": 300}, 300),
        ("mistral", {"sliding_window": None}, 1000),
        ("qwen2", {"use_sliding_window": False, "max_window_layers": 3}, 1000),
        ("gpt_neo", {"window_size": 256}, 256),
        (
            "llama",
            {
                "rope_parameters": {
                    "rope_type": "dynamic",
                    "factor": 2.0,
                    "rope_theta": 10000.0,
                    "original_max_position_embeddings": 500,
                }
            },
            500,
        ),
    ],
)
def test_packing_ends_where_the_architecture_looks_at_distances(kind, settings, expected):
    config = AutoConfig.for_model(kind, max_position_embeddings=1000, **settings)
    assert packing_limit(config, 1000) == expected


def test_packing_ends_before_the_mask_grows_too_large():
    config = AutoConfig.for_model("llama", max_position_embeddings=100_000)
    assert packing_limit(config, 100_000) == 8192
