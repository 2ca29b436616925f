"""What only a machine with CUDA can show."""

import shutil

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from core.language_model import AnswerRequest, load
from core.language_model.local.rows import Budget, Reading

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
    assert (model.reading, exact.reading) == (Reading.PACKED, Reading.PACKED)
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
