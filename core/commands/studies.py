"""The papers' studies: an action of `study` for each, its options and what it runs.

What an action needs is imported when it runs: the list of commands needs neither numbers nor
models.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ..settings import (
    HELD_OUT,
    PGRA_CANDIDATES,
    PGRA_EXEMPLARS,
    PGRA_KEPT,
    STUDY_SEEDS,
    VRSD_CANDIDATES,
    Embed,
    K,
)
from .flags import (
    IN_INDEX,
    Choices,
    add_encoder,
    add_examples,
    add_knobs,
    add_model,
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

BOTH = "both"


def study_options(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """An action for each study."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="STUDY")

    def study(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[shared])

    _vrsd_options(study("vrsd", "VRSD against MMR and BM25 on queries held out of the pool"))
    _ragsys_options(study("ragsys", "RAGSys's tables for several models: which method is best?"))
    _pgra_options(
        study("pgra", "PGRA's two stages on a pool of labelled texts: does the task help?")
    )


def _vrsd_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pool", required=True, metavar="NAME", help="the pool to split")
    parser.add_argument("-k", type=positive, default=K, help=f"context size (default {K})")
    parser.add_argument(
        "--candidates",
        type=whole,
        default=VRSD_CANDIDATES,
        metavar="N",
        help="VRSD and MMR choose among the N most similar; 0 is the whole pool (default "
        "%(default)s)",
    )
    _add_split(parser, seeds="how many splits")
    parser.add_argument(
        "--embed",
        choices=list(map(str, Embed)),
        default=Embed.QUERY_AND_ANSWER.value,
        help="the text of a demonstration that is compared with the query (default %(default)s)",
    )
    parser.add_argument(
        "--encoders",
        metavar="A,B,...",
        help="folders, hub names or use-multilingual-v3, joined by commas (default: the bundled "
        "all-MiniLM-L6-v2)",
    )
    parser.add_argument(
        "--model",
        metavar="M",
        help="also ask this causal language model (a folder, a hub name, practice or openai:NAME) "
        "which option it prefers after each context, by log-probability (default: none is asked)",
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


def _pgra_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pool", required=True, metavar="NAME", help="a pool of labelled texts")
    parser.add_argument(
        "--task",
        metavar="T",
        default="pool",
        help="the task: sentiment, sentiment-5, acceptability, subjectivity or question-type; pool "
        "is the pool's own (default pool)",
    )
    add_model(parser)
    add_encoder(parser)
    _pgra_setting(parser)
    parser.add_argument(
        "--similarities",
        metavar="A,B",
        help="how task states are compared, joined by commas: cosine, dot, centred (default: all; "
        "in a sweep cosine)",
    )
    parser.add_argument(
        "--reader",
        choices=_names_in("..evaluation.readers.registry", "READERS", BOTH),
        metavar="READER",
        default=BOTH,
        help="what names a label from the kept texts, their majority (vote) or the language model "
        "after them, which takes longer: %(choices)s (default %(default)s)",
    )
    _add_split(parser, seeds="how many draws of exemplars")
    parser.add_argument("--limit", type=positive, metavar="N", help="at most N held-out queries")
    parser.add_argument(
        "--sweep",
        choices=_names_in("..studio.studies.pgra.settings", "Sweep"),
        metavar="WHAT",
        help="what is varied: %(choices)s (default: nothing)",
    )
    parser.add_argument(
        "--values",
        metavar="A,B,...",
        help="the values of the sweep, joined by commas (default: the paper's; models are named)",
    )


def _pgra_setting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--candidates",
        type=positive,
        default=PGRA_CANDIDATES,
        metavar="N",
        help="how many texts stage 1 fetches (default %(default)s)",
    )
    parser.add_argument(
        "-k",
        "--kept",
        type=positive,
        default=PGRA_KEPT,
        metavar="N",
        help="how many of them are kept (default %(default)s)",
    )
    parser.add_argument(
        "--exemplars",
        type=whole,
        default=PGRA_EXEMPLARS,
        metavar="M",
        help="how many worked examples precede every text (default %(default)s)",
    )
    parser.add_argument(
        "--stage-1",
        choices=_names_in("..retrieval.methods.pgra", "FirstStage"),
        metavar="BY",
        default="cosine",
        help="what fetches the candidates: %(choices)s (default %(default)s)",
    )
    parser.add_argument(
        "--draw",
        choices=_names_in("..retrieval.tasks.exemplars", "Draw"),
        metavar="DRAW",
        default="balanced",
        help="how exemplars are drawn, with every label among them or blindly: %(choices)s "
        "(default %(default)s)",
    )


def _add_split(parser: argparse.ArgumentParser, *, seeds: str) -> None:
    """How much is held out, and by how many seeds; `seeds` is what each of them draws, for help."""
    parser.add_argument(
        "--share",
        type=float,
        default=HELD_OUT,
        metavar="S",
        help="how much of the pool is held out, above 0 and below 1 (default %(default)s)",
    )
    parser.add_argument(
        "--seeds",
        type=positive,
        default=STUDY_SEEDS,
        metavar="N",
        help=f"{seeds} (default %(default)s)",
    )


def _names_in(module: str, registered: str, *more: str) -> Choices:
    """The names in a registry or enumeration, which is imported when they are needed."""

    def names() -> list[str]:
        return [*map(str, getattr(import_module(module, __package__), registered)), *more]

    return Choices(names)


def _run_vrsd(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Study":
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


def _run_pgra(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Study":
    from ..evaluation.readers.registry import READERS
    from ..studio.studies.pgra.settings import PgraRequest, Sweep, Variant
    from ..studio.studies.pgra.study import pgra
    from .console import say

    request = PgraRequest(
        pool=options.pool,
        base=Variant(
            model=options.model,
            candidates=options.candidates,
            kept=options.kept,
            exemplars=options.exemplars,
            stage_1=options.stage_1,
            draw=options.draw,
        ),
        task=options.task,
        encoder=options.encoder,
        similarities=names_in(options.similarities),
        readers=tuple(READERS) if options.reader == BOTH else (options.reader,),
        share=options.share,
        seeds=options.seeds,
        limit=options.limit,
        sweep=None if options.sweep is None else Sweep(options.sweep),
        values=names_in(options.values),
    )
    return pgra(studio, request, watcher, say)


RUNS: "dict[str, Callable[[Studio, argparse.Namespace, Watcher], Study]]" = {
    "vrsd": _run_vrsd,
    "ragsys": _run_ragsys,
    "pgra": _run_pgra,
}
"""What each action runs; its watcher writes the progress to standard error."""
