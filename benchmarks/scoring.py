"""Scoring answers side by side: ours, and lm-eval's HFLM where installed.

    python benchmarks/scoring.py [--file POOL] [--model FOLDER]

Each query has six demonstrations, drawn with a seed, and is one with about seven answers, correct
and incorrect. Two models are scored, a random one of the shape of GPT-2 small (124 million
parameters, on the pool of `--file`) and the practice model on its own pool; with `--model` a third,
on the pool of `--file`. One thread. All take turns within each round; prints the median CPU time a
query with quartiles, the ratio to ours, the largest difference of a log-probability, and the rate
of matrix products, which is compared with the one the machine reached between the rounds.
"""

import argparse
import logging
import os
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from sys import path as import_path

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
import transformers

from benchmarks.figures import quartiles, record
from benchmarks.machine import Product
from benchmarks.random_models import random_gpt2
from benchmarks.turns import OURS, Turns
from core.curation import guess_mapping, read_table, to_drafts
from core.demonstration.demonstration import Draft
from core.language_model import TEMPLATES, AnswerRequest, LanguageModel, load
from core.settings import DEFAULT_TEMPLATE

ROOT = Path(__file__).resolve().parents[1]
POOL = ROOT / "data" / "misconceptions.jsonl"
PRACTICE_POOL = ROOT / "data" / "service-desk.jsonl"
PRACTICE_MODEL = ROOT / "data" / "practice-model"
DEMONSTRATIONS, ANSWERS = 6, 7
PRODUCTS = ("mm", "addmm", "bmm", "linear")

Score = Callable[[list[AnswerRequest]], list[float]]


@dataclass(frozen=True)
class Case:
    """A model with the queries that are scored, and how often."""

    name: str
    model: Path
    drafts: list[Draft]
    queries: int
    rounds: int


def main() -> None:
    asked = _options()
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    drafts = drafts_of(asked.file)
    with tempfile.TemporaryDirectory(prefix="shotlist-scoring-") as folder:
        random_model = random_gpt2(Path(folder), drafts)
        cases = [
            Case("GPT-2 small, random", random_model, drafts, asked.queries, asked.rounds),
            Case("practice", PRACTICE_MODEL, drafts_of(PRACTICE_POOL), 40, 5),
        ]
        if asked.model is not None:
            cases.append(Case(asked.model.name, asked.model, drafts, 40, 5))
        for case in cases:
            compare_scoring(case)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=POOL, help="a pool file; default: bundled")
    parser.add_argument("--model", type=Path, help="the folder of a further model")
    parser.add_argument("--queries", type=int, default=4, help="of the random model")
    parser.add_argument("--rounds", type=int, default=3, help="of the random model")
    return parser.parse_args()


def drafts_of(file: Path) -> list[Draft]:
    """The demonstrations of a pool file."""
    table = read_table(file)
    return to_drafts(table, guess_mapping(table)).drafts


def requests_of(case: Case, seed: int) -> list[AnswerRequest]:
    """The same queries with all their answers; six demonstrations that the seed draws for each."""
    drafts = case.drafts
    answers: dict[str, dict[str, None]] = {}
    for draft in drafts:
        wrong = (each.text for each in draft.incorrect)
        answers.setdefault(draft.query, {}).update(dict.fromkeys((draft.answer, *wrong)))
    draw = random.Random(seed)
    chosen = sorted(answers, key=lambda query: abs(len(answers[query]) - ANSWERS))

    template = TEMPLATES[DEFAULT_TEMPLATE]
    requests = []
    for query in chosen[: case.queries]:
        others = [(other.query, other.answer) for other in drafts if other.query != query]
        prompt = template.prompt(draw.sample(others, DEMONSTRATIONS), query)
        requests.append(AnswerRequest(prompt, tuple(map(template.answer, answers[query]))))
    return requests


def compare_scoring(case: Case) -> None:
    """Score a case's queries by turns, and print times, ratios and rates."""
    model = load(case.model, device="cpu")
    contenders: dict[str, Score] = {OURS: lambda asked: totals(model, asked)}
    theirs = _lm_eval(case.model)
    if theirs is not None:
        contenders["lm-eval"] = theirs
    turns = Turns(contenders)
    turns.warm_up(requests_of(case, 0)[:1])
    product, rates, reached = Product(), [], []
    for seed in range(1, case.rounds + 1):
        requests = requests_of(case, seed)
        rates.append(product.rate(time.process_time))
        turns.take(requests, len(requests))
        done = operations(model, requests) / len(requests)
        reached.append(1e-6 * done / turns.ms[OURS][-1])
    answers = sum(len(request.answers) for request in requests)
    print(
        f"\n{case.name}: {model.parameters:,} parameters, {case.queries} queries, {answers} answers"
    )
    work = f"scoring a query, {case.name}, CPU time"
    turns.report(work, item="a query", numbers="log-probabilities")
    _report_rate(case, reached, rates)


def _report_rate(case: Case, reached: list[float], rates: list[float]) -> None:
    ours, most = quartiles(reached), quartiles(rates)
    share = ours.median / most.median
    print(
        f"  matrix products: {ours.median:.0f} GFLOP a CPU second, {share:.0%} of the"
        f" {most.median:.0f} ({most.low:.0f} to {most.high:.0f}) that one large product reaches"
    )
    record("rate", model=case.name, gflops=ours, gemm_gflops=most, share=share)


def totals(model: LanguageModel, requests: list[AnswerRequest]) -> list[float]:
    """The log-probability of every answer, one after the other."""
    return [answer.total for row in model.log_probs(requests) for answer in row]


def operations(model: LanguageModel, requests: list[AnswerRequest]) -> float:
    """Floating-point operations of all matrix products with weights, attention left out."""
    from torch.utils.flop_counter import FlopCounterMode

    aten = torch.ops.aten
    fused = (
        aten._scaled_dot_product_flash_attention,
        aten._scaled_dot_product_efficient_attention,
        aten._scaled_dot_product_cudnn_attention,
    )
    # PyTorch's own count of these fails where several heads share keys and values.
    uncounted = {attention: lambda *_, **__: 0 for attention in fused}
    with FlopCounterMode(display=False, custom_mapping=uncounted) as counter:
        totals(model, requests)
    counts = counter.get_flop_counts()["Global"]
    return float(
        sum(n for operation, n in counts.items() if str(operation).split(".")[-1] in PRODUCTS)
    )


def _lm_eval(folder: Path) -> Score | None:
    try:
        from lm_eval.api.instance import Instance
        from lm_eval.models.huggingface import HFLM
    except ImportError:
        return None
    model = HFLM(pretrained=str(folder), device="cpu", dtype="float32", batch_size=8)

    def score(requests: list[AnswerRequest]) -> list[float]:
        instances = [
            Instance("loglikelihood", {}, (request.prompt, answer), number)
            for number, request in enumerate(requests)
            for answer in request.answers
        ]
        return [total for total, _ in model.loglikelihood(instances, disable_tqdm=True)]

    return score


if __name__ == "__main__":
    main()
