"""What the language model itself answers to a query, with its context and without any."""

from dataclasses import dataclass

from ...background import Job
from ...engines import LocalEngine, StoredEngine
from ...evaluation.results.own_answer import OwnAnswer, OwnAnswers, own_answer
from ...generation import MAX_NEW_TOKENS, Generation, GenerationRequest
from ...language_model import OnText
from ...types import IsCancelled, OnProgress
from ..session.jobs import report_progress
from .exploration import ExploreRequest


@dataclass(frozen=True)
class Written:
    """The texts so far, while they are being written."""

    after: str = ""
    alone: str = ""


def own_answers(
    request: ExploreRequest,
    engine: LocalEngine | StoredEngine,
    prompt: str,
    *,
    max_new_tokens: int = MAX_NEW_TOKENS,
    on_progress: OnProgress | None = None,
    on_text: OnText | None = None,
    cancelled: IsCancelled | None = None,
) -> OwnAnswers:
    """The model's greedy answers after the prompt and to the query alone, with their verdicts.

    Raises:
        InvalidInput: A prompt fills the model's window.
        NotComputed: The engine computes nothing, and the store does not have both.
        Cancelled: `cancelled` answered True.
    """
    stop = engine.template.stop
    prompts = (prompt, engine.template.prompt([], request.query))
    (after,), (alone,) = engine.generate(
        [GenerationRequest(each, stop=stop, max_new_tokens=max_new_tokens) for each in prompts],
        on_progress=on_progress,
        on_text=on_text,
        cancelled=cancelled,
    )

    def judged(generation: Generation) -> OwnAnswer:
        return own_answer(generation, request.answers, request.incorrect)

    return OwnAnswers(judged(after), judged(alone))


def answer_in_background(
    request: ExploreRequest, engine: LocalEngine, prompt: str, job: Job
) -> OwnAnswers:
    """The same as a job's work: what is written so far is its partial result (`Written`)."""
    texts: dict[str, str] = {}
    alone = engine.template.prompt([], request.query)

    def show(of: str, number: int, text: str) -> None:
        texts[of] = text
        job.publish(Written(texts.get(prompt, "").strip(), texts.get(alone, "").strip()))

    return own_answers(
        request,
        engine,
        prompt,
        on_progress=lambda done, total: report_progress(job, done, total),
        on_text=show,
        cancelled=job.cancelled,
    )
