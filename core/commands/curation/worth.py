"""`worth`: what each demonstration contributes to the contexts that it is in.

What it needs is imported when it runs: the list of commands needs neither numbers nor models.
"""

import argparse
from typing import TYPE_CHECKING

from ..console import say
from ..flags import (
    add_encoder,
    add_examples,
    add_knobs,
    add_model,
    add_pool,
    add_template,
    knobs_of,
)

if TYPE_CHECKING:
    from ...studio import Studio
    from .judged import Judged


def worth_options(parser: argparse.ArgumentParser) -> None:
    """Whose demonstrations, over which examples, and the knobs that choose the contexts."""
    add_pool(parser)
    add_encoder(parser)
    add_model(parser)
    add_template(parser)
    add_examples(parser)
    add_knobs(parser, needs_method=False)


def run_worth(studio: "Studio", options: argparse.Namespace) -> "Judged":
    """`worth`: score every example with and without each demonstration of its context."""
    from ...evaluation.runs.running import RunOptions
    from ...language_model import known_template
    from ...studio.pools import demonstrations
    from ...studio.runs.worth import WorthRequest, run
    from ...studio.session.studio import Setup
    from ..progress import watcher
    from .judged import Judged

    template = known_template(options.template).name
    knobs = knobs_of(options)
    request = WorthRequest(
        Setup(options.pool, options.encoder, options.model, template),
        knobs,
        RunOptions(
            limit=options.limit,
            seed=knobs.seed,
            examples_from=options.examples,
            leave_out_leaks=options.leave_out_leaks,
        ),
    )
    found = run(studio, request, watcher("judging"), say).summary()
    shown = Judged.shown(found)
    return Judged(found, demonstrations.present(studio, [each.id for each in shown]))
