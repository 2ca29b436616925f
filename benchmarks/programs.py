"""Retrieve-then-read beside vanilla, with the practice model, where a passage has the answer.

    python benchmarks/programs.py [--questions 60] [--shots 16] [--seeds 5]

The first requests of the bundled service desk, each request's own call being in a passage that BM25
finds by the request. Each seed draws its own training examples. Prints exact match and F1 with 95 %
intervals, and the paired differences to vanilla, whose intervals hold together.
"""

import argparse
import os
from pathlib import Path
from sys import path as import_path

os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
import_path.insert(0, str(Path(__file__).resolve().parents[1]))

import transformers

from benchmarks.scoring import PRACTICE_MODEL, PRACTICE_POOL, drafts_of
from core.language_model import load
from core.passages.search import PassageArrays, PassageSearch, SearchBy
from core.programs import Example, Passage, Run
from core.programs.trial import draw, run_trial, summarised
from practice.programs.baselines import rows_in_its_own_form

MAX_NEW_TOKENS = 40
"""Of an answer: the longest call of the service desk has fewer."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for flag, usual in (("--questions", 60), ("--shots", 16), ("--seeds", 5)):
        parser.add_argument(flag, type=int, default=usual)
    asked = parser.parse_args()
    transformers.utils.logging.disable_progress_bar()
    right: dict[str, str] = {}
    for draft in drafts_of(PRACTICE_POOL):
        right.setdefault(draft.query, draft.answer)
    train = [Example(query, (answer,)) for query, answer in right.items()][: asked.questions]
    passages = tuple(
        Passage(number, each.answers[0], each.question) for number, each in enumerate(train)
    )
    search = PassageSearch(PassageArrays("service-desk", 1, passages), SearchBy.BM25)
    rows = rows_in_its_own_form(asked.shots)
    shares = draw(train, train, shots=asked.shots, seeds=asked.seeds)
    run = Run(load(PRACTICE_MODEL), search, max_new_tokens=MAX_NEW_TOKENS)
    found = summarised(rows, run_trial(rows, shares, run))
    for row in found.rows:
        print(f"{row.name:<34} EM {row.em}, F1 {row.f1}")
    for each in found.differences:
        print(f"{each.row:<34} less vanilla: EM {each.em}, F1 {each.f1}")


if __name__ == "__main__":
    main()
