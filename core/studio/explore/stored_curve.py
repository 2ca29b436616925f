"""A query's curve over lambda_d from what was scored before; no language model is needed."""

from ...evaluation.outcomes.outcomes import Outcome
from ...evaluation.plan.fitting import prompt_of
from .effect import QueryCurve, by_set, scored_piece, scores_of
from .exploration import Resolved


def stored_curve(resolved: Resolved) -> QueryCurve | None:
    """The complete curve if the store has every log-probability of it, else None.

    A context that the model's window had to shorten was scored with another prompt, so it is not
    found here.
    """
    request, view, template = resolved.request, resolved.view, resolved.now.template
    if resolved.now.quality is None or request.example is None:
        return None
    pieces = resolved.path()
    found = resolved.known_log_probs(
        [
            prompt_of(view, each.value, request.query, template, request.knobs.order)
            for each in pieces
        ]
    )
    if found is None:
        return None
    sets, leaks = len(by_set(pieces)), view.leaks(request.query, request.answers)
    scored = []
    for piece, after in zip(pieces, found[1:], strict=True):
        scores = scores_of(request, found[0], after, piece.value.measured)
        scored.append(scored_piece(piece, Outcome.of(piece.value, scores, leaks)))
    return QueryCurve(tuple(scored), sets, sets)
