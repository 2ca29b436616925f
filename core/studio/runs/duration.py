"""How long a run will take: from what the language model needs for some contexts of the pool."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

import numpy as np

from ...background import Job, Urgency
from ...background.job import in_words
from ...demonstration.demonstration import Status
from ...evaluation.plan.examples import examples_of, sample
from ...language_model import served_by
from ...retrieval.choosing import settled
from ...retrieval.knobs import Knobs
from ...settings import SEED, K
from ...text import content_hash
from ...types import AnswerRequest
from ...watcher import Watcher
from ..session.studio import Setup, Studio
from .running import RunRequest

LONGEST = 1.0
"""Seconds after which no further context of a kind is scored."""
DRAWN = 32
"""Examples that are drawn; a quick model is through with them before the time is up."""
TOGETHER = 8
"""Demonstrations whose quality is scored together, as a run does about."""


class ScoringRequest(RunRequest, Protocol):
    """What every request that scores contexts has."""

    @property
    def examples(self) -> str | None:
        """The pool that the evaluation examples are from, None for the same."""


@dataclass(frozen=True)
class ScoringPace:
    """Seconds that the model takes for a context with all answers of its example.

    Without demonstrations `alone`, with `K` of them `shown`; `quality` is what it takes for the
    quality bias of a demonstration, 0 where all of the pool was scored when it was timed.
    """

    alone: float
    shown: float
    quality: float = 0.0

    def seconds(self, contexts: int, k: float, unscored: int = 0) -> float:
        """About how long so many contexts of k demonstrations take, at least 0.

        With the quality bias of so many demonstrations before them.
        """
        of_contexts = max(0.0, contexts * (self.alone + (self.shown - self.alone) * k / K))
        return of_contexts + unscored * self.quality


def timing(studio: Studio, request: ScoringRequest) -> Job | None:
    """The job that times the model on the request's pools, over or not; the first call starts it.

    None before the model and the pool's view are in memory, and for a model behind a server, which
    others may be using.
    """
    setup = request.setup
    served = served_by(setup.model_name) is not None
    if served or studio.loaded_model(setup.model) is None or not studio.has_view(setup):
        return None
    slot = _slot(studio, request)
    return studio.model_worker.latest(slot) or studio.model_worker.submit(
        slot,
        f"Timing {setup.model_name} on {setup.pool}",
        lambda job: measure(studio, request, job.watcher().quietly()),
        urgency=Urgency.SHOWN,
    )


def with_time(
    studio: Studio, request: ScoringRequest, contexts: int, knobs: Sequence[Knobs], words: str
) -> str:
    """The words for so many contexts, behind about how long they take where that was measured.

    "About 4 min: at most 90 contexts"; the words alone where it was not. With the quality bias of
    the pool where it is missing and the knobs need it.

    Args:
        studio: Where the model was timed.
        request: Whose model and pools.
        contexts: How many.
        knobs: What they are chosen with; their k are taken to be equally frequent.
        words: Those for so many contexts.
    """
    job = studio.model_worker.latest(_slot(studio, request))
    pace: ScoringPace | None = None if job is None else job.snapshot().result
    if pace is None or not knobs:
        return words
    biased = any(settled(each).needs_bias for each in knobs)
    # A page that asks what an import made possible must not wait until the pool is embedded.
    known = biased and pace.quality > 0 and studio.has_view(request.setup)
    unscored = studio.view(request.setup).unscored if known else 0
    about = in_words(pace.seconds(contexts, fmean(each.k for each in knobs), unscored))
    quality = ", the pool's quality bias included" if unscored else ""
    return f"{about[0].upper()}{about[1:]}{quality}: {words[0].lower()}{words[1:]}"


def measure(
    studio: Studio,
    request: ScoringRequest,
    watcher: Watcher,
    clock: Callable[[], float] = time.perf_counter,
) -> ScoringPace | None:
    """The pace on random contexts; None where the model can score no example.

    Nothing is read from the store or written there, so it is always the model that is timed. Its
    first request, which warms it up, does not count.

    Raises:
        InvalidInput: There is no such pool, or the model cannot be loaded.
        Cancelled: The watcher asked to stop.
    """
    setup = request.setup
    alone, shown = _contexts(studio, setup, request.examples or setup.pool)
    if not shown:
        return None
    model = studio.language_model(setup.model)

    def seconds(requests: Sequence[AnswerRequest], at_once: int = 1) -> float:
        start, done = clock(), 0
        while done < len(requests) and clock() - start < LONGEST:
            part = requests[done : done + at_once]
            model.log_probs(part, watcher=watcher)
            done += len(part)
        return (clock() - start) / done if done else 0.0

    model.log_probs(alone[:1], watcher=watcher)
    pairs = _unscored_pairs(studio, setup)
    return ScoringPace(seconds(alone), seconds(shown), seconds(pairs, TOGETHER))


def _unscored_pairs(studio: Studio, setup: Setup) -> list[AnswerRequest]:
    """Some demonstrations without quality bias as the model reads them for it."""
    engine, view = studio.engine(setup), studio.view(setup)
    unscored = np.flatnonzero(np.isnan(view.quality_bias))
    rng = np.random.default_rng(SEED)
    some = rng.choice(unscored, min(DRAWN, len(unscored)), replace=False).tolist()
    pairs = [
        (engine.template.prompt([], view.queries[at]), (engine.template.answer(view.answers[at]),))
        for at in some
    ]
    return [
        AnswerRequest(prompt, answers)
        for prompt, answers in pairs
        if engine.fits(prompt, answers) and not engine.without_tokens(prompt, answers)
    ]


def _contexts(
    studio: Studio, setup: Setup, examples: str
) -> tuple[list[AnswerRequest], list[AnswerRequest]]:
    """Some examples of the pool, each without demonstrations and with random ones that fit."""
    engine, view, store = studio.engine(setup), studio.view(setup), studio.store
    rows = store.demonstrations.all(store.pools.get(examples).id, status=Status.INCLUDED)
    rng = np.random.default_rng(SEED)
    alone: list[AnswerRequest] = []
    shown: list[AnswerRequest] = []
    for example in sample(examples_of(rows), DRAWN):
        answers = tuple(map(engine.template.answer, example.texts))
        picks = rng.choice(len(view), min(K, len(view)), replace=False).tolist()
        # A run leaves demonstrations out as well where they do not fit.
        prompts = (
            engine.template.prompt(
                [(view.queries[pick], view.answers[pick]) for pick in picks[:shows]], example.query
            )
            for shows in range(len(picks), -1, -1)
        )
        fitting = [prompt for prompt in prompts if engine.fits(prompt, answers)]
        if fitting and not engine.without_tokens(fitting[0], answers):
            shown.append(AnswerRequest(fitting[0], answers))
            alone.append(AnswerRequest(fitting[-1], answers))
    return alone, shown


def _slot(studio: Studio, request: ScoringRequest) -> str:
    """Names the model, the template and the pools; a few rows more leave the pace as it is."""
    setup = request.setup
    names = (setup.pool, request.examples or setup.pool)
    pools = (str(studio.store.pools.get(name).id) for name in names)
    fingerprint = studio.model_now(setup).fingerprint or setup.model_name
    return f"pace:{content_hash(*pools, fingerprint, setup.template)}"
