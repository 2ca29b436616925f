"""`run` and `bootstrap`: programs over the questions of a pool, and what they print.

`run` has scores, traces and costs; of what comes out right for `bootstrap`, all can be kept.
"""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidInput
from ..interval import Interval
from ..passages.search import SearchBy
from ..programs.paper import CATALOGUE
from ..programs.steps import Step
from ..programs.trial import Answer, Cost, Demonstrated, Difference, RowResult
from ..programs.trial.records import MEASURES
from ..recorded import record_to_json, same, write
from ..reporting.tables.programs import answers_table, differences_table, scores_table, seeds_table
from ..reporting.tables.table import Sheet, records_table
from ..settings import PROGRAM_KNOBS
from ..studio.programs import bootstrap as bootstrapping
from ..studio.programs.attempts import Bootstrap, KeptAttempts, keep
from ..studio.programs.trial_records import TrialReport, TrialRequest
from ..studio.programs.trials import run
from ..studio.session.studio import Studio
from ..text import listed
from .console import say
from .documents import CommandDocument
from .flags import names_in, setup_of
from .progress import watcher


@dataclass(frozen=True)
class TrialDocument(CommandDocument):
    """A trial for JSON and for people."""

    report: TrialReport
    traced: bool = False
    """Whether people see each answer's steps in place of the scores: where one was asked for."""

    def to_json(self) -> dict[str, Any]:
        """The scores of the first row at the top, then all rows, differences, traces and costs."""
        trial, basis = self.report.trial, self.report.basis
        return {
            **basis.to_json(),
            "scores": _scores_to_json(trial.rows[0]) if trial.judged else None,
            "rows": [_row_to_json(row) for row in trial.rows],
            "differences": [_difference_to_json(each) for each in trial.differences],
            "traces": [_trace_to_json(each) for each in trial.answers],
            "demonstrations": [
                row for each in trial.demonstrations for row in _demonstrations_to_json(each)
            ],
            "calls": trial.cost.calls,
            "tokens": _tokens_to_json(trial.cost),
            "notes": list(self.report.notes),
        }

    def sheet(self) -> Sheet:
        """The scores, the differences and the seeds as tables, and what they were made with.

        Of one question that was given: the answers, and the steps of each.
        """
        trial, basis = self.report.trial, self.report.basis
        made = sum((each.cost for each in trial.demonstrations), Cost())
        costs = {"calls": trial.cost.calls, "of them for demonstrations": made.calls}
        differences = [differences_table(trial)] if trial.differences else []
        tables = [scores_table(trial), *differences, seeds_table(trial)]
        steps: list[tuple[str, ...]] = []
        if self.traced:
            tables = [answers_table(trial.answers)]
            steps = [
                (each.row, *(step.outline("  ") for step in each.steps)) for each in trial.answers
            ]
        return (*((table,) for table in tables), *steps, (basis.to_json() | costs,))


def _scores_to_json(row: RowResult) -> dict[str, Any]:
    found: dict[str, Interval] = {name: getattr(row, name) for name in MEASURES}
    means = {name: each.mean for name, each in found.items()}
    return means | {"intervals": {name: [each.low, each.high] for name, each in found.items()}}


def _row_to_json(row: RowResult) -> dict[str, Any]:
    return {
        "name": row.name,
        "program": row.program,
        "without": row.without or None,
        "knobs": dict(row.knobs),
        "scores": _scores_to_json(row),
        "by_seed": [
            {"seed": each.seed, "questions": each.n} | each.scores.to_json() for each in row.by_seed
        ],
        "errors": row.errors,
        "no_answers": {end.value: count for end, count in row.no_answers.items()},
        **_cost_to_json(row.cost),
        "demonstrating": {
            "augmented": row.augmented,
            "attempts": row.attempts,
            **_cost_to_json(row.demonstrating),
        },
    }


def _cost_to_json(cost: Cost) -> dict[str, Any]:
    gone = {"raw": cost.raw, "augmented": cost.augmented, "passages": cost.passages}
    left_out = {"prompts": cost.shortened, **gone}
    return {"calls": cost.calls, "tokens": _tokens_to_json(cost), "left_out": left_out}


def _tokens_to_json(cost: Cost) -> dict[str, int]:
    return {"read": cost.tokens_read, "written": cost.tokens_written}


def _difference_to_json(each: Difference) -> dict[str, Any]:
    values = {name: getattr(each, name).to_json() for name in MEASURES}
    return {"row": each.row, "reference": each.reference} | values


def _trace_to_json(answer: Answer) -> dict[str, Any]:
    return {
        "row": answer.row,
        "seed": answer.seed,
        "id": int(answer.id) if answer.id else None,
        "question": answer.question,
        "history": write(answer.history),
        "answers": list(answer.answers),
        "steps": [
            found for tree in answer.steps for step in tree.walk() for found in _step_to_json(step)
        ],
        "answer": answer.pred,
        "correct": answer.correct,
        **answer.scores.to_json(),
        "error": answer.error or None,
    }


def _step_to_json(step: Step) -> Iterator[dict[str, Any]]:
    """The step where it asked the model or searched; what only has steps below it is left out."""
    if not step.calls and step.search is None:
        return
    search = step.search
    passages = () if search is None else search.found
    yield {
        "stage": step.stage,
        "prompt": step.prompt or None,
        "completions": [
            *(dict(each.fields) for each in step.completions),
            *(
                {"text": text.text}
                for call in step.calls
                if not step.completions
                for text in call.generations
            ),
        ],
        "queries": [] if search is None else list(search.queries),
        "passages": [
            {"id": each.passage.id, "score": each.score, "text": each.passage.shown}
            for each in passages
        ],
        "tokens": sum(call.tokens for call in step.calls),
        "left_out": str(step.left_out) if step.left_out else None,
    }


def _demonstrations_to_json(made: Demonstrated) -> Iterator[dict[str, Any]]:
    """Every attempt, then the training examples that were not tried."""
    shared = {"program": made.program, "knobs": dict(made.knobs), "seed": made.seed}
    attempts = made.annotated.attempts
    tried = {each.example.question for each in attempts}
    raw = (example for example in made.annotated.raw if example.question not in tried)
    for example, augmented, reason in (
        *((each.example, each.kept, each.reason) for each in attempts),
        *((example, False, None) for example in raw),
    ):
        yield shared | {
            "id": int(example.get("id")) if example.get("id") else None,
            "question": example.question,
            "augmented": augmented,
            "rejected_for": write(reason),
        }


def run_run(studio: Studio, options: Namespace) -> TrialDocument:
    """`run`: what each program reached, and how they differ."""
    programs = names_in(options.programs)
    request = TrialRequest(
        programs=programs,
        pool=options.pool,
        passages=options.passages,
        knobs=_knobs(programs, options),
        ablate=options.ablate,
        question=options.question,
        examples=options.examples,
        seeds=options.seeds,
        limit=options.limit,
        by=SearchBy(options.by),
        encoder=options.encoder,
        model=options.model,
        sampling=options.temperature,
        max_new_tokens=options.max_tokens,
    )
    report = run(studio, request, watcher("answering"))
    for note in report.notes:
        say(note)
    return TrialDocument(report, traced=options.question is not None)


def _knobs(programs: tuple[str, ...], options: Namespace) -> dict[str, int]:
    """The numbers that were given.

    Raises:
        InvalidInput: One that no program has.
    """
    given = {knob: getattr(options, knob) for knob in PROGRAM_KNOBS}
    found = {knob: value for knob, value in given.items() if value is not None}
    chosen = [CATALOGUE[name] for name in programs if name in CATALOGUE]
    for knob in found if chosen else ():
        if not any(knob in each.knobs for each in chosen):
            have = [each.name for each in CATALOGUE.values() if knob in each.knobs]
            raise InvalidInput(
                f"{PROGRAM_KNOBS[knob].flag} was given, which {listed(programs)} does not have; "
                f"leave it out, or choose {listed(have, 'or')}."
            )
    return found


_ATTEMPT = {
    **same("number", "query"),
    "answers": "example.answers",
    "outcome": "reason",
    "message": "attempt.message",
    **same("predicted", "rationale", "passages", "prompt"),
}


@dataclass(frozen=True)
class BootstrapDocument(CommandDocument):
    """What became of every query that a program tried, and what was kept; None for nothing."""

    found: Bootstrap
    kept: KeptAttempts | None

    def to_json(self) -> dict[str, Any]:
        """What was asked for, how many came out how, every attempt, and what was kept.

        The `prompt` of an attempt is the last one that the model was given.
        """
        attempts = [record_to_json(each, _ATTEMPT) for each in self.found.tried]
        counts = self._counts_to_json()
        kept = counts.pop("kept")
        return counts | {"attempts": attempts, "kept": kept}

    def sheet(self) -> Sheet:
        """What became of each query, and the counts."""
        tried = records_table(self.found.tried, ("number", "reason", "query", "predicted"))
        return ((tried, self._counts_to_json()),)

    def _counts_to_json(self) -> dict[str, Any]:
        found = self.found
        return {
            "run": found.run,
            **found.settings.to_json(),
            "tried": len(found.tried),
            "right": len(found.right),
            "outcomes": dict(found.outcomes),
            "kept": write(self.kept),
        }


def run_bootstrap(studio: Studio, options: Namespace) -> BootstrapDocument:
    """`bootstrap`: try the queries, going on where an earlier call stopped; keep what is right."""
    request = bootstrapping.BootstrapRequest(
        setup=setup_of(options),
        program=options.program,
        examples=options.examples,
        file=options.file,
        passages=options.passages,
        annotate=options.annotate,
        shots=options.shots,
        limit=options.limit,
        seed=options.seed,
    )
    studio.store.pools.get(options.pool)  # refuses before the model is read
    found = bootstrapping.run(studio, request, watcher("trying queries"))
    kept = None
    if options.keep_all_right or options.to is not None:
        if found.right:
            kept = keep(studio, found, to=options.to)
        else:
            say("Nothing came out right, so nothing is kept.")
    return BootstrapDocument(found, kept)
