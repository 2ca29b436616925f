"""The papers' studies: an action of `study` each, its options and what it runs.

What an action needs is imported when it runs: the list of commands needs neither numbers nor
models.
"""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..retrieval.knobs import KNOBS
from ..settings import K
from .flags import (
    IN_INDEX,
    Choices,
    add_encoder,
    add_examples,
    add_knobs,
    add_pool,
    add_template,
    knobs_of,
    names_in,
    positive,
    whole,
)

if TYPE_CHECKING:
    from ..background import Watcher
    from ..studio import Studio
    from ..studio.studies.study import Study


def study_options(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """An action for each study."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="STUDY")

    def study(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[shared])

    _vrsd_options(study("vrsd", "VRSD against MMR and BM25 on queries held out of the pool"))
    _ragsys_options(study("ragsys", "RAGSys's tables for several models: which method is best?"))


def _vrsd_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pool", required=True, metavar="NAME", help="the pool to split")
    parser.add_argument("-k", type=positive, default=K, help=f"context size (default {K})")
    parser.add_argument(
        "--candidates",
        type=whole,
        default=20,
        metavar="N",
        help="VRSD and MMR choose among the N most similar; 0 is the whole pool (default 20)",
    )
    parser.add_argument(
        "--share",
        type=float,
        default=0.2,
        metavar="S",
        help="how much of the pool is held out, above 0 and below 1 (default 0.2)",
    )
    parser.add_argument(
        "--seeds", type=positive, default=3, metavar="N", help="how many splits (default 3)"
    )
    parser.add_argument(
        "--embed",
        choices=Choices(lambda: KNOBS["embed"].names),
        default="query+answer",
        help="the text of a demonstration that is compared with the query (default query+answer)",
    )
    parser.add_argument(
        "--encoders",
        metavar="A,B,...",
        help="folders or hub names, joined by commas (default: the bundled all-MiniLM-L6-v2)",
    )
    parser.add_argument(
        "--model",
        metavar="M",
        help="also ask this causal language model (a folder, a hub name or practice) which option "
        "it prefers after each context, by log-probability (default: none is asked)",
    )
    parser.add_argument(
        "--limit", type=positive, metavar="N", help="at most N held-out queries a seed"
    )


def _ragsys_options(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    parser.add_argument(
        "--models",
        required=True,
        metavar="A,B",
        help="two or more language models, joined by commas; one is in memory at a time",
    )
    add_encoder(parser)
    add_template(parser)
    add_examples(parser)
    add_knobs(parser, without=("method", *IN_INDEX))


def _run_vrsd(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Study":
    from ..settings import Embed
    from ..studio.studies.vrsd import VrsdRequest, vrsd
    from .console import say

    request = VrsdRequest(
        pool=options.pool,
        k=options.k,
        candidates=options.candidates,
        share=options.share,
        seeds=options.seeds,
        embed=Embed(options.embed),
        encoders=names_in(options.encoders) or (None,),
        model=options.model,
        limit=options.limit,
    )
    return vrsd(studio, request, watcher, say)


def _run_ragsys(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Study":
    from ..language_model import known_template
    from ..studio.session.studio import Setup
    from ..studio.studies.ragsys import RagsysRequest, ragsys
    from .console import say

    template = known_template(options.template).name
    request = RagsysRequest(
        Setup(options.pool, options.encoder, template=template),
        names_in(options.models),
        knobs_of(options),
        examples=options.examples,
        limit=options.limit,
        leave_out_leaks=options.leave_out_leaks,
    )
    return ragsys(studio, request, watcher, say)


RUNS: "dict[str, Callable[[Studio, argparse.Namespace, Watcher], Study]]" = {
    "vrsd": _run_vrsd,
    "ragsys": _run_ragsys,
}
"""What each action runs; its watcher writes how far it is to standard error."""
