"""The practice model's commands: train it, write its pools, check it, confirm what it shows."""

from argparse import Namespace
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.commands.console import say
from core.commands.documents import CommandDocument
from core.commands.flags import knobs_of
from core.errors import InvalidInput
from core.evaluation.runs.calibrate import CalibrationOptions
from core.language_model.hub import find_folder
from core.settings import chosen_model
from core.studio.runs import calibrate
from core.studio.session.studio import Setup, Studio
from core.watcher import Watcher
from core.writing import folder_for
from fusion.training import FineTuningReport

from ..checks import CopyingCheck, check_copying
from ..confirmation import Confirmation, confirm
from ..dialects import BUNDLED_DIALECT, HELD_OUT_SEEDS, held_out_dialect
from ..pools import POOL_SEED, build_pool, curate, write_pool
from ..programs.two_hop import build_two_hop, write_two_hop
from ..reader_checks import ReaderCheck, check_reader, practice_reader_folder
from ..training.reader import ReaderPlan, train_reader
from ..training.training import (
    TrainingPlan,
    TrainingReport,
    torch_for_training,
    train,
)
from .computed import Computed, make_computed

POOL_NAME = "service-desk"


@dataclass(frozen=True)
class Trained(CommandDocument):
    """A training, and what the model learned once it is finished."""

    report: TrainingReport
    plan: TrainingPlan
    check: CopyingCheck | None

    def to_json(self) -> dict[str, Any]:
        """The report for JSON, the plan and the check under their names."""
        found = asdict(self.report) | {"plan": asdict(self.plan)}
        return found if self.check is None else found | {"check": self.check.to_json()}


@dataclass(frozen=True)
class WrittenPool:
    """A file of a pool, and how much is in it."""

    path: str
    queries: int
    demonstrations: int
    triples: int


@dataclass(frozen=True)
class WrittenPools(CommandDocument):
    """The pools of a dialect, by name."""

    seed: int
    pools: dict[str, WrittenPool]


@dataclass(frozen=True)
class WrittenTwoHop(CommandDocument):
    """The files of the two-hop example."""

    questions: str
    passages: str


@dataclass(frozen=True)
class Checked(CommandDocument):
    """How the model in a folder copies names."""

    model: str
    found: CopyingCheck

    def to_json(self) -> dict[str, Any]:
        """The folder, then what was found."""
        return {"model": self.model} | self.found.to_json()


@dataclass(frozen=True)
class Confirmed(CommandDocument):
    """A confirmation, and what it was computed for."""

    pool: str
    k: int
    lambda_b: float
    found: Confirmation

    def to_json(self) -> dict[str, Any]:
        """What was asked, then what was found."""
        asked = {"pool": self.pool, "k": self.k, "lambda_b": self.lambda_b}
        return asked | self.found.to_json()


@dataclass(frozen=True)
class ReaderTrained(CommandDocument):
    """The stages of a training of the practice reader, none where it was checked only."""

    reader: str
    stages: tuple[FineTuningReport, ...]
    found: ReaderCheck

    def to_json(self) -> dict[str, Any]:
        """The folder and the stages, then what was found."""
        stages = [asdict(stage) for stage in self.stages]
        return {"reader": self.reader, "stages": stages} | self.found.to_json()


def run_train(options: Namespace) -> Trained:
    """`train`: train the model, then check what it learned.

    Raises:
        InvalidInput: The folder contains a training with other values.
    """
    plan = TrainingPlan(
        seed=options.seed,
        steps=options.steps,
        polish=options.polish,
        spelling=options.spelling,
        size=options.size,
    )
    folder = folder_for(options.out)
    report = train(
        folder,
        plan,
        device=options.device,
        threads=options.threads,
        minutes=options.minutes,
        report=say,
    )
    return Trained(report, plan, check_copying(folder) if report.finished else None)


def run_pools(options: Namespace) -> WrittenPools:
    """`pools`: write a log's pool and the same after curation.

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
    folder = folder_for(options.out)
    files = {}
    for name, chosen in ((POOL_NAME, rows), (f"{POOL_NAME}-curated", curate(rows))):
        path = folder / f"{name}.jsonl"
        write_pool(path, chosen)
        answers = [len(row.answers) for row in chosen]
        files[name] = WrittenPool(
            path=str(path),
            queries=len(chosen),
            demonstrations=sum(answers),
            triples=sum(len(row.answers) * len(row.incorrect) for row in chosen),
        )
    return WrittenPools(seed, files)


def run_two_hop(options: Namespace) -> WrittenTwoHop:
    """`two-hop`: write the questions and the passages of the two-hop example."""
    questions, passages = write_two_hop(folder_for(options.out), build_two_hop())
    return WrittenTwoHop(str(questions), str(passages))


def run_check(options: Namespace) -> Checked:
    """`check`: how names in the context are copied, on dialects never trained on."""
    _, folder = find_folder(chosen_model(options.model))
    if not (folder / "model.safetensors").is_file():
        raise InvalidInput(
            f"There is no model in {str(folder)!r}; train one with `python -m practice train` or "
            "give the folder of one that is trained."
        )
    found = check_copying(folder, episodes=options.episodes, seed=options.seed)
    return Checked(str(folder), found)


def run_confirm(options: Namespace) -> Confirmed:
    """`confirm`: lambda_d chosen on half of the queries, confirmed on the other half."""
    request = calibrate.CalibrateRequest(
        setup=Setup(options.pool, options.encoder, options.model),
        options=replace(CalibrationOptions.of(knobs_of(options)), limit=options.limit),
    )
    with Studio.open(options.workspace) as studio:
        calibration = calibrate.run(studio, request, Watcher())
    return Confirmed(options.pool, options.k, options.lambda_b, confirm(calibration))


def run_reader(options: Namespace) -> ReaderTrained:
    """`reader`: train the practice reader where a folder is given, then check it.

    Raises:
        InvalidInput: The folder contains a training with other values, or there is no reader.
    """
    stages: tuple[FineTuningReport, ...] = ()
    if options.out is not None:
        folder = folder_for(options.out)
        plan = ReaderPlan(options.seed, options.steps)
        with torch_for_training(threads=1):
            stages = tuple(train_reader(folder, plan, watcher=_now_and_then()))
    else:
        _, folder = find_folder(options.reader or practice_reader_folder())
    with torch_for_training(threads=1):
        found = check_reader(
            folder,
            episodes=options.episodes,
            seed=options.seed,
            watcher=_now_and_then("checking"),
        )
    return ReaderTrained(str(folder), stages, found)


def _now_and_then(what: str = "") -> Watcher:
    """A line to standard error at every hundredth step of what a phase names, and at the last."""
    current = [what]

    def enter(phase: str) -> None:
        current[0] = phase

    def report(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            say(f"{current[0]}: {done:,} of {total:,}")

    return Watcher(on_progress=report, on_phase=enter)


def run_computed(options: Namespace) -> Computed:
    """`computed`: what the bundled pools' first screens show, computed from scratch."""
    return make_computed(folder_for(options.out), say)


RUNS = {
    "train": run_train,
    "pools": run_pools,
    "two-hop": run_two_hop,
    "check": run_check,
    "confirm": run_confirm,
    "computed": run_computed,
    "reader": run_reader,
}
"""What each command runs."""
