"""`suggest`: incorrect answers for the queries of a pool.

What it needs is imported when it runs: the list of commands needs neither numbers nor models.
"""

import argparse
from typing import TYPE_CHECKING

from ...errors import InvalidInput
from ...settings import PER_QUERY
from ..console import say
from ..flags import (
    add_encoder,
    add_knobs,
    add_model,
    add_pool,
    add_template,
    knobs_of,
    positive,
)

if TYPE_CHECKING:
    from ...studio import Studio
    from .offered import Suggestions

NEAR, MODEL = "near", "model"
SOURCES = (NEAR, MODEL)


def suggest_options(parser: argparse.ArgumentParser) -> None:
    """Where suggestions come from; of the model's own, over how many queries, with which knobs."""
    add_pool(parser)
    add_encoder(parser)
    parser.add_argument(
        "--source",
        choices=SOURCES,
        default=NEAR,
        help="near: answers of near queries, for those that have no incorrect answers; model: what "
        "the language model itself answers wrongly, alone and after a context (default near)",
    )
    parser.add_argument(
        "--per-query",
        type=positive,
        default=PER_QUERY,
        metavar="N",
        help=f"at most so many answers of near queries for each query (default {PER_QUERY}); where "
        "answers are a few labels, all others are suggested",
    )
    parser.add_argument(
        "--accept",
        action="store_true",
        help="add all answers of near queries to the pool; its history can undo it",
    )
    add_model(parser)
    add_template(parser)
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="ask the model a seeded random sample of N queries (default: all)",
    )
    add_knobs(parser, needs_method=False)


def run_suggest(studio: "Studio", options: argparse.Namespace) -> "Suggestions":
    """`suggest`: those of near queries, which `--accept` writes, or the model's own mistakes."""
    return _from_model(studio, options) if options.source == MODEL else _near(studio, options)


def _near(studio: "Studio", options: argparse.Namespace) -> "Suggestions":
    from ...studio.pools import suggestions
    from ...studio.session.studio import Setup
    from ..progress import progress
    from .offered import Suggestions

    setup = Setup(options.pool, options.encoder)
    studio.view(setup, on_progress=progress("embedding"))
    found = suggestions.suggest(
        studio, setup, per_query=options.per_query, on_progress=progress("suggesting")
    )
    accepting = options.accept and bool(found.suggestions)
    action = suggestions.accept(studio, found.suggestions) if accepting else None
    return Suggestions(
        options.pool, found.queries, found.lacking, found.suggestions, accepting, action
    )


def _from_model(studio: "Studio", options: argparse.Namespace) -> "Suggestions":
    from ...evaluation.runs.running import RunOptions
    from ...language_model import known_template
    from ...studio.pools.suggestions import lacking
    from ...studio.runs.mistakes import MistakesRequest, ask
    from ...studio.session.studio import Setup
    from ..progress import watcher
    from .offered import Suggestions

    if options.accept:
        raise InvalidInput(
            "--accept was given with --source model: the model may be right, so its answers are "
            "accepted one by one, on the page Demonstrations; leave --accept out."
        )
    template = known_template(options.template).name
    knobs = knobs_of(options)
    request = MistakesRequest(
        Setup(options.pool, options.encoder, options.model, template),
        knobs,
        RunOptions(limit=options.limit, seed=knobs.seed),
    )
    without = lacking(studio, options.pool)
    found = ask(studio, request, watcher("asking"), say)
    return Suggestions(
        options.pool,
        found.asked,
        without,
        found.suggestions,
        accepted=False,
        action=None,
        model=found.model,
        answers=dict(found.outcomes),
        skipped=found.skipped,
    )
