"""The practice model's commands: train it, write its pools, check it, confirm what it shows."""

import sys
from argparse import Namespace
from dataclasses import asdict
from typing import Any

from ..background import Watcher
from ..errors import InvalidInput
from ..language_model.hub import find_folder
from ..practice.checks import check_copying
from ..practice.dialects import BUNDLED_DIALECT, HELD_OUT_SEEDS, held_out_dialect
from ..practice.pools import POOL_SEED, build_pool, curate, write_pool
from ..practice.training.training import TrainingPlan, train
from ..settings import chosen_model
from ..studio.runs import calibrate
from ..studio.runs.confirmation import confirm
from ..studio.session.studio import Setup, Studio
from .computed import make_computed
from .flags import knobs_of

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
    return found | {"check": check_copying(options.out).to_json()} if report.finished else found


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
    found = check_copying(folder, episodes=options.episodes, seed=options.seed)
    return {"model": str(folder)} | found.to_json()


def run_confirm(options: Namespace) -> dict[str, Any]:
    """`practice confirm`: lambda_d chosen on half of the queries, confirmed on the other half."""
    request = calibrate.CalibrateRequest(
        setup=Setup(options.pool, options.encoder, options.model),
        ks=(options.k,),
        lambda_bs=(options.lambda_b,),
        limit=options.limit,
        knobs=knobs_of(options),
    )
    with Studio.open(options.workspace) as studio:
        calibration = calibrate.run(studio, request, Watcher(), _say)
    asked = {"pool": options.pool, "k": options.k, "lambda_b": options.lambda_b}
    return asked | confirm(calibration).to_json()


def run_computed(options: Namespace) -> dict[str, Any]:
    """`practice computed`: what the bundled pools' first screens show, computed anew."""
    return make_computed(options.out, _say)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


RUNS = {
    "train": run_train,
    "pools": run_pools,
    "check": run_check,
    "confirm": run_confirm,
    "computed": run_computed,
}
"""By the word after `practice`."""
