"""The practice model's commands: train it, write its pools, check it, confirm what it shows."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..errors import InvalidInput
from ..evaluation import Watcher
from ..evaluation.calibrate import Calibration
from ..evaluation.kinds import dpo_by_kind
from ..evaluation.outcomes import RequestResult, interval_row
from ..language_model.hub import find_folder
from ..metrics.intervals import estimate, paired_difference
from ..metrics.registry import METRICS
from ..practice.checks import check_copying
from ..practice.dialects import BUNDLED_DIALECT, HELD_OUT_SEEDS, held_out_dialect
from ..practice.pools import POOL_SEED, build_pool, curate, write_pool
from ..practice.training import TrainingPlan, train
from ..retrieval.bias import BiasScale
from ..settings import chosen_model
from . import calibrate
from .bundled_making import make_computed
from .studio import Setup, Studio

METRIC = "dpo_per_triple"
POOL_NAME = "service-desk"


def run_train(options: Namespace) -> dict[str, Any]:
    """`practice train`: train the model, then check what it learned.

    Raises:
        InvalidInput: The folder holds a training with other values.
    """
    plan = TrainingPlan(
        seed=options.seed,
        steps=options.steps,
        polish=options.polish,
        spelling=options.spelling,
        size=options.size,
    )
    report = train(
        options.out,
        plan,
        device=options.device,
        threads=options.threads,
        minutes=options.minutes,
        say=_say,
    )
    found = asdict(report) | {"plan": asdict(plan)}
    return found | {"check": check_copying(options.out)} if report.finished else found


def run_pools(options: Namespace) -> dict[str, Any]:
    """`practice pools`: write a log's pool and the same after curation.

    Raises:
        InvalidInput: A seed whose dialect was not held out of training.
    """
    seed = options.seed
    if seed != POOL_SEED and seed not in HELD_OUT_SEEDS:
        raise InvalidInput(
            f"The seed {seed} was given; only the dialects of {POOL_SEED} (the bundled one) and "
            f"{HELD_OUT_SEEDS[0]} to {HELD_OUT_SEEDS[-1]} were held out of training: choose one."
        )
    dialect = BUNDLED_DIALECT if seed == POOL_SEED else held_out_dialect(seed)
    rows = build_pool(seed, options.queries, dialect)
    options.out.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, chosen in ((POOL_NAME, rows), (f"{POOL_NAME}-curated", curate(rows))):
        path = options.out / f"{name}.jsonl"
        write_pool(path, chosen)
        answers = [len(row.answers) for row in chosen]
        files[name] = {
            "path": str(path),
            "queries": len(chosen),
            "demonstrations": sum(answers),
            "triples": sum(len(row.answers) * len(row.incorrect) for row in chosen),
        }
    return {"seed": seed, "pools": files}


def run_check(options: Namespace) -> dict[str, Any]:
    """`practice check`: how names in the context are copied, on dialects never trained on."""
    _, folder = find_folder(chosen_model(options.model))
    if not (folder / "model.safetensors").is_file():
        raise InvalidInput(
            f"There is no model in {str(folder)!r}; train one with `practice train` or give the "
            "folder of one that is trained."
        )
    return {"model": str(folder)} | check_copying(
        folder, episodes=options.episodes, seed=options.seed
    )


def run_confirm(options: Namespace) -> dict[str, Any]:
    """`practice confirm`: lambda_d chosen on half of the queries, confirmed on the other half."""
    request = calibrate.CalibrateRequest(
        setup=Setup(options.pool, options.encoder, options.model),
        ks=(options.k,),
        lambda_bs=(options.lambda_b,),
        limit=options.limit,
        seed=options.seed,
        bias_scale=BiasScale(options.bias_scale),
    )
    with Studio.open(options.workspace) as studio:
        calibration = calibrate.run(studio, request, Watcher(), _say)
    return {"pool": options.pool, "k": options.k, "lambda_b": options.lambda_b} | halves(
        calibration
    )


def halves(calibration: Calibration) -> dict[str, Any]:
    """lambda_d chosen on the first half of the examples, measured on the others, paired.

    The examples come in seeded random order, so the halves are a random split. `inside` says
    whether the chosen lambda_d is neither 0 nor 1; `minus_relevance_only` and
    `minus_diversity_only` are the chosen cell less lambda_d = 1 and 0 on the second half.
    """
    cells = calibration.cells
    half = len(calibration.examples) // 2
    if half < 2:
        raise InvalidInput("There are too few evaluation examples to halve; give at least 4.")
    curve = [_estimate(cell, slice(half)).mean for cell in cells]
    chosen = cells[max(range(len(cells)), key=lambda at: (curve[at], cells[at].lambda_d))]
    last = slice(half, None)
    found: dict[str, Any] = {
        "lambda_d": chosen.lambda_d,
        "inside": 0.0 < chosen.lambda_d < 1.0,
        "chosen_on": half,
        "confirmed_on": len(calibration.examples) - half,
        "curve_of_first_half": [
            [c.lambda_d, round(y, 4)] for c, y in zip(cells, curve, strict=True)
        ],
        METRIC: interval_row(_estimate(chosen, last)),
    }
    ends = {"minus_diversity_only": cells[0], "minus_relevance_only": cells[-1]}
    for name, end in ends.items():
        found[name] = {
            metric: interval_row(
                paired_difference(METRICS[metric], _scores(chosen, last), _scores(end, last))
            )
            for metric in (METRIC, "mc1")
        }
    examples = calibration.examples[half:]
    found["by_kind"] = {
        str(cell.lambda_d): {
            kind: interval_row(interval)
            for kind, interval in dpo_by_kind(examples, _scores(cell, last)).items()
        }
        for cell in (cells[0], chosen, cells[-1])
    }
    return found


def run_computed(options: Namespace) -> dict[str, Any]:
    """`practice computed`: what the bundled pools' first screens show, computed anew."""
    return make_computed(options.out, _say)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def _estimate(cell: RequestResult, part: slice) -> Any:
    return estimate(METRICS[METRIC], _scores(cell, part))


def _scores(cell: RequestResult, part: slice) -> Sequence[Any]:
    return [outcome.scores for outcome in cell.outcomes[part]]


RUNS = {
    "train": run_train,
    "pools": run_pools,
    "check": run_check,
    "confirm": run_confirm,
    "computed": run_computed,
}
"""By the word after `practice`."""
