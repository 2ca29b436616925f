"""A query's curve over lambda_d from what was scored before; no language model is needed."""

from ..engines import known_log_probs
from ..evaluation.fitting import prompt_of
from ..evaluation.outcomes import Outcome
from ..types import AnswerRequest
from .effect import QueryCurve, by_set, line_pieces, scored_piece, scores_of
from .explore import ExploreRequest
from .studio import Studio


def stored_curve(studio: Studio, request: ExploreRequest) -> QueryCurve | None:
    """The complete curve if the store has every log-probability of it, else None.

    A context that the model's window had to shorten was scored with another prompt, so it is not
    found here.
    """
    quality, example = studio.quality_key(request.setup), request.example
    if quality is None or example is None:
        return None
    view, template = studio.view(request.setup), studio.template(request.setup)
    pieces = line_pieces(studio, request)
    prompts = [
        prompt_of(view, each.context, request.query, template, request.knobs.order)
        for each in pieces
    ]
    answers = tuple(template.answer(text) for text in (*example.answers, *example.incorrect))
    asked = [
        AnswerRequest(text, answers) for text in (template.prompt([], request.query), *prompts)
    ]
    found = known_log_probs(studio.store, quality.model, asked)
    if found is None:
        return None
    sets, leaks = len(by_set(pieces)), view.leaks(example.query, example.answers)
    scored = (
        scored_piece(piece, Outcome.of(piece.context, scores_of(request, found[0], after), leaks))
        for piece, after in zip(pieces, found[1:], strict=True)
    )
    return QueryCurve(tuple(scored), sets, sets)
