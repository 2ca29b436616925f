"""What only a machine with CUDA can show."""

import shutil

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from core.generation import GenerationRequest
from core.language_model import AnswerRequest, load
from core.language_model.local.rows import Budget, TokenReading

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA"),
]
REQUESTS = [
    AnswerRequest("Q: What is it?\nA: Yes.\n\n" * n + "Q: Where?\nA:", (" Paris", " In the sky."))
    for n in range(6)
]


def totals(model):
    return [x.total for row in model.log_probs(REQUESTS) for x in row]


def test_cuda_is_found_and_equals_the_cpu(architecture_folders):
    for folder in architecture_folders.values():
        on_gpu, on_cpu = load(folder), load(folder, device="cpu")
        assert (on_gpu.device, on_gpu.dtype, on_cpu.device) == ("cuda", "float32", "cpu")
        assert on_gpu.fingerprint == on_cpu.fingerprint
        assert totals(on_gpu) == pytest.approx(totals(on_cpu), abs=1e-3)


def test_trained_models_equal_the_cpu(shared):
    for name in ("stories260k", "tinystories-656k", "practice-prototype"):
        folder = shared / "models" / name
        assert totals(load(folder)) == pytest.approx(totals(load(folder, device="cpu")), abs=1e-3)


def test_states_on_cuda_equal_the_cpu_in_float32_and_nearly_in_bfloat16(architecture_folders):
    prefix = "Q: What is it?\nA: Yes.\n\n" * 4
    texts = ["x", *(f"Q: What is {i}?{' It is.' * (i % 5)}\nA:" for i in range(40))]
    for folder in architecture_folders.values():
        on_cpu = load(folder, device="cpu").states(prefix, texts)
        assert load(folder).states(prefix, texts) == pytest.approx(on_cpu, abs=1e-3)
        rough = load(folder, dtype="bfloat16").states(prefix, texts)
        assert rough.dtype == np.float32
        apart = np.linalg.norm(rough - on_cpu, axis=1) / np.linalg.norm(on_cpu, axis=1)
        assert apart.max() < 0.2


WRITTEN = [
    GenerationRequest("Q: What is it?\nA: Yes.\n\n" * (n % 5) + "Q: Where?\nA:", max_new_tokens=m)
    for n, m in enumerate((1, 24, 24, 7, 24, 60))
]


def assert_the_same_text(found, expected):
    """Up to a step at which two tokens are equally probable but for rounding: each is right."""
    pairs = list(zip(found.tokens, expected.tokens, strict=False))
    same = next((n for n, (a, b) in enumerate(pairs) if a != b), len(pairs))
    shown = slice(same + 1)
    assert found.log_probs[shown] == pytest.approx(expected.log_probs[shown], abs=1e-3)
    return same


def test_greedy_texts_on_cuda_are_those_of_the_cpu(architecture_folders, shared):
    trained = [shared / "models" / name for name in ("stories260k", "tinystories-656k")]
    for folder in (*architecture_folders.values(), *trained):
        texts = load(folder).generate(WRITTEN), load(folder, device="cpu").generate(WRITTEN)
        lengths = [
            (assert_the_same_text(*pair), len(pair[1].tokens))
            for (found, expected) in zip(*texts, strict=True)
            for pair in zip(found, expected, strict=True)
        ]
        assert sum(same == whole for same, whole in lengths) > len(lengths) / 2


def test_samples_on_cuda_are_the_first_of_more_and_repeat(tiny_lm_folder):
    prompt = WRITTEN[2].prompt
    few, more = (
        GenerationRequest(prompt, n, temperature=1.0, max_new_tokens=12, seed=3) for n in (2, 5)
    )
    model = load(tiny_lm_folder)
    (five,) = model.generate([more])
    assert len({text.tokens for text in five}) > 1
    assert [text.tokens for text in model.generate([few])[0]] == [x.tokens for x in five[:2]]
    assert [text.tokens for text in model.generate([more])[0]] == [x.tokens for x in five]


def test_a_text_in_bfloat16_has_the_log_probabilities_that_scoring_gives_it(tiny_lm_folder):
    model = load(tiny_lm_folder, dtype="bfloat16")
    for request, (text,) in zip(WRITTEN, model.generate(WRITTEN), strict=True):
        assert len(text.tokens) == len(text.log_probs)
        assert all(value <= 0 for value in text.log_probs)
        ((scored,),) = model.log_probs([AnswerRequest(request.prompt, (text.text,))])
        if scored.n_tokens == len(text.tokens):
            assert text.log_prob == pytest.approx(scored.total, abs=0.1 * scored.n_tokens)


def test_tf32_is_off(tiny_lm_folder):
    torch.set_float32_matmul_precision("high")
    load(tiny_lm_folder)
    assert torch.get_float32_matmul_precision() == "highest"
    a = torch.randn(512, 512, device="cuda")
    error = (a @ a).cpu().double() - a.cpu().double() @ a.cpu().double()
    assert error.abs().max() < 1e-3


def test_bfloat16_when_asked(tiny_lm_folder):
    model = load(tiny_lm_folder, dtype="bfloat16")
    assert (model.device, model.dtype) == ("cuda", "bfloat16")
    assert totals(model) == pytest.approx(totals(load(tiny_lm_folder)), abs=1.5)


def test_answers_of_a_deep_model_are_read_together_in_bfloat16(tmp_path, tiny_lm_folder):
    shutil.copytree(tiny_lm_folder, tmp_path, dirs_exist_ok=True)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=400, hidden_size=1024, intermediate_size=2816, num_hidden_layers=32,
        num_attention_heads=16, max_position_embeddings=1024,
    )  # fmt: skip
    network = LlamaForCausalLM(config)
    with torch.no_grad():
        network.lm_head.weight.mul_(10)  # rounding then moves log-probabilities by 0.1 and more
    network.save_pretrained(tmp_path)
    model, exact = load(tmp_path, dtype="bfloat16"), load(tmp_path)
    assert (model.reading, exact.reading) == (TokenReading.PACKED, TokenReading.PACKED)
    assert totals(model) == pytest.approx(totals(exact), abs=3)
    apart = np.abs(np.subtract(totals(model), totals(exact)))
    assert np.median(apart) < 1


def test_real_lack_of_memory_halves_the_batch(tiny_lm_folder):
    requests = [
        AnswerRequest(
            f"Q: What is {i}?\nA: Yes, {i}.\n\n" * 4 + "Q: Where?\nA:", (" No", " In it.")
        )
        for i in range(2000)
    ]
    model = load(tiny_lm_folder)
    expected = model.log_probs(requests)
    model._budget = everything = Budget(tokens=1 << 20, logits=1 << 30)
    torch.cuda.empty_cache()
    total = torch.cuda.mem_get_info()[1]
    # What 2,000 rows at once go through takes more than the 32 MiB that are left.
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (32 << 20)) / total)
    try:
        found = model.log_probs(requests)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert model._budget < everything
    for first, second in zip(expected, found, strict=True):
        assert [x.total for x in first] == pytest.approx([x.total for x in second], abs=1e-4)


def test_real_lack_of_memory_halves_the_texts_that_are_written_together(tiny_lm_folder):
    requests = [
        GenerationRequest(f"Q: What is {i}?\nA: Yes, {i}.\n\n" * 4, max_new_tokens=8)
        for i in range(2000)
    ]
    model = load(tiny_lm_folder)
    expected = model.generate(requests)
    everything = Budget(tokens=1 << 20, logits=1 << 30, cached=1 << 22)
    model._generator._budget = everything
    torch.cuda.empty_cache()
    total = torch.cuda.mem_get_info()[1]
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (32 << 20)) / total)
    try:
        found = model.generate(requests)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert model._generator._budget < everything
    assert [row[0].tokens for row in found] == [row[0].tokens for row in expected]
