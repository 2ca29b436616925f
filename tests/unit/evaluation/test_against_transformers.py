"""Evaluate's figures once more, from `transformers` and numpy alone."""

import math

import numpy as np
import pytest
import torch
import transformers

from core.evaluation.runs.evaluate import evaluate
from core.language_model import load
from core.retrieval.knobs import Knobs
from tests.unit.evaluation.small_pool import ROWS

K = 2


@pytest.fixture
def evaluation(bench, tiny_lm_folder):
    bench.model = load(tiny_lm_folder, device="cpu", dtype="float32")
    requests = {"none": Knobs("none"), "rel": Knobs("rel", K)}
    return evaluate(
        bench.store, bench.view(), bench.engine(), bench.examples(), bench.encoder, requests
    )


class Reference:
    """Log-probabilities straight from the model's logits, one pair at a time."""

    def __init__(self, folder):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()

    def log_prob(self, prompt, answer):
        before = self.tokenizer(prompt)["input_ids"]
        whole = self.tokenizer(prompt + " " + answer)["input_ids"]
        continuation = whole[len(before) :]
        ids = torch.tensor([before + continuation])
        assert ids.shape[1] <= self.model.config.max_position_embeddings
        with torch.no_grad():
            table = torch.log_softmax(self.model(ids).logits[0].double(), dim=-1)
        places = range(len(before) - 1, ids.shape[1] - 1)
        return sum(
            table[place, token].item() for place, token in zip(places, continuation, strict=True)
        )


def same(query):
    return query.replace("\u00ad", "").strip()


def examples():
    """query -> (correct answers, incorrect answers), put together from the pool's rows."""
    found = {}
    for query, answers, incorrect in ROWS:
        names = [name for name in found if same(name) == same(query)]
        correct, wrong = found.setdefault(names[0] if names else query, ([], []))
        correct += answers
        wrong += [text for text in incorrect if text not in wrong]
    return found


def nearest(encoder, query):
    """The K most similar demonstrations of other queries, the most similar last in the prompt."""
    pairs = [(text, answer) for text, answers, _ in ROWS for answer in answers]
    rows = encoder.encode([text for text, _ in pairs])
    vector = encoder.encode([query])[0]
    cosines = [round(float(row @ vector), 6) for row in rows]
    others = [i for i, (text, _) in enumerate(pairs) if same(text) != same(query)]
    ranked = sorted(others, key=lambda i: (-cosines[i], i))
    chosen = ranked[:K]
    first_left = ranked[K]
    # Rounding may decide between different texts of equal cosine: this pool has none in the way.
    assert cosines[chosen[-1]] > cosines[first_left] or pairs[chosen[-1]][0] == pairs[first_left][0]
    return [pairs[i] for i in sorted(chosen, key=lambda i: (cosines[i], i))]


def log_sigmoid(x):
    return -math.log1p(math.exp(-x)) if x > 0 else x - math.log1p(math.exp(x))


def figures(reference, context_of):
    """The metrics in plain Python, as their definitions read."""
    sums, terms, deltas, correct_only = [], [], [], []
    mc1, mc2, mc3, mc3_normalised = [], [], [], []
    for query, (correct, wrong) in examples().items():
        tail = f"Q: {query}\nA:"
        blocks = [f"Q: {q}\nA: {a}" for q, a in context_of(query)]
        prompt = "\n\n".join([*blocks, tail])
        inside = {text: reference.log_prob(prompt, text) for text in [*correct, *wrong]}
        alone = {text: reference.log_prob(tail, text) for text in [*correct, *wrong]}
        gain = {text: inside[text] - alone[text] for text in inside}
        if not wrong:
            correct_only.append(sum(log_sigmoid(gain[a]) for a in correct))
            continue
        own = [gain[a] - gain[b] for a in correct for b in wrong]
        deltas += own
        terms += [log_sigmoid(delta) for delta in own]
        sums.append(sum(log_sigmoid(delta) for delta in own))
        best = max(inside[b] for b in wrong)
        mc1.append(inside[named_best(query)] > best)
        mc2.append(np.mean([inside[a] > best for a in correct]))
        right = sum(math.exp(inside[a]) for a in correct)
        false = sum(math.exp(inside[b]) for b in wrong)
        mc3.append(right / false)
        mc3_normalised.append(right / (right + false))
    return {
        "dpo": np.mean(sums),
        "dpo_per_triple": np.mean(terms),
        "delta": np.mean(deltas),
        "mc1": np.mean(mc1),
        "mc2": np.mean(mc2),
        "mc3": np.mean(mc3),
        "mc3_normalised": np.mean(mc3_normalised),
        "dpo_correct_only": np.mean(correct_only),
    }


def named_best(query):
    """The small pool marks the last answer of a row as best; of joined rows the first row's."""
    return next(answers[-1] for text, answers, _ in ROWS if same(text) == same(query))


def test_all_metrics_agree(evaluation, tiny_lm_folder, hashing_encoder):
    reference = Reference(tiny_lm_folder)
    contexts = {"none": lambda query: [], "rel": lambda query: nearest(hashing_encoder, query)}
    for name, context_of in contexts.items():
        expected = figures(reference, context_of)
        found = {metric: each.mean for metric, each in evaluation.methods[name].metrics.items()}
        assert evaluation.methods[name].shortened == 0
        for metric, value in expected.items():
            assert found[metric] == pytest.approx(value, rel=2e-4, abs=2e-4), (name, metric)
    assert abs(evaluation.methods["rel"].metrics["delta"].mean) > 0.01
