"""Task states with the prefix computed once, beside a pass of transformers for each text.

    python benchmarks/states.py [--model FOLDER] [--texts 24] [--rounds 3]

Texts of the bundled pools stand in the template of a sentiment task behind a prefix of eight
exemplars, cut at whole exemplars to 400 tokens. Three models: a random one of the shape of a Llama
(about 100 million parameters), the practice model, and with `--model` a further one. One thread.
All take turns within each round; prints the median CPU time a text with quartiles, the ratio to
ours, and the largest difference of a number of a state.
"""

import argparse
import logging
import os
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path
from sys import path as import_path

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import torch
import transformers

from benchmarks.figures import quartiles
from benchmarks.random_models import byte_level_tokenizer
from benchmarks.scoring import POOL, PRACTICE_MODEL, PRACTICE_POOL, drafts_of
from benchmarks.turns import OURS, Turns
from core.language_model import LanguageModel, load
from core.types import FloatArray

EXEMPLARS, MOST_TOKENS = 8, 400
QUESTION = "Does the following sentence have a positive or negative sentiment?"

Task = tuple[str, list[str]]
"""A prefix and the texts whose states are read after it."""


@dataclass(frozen=True)
class Case:
    """A model with the sentences that are read, and how often."""

    name: str
    model: Path
    sentences: list[str]
    texts: int
    rounds: int


def main() -> None:
    asked = _options()
    torch.set_num_threads(1)
    transformers.utils.logging.disable_progress_bar()
    logging.disable(logging.WARNING)
    sentences, practice = sentences_of(POOL), sentences_of(PRACTICE_POOL)
    with tempfile.TemporaryDirectory(prefix="shotlist-states-") as folder:
        model = _random_llama(Path(folder), sentences)
        cases = [
            Case("Llama, random", model, sentences, asked.texts, asked.rounds),
            Case("practice", PRACTICE_MODEL, practice, 100, 5),
        ]
        if asked.model is not None:
            cases.append(Case(asked.model.name, asked.model, sentences, 100, 5))
        for case in cases:
            compare(case)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="the folder of a further model")
    parser.add_argument("--texts", type=int, default=24, help="of the random model")
    parser.add_argument("--rounds", type=int, default=3, help="of the random model")
    return parser.parse_args()


def sentences_of(pool: Path) -> list[str]:
    """Every distinct query and answer of the pool."""
    drafts = drafts_of(pool)
    return list(dict.fromkeys(text for draft in drafts for text in (draft.query, draft.answer)))


def compare(case: Case) -> None:
    """Measure one model."""
    model = load(case.model, device="cpu")
    network = transformers.AutoModelForCausalLM.from_pretrained(case.model, dtype="float32").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(case.model)

    def ours(task: Task) -> FloatArray:
        return model.states(*task)

    def plain(task: Task) -> FloatArray:
        prefix, texts = task
        opening = tokenizer(prefix)["input_ids"]
        states = []
        for text in texts:
            whole = tokenizer(prefix + text)["input_ids"][len(opening) :]
            ids = torch.tensor([opening + whole])
            with torch.inference_mode():
                answer = network.base_model(input_ids=ids, use_cache=False)
            states.append(answer.last_hidden_state[0, -1].numpy())
        return np.stack(states)

    turns = Turns({OURS: ours, "transformers": plain})
    prefix, texts = task_of(model, case.sentences, case.texts, 0)
    turns.warm_up((prefix, texts[:2]))
    for seed in range(1, case.rounds + 1):
        prefix, texts = task_of(model, case.sentences, case.texts, seed)
        turns.take((prefix, texts), len(texts))
    _print_sizes(case, model, prefix, texts)
    work = f"the task state of a text, {case.name}, CPU time"
    turns.report(work, item="a text", numbers="states")


def task_of(model: LanguageModel, sentences: list[str], n_texts: int, seed: int) -> Task:
    """A prefix of exemplars that the seed draws, and texts that are not among them."""
    drawn = random.Random(seed).sample(sentences, EXEMPLARS + n_texts)
    asked = [f"{QUESTION}\n{sentence}\nThe answer is" for sentence in drawn]
    blocks = [
        f"{text} {('negative', 'positive')[i % 2]}.\n\n" for i, text in enumerate(asked[:EXEMPLARS])
    ]
    while model.count_tokens("".join(blocks)) > MOST_TOKENS:
        blocks.pop(0)
    prefix = "".join(blocks)
    return prefix, [text for text in asked[EXEMPLARS:] if model.fits(prefix, [text])]


def _print_sizes(case: Case, model: LanguageModel, prefix: str, texts: list[str]) -> None:
    before = model.count_tokens(prefix)
    own = quartiles([model.count_tokens(prefix, text) - before for text in texts])
    print(
        f"\n{case.name}: {model.parameters:,} parameters; last round: {len(texts)} texts of "
        f"{own.median:.0f} tokens ({own.low:.0f} to {own.high:.0f}) behind {before} tokens"
    )


def _random_llama(folder: Path, sentences: list[str]) -> Path:
    """12 layers of 768 with random weights, and a tokenizer of the pool's own words."""
    from transformers import LlamaConfig, LlamaForCausalLM

    byte_level_tokenizer(folder, [*sentences, QUESTION], vocabulary=16_000)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=16_000, hidden_size=768, intermediate_size=2048, num_hidden_layers=12,
        num_attention_heads=12, max_position_embeddings=1024, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


if __name__ == "__main__":
    main()
