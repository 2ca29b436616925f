"""The options of the practice model's commands."""

import argparse
from pathlib import Path

from core.commands.flags import (
    IN_INDEX,
    add_encoder,
    add_folder,
    add_knobs,
    add_model,
    add_number,
    add_pool,
    add_seed,
    commands_of,
    positive,
    whole,
)
from core.commands.parser import Parser, shared_options

NAME = "python -m practice"
"""How the program is called: nothing installs it."""


def argument_parser() -> argparse.ArgumentParser:
    """The parser of all commands; it needs neither numbers nor the database."""
    parser = Parser(
        prog=NAME, description="Train and check the practice model and the practice reader."
    )
    command = commands_of(parser, shared_options(workspace=False))
    _train_options(command("train", "train the model, or go on where an earlier run stopped"))
    writing = command("pools", "write the pool of a service desk, and the same curated")
    add_folder(writing, "the two files")
    writing.add_argument(
        "--seed",
        type=whole,
        default=7,
        help="the seed of the pools: 7 makes the bundled ones (default), 100 to 111 make others",
    )
    add_number(writing, "--queries", 480, "how many queries")
    two_hop = command("two-hop", "write the questions and passages of the two-hop example")
    add_folder(two_hop, "the two files")
    _reader_options(
        command("reader", "train the practice reader, or check how it reads its evidence")
    )
    checking = command("check", "check how the model copies names, in dialects never trained on")
    add_model(checking)
    add_number(checking, "--episodes", 100, "how many of each kind")
    add_seed(checking, "the episodes")
    computing = command(
        "computed", "compute what comes with the bundled pools: embeddings, quality, maps"
    )
    add_folder(computing, "the files; those of the project are in data/computed")
    confirming = command(
        "confirm",
        "choose lambda_d on half of the queries, confirm on the others",
        shared_options(),
    )
    add_pool(confirming)
    add_encoder(confirming)
    add_model(confirming)
    confirming.add_argument("--limit", type=positive, metavar="N", help="a sample of N queries")
    add_knobs(confirming, without=("method", "lambda_d", *IN_INDEX))
    return parser


def _train_options(parser: argparse.ArgumentParser) -> None:
    add_folder(parser, "the model, its checkpoint and its log")
    add_seed(parser, "weights and texts")
    add_number(parser, "--steps", 3600, "steps of the curriculum")
    polish = "steps after the curriculum, on the hardest texts"
    add_number(parser, "--polish", 1000, polish, least=0)
    add_number(parser, "--spelling", 600, "steps of spelled-out names", least=0)
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
    add_number(parser, "--steps", 2400, "steps of the training")
    add_number(parser, "--episodes", 200, "how many of each kind")
    add_seed(parser, "the training and of the check")
