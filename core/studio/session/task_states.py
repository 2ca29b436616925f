"""The task states of a pool's texts, read once by the language model, in the background."""

from ...background import Job
from ...evaluation.scoring.kept_states import kept_under
from ...evaluation.scoring.task_states import StateReader
from ...retrieval.pool_view import PoolView
from ...retrieval.tasks.prompt import TaskPrompt
from ...retrieval.tasks.states import PoolStates
from .jobs import report_progress, submit_once
from .readiness import load_model_in_background
from .studio import Setup, Studio


def read_in_background(
    studio: Studio, setup: Setup, view: PoolView, prompt: TaskPrompt
) -> Job | None:
    """The job after which the states of all the pool's texts are in memory; None when they are.

    The first job loads the model if it is not loaded; the next call returns the one that reads. A
    job that failed or was cancelled stays until `model_worker.forget(job.slot)`, and what it read
    is in the store.

    Args:
        studio: Its model reads, and its `pool_states` keep what was read.
        setup: Names the language model.
        view: The pool.
        prompt: The task with its exemplars, drawn from the view.
    """
    if states_in_memory(studio, setup, view, prompt) is not None:
        return None
    loading = load_model_in_background(studio, setup)
    if loading is not None:
        return loading

    def work(job: Job) -> int:
        found = StateReader(studio.engine(setup), studio.pool_states).of_pool(
            prompt,
            view.queries,
            on_progress=lambda done, total: report_progress(job, done, total),
            cancelled=job.cancelled,
        )
        return int(found.read.sum())

    model, texts = studio.model_now(setup).fingerprint, len(dict.fromkeys(view.queries))
    return submit_once(
        studio.model_worker,
        f"states:{model}:{prompt.fingerprint}:{view.content}",
        f"Reading {texts:,} texts for the task {prompt.task.name}",
        work,
    )


def states_in_memory(
    studio: Studio, setup: Setup, view: PoolView, prompt: TaskPrompt
) -> PoolStates | None:
    """The states of the pool's texts if they were read since the studio was opened; else None."""
    model = studio.model_now(setup).fingerprint
    if model is None:
        return None
    return studio.pool_states.get(kept_under(model, prompt, view.queries))
