"""The effect of a query's context on the language model: answer by answer, and over lambda_d."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...background import Job
from ...errors import InvalidInput
from ...evaluation.outcomes.kinds import dpo_by_kind
from ...evaluation.outcomes.outcomes import Outcome
from ...evaluation.results.skipping import Skipped, SkipReason
from ...evaluation.scoring.example_scores import Setting, score_example
from ...metrics.gain import gain_per_answer, gain_per_token
from ...metrics.preference import delta, dpo, dpo_correct_only, dpo_per_triple
from ...metrics.scores import NOTHING_MEASURED, AnswerScores, OfContext, triples
from ...reporting.results.query import AnswerRow, CurvePiece, Effect
from ...retrieval.context import Context
from ...types import LogProb, Piece
from ..session.studio import Studio
from .exploration import ExploreRequest, Resolved, defined, requests_of, resolve


@dataclass(frozen=True)
class QueryCurve:
    """DPO and diversity of one query at every lambda_d, as far as it is computed.

    `pieces` stand in the order of lambda_d, all of them from the start; `distinct_sets` of
    `total_sets` are scored.
    """

    pieces: tuple[CurvePiece, ...]
    distinct_sets: int
    total_sets: int


def effect_of(studio: Studio, request: ExploreRequest, prompt: str) -> Effect:
    """The answers' log-probabilities after the prompt and without a context; runs the model.

    Raises:
        InvalidInput: No answer is given, no usable language model, or an answer without tokens.
    """
    engine = studio.engine(request.setup)
    return _effect(request, engine.log_probs(requests_of(request, engine.template, [prompt])))


def known_effect(resolved: Resolved, prompt: str) -> Effect | None:
    """The same if every log-probability is in the store already; the model is not needed for it.

    Raises:
        InvalidInput: No answer is given.
    """
    found = resolved.known_log_probs([prompt])
    return None if found is None else _effect(resolved.request, found)


def pieces_of(resolved: Resolved, prompt: str, answer: str) -> tuple[str, ...]:
    """The text of each of the answer's tokens behind the prompt; empty before a model is there."""
    model, template = resolved.now.model, resolved.now.template
    return () if model is None else model.pieces(prompt, template.answer(answer))


def diversity_curve(resolved: Resolved) -> QueryCurve:
    """Diversity at every lambda_d, nothing scored; needs no language model."""
    pieces = resolved.path()
    return unscored(pieces, len(by_set(pieces)))


def query_curve(studio: Studio, request: ExploreRequest, job: Job) -> QueryCurve:
    """DPO and diversity at every lambda_d, over the whole pool; each distinct set is scored once.

    Publishes a `QueryCurve` after every set, so that the curve fills in live: first the sets that
    hold for most of lambda_d.

    Raises:
        InvalidInput: No answer is given, or no usable language model.
        Cancelled: The job was cancelled; what was scored is kept.
    """
    example = request.answered()
    engine, resolved = studio.engine(request.setup), resolve(studio, request)
    setting = Setting(resolved.view, engine, request.knobs.order)
    pieces = resolved.path()
    sets = by_set(pieces)
    curve = unscored(pieces, len(sets))
    job.progress(0, len(sets))
    job.publish(curve)
    for done, members in enumerate(sets, start=1):
        contexts = {piece.low: piece.value for piece in members}
        scored = score_example(setting, example, contexts, job.watcher())
        if isinstance(scored, Skipped):
            if scored.reason is SkipReason.WITHOUT_TOKENS:
                raise InvalidInput(
                    f"The answer {scored.answer!r} has no tokens for {engine.name}, so it has no "
                    "probability; change it, or choose another model."
                )
            raise InvalidInput(
                f"The query and its longest answer are longer than the model's window of "
                f"{engine.window:,} tokens; shorten them or choose a model with a larger window."
            )
        new = {piece.low: scored_piece(piece, scored.by_key[piece.low]) for piece in members}
        curve = QueryCurve(tuple(new.get(each.low, each) for each in curve.pieces), done, len(sets))
        job.progress(done, len(sets))
        job.publish(curve)
        job.breathe()
    return curve


def _effect(request: ExploreRequest, found: Sequence[Sequence[LogProb]]) -> Effect:
    example, split = request.answered(), len(request.answers)
    kinds = (*[""] * split, *(wrong.kind for wrong in example.incorrect))
    alone, after = found
    scores = scores_of(request, alone, after)
    rows = tuple(
        AnswerRow(text, place < split, alone, after, kind)
        for place, (text, kind, alone, after) in enumerate(
            zip(example.texts, kinds, *found, strict=True)
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


def scores_of(
    request: ExploreRequest,
    alone: Sequence[LogProb],
    after: Sequence[LogProb],
    measured: OfContext = NOTHING_MEASURED,
) -> AnswerScores:
    """What metrics are made of: log-probabilities without and with a context, measured or not."""
    split = len(request.answers)
    totals = np.array([[each.total for each in row] for row in (alone, after)])  # (2, a + b)
    return AnswerScores(
        correct=totals[1, :split],
        incorrect=totals[1, split:],
        correct_alone=totals[0, :split],
        incorrect_alone=totals[0, split:],
        correct_tokens=np.array([each.n_tokens for each in alone[:split]]),
        **measured,
    )


def by_set(pieces: Sequence[Piece[Context]]) -> list[list[Piece[Context]]]:
    """The pieces grouped by the set they choose, those that hold for most of lambda_d first."""
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
