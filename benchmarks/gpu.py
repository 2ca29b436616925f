"""Scoring, task states and generation on a GPU, beside `transformers` and lm-eval's HFLM.

    python benchmarks/gpu.py [--shapes 1b 7b] [--dtype bfloat16] [--rounds 3]

Random models of the shape of TinyLlama (1.1 billion parameters) and of Llama 2 (6.7 billion), on
the bundled pool: each query has six demonstrations, drawn with a seed, and about seven answers;
texts are read behind a prefix of eight exemplars; 24 tokens are written after each of eight queries
that share a context. All take turns within each round. Prints the median wall-clock time with
quartiles, the ratio to ours, the most memory that each took beside the weights, how far each is
from the same weights in float32, and how much of the rate of one large matrix product our scoring
reaches.
"""

import argparse
import gc
import logging
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from sys import path as import_path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch
import transformers

from benchmarks.figures import quartiles, record_time
from benchmarks.generation import prompts_of
from benchmarks.random_models import byte_level_tokenizer
from benchmarks.scoring import POOL, Case, drafts_of, operations, requests_of, totals
from benchmarks.states import sentences_of, task_of
from core.generation import GenerationRequest
from core.language_model import AnswerRequest, LanguageModel, load
from core.types import FloatArray

SHAPES: dict[str, dict[str, int]] = {
    "1b": {
        "hidden_size": 2048,
        "num_hidden_layers": 22,
        "intermediate_size": 5632,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
    },
    "7b": {
        "hidden_size": 4096,
        "num_hidden_layers": 32,
        "intermediate_size": 11_008,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
    },
}
BATCH = 16
"""Answers that a peer reads at once."""
WRITTEN = 24
"""Tokens of each generated text."""

Work = Callable[[int], FloatArray]
"""What a contender makes of a round's questions: one row a query's answer, or a text."""


@dataclass
class Runs:
    """Every round of one contender: milliseconds, bytes beside the weights, what came out last."""

    ms: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    found: FloatArray = field(default_factory=lambda: np.zeros(0, np.float32))


def main() -> None:
    asked = _options()
    if not torch.cuda.is_available():
        raise SystemExit("This machine has no CUDA device; benchmarks/scoring.py needs none.")
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    rate = _product_rate(getattr(torch, asked.dtype))
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    print(f"one large product in {asked.dtype}: {rate:.0f} TFLOP/s")
    for shape in asked.shapes:
        with tempfile.TemporaryDirectory(prefix="shotlist-gpu-") as folder:
            _random_llama(Path(folder), shape)
            compare(shape, Path(folder), asked, rate)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default="bfloat16")
    parser.add_argument("--queries", type=int, default=32)
    parser.add_argument("--texts", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def compare(shape: str, folder: Path, asked: argparse.Namespace, rate: float) -> None:
    """Measure one model: answers, then states; beside both in float32, which they should equal."""
    case = Case(shape, folder, drafts_of(POOL), asked.queries, asked.rounds)
    queries = [requests_of(case, seed) for seed in range(asked.rounds + 1)]
    exact = load(folder, device="cuda", dtype="float32")
    tasks = [task_of(exact, sentences_of(POOL), asked.texts, r) for r in range(asked.rounds + 1)]
    exact_totals, exact_states = totals(exact, queries[-1]), exact.states(*tasks[-1])
    prompts = [prompts_of(case.drafts, seed) for seed in range(asked.rounds + 1)]
    exact_tokens = written(exact, prompts[-1])
    del exact
    gc.collect()
    torch.cuda.empty_cache()

    started = time.perf_counter()
    model = load(folder, device="cuda", dtype=asked.dtype)
    print(
        f"\n{shape}: {model.parameters:,} parameters in {model.dtype}, loaded in "
        f"{time.perf_counter() - started:.1f} s; {len(queries[0])} queries, "
        f"{sum(len(request.answers) for request in queries[0])} answers a round"
    )
    peer = Peer(folder, asked.dtype)
    scored = _measured(_scorers(model, peer, queries), len(queries))
    _report(f"scoring a query, {shape}", scored, len(queries[-1]), _distance(exact_totals))
    done = operations(model, queries[-1])
    reached = 1e-9 * done / quartiles(scored["shotlist"].ms).median
    print(f"    {reached:.0f} TFLOP/s, {reached / rate:.0%} of one large product's rate")
    readers: dict[str, Work] = {
        "shotlist": lambda r: model.states(*tasks[r]),
        "transformers": lambda r: peer.states(*tasks[r]),
    }
    read = _measured(readers, len(tasks))
    _report(f"the task state of a text, {shape}", read, len(tasks[-1][1]), _distance(exact_states))
    writers: dict[str, Work] = {
        "shotlist": lambda r: written(model, prompts[r]),
        "batched": lambda r: peer.written(prompts[r]),
        "one by one": lambda r: np.concatenate([peer.written([each]) for each in prompts[r]]),
    }
    texts = _measured(writers, len(prompts))
    what = f"{WRITTEN} tokens after one of {len(prompts[-1])} queries with one context, {shape}"
    _report(what, texts, len(prompts[-1]), _agreement(exact_tokens))


def written(model: LanguageModel, prompts: Sequence[str]) -> FloatArray:
    """The token ids that the model writes after each prompt, greedily."""
    requests = [GenerationRequest(prompt, max_new_tokens=WRITTEN) for prompt in prompts]
    return np.array([text.tokens for (text,) in model.generate(requests)], np.float32)


def _scorers(
    model: LanguageModel, peer: "Peer", queries: list[list[AnswerRequest]]
) -> dict[str, Work]:
    """Everyone who scores the answers of a round."""
    scorers: dict[str, Work] = {
        "shotlist": lambda r: np.array(totals(model, queries[r]), np.float32),
        "transformers": lambda r: peer.totals(queries[r]),
    }
    if (harness := peer.lm_eval()) is not None:
        scorers["lm-eval"] = lambda r: harness(queries[r])
    return scorers


class Peer:
    """The same weights, used the way a script of a few lines would."""

    def __init__(self, folder: Path, dtype: str) -> None:
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder, padding_side="left")
        self._tokenizer.pad_token = self._tokenizer.decode([0])
        self._network = (
            transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, dtype))
            .to("cuda")
            .eval()
        )

    def totals(self, requests: Sequence[AnswerRequest]) -> FloatArray:
        """The log-probability of each answer, in batches that are padded at the right."""
        pairs = [
            (self._ids(request.prompt), self._ids(request.prompt + answer))
            for request in requests
            for answer in request.answers
        ]
        found = np.zeros(len(pairs), np.float32)
        for places in self._batches([whole for _, whole in pairs]):
            ids = _padded([pairs[place][1] for place in places])
            with torch.inference_mode():
                logits = self._network(input_ids=ids).logits.float().log_softmax(-1)
            for row, place in enumerate(places):
                prompt, whole = pairs[place]
                at = torch.arange(len(prompt), len(whole), device="cuda")
                found[place] = logits[row, at - 1, ids[row, at]].sum().item()
        return found

    def states(self, prefix: str, texts: Sequence[str]) -> FloatArray:
        """The last hidden state of each text behind the prefix, in batches padded at the right."""
        wholes = [self._ids(prefix + text) for text in texts]
        found: dict[int, FloatArray] = {}
        for places in self._batches(wholes):
            ids = _padded([wholes[place] for place in places])
            with torch.inference_mode():
                hidden = self._network.base_model(input_ids=ids, use_cache=False).last_hidden_state
            for row, place in enumerate(places):
                found[place] = hidden[row, len(wholes[place]) - 1].float().cpu().numpy()
        return np.stack([found[place] for place in range(len(texts))])

    def written(self, prompts: Sequence[str]) -> FloatArray:
        """The token ids after each prompt, greedily, in one batch that is padded at the left."""
        read = self._tokenizer(list(prompts), return_tensors="pt", padding=True).to("cuda")
        read.pop("token_type_ids", None)
        whole = self._network.generate(
            **read, do_sample=False, max_new_tokens=WRITTEN, pad_token_id=0
        )
        tokens: FloatArray = whole[:, read["input_ids"].shape[1] :].float().cpu().numpy()
        return tokens

    def lm_eval(self) -> Callable[[Sequence[AnswerRequest]], FloatArray] | None:
        """What lm-eval's HFLM makes of the same requests; None where it is not installed."""
        try:
            from lm_eval.api.instance import Instance
            from lm_eval.models.huggingface import HFLM
        except ImportError as error:
            print(f"  lm-eval is left out: {error}")
            return None
        model = HFLM(pretrained=self._network, tokenizer=self._tokenizer, batch_size=BATCH)

        def score(requests: Sequence[AnswerRequest]) -> FloatArray:
            instances = [
                Instance("loglikelihood", {}, (request.prompt, answer), number)
                for number, request in enumerate(requests)
                for answer in request.answers
            ]
            scored = model.loglikelihood(instances, disable_tqdm=True)
            return np.array([total for total, _ in scored], np.float32)

        return score

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text)["input_ids"]
        return ids

    def _batches(self, wholes: Sequence[list[int]]) -> list[list[int]]:
        order = sorted(range(len(wholes)), key=lambda place: -len(wholes[place]))
        return [order[i : i + BATCH] for i in range(0, len(order), BATCH)]


def _padded(rows: Sequence[list[int]]) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([row + [0] * (width - len(row)) for row in rows], device="cuda")


def _measured(contenders: Mapping[str, Work], rounds: int) -> dict[str, Runs]:
    """All take turns; the first round only warms up."""
    runs = {name: Runs() for name in contenders}
    for seed in range(rounds):
        for name, work in contenders.items():
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            started = time.perf_counter()
            runs[name].found = work(seed)
            torch.cuda.synchronize()
            if seed:
                runs[name].ms.append(1e3 * (time.perf_counter() - started))
                runs[name].memory.append(torch.cuda.max_memory_allocated() - before)
    return runs


def _distance(exact: Any) -> Callable[[FloatArray], str]:
    """How far numbers are from those of the same weights in float32."""

    def of(found: FloatArray) -> str:
        apart = np.abs(found - np.asarray(exact, np.float32))
        return f"{np.median(apart):.1e} (at most {apart.max():.1e}) from float32"

    return of


def _agreement(exact: FloatArray) -> Callable[[FloatArray], str]:
    """How many tokens of each text come before the first that float32 does not write."""

    def of(found: FloatArray) -> str:
        same = np.cumprod(found == exact, axis=1).sum(axis=1)
        return f"the first {same.mean():.1f} tokens of a text are those of float32"

    return of


def _report(
    work: str, runs: Mapping[str, Runs], units: int, accuracy: Callable[[FloatArray], str]
) -> None:
    print(f"  {work}")
    for name, run in runs.items():
        each = [ms / units for ms in run.ms]
        taken = quartiles(each)
        # Each round by itself: what else the machine did then slowed both.
        ratio = quartiles([a / b for a, b in zip(run.ms, runs["shotlist"].ms, strict=True)])
        equal = accuracy(run.found)
        print(
            f"    {name:12} {taken.median:8.2f} ms ({taken.low:.2f} to {taken.high:.2f})"
            f"  {ratio.median:5.2f}x ({ratio.low:.2f} to {ratio.high:.2f})"
            f"  {max(run.memory) / 2**30:5.2f} GiB  {equal}"
        )
        record_time(f"{work}, GPU", name, each, ratio.median, equal)


def _product_rate(dtype: torch.dtype) -> float:
    """TFLOP/s of a square product of 8,192, the best of five."""
    size = 8192
    a, b = (torch.randn(size, size, device="cuda", dtype=dtype) for _ in range(2))
    best = float("inf")
    for _ in range(6):
        torch.cuda.synchronize()
        started = time.perf_counter()
        a @ b
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - started)
    return 2e-12 * size**3 / best


def _random_llama(folder: Path, shape: str) -> None:
    """Random weights in bfloat16, made on the GPU, and a byte-level tokenizer of the pool."""
    from transformers import LlamaConfig, LlamaForCausalLM

    byte_level_tokenizer(folder, sentences_of(POOL), vocabulary=32_000)
    config = LlamaConfig(
        vocab_size=32_000,
        max_position_embeddings=4096,
        bos_token_id=0,
        eos_token_id=None,  # all texts then have as many tokens
        dtype="bfloat16",
        **SHAPES[shape],
    )
    torch.manual_seed(0)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        network = LlamaForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    with torch.no_grad():
        network.lm_head.weight.mul_(3)  # log-probabilities of different answers differ clearly
    network.save_pretrained(folder)


if __name__ == "__main__":
    main()
