"""Whether what a demonstration is worth shows wrong answers: planted ones among right ones.

    python benchmarks/worth.py [--file POOL] [--model M] [--wrong other] [--share 0.15] [--seeds 3]

For each seed half of the file's queries (by default the bundled service desk's) become a pool,
each with its first answer, and the other half evaluation examples. In the pool so large a share of
the demonstrations gets a wrong answer: that of another query whose first word differs (`other`), or
one of its own incorrect answers (`own`). Every demonstration is then judged (`worth`). Of those
that are in a context it is printed what the wrong and the right ones are worth on average, and how
well their worth separates them: the area under the ROC curve (0.5 is chance), and how
many of the 20 least worth are wrong. Beside it are the same figures for the quality bias, which
judges an answer without any context, and the share of the wrong ones, which is what chance finds.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sklearn.metrics import roc_auc_score

from core.curation.importing import import_file
from core.demonstration.demonstration import Demonstration, Draft
from core.evaluation.runs.running import RunOptions
from core.retrieval.knobs import Knobs
from core.settings import data_folder
from core.studio import Setup, Studio
from core.studio.pools.demonstrations import quality_biases
from core.studio.runs.worth import WorthRequest, run
from core.watcher import Watcher

LEAST = 20
NAMES = (
    "worth_of_wrong",
    "worth_of_right",
    "worth_area",
    "worth_least",
    "bias_area",
    "bias_least",
)
HEADINGS = (
    f"{'seed':>4} {'in':>6} {'judged':>7} {'wrong':>7} {'w. wrong':>9} {'w. right':>9}"
    f" {'AUC':>9} {'least 20':>8} {'bias AUC':>9} {'least 20':>8}"
)


def main() -> None:
    options = _options()
    found: list[Found] = []
    print(HEADINGS)
    for seed in range(options.seeds):
        with (
            tempfile.TemporaryDirectory(prefix="shotlist-worth-") as folder,
            Studio.open(Path(folder)) as studio,
        ):
            wrong = _plant(studio, options, seed)
            began = time.monotonic()
            found.append(_found(*_judge(studio, options, seed), wrong))
            took = time.monotonic() - began
        print(f"{seed:4} {took:5.0f}s{found[-1].line()}")
    for name in NAMES:
        print(f"{name}: {_spread([getattr(each, name) for each in found])}")


@dataclass(frozen=True)
class Found:
    """How well wrong demonstrations are separated from right ones."""

    judged: int
    chance: float
    """The share of wrong ones among those judged."""
    worth_of_wrong: float
    worth_of_right: float
    worth_area: float
    worth_least: float
    bias_area: float
    bias_least: float

    def line(self) -> str:
        """A row below the headings."""
        means = f"{self.worth_of_wrong:+9.3f} {self.worth_of_right:+9.3f}"
        areas = f"{self.worth_area:9.3f} {self.worth_least:8.0%} {self.bias_area:9.3f}"
        return f" {self.judged:7,} {self.chance:7.0%} {means} {areas} {self.bias_least:8.0%}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file", type=Path, default=data_folder() / "service-desk.jsonl")
    parser.add_argument("--model", help="default: practice")
    parser.add_argument("--wrong", choices=("other", "own"), default="other")
    parser.add_argument("--share", type=float, default=0.15, help="of wrong ones in the pool")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("-k", type=int, default=6)
    return parser.parse_args()


def _plant(studio: Studio, options: argparse.Namespace, seed: int) -> set[int]:
    """Fill the pools `pool` and `examples`; the ids of the demonstrations with a wrong answer."""
    store, draw = studio.store, random.Random(seed)
    import_file(store, options.file, "all")
    rows = store.demonstrations.all(store.pools.get("all").id)
    first = {row.query: row for row in reversed(rows)}
    queries = sorted(first)
    draw.shuffle(queries)
    kept = queries[: len(queries) // 2]
    of_pool = [_draft(first[query]) for query in kept]
    chosen = draw.sample(range(len(of_pool)), round(options.share * len(of_pool)))
    right = [draft.answer for draft in of_pool]
    for place in chosen:
        draft = of_pool[place]
        if options.wrong == "own":
            answer = draw.choice(draft.incorrect).text
        else:
            word = draft.answer.split()[0]
            answer = draw.choice([each for each in right if each.split()[0] != word])
        of_pool[place] = replace(draft, answer=answer, incorrect=())
    wrong = {of_pool[place].query for place in chosen}
    store.demonstrations.add(store.pools.create("pool").id, of_pool)
    others = [_draft(row) for row in rows if row.query not in set(kept)]
    store.demonstrations.add(store.pools.create("examples").id, others)
    added = store.demonstrations.all(store.pools.get("pool").id)
    return {row.id for row in added if row.query in wrong}


def _draft(row: Demonstration) -> Draft:
    return Draft(row.query, row.answer, row.incorrect, row.tags)


def _judge(
    studio: Studio, options: argparse.Namespace, seed: int
) -> tuple[dict[int, float], dict[int, float]]:
    """What each demonstration is worth that is in a context, and the quality bias of each."""
    setup = Setup("pool", None, options.model)
    request = WorthRequest(
        setup=setup,
        knobs=Knobs("rel+div+bias", options.k),
        options=RunOptions(seed=seed, examples_from="examples"),
    )
    found = run(studio, request, Watcher()).summary()
    worths = {
        each.id: each.worth.mean for each in found.demonstrations if each.worth.mean is not None
    }
    return worths, quality_biases(studio, setup, studio.view(setup))


def _found(worths: dict[int, float], biases: dict[int, float], wrong: set[int]) -> Found:
    labels = [id in wrong for id in worths]
    worth_area, worth_least = _recognised(list(worths.values()), labels)
    bias_area, bias_least = _recognised([biases[id] for id in worths], labels)
    return Found(
        judged=len(labels),
        chance=mean(labels),
        worth_of_wrong=mean(worth for id, worth in worths.items() if id in wrong),
        worth_of_right=mean(worth for id, worth in worths.items() if id not in wrong),
        worth_area=worth_area,
        worth_least=worth_least,
        bias_area=bias_area,
        bias_least=bias_least,
    )


def _recognised(values: Sequence[float], wrong: Sequence[bool]) -> tuple[float, float]:
    """The area under the ROC curve of low values, and the share of wrong among the least 20."""
    area = roc_auc_score(wrong, [-value for value in values])
    least = sorted(range(len(values)), key=values.__getitem__)[:LEAST]
    return float(area), mean(wrong[place] for place in least)


def _spread(values: Sequence[float]) -> str:
    spread = stdev(values) if len(values) > 1 else 0.0
    return f"{mean(values):.3f} (+- {spread:.3f})"


if __name__ == "__main__":
    main()
