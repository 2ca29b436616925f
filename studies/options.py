"""The options of the studies' commands."""

import argparse
from importlib import import_module

from core.commands.flags import (
    IN_INDEX,
    Choices,
    add_encoder,
    add_examples,
    add_knobs,
    add_model,
    add_pool,
    add_template,
    commands_of,
    positive,
    whole,
)
from core.commands.parser import Parser, shared_options
from core.settings import PGRA_CANDIDATES, PGRA_EXEMPLARS, VRSD_CANDIDATES, Embed, K

from .defaults import HELD_OUT, PGRA_KEPT, SEEDS

NAME = "python -m studies"
"""How the program is called: nothing installs it."""
BOTH = "both"


def argument_parser() -> argparse.ArgumentParser:
    """The parser of all commands; it needs neither numbers nor the database."""
    parser = Parser(prog=NAME, description="The papers' tables on a pool of one's own.")
    study = commands_of(parser, shared_options(), metavar="STUDY")
    _vrsd_options(study("vrsd", "VRSD against MMR and BM25 on queries held out of the pool"))
    _ragsys_options(study("ragsys", "RAGSys's tables for several models: which method is best?"))
    _pgra_options(
        study("pgra", "PGRA's two stages on a pool of labelled texts: does the task help?")
    )
    return parser


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
        choices=_names_in("studies.readers.registry", "READERS", BOTH),
        metavar="READER",
        default=BOTH,
        help="what names a label from the kept texts, their majority (vote) or the language model "
        "after them, which takes longer: %(choices)s (default %(default)s)",
    )
    _add_split(parser, seeds="how many draws of exemplars")
    parser.add_argument("--limit", type=positive, metavar="N", help="at most N held-out queries")
    parser.add_argument(
        "--sweep",
        choices=_names_in("studies.pgra.settings", "Sweep"),
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
        choices=_names_in("core.retrieval.methods.pgra", "FirstStage"),
        metavar="BY",
        default="cosine",
        help="what fetches the candidates: %(choices)s (default %(default)s)",
    )
    parser.add_argument(
        "--draw",
        choices=_names_in("core.retrieval.exemplars", "Draw"),
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
        default=SEEDS,
        metavar="N",
        help=f"{seeds} (default %(default)s)",
    )


def _names_in(module: str, registered: str, *more: str) -> Choices:
    """The names in a registry or enumeration, which is imported when they are needed."""

    def names() -> list[str]:
        return [*map(str, getattr(import_module(module), registered)), *more]

    return Choices(names)
