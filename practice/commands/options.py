"""The options of the practice model's commands."""

import argparse
from pathlib import Path

from core.commands.flags import (
    IN_INDEX,
    add_encoder,
    add_knobs,
    add_model,
    add_pool,
    positive,
    whole,
)
from core.commands.parser import Parser, shared_options

NAME = "python -m practice"
"""How the program is called: nothing installs it."""


def argument_parser() -> argparse.ArgumentParser:
    """The parser of all commands; it needs neither numbers nor the database."""
    shared = shared_options()
    parser = Parser(
        prog=NAME, description="Train and check the practice model and the practice reader."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, help: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help, description=help, parents=[shared])

    _train_options(command("train", "train the model, or go on where an earlier run stopped"))
    writing = command("pools", "write the pool of a service desk, and the same curated")
    _out(writing, "the folder that gets the two files")
    writing.add_argument(
        "--seed",
        type=whole,
        default=7,
        help="the seed of the pools: 7 makes the bundled ones (default), 100 to 111 make others",
    )
    writing.add_argument(
        "--queries", type=positive, default=480, help="how many queries (default 480)"
    )
    _reader_options(
        command("reader", "train the practice reader, or check how it reads its evidence")
    )
    checking = command("check", "check how the model copies names, in dialects never trained on")
    add_model(checking)
    checking.add_argument(
        "--episodes", type=positive, default=100, help="how many of each kind (default 100)"
    )
    checking.add_argument(
        "--seed", type=whole, default=0, help="the seed of the episodes (default 0)"
    )
    computing = command(
        "computed", "compute what comes with the bundled pools: embeddings, quality, maps"
    )
    _out(computing, "the folder that gets the files; those of the project are in data/computed")
    confirming = command("confirm", "choose lambda_d on half of the queries, confirm on the others")
    add_pool(confirming)
    add_encoder(confirming)
    add_model(confirming)
    confirming.add_argument("--limit", type=positive, metavar="N", help="a sample of N queries")
    add_knobs(confirming, without=("method", "lambda_d", *IN_INDEX))
    return parser


def _train_options(parser: argparse.ArgumentParser) -> None:
    _out(parser, "the folder that gets the model, its checkpoint and its log")
    parser.add_argument(
        "--seed", type=whole, default=0, help="the seed of weights and texts (default 0)"
    )
    parser.add_argument(
        "--steps", type=positive, default=3600, help="steps of the curriculum (default 3600)"
    )
    parser.add_argument(
        "--polish",
        type=whole,
        default=1000,
        help="steps after the curriculum, on the hardest texts (default 1000)",
    )
    parser.add_argument(
        "--spelling", type=whole, default=600, help="steps of spelled-out names (default 600)"
    )
    parser.add_argument(
        "--minutes",
        type=positive,
        metavar="M",
        help="stop after so many minutes, with a checkpoint",
    )
    parser.add_argument(
        "--size",
        choices=("small", "large"),
        default="small",
        help="how large the model is; large needs a GPU (default small)",
    )
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="where it is computed (default cpu)",
    )
    parser.add_argument(
        "--threads", type=positive, default=1, help="threads of torch (default 1, the fastest)"
    )


def _reader_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="train it into this folder, or go on there"
    )
    parser.add_argument(
        "--reader", metavar="FOLDER", help="check this one (default: the bundled one)"
    )
    parser.add_argument(
        "--steps", type=positive, default=2400, help="steps of the training (default 2400)"
    )
    parser.add_argument(
        "--episodes", type=positive, default=200, help="how many of each kind (default 200)"
    )
    parser.add_argument(
        "--seed",
        type=whole,
        default=0,
        help="the seed of the training and of the check (default 0)",
    )


def _out(parser: argparse.ArgumentParser, help: str) -> None:
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help=help)
