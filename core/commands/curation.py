"""Commands that curate: `check` and `worth` say what is wrong with a pool, `suggest` adds to it.

What it needs is imported when it runs: the list of commands needs neither numbers nor models.
"""

import argparse
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..settings import PER_QUERY, THRESHOLD
from .flags import (
    add_encoder,
    add_examples,
    add_knobs,
    add_limit,
    add_model,
    add_pool,
    add_setup,
    add_template,
    knobs_of,
    positive,
    setup_of,
    weight,
)

if TYPE_CHECKING:
    from ..studio import Studio
    from .curation_documents import Faults, Suggestions, WorthDocument


def check_options(parser: argparse.ArgumentParser) -> None:
    """What is checked, how strictly, and with which knobs retrieval is counted."""
    add_setup(parser)
    parser.add_argument(
        "--threshold",
        type=weight,
        default=THRESHOLD,
        metavar="S",
        help="from which similarity on two texts are much the same, from 0.85 (more pairs) to 1 "
        "(only the same words) (default %(default)s)",
    )
    add_knobs(parser, needs_method=False)


def run_check(studio: "Studio", options: argparse.Namespace) -> "Faults":
    """`check`: embed what is not embedded yet, and run every check."""
    from ..retrieval.choosing import settled
    from ..studio.pools.findings import CheckRequest, check_pool
    from ..studio.pools.mending import dismissed_keys
    from .curation_documents import Faults
    from .progress import watcher

    request = CheckRequest(setup_of(options), knobs_of(options), options.threshold)
    if settled(request.knobs).needs_bias:
        studio.language_model(options.model)  # whose scores of the quality bias are known then
    found = check_pool(studio, request, watcher("checking"))
    return Faults(found, dismissed_keys(studio, options.pool))


def worth_options(parser: argparse.ArgumentParser) -> None:
    """Whose demonstrations, over which examples, and the knobs that choose the contexts."""
    add_setup(parser)
    add_examples(parser)
    add_knobs(parser, needs_method=False)


def run_worth(studio: "Studio", options: argparse.Namespace) -> "WorthDocument":
    """`worth`: score every example with and without each demonstration of its context."""
    from ..evaluation.runs.running import RunOptions
    from ..studio.pools import demonstrations
    from ..studio.runs.worth import WorthRequest, run
    from .curation_documents import WorthDocument
    from .progress import watcher

    setup, knobs = setup_of(options), knobs_of(options)
    request = WorthRequest(
        setup=setup,
        knobs=knobs,
        options=RunOptions(
            limit=options.limit,
            seed=knobs.seed,
            examples_from=options.examples,
            leave_out_leaks=options.leave_out_leaks,
        ),
    )
    found = run(studio, request, watcher("judging")).summary()
    shown = WorthDocument.shown(found)
    return WorthDocument(found, demonstrations.present(studio, [each.id for each in shown]))


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
    add_limit(parser, "ask the model a seeded random sample of N queries")
    add_knobs(parser, needs_method=False)


def run_suggest(studio: "Studio", options: argparse.Namespace) -> "Suggestions":
    """`suggest`: those of near queries, which `--accept` writes, or the model's own mistakes."""
    return _from_model(studio, options) if options.source == MODEL else _near(studio, options)


def _near(studio: "Studio", options: argparse.Namespace) -> "Suggestions":
    from ..studio.pools import suggestions
    from ..studio.session.studio import Setup
    from .curation_documents import Suggestions
    from .progress import watcher

    setup = Setup(options.pool, options.encoder)
    studio.view(setup, watcher=watcher("embedding"))
    found = suggestions.suggest(
        studio, setup, per_query=options.per_query, watcher=watcher("suggesting")
    )
    accepting = options.accept and bool(found.suggestions)
    action = suggestions.accept(studio, found.suggestions) if accepting else None
    return Suggestions(
        pool=options.pool,
        queries=found.queries,
        without_incorrect=found.lacking,
        suggestions=found.suggestions,
        accepted=accepting,
        action=action,
    )


def _from_model(studio: "Studio", options: argparse.Namespace) -> "Suggestions":
    from ..evaluation.runs.running import RunOptions
    from ..studio.pools.suggestions import lacking
    from ..studio.runs.mistakes import MistakesRequest, ask
    from .curation_documents import Suggestions
    from .progress import watcher

    if options.accept:
        raise InvalidInput(
            "--accept was given with --source model: the model may be right, so its answers are "
            "accepted one by one, on the page Demonstrations; leave --accept out."
        )
    setup, knobs = setup_of(options), knobs_of(options)
    sampled = RunOptions(limit=options.limit, seed=knobs.seed)
    request = MistakesRequest(setup=setup, knobs=knobs, options=sampled)
    without = lacking(studio, options.pool)
    found = ask(studio, request, watcher("asking"))
    return Suggestions(
        pool=options.pool,
        queries=found.asked,
        without_incorrect=without,
        suggestions=found.suggestions,
        accepted=False,
        action=None,
        model=found.model,
        answers=dict(found.outcomes),
        skipped=found.skipped,
    )
