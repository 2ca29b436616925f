"""Generating answers side by side: ours, and `transformers.generate` alone and in a batch.

    python benchmarks/generation.py [--file POOL] [--model FOLDER] [--tokens N] [--rounds N]

Eight queries follow on six demonstrations that a seed draws, the same for all eight, as when one
context is tried on several queries. Two models continue them greedily for exactly so many tokens:
a random one of the shape of GPT-2 small (124 million parameters, on the pool of `--file`) and the
practice model on its own pool; with `--model` a third, on the pool of `--file`. One thread. All
take turns within each round: one query alone, then all eight, by `transformers` one after the other
and as one padded batch. Prints the median CPU time with quartiles and the ratio to ours, and
whether the tokens are the same.
"""

import argparse
import json
import logging
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from sys import path as import_path
from typing import Any

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from benchmarks.random_models import random_gpt2
from benchmarks.scoring import POOL, PRACTICE_MODEL, PRACTICE_POOL, drafts_of
from benchmarks.turns import OURS, Turns
from core.demonstration.demonstration import Draft
from core.generation import GenerationRequest
from core.language_model import TEMPLATES, load
from core.settings import DEFAULT_TEMPLATE

DEMONSTRATIONS, QUERIES = 6, 8
Continue = Callable[[list[str]], list[list[int]]]
"""The token ids that follow on each prompt."""


def main() -> None:
    asked = _options()
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    drafts = drafts_of(asked.file)
    with tempfile.TemporaryDirectory(prefix="shotlist-generation-") as folder:
        large = random_gpt2(Path(folder), drafts)
        compare("GPT-2 small, random", large, drafts, asked.tokens, asked.rounds)
        own = drafts_of(PRACTICE_POOL)
        compare("practice", PRACTICE_MODEL, own, asked.tokens, 3 * asked.rounds)
        if asked.model is not None:
            compare(asked.model.name, asked.model, drafts, asked.tokens, asked.rounds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=POOL, help="a pool file; default: bundled")
    parser.add_argument("--model", type=Path, help="the folder of a further model")
    parser.add_argument("--tokens", type=int, default=24, help="of each answer")
    parser.add_argument("--rounds", type=int, default=5, help="of the random model")
    return parser.parse_args()


def prompts_of(drafts: list[Draft], seed: int) -> list[str]:
    """Queries of the pool, each after the same six demonstrations, which the seed draws."""
    draw = random.Random(seed)
    context = [(draft.query, draft.answer) for draft in draw.sample(drafts, DEMONSTRATIONS)]
    return [
        TEMPLATES[DEFAULT_TEMPLATE].prompt(context, draft.query)
        for draft in draw.sample(drafts, QUERIES)
    ]


def compare(name: str, folder: Path, drafts: list[Draft], tokens: int, rounds: int) -> None:
    """Print how long each takes for one query, and for eight that share a context."""
    with tempfile.TemporaryDirectory(prefix="shotlist-endless-") as copy:
        ours, one_by_one, batched = _contenders(_endless(folder, Path(copy) / "model"), tokens)
    alone = Turns[list[str]]({OURS: ours, "transformers": one_by_one})
    together = Turns[list[str]]({OURS: ours, "one by one": one_by_one, "batched": batched})
    for turns in (alone, together):
        turns.warm_up(prompts_of(drafts, 0))
    for seed in range(1, rounds + 1):
        prompts = prompts_of(drafts, seed)
        alone.take(prompts[:1], 1)
        together.take(prompts, QUERIES)
    for turns, what in ((alone, "alone"), (together, f"of {QUERIES} that share a context")):
        print(f"{name}, {tokens} tokens, a query {what}:")
        turns.report(f"generation, {name}, {what}", item="a query", numbers="token ids")


def _endless(folder: Path, copy: Path) -> Path:
    """A copy of the model in which no token ends a text, so that all have as many tokens."""
    shutil.copytree(folder, copy)
    for name in ("config.json", "generation_config.json"):
        file = copy / name
        if file.is_file():
            settings = json.loads(file.read_text("utf-8")) | {"eos_token_id": None}
            file.write_text(json.dumps(settings), "utf-8")
    return copy


def _contenders(folder: Path, tokens: int) -> tuple[Continue, Continue, Continue]:
    """Ours, and `transformers` with a prompt at a time and with a batch padded at the left."""
    network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    tokenizer.padding_side = "left"
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.decode([0])
    model = load(folder, device="cpu")

    def ours(prompts: list[str]) -> list[list[int]]:
        requests = [GenerationRequest(prompt, max_new_tokens=tokens) for prompt in prompts]
        return [list(text.tokens) for (text,) in model.generate(requests)]

    def batched(prompts: list[str]) -> list[list[int]]:
        read = tokenizer(prompts, return_tensors="pt", padding=True)
        read.pop("token_type_ids", None)
        whole = network.generate(**read, do_sample=False, max_new_tokens=tokens, pad_token_id=0)
        return whole[:, read["input_ids"].shape[1] :].tolist()

    def one_by_one(prompts: list[str]) -> list[list[int]]:
        return [found for prompt in prompts for found in batched([prompt])]

    return ours, one_by_one, batched


if __name__ == "__main__":
    main()
