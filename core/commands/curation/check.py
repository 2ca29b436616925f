"""`check`: what is wrong with a pool.

What it needs is imported when it runs: the list of commands needs neither numbers nor models.
"""

import argparse
from typing import TYPE_CHECKING

from ...settings import THRESHOLD
from ..flags import (
    add_encoder,
    add_knobs,
    add_model,
    add_pool,
    add_template,
    knobs_of,
    weight,
)

if TYPE_CHECKING:
    from ...studio import Studio
    from .faults import Faults


def check_options(parser: argparse.ArgumentParser) -> None:
    """What is checked, how strictly, and with which knobs retrieval is counted."""
    add_pool(parser)
    add_encoder(parser)
    add_model(parser)
    add_template(parser)
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
    from ...language_model import known_template
    from ...retrieval.registry import settled
    from ...studio.pools.findings import CheckRequest, check_pool
    from ...studio.pools.mending import dismissed_keys
    from ...studio.session.studio import Setup
    from ..progress import watcher
    from .faults import Faults

    template = known_template(options.template).name
    setup = Setup(options.pool, options.encoder, options.model, template)
    request = CheckRequest(setup, knobs_of(options), options.threshold)
    if settled(request.knobs).needs_bias:
        studio.language_model(setup.model)  # whose scores of the quality bias are known then
    found = check_pool(studio, request, watcher("checking"))
    return Faults(found, dismissed_keys(studio, options.pool))
