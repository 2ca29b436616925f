"""The options of the reader's commands."""

import argparse

from core.commands.flags import (
    add_encoder,
    add_folder,
    add_number,
    add_pool,
    add_seed,
    commands_of,
    whole,
)
from core.commands.parser import Parser, shared_options
from core.settings import K

DEVICES = ("auto", "cpu", "cuda", "mps")
NAME = "python -m fusion"
"""How the program is called: nothing installs it."""


def argument_parser() -> argparse.ArgumentParser:
    """The parser of both commands; it needs neither numbers nor the database."""
    parser = Parser(prog=NAME, description="A Fusion-in-Decoder reader: train, answer.")
    command = commands_of(parser, shared_options())
    _train_options(command("train", "fine-tune a T5 on a pool, or go on where it stopped"))
    _answer_options(command("answer", "answer a query from the pool's nearest demonstrations"))
    return parser


def _train_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", required=True, metavar="M", help="folder or hub name of the T5 to begin with"
    )
    _evidence_options(parser)
    add_folder(parser, "the reader and its checkpoint")
    add_number(parser, "--steps", 5000, "optimiser steps, at most")
    parser.add_argument(
        "--learning-rate",
        type=float,
        default=5e-5,
        metavar="R",
        help="the highest learning rate (default 5e-5)",
    )
    add_number(parser, "--batch", 4, "queries computed at once")
    add_number(parser, "--accumulation", 1, "batches in one step")
    checks = "steps between two checks on a tenth of the queries"
    add_number(parser, "--check-every", 250, checks, metavar="N")
    patience = "end after so many checks without a gain; 0 never ends early"
    add_number(parser, "--patience", 5, patience, least=0, metavar="N")
    add_seed(parser, "order, dropout and the tenth")


def _answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--reader", required=True, metavar="FOLDER", help="the folder of a trained reader"
    )
    _evidence_options(parser)
    parser.add_argument("--query", required=True, metavar="TEXT", help="the text to answer")
    parser.add_argument(
        "--label",
        action="append",
        metavar="TEXT",
        help="a label that it may answer; may be given again (default: the pool's labels; where "
        "the pool has none, the reader writes its own answer)",
    )


def _evidence_options(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    add_encoder(parser)
    parser.add_argument(
        "-k",
        type=whole,
        default=K,
        help=f"so many of the nearest demonstrations are read; 0 reads none (default {K})",
    )
    parser.add_argument(
        "--device", choices=DEVICES, default="auto", help="where it is computed (default auto)"
    )
