"""The effect of a query's context on the model: on given answers, and on its own.

Both come from an engine: one that runs the model, or one that only reads what is stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...background import Job
from ...engines import LocalEngine, StoredEngine
from ...errors import InvalidInput
from ...evaluation.results.outcomes import Outcome, dpo_by_kind
from ...evaluation.results.own_answer import OwnAnswer, OwnAnswers, own_answer
from ...evaluation.results.run_figures import SkippedExample, SkipReason
from ...evaluation.scoring.example_scores import Setting, answer_scores, score_example
from ...generation import MAX_NEW_TOKENS, Generation, GenerationRequest
from ...interval import Piece, defined
from ...language_model import OnText
from ...metrics.gain import gain_per_answer, gain_per_token
from ...metrics.preference import delta, dpo, dpo_correct_only, dpo_per_triple
from ...metrics.scores import triples
from ...reporting.results.query import AnswerRow, CurvePiece, Effect
from ...retrieval.context import Context
from ...types import AnswerRequest
from ...watcher import NOBODY, Watcher
from .exploration import ExploreRequest, ResolvedRequest


@dataclass(frozen=True)
class QueryCurve:
    """DPO and diversity of one query at every lambda_d, as far as it is computed.

    `pieces` are in the order of lambda_d, all of them from the start; `distinct_sets` of
    `total_sets` are scored.
    """

    pieces: tuple[CurvePiece, ...]
    distinct_sets: int
    total_sets: int


def effect_of(request: ExploreRequest, engine: LocalEngine | StoredEngine, prompt: str) -> Effect:
    """The answers' log-probabilities after the prompt and alone, from the engine.

    Raises:
        InvalidInput: No answer is given, or an answer without tokens.
        NotComputed: The engine computes nothing, and the store does not have all of them.
    """
    example, split = request.answered(), len(request.answers)
    answers = tuple(engine.template.answer(text) for text in example.texts)
    prompts = (engine.template.prompt([], request.query), prompt)
    alone, after = engine.log_probs([AnswerRequest(each, answers) for each in prompts])
    scores = answer_scores(example, after, alone)
    kinds = (*[""] * split, *(wrong.kind for wrong in example.incorrect))
    rows = tuple(
        AnswerRow(text, place < split, before, there, kind)
        for place, (text, kind, before, there) in enumerate(
            zip(example.texts, kinds, alone, after, strict=True)
        )
    )
    return Effect(
        rows=rows,
        triples=triples(scores),
        delta=defined(delta([scores])),
        dpo=defined(dpo([scores])),
        dpo_per_triple=defined(dpo_per_triple([scores])),
        dpo_correct_only=defined(dpo_correct_only([scores])),
        gain_per_token=gain_per_token([scores]),
        gain_per_answer=gain_per_answer([scores]),
        by_kind={
            kind: each.mean
            for kind, each in dpo_by_kind([example], [scores]).items()
            if each.mean is not None
        },
    )


def pieces_of(resolved: ResolvedRequest, prompt: str, answer: str) -> tuple[str, ...]:
    """The text of each of the answer's tokens after the prompt; empty before a model is loaded."""
    model, template = resolved.now.model, resolved.now.template
    return () if model is None else model.pieces(prompt, template.answer(answer))


def diversity_curve(resolved: ResolvedRequest) -> QueryCurve:
    """Diversity at every lambda_d, nothing scored; needs no language model."""
    pieces = resolved.path()
    return unscored(pieces, len(by_set(pieces)))


def query_curve(
    resolved: ResolvedRequest, engine: LocalEngine | StoredEngine, watcher: Watcher = NOBODY
) -> QueryCurve:
    """DPO and diversity at every lambda_d, over the whole pool; each distinct set is scored once.

    The watcher gets a `QueryCurve` whenever the engine has answered, so that the curve fills in
    live: first the sets chosen over most of lambda_d.

    Raises:
        InvalidInput: No answer is given, or the model cannot score one.
        NotComputed: The engine computes nothing, and the store does not have all of it.
        Cancelled: The watcher requested a stop; what was scored is kept.
    """
    example = resolved.request.answered()
    setting = Setting(resolved.view, engine, resolved.request.knobs.order)
    pieces = resolved.path()
    sets = by_set(pieces)
    curve = unscored(pieces, len(sets))
    watcher.on_progress(0, len(sets))
    watcher.on_partial(curve)
    # An engine that takes many examples at once takes as many sets of one.
    for first in range(0, len(sets), engine.examples_at_once):
        members = sets[first : first + engine.examples_at_once]
        contexts = {piece.low: piece.value for group in members for piece in group}
        scored = score_example(setting, example, contexts, watcher)
        if isinstance(scored, SkippedExample):
            raise cannot_be_scored(scored, engine)
        new = [
            scored_piece(each, scored.by_key[each.low]) if each.low in contexts else before
            for each, before in zip(pieces, curve.pieces, strict=True)
        ]
        curve = QueryCurve(tuple(new), first + len(members), len(sets))
        watcher.on_progress(curve.distinct_sets, len(sets))
        watcher.on_partial(curve)
        watcher.breathe()
    return curve


def cannot_be_scored(skipped: SkippedExample, engine: LocalEngine | StoredEngine) -> InvalidInput:
    """Why the model cannot score the query's answers, as an error."""
    if skipped.reason is SkipReason.WITHOUT_TOKENS:
        return InvalidInput(
            f"The answer {skipped.answer!r} has no tokens for {engine.name}, so it has no "
            "probability; change it, or choose another model."
        )
    return InvalidInput(
        f"The query and its longest answer are longer than the model's window of "
        f"{engine.window:,} tokens; shorten them or choose a model with a larger window."
    )


def by_set(pieces: Sequence[Piece[Context]]) -> list[list[Piece[Context]]]:
    """The pieces grouped by the set they choose, the sets that cover most of lambda_d first."""
    groups: dict[frozenset[int], list[Piece[Context]]] = {}
    for piece in pieces:
        groups.setdefault(frozenset(piece.value.ids.tolist()), []).append(piece)
    return sorted(groups.values(), key=lambda group: -sum(each.width for each in group))


def unscored(pieces: Sequence[Piece[Context]], sets: int) -> QueryCurve:
    """The curve before anything of it is scored."""
    bare = (
        CurvePiece(
            each.low, each.high, tuple(each.value.ids.tolist()), defined(each.value.diversity)
        )
        for each in pieces
    )
    return QueryCurve(tuple(bare), 0, sets)


def scored_piece(piece: Piece[Context], outcome: Outcome) -> CurvePiece:
    """The piece with the metrics of its outcome."""
    scores = [outcome.scores]
    return CurvePiece(
        low=piece.low,
        high=piece.high,
        ids=outcome.ids,
        diversity=defined(outcome.scores.diversity),
        dpo=defined(dpo(scores)),
        dpo_per_triple=defined(dpo_per_triple(scores)),
        dpo_correct_only=defined(dpo_correct_only(scores)),
        delta=defined(delta(scores)),
        left_out=outcome.left_out,
    )


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
    on_text: OnText | None = None,
    watcher: Watcher = NOBODY,
) -> OwnAnswers:
    """The model's greedy answers after the prompt and to the query alone, with their verdicts.

    Raises:
        InvalidInput: A prompt fills the model's window.
        NotComputed: The engine computes nothing, and the store does not have both.
        Cancelled: The watcher asked to stop.
    """
    stop = engine.template.stop
    prompts = (prompt, engine.template.prompt([], request.query))
    (after,), (alone,) = engine.generate(
        [GenerationRequest(each, stop=stop, max_new_tokens=max_new_tokens) for each in prompts],
        on_text=on_text,
        watcher=watcher,
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

    return own_answers(request, engine, prompt, on_text=show, watcher=job.watcher().breathing())
