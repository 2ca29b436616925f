"""The options of `run`; what they name is imported when it is needed."""

import argparse
import math

from ...generation import MAX_NEW_TOKENS
from ..flags import (
    add_encoder,
    add_model,
    add_number,
    add_pool,
    name_in_help,
    positive,
    whole,
)
from ..passages import add_by

SEEDS, TEMPERATURE = 5, 0.7

KNOBS = {
    "shots": "--shots",
    "augmented": "--annotate",
    "k": "-k",
    "samples": "--samples",
    "max_hops": "--hops",
    "queries": "--queries",
}
"""The flag of each knob of a program."""


def run_options(parser: argparse.ArgumentParser) -> None:
    """The programs, what they run on, and their numbers."""
    programs = parser.add_argument(
        "programs",
        metavar="PROGRAM",
        help="a program, or several joined by commas, of which the first is what the others are "
        "compared with: %(names)s",
    )
    name_in_help(programs, _programs)
    add_pool(parser)
    parser.add_argument(
        "--passages",
        metavar="NAME",
        help="the collection of passages that is searched; vanilla needs none",
    )
    add_by(parser)
    add_encoder(parser)
    add_model(parser)
    parser.add_argument(
        "--question",
        metavar="TEXT",
        help="ask only this question, and print every step of each program",
    )
    parser.add_argument(
        "--examples",
        metavar="POOL",
        help="take the questions from this pool (default: the pool's own queries)",
    )
    parser.add_argument(
        "--limit", type=positive, metavar="N", help="a seeded random sample of N questions "
        "(default: all)"
    )  # fmt: skip
    add_number(
        parser, "--seeds", SEEDS,
        "seeds, each with training examples of its own and an equal share of the questions",
        metavar="N",
    )  # fmt: skip
    _numbers(parser)
    parser.add_argument(
        "--ablate",
        action="store_true",
        help="run each program also without each of its parts: annotate, fusion, "
        "self-consistency, passages",
    )


def _numbers(parser: argparse.ArgumentParser) -> None:
    """The programs' own numbers; without a flag each program has the paper's."""

    def add(flag: str, what: str, usual: str, *, least: int = 0) -> None:
        names = {flag: knob for knob, flag in KNOBS.items()}
        parser.add_argument(
            flag,
            dest=names[flag],
            type=positive if least else whole,
            metavar="N",
            help=f"{what} (default: the paper's {usual})",
        )

    add("--shots", "training examples that each seed draws; 0 shows none", "16")
    add("--annotate", "demonstrations with their steps, at most; 0 shows all raw", "3")
    add("-k", "passages of a prompt; 0 shows none", "7, multi-hop 5, retrieve-then-read 1")
    add("--samples", "answers that are voted on; 1 is the likeliest one", "20", least=1)
    add("--hops", "hops of multi-hop; 0 searches for nothing", "2")
    add("--queries", "queries fused at each hop; 1 fuses nothing", "10", least=1)
    parser.add_argument(
        "--temperature",
        type=temperature,
        default=TEMPERATURE,
        metavar="T",
        help="of several texts; 0 makes all of them the likeliest one (default %(default)s)",
    )
    add_number(parser, "--max-tokens", MAX_NEW_TOKENS, "the most tokens of a text", metavar="N")


def temperature(text: str) -> float:
    """A number from 0 to 100."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= 100.0:
        raise argparse.ArgumentTypeError(f"{text!r} was given; it must be a number from 0 to 100")
    return value


def _programs() -> tuple[str, ...]:
    from ...programs.paper import CATALOGUE

    return tuple(CATALOGUE)
