"""The options of `bootstrap`; what they name is imported when it is needed."""

import argparse
from pathlib import Path

from ...settings import SEED
from ..flags import (
    add_encoder,
    add_model,
    add_number,
    add_pool,
    add_template,
    name_in_help,
    positive,
    whole,
)

PROGRAM = "nearest"


def bootstrap_options(parser: argparse.ArgumentParser) -> None:
    """Which queries are tried by which program, and what is kept."""
    add_pool(parser)
    add_encoder(parser)
    add_model(parser)
    add_template(parser)
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
    parser.add_argument(
        "--limit",
        type=positive,
        metavar="N",
        help="try a seeded random sample of N queries (default: all)",
    )
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
    from ...studio.programs.choices import CHOICES

    return tuple(CHOICES)
