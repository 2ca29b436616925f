"""The options of `neighbours` and `fixed`."""

import argparse

from ...settings import K
from ..flags import (
    add_encoder,
    add_model,
    add_number,
    add_pool,
    add_seed,
    add_template,
    positive,
    weight,
)

NEAREST, SETS, HELD_OUT = 50, 20, 0.5


def neighbours_options(parser: argparse.ArgumentParser) -> None:
    """Which run's scores choose, and how many examples choose a query's setting."""
    _setup_options(parser)
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
    _setup_options(parser)
    add_number(parser, "--sets", SETS, "how many random sets are tried", metavar="N")
    add_number(parser, "-k", K, "how many demonstrations a set has")
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="a seeded random sample of N of the pool's queries (default: all)",
    )
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


def _setup_options(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    add_encoder(parser)
    add_model(parser)
    add_template(parser)
