"""Options of `neighbours`, `fixed`, `bootstrap`, `run`; what they name is imported when needed."""

import argparse
from pathlib import Path

from ..generation import MAX_NEW_TOKENS
from ..settings import PROGRAM_KNOBS, SEED, K
from .flags import (
    add_encoder,
    add_limit,
    add_model,
    add_number,
    add_pool,
    add_seed,
    add_setup,
    name_in_help,
    number_from_zero,
    positive,
    weight,
    whole,
)
from .passages import add_by

NEAREST, SETS, HELD_OUT = 50, 20, 0.5


def neighbours_options(parser: argparse.ArgumentParser) -> None:
    """Which run's scores choose, and how many examples choose a query's setting."""
    add_setup(parser)
    parser.add_argument(
        "--run",
        type=positive,
        metavar="ID",
        help="the run whose scores choose (default: the latest comparison or calibration of the "
        "pool with this model and template)",
    )
    nearest = "how many of the nearest evaluation examples choose a query's setting"
    add_number(parser, "--nearest", NEAREST, nearest, metavar="N")


def fixed_options(parser: argparse.ArgumentParser) -> None:
    """How many sets are tried, and on which examples."""
    add_setup(parser)
    add_number(parser, "--sets", SETS, "how many random sets are tried", metavar="N")
    add_number(parser, "-k", K, "how many demonstrations a set has")
    add_limit(parser, "a seeded random sample of N of the pool's queries")
    parser.add_argument(
        "--held-out",
        type=weight,
        default=HELD_OUT,
        metavar="SHARE",
        help="the share of the queries that have no part in the choice and only judge it "
        "(default %(default)s)",
    )
    add_seed(parser, "the sample, the sets and what is held out")
    parser.add_argument(
        "--choose", action="store_true", help="let the method fix show the best set from now on"
    )


PROGRAM = "nearest"


def bootstrap_options(parser: argparse.ArgumentParser) -> None:
    """Which queries are tried by which program, and what is kept."""
    add_setup(parser)
    queries = parser.add_mutually_exclusive_group()
    queries.add_argument(
        "--examples",
        metavar="POOL",
        help="try the queries of this pool (default: the pool's own, each without its own "
        "demonstrations)",
    )
    queries.add_argument(
        "--file", type=Path, metavar="FILE", help="try the queries of a file, read as by import"
    )
    program = parser.add_argument(
        "--program",
        default=PROGRAM,
        metavar="P",
        help="what tries them: %(names)s; all but the first two search passages (default "
        "%(default)s)",
    )
    name_in_help(program, _programs)
    parser.add_argument(
        "--passages", metavar="NAME", help="the collection of passages that the program searches"
    )
    parser.add_argument(
        "--annotate",
        type=positive,
        metavar="K",
        help="stop once K queries came out right (default: try all)",
    )
    parser.add_argument(
        "--shots",
        type=whole,
        metavar="N",
        help="how many demonstrations a prompt shows, 0 for none (default: the 6 nearest, 16 drawn "
        "at random for the other programs; self-ask takes no number)",
    )
    add_limit(parser, "try a seeded random sample of N queries")
    add_number(parser, "--seed", SEED, "the seed of the sample and of what is drawn", least=0)
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--keep-all-right",
        action="store_true",
        help="keep what came out right as demonstrations of the pool; its history can undo it",
    )
    kept.add_argument(
        "--to",
        metavar="POOL",
        help="keep it in this pool instead, which is made where there is none",
    )


def _programs() -> tuple[str, ...]:
    from ..studio.programs.choices import CHOICES

    return tuple(CHOICES)


SEEDS, TEMPERATURE = 5, 0.7


def run_options(parser: argparse.ArgumentParser) -> None:
    """The programs, what they run on, and their numbers."""
    programs = parser.add_argument(
        "programs",
        metavar="PROGRAM",
        help="a program, or several joined by commas, of which the first is what the others are "
        "compared with: %(names)s",
    )
    name_in_help(programs, _trial_programs)
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
    add_limit(parser, "a seeded random sample of N questions")
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
    for name, knob in PROGRAM_KNOBS.items():
        what = f"{knob.label[0].lower()}{knob.label[1:]}; {knob.least} {knob.at_least}"
        parser.add_argument(
            knob.flag,
            dest=name,
            type=positive if knob.least else whole,
            metavar="N",
            help=f"{what} (default: the paper's {knob.usual})",
        )
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
    return number_from_zero(100, text)


def _trial_programs() -> tuple[str, ...]:
    from ..programs.paper import CATALOGUE

    return tuple(CATALOGUE)
