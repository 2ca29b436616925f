"""Compare: which method serves this pool and this language model best?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...errors import InvalidInput
from ...evaluation.plan.comparison_rows import ComparisonRow, RowsOfModel, by_model, check_rows
from ...evaluation.results.comparison import Comparison, ComparisonSettings, RecordedRow
from ...evaluation.runs.evaluate import EvaluationOptions, ScoredComparison, evaluate
from ...evaluation.scoring.task_states import prompts_to_read
from ...language_model.hub import refuse_no_folder
from ...retrieval.choosing import find_method, settled
from ...retrieval.knobs import SettledKnobs
from ...retrieval.methods import none
from ...retrieval.methods.neighbours import with_run
from ...retrieval.pool_view import LivePool
from ...settings import SEED
from ...text import listed
from ...watcher import Watcher
from ..session.studio import Setup, Studio
from .duration import with_time
from .running import RunKind, examples_in, figures_by, prepare


@dataclass(frozen=True, kw_only=True)
class CompareRequest:
    """Settings to compare and on what; `limit` None takes all evaluation examples.

    Rows that name a model are compared among those of that model, the others for that of the setup.

    `examples` names another pool whose queries are the evaluation examples, drawn in the order of
    `seed`; `references` are the rows that the others are compared with, the first one when none is
    named. With `leave_out_leaks` no context has a leak (`LivePool.leaks`). With `generate` the
    models also answer each example themselves, after every context.
    """

    setup: Setup
    rows: tuple[ComparisonRow, ...]
    examples: str | None = None
    seed: int = SEED
    limit: int | None = None
    references: tuple[str, ...] = ()
    leave_out_leaks: bool = False
    generate: bool = False


def resumed(setup: Setup, settings: ComparisonSettings) -> CompareRequest:
    """The request that a recorded run's settings came from, for this encoder and model.

    The rows are those of all models, also if the run was interrupted at a later one.
    """
    alone = (RecordedRow(name, each) for name, each in settings.methods.items())
    rows = [
        ComparisonRow(each.name, settings.knobs_of(each.request), each.model)
        for each in settings.rows or alone
    ]
    return CompareRequest(
        setup=replace(setup, template=settings.template),
        rows=tuple(rows),
        examples=settings.other_pool,
        seed=settings.seed,
        limit=settings.limit,
        leave_out_leaks=settings.leave_out_leaks,
        generate=settings.generate,
    )


def contexts_at_most(studio: Studio, request: CompareRequest) -> int:
    """How many contexts the models may have to score; those that several rows share count once.

    Every model also scores every example without context.
    """
    examples = examples_in(studio, request.examples or request.setup.pool, request.limit)
    shown = [settled(row.knobs) for row in request.rows if row.knobs.method != none.METHOD.name]
    by_choice = sum(
        asks(knobs) for knobs in shown if (asks := find_method(knobs.method).asks) is not None
    )
    models = {row.model or request.setup.model_name for row in request.rows}
    return examples * (len(shown) + by_choice + max(len(models), 1))


def answers_at_most(studio: Studio, request: CompareRequest) -> int:
    """How many answers the models may have to generate: one an example and row, 0 without any."""
    examples = examples_in(studio, request.examples or request.setup.pool, request.limit)
    return examples * len(request.rows) if request.generate else 0


def texts_read(studio: Studio, request: CompareRequest) -> int:
    """How many texts the models read before the first example, for rows that compare task states.

    The pool's texts are read once for each model and each prompt of a task; what was read before
    costs nothing.

    Raises:
        InvalidInput: A row asks for the task of a pool that has none.
    """
    if not any(find_method(row.knobs.method).reads for row in request.rows):
        return 0
    view, of_model = studio.view(request.setup), dict[str, list[SettledKnobs]]()
    for row in request.rows:
        of_model.setdefault(row.model or request.setup.model_name, []).append(settled(row.knobs))
    prompts = sum(len(prompts_to_read(view, each)) for each in of_model.values())
    return prompts * len(set(view.queries))


def cost(studio: Studio, request: CompareRequest) -> str:
    """How many contexts the models score at most, and what else they read or write, in words.

    With the time that the contexts take, once the model was timed; not where rows name another.
    """
    number, models = contexts_at_most(studio, request), {row.model for row in request.rows}
    contexts, beyond = f"At most {number:,} contexts", "and"
    if models <= {None, request.setup.model_name}:
        knobs = [row.knobs for row in request.rows]
        timed = with_time(studio, request, number, knobs, contexts)
        beyond = beyond if timed == contexts else "and beyond that time"
        contexts = timed
    texts, answers = texts_read(studio, request), answers_at_most(studio, request)
    besides = [f"{texts:,} texts read once"] if texts else []
    besides += [f"at most {answers:,} answers generated"] if answers else []
    return f"{contexts} ({beyond} {listed(besides)})" if besides else contexts


def check(view: LivePool | None, rows: Sequence[ComparisonRow]) -> None:
    """Refuse rows that cannot be compared; what they need of the pool only once it is embedded.

    Raises:
        InvalidInput: Two rows cannot be distinguished, or one compares task states without a task
            or chooses by scores without a run.
    """
    check_rows(rows)
    if view is None:
        return
    prompts_to_read(view, [settled(row.knobs) for row in rows])
    for row in rows:
        if row.model is None:  # of another model only its own view knows the runs
            with_run(view, row.knobs)


def run(studio: Studio, request: CompareRequest, watcher: Watcher) -> ScoredComparison:
    """Evaluate the rows model by model; resumable, and nothing is scored twice.

    Each model's rows are a recorded run of their own, and the result is that of the last model,
    with the earlier ones in it. With several models each is let go of before the next is loaded,
    the page's chosen one too; afterwards none is kept but that, if it was the last.

    Raises:
        InvalidInput: Rows that do not differ, an unknown reference, pool or model, or no
            examples.
        Cancelled: The watcher requested a stop; what was scored is kept, and so are the runs of the
            models before.
    """
    chosen = request.setup.model_name
    _check_references(request)
    first, *others = by_model(request.rows, request.references, chosen)
    if not others:
        return _of_model(studio, request, first, (), watcher)
    for part in others:  # a slip in the last name shows before the first model's long work
        refuse_no_folder(part.model)
    found: tuple[ScoredComparison, ...] = ()
    try:
        for number, part in enumerate((first, *others), 1):
            name = Path(part.model).name or part.model
            watcher.on_part(f"model {name}, {number} of {len(others) + 1}")
            studio.keep_only_model(part.model)
            found = (*found, _of_model(studio, request, part, found, watcher))
    finally:
        studio.keep_only_model(chosen)
    return found[-1]


def _check_references(request: CompareRequest) -> None:
    """Refuse a reference that is no row before the long work, not after it."""
    names = [row.name for row in request.rows]
    for reference in request.references:
        if reference not in names:
            raise InvalidInput(
                f"The reference {reference!r} is not among the methods and settings compared "
                f"({', '.join(names)}); choose one of them."
            )


def _of_model(
    studio: Studio,
    request: CompareRequest,
    part: RowsOfModel,
    earlier: tuple[ScoredComparison, ...],
    watcher: Watcher,
) -> ScoredComparison:
    """The outcomes of one model's rows; the model is in memory no longer than this runs."""
    setup = replace(request.setup, model=part.model)
    rows = {row.name: row.knobs for row in part.rows}
    ready = prepare(studio, setup, request.examples, rows.values(), watcher, as_needed=True)
    requests = {name: with_run(ready.view, knobs) for name, knobs in rows.items()}
    options = EvaluationOptions(
        limit=request.limit,
        seed=request.seed,
        examples_from=request.examples,
        references=part.references,
        caution=ready.caution,
        quality=ready.quality,
        leave_out_leaks=request.leave_out_leaks,
        generate=request.generate,
        earlier=earlier,
        rows=request.rows if any(row.model for row in request.rows) else (),
    )
    return evaluate(
        studio.store,
        ready.view,
        ready.engine,
        ready.examples,
        studio.encoder(setup.encoder),
        requests,
        options=options,
        watcher=watcher,
    )


RUNS = RunKind(
    name="evaluate",
    label=lambda request: f"Comparing {len(request.rows)} settings on {request.setup.pool}",
    run=run,
    settings=ComparisonSettings.from_json,
    resumed=resumed,
    result=figures_by(Comparison.from_json),
)
"""Comparisons; partial and final results of a job are `ScoredComparison`."""
