"""Both bundled encoders on a pool of two languages: which question is found, and how fast.

    python benchmarks/languages.py [--rounds 5]

Each line of `service_questions.txt` is one matter: a question in English and another one that asks
the same, mostly in other words, then both in German. The first ones are the pool, the second ones
the queries. Prints the share of queries whose matter is the first found (recall@1) and among the
first five (recall@5), by `bm25` as well; from which share of German queries the multilingual
encoder finds as many in a pool of both languages; and the texts embedded a second of CPU on one
thread, the median of the rounds with the smallest and largest.
"""

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from sys import path as import_path

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from core.embedding import Encoder, load_encoder
from core.retrieval.methods.bm25 import bm25_scores
from core.settings import DEFAULT_ENCODER, MULTILINGUAL
from core.types import FloatArray

QUESTIONS = Path(__file__).with_name("service_questions.txt")
LANGUAGES = ("English", "German")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    columns = [list(column) for column in zip(*(line.split(" | ") for line in lines), strict=True)]
    pools, queries = columns[::2], columns[1::2]
    print(f"{len(lines)} matters: recall@1 and recall@5")
    encoders = [load_encoder(name, device="cpu") for name in (DEFAULT_ENCODER, MULTILINGUAL)]
    in_both = [_recalls(each.name, pools, queries, _cosines(each)) for each in encoders]
    _recalls("bm25", pools, queries, _word_scores)
    english, german = (one - other for one, other in zip(*in_both, strict=True))
    print(f"as many found at {english / (english - german):.0%} German queries")
    texts = [text for column in columns for text in column]
    speeds: dict[str, list[float]] = {encoder.name: [] for encoder in encoders}
    for _ in range(rounds):
        for encoder in encoders:
            begun = time.process_time()
            encoder.encode(texts)
            speeds[encoder.name].append(len(texts) / (time.process_time() - begun))
    for name, each in speeds.items():
        spread = f"{min(each):,.0f} to {max(each):,.0f}"
        print(f"{name:>19}  {median(each):,.0f} texts a second ({spread})")


def _recalls(
    name: str,
    pools: list[list[str]],
    queries: list[list[str]],
    score: Callable[[list[str], list[str]], FloatArray],
) -> list[float]:
    """Recall@1 of each language's queries in the pool of both; prints that of every pool."""
    found = []
    for language, asked in zip(LANGUAGES, queries, strict=True):
        named = {**dict(zip(LANGUAGES, pools, strict=True)), "both": pools[0] + pools[1]}
        for of_pool, pool in named.items():
            order = np.argsort(-score(asked, pool), axis=1, kind="stable")[:, :5]
            right = order % len(asked) == np.arange(len(asked))[:, np.newaxis]
            at_1, at_5 = right[:, 0].mean(), right.any(axis=1).mean()
            print(f"{name:>19}  {language} queries, pool {of_pool}: {at_1:.2f} {at_5:.2f}")
        found.append(float(at_1))
    return found


def _cosines(encoder: Encoder) -> Callable[[list[str], list[str]], FloatArray]:
    return lambda asked, pool: encoder.encode(asked) @ encoder.encode(pool).T


def _word_scores(asked: list[str], pool: list[str]) -> FloatArray:
    return np.array([bm25_scores(tuple(pool), query) for query in asked])


if __name__ == "__main__":
    main()
