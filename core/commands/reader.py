"""`reader`: train a Fusion-in-Decoder reader over a pool, or ask it.

What an action needs is imported when it runs: the list of commands needs neither numbers nor
models.
"""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..settings import K
from .flags import add_encoder, add_folder, add_number, add_pool, add_seed, whole

if TYPE_CHECKING:
    from ..background import Watcher
    from ..studio import Studio
    from ..studio.runs.reader import EvidenceRequest
    from .documents import Answered, Document, TrainedReader

DEVICES = ("auto", "cpu", "cuda", "mps")


def reader_options(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """An action to train and one to answer."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, help: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help, description=help, parents=[shared])

    _train_options(action("train", "fine-tune a T5 on a pool, or go on where it stopped"))
    _answer_options(action("answer", "answer a query from the pool's nearest demonstrations"))


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


def _request(options: argparse.Namespace) -> "EvidenceRequest":
    from ..studio.runs.reader import EvidenceRequest

    return EvidenceRequest(options.pool, options.encoder, options.k)


def _train(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "TrainedReader":
    from ..language_model.fusion_reader import FineTuning, FusionReader
    from ..studio.runs.reader import train_on_pool
    from ..writing import folder_for
    from .documents import TrainedReader

    plan = FineTuning(
        steps=options.steps,
        learning_rate=options.learning_rate,
        batch=options.batch,
        accumulation=options.accumulation,
        seed=options.seed,
        patience=options.patience,
        check_every=options.check_every,
    )
    studio.store.pools.get(options.pool)  # refuses before the model is read
    reader = FusionReader.load(options.model, device=options.device)
    folder = folder_for(options.out)
    return TrainedReader(
        reader.name, train_on_pool(studio, reader, _request(options), plan, folder, watcher)
    )


def _answer(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "Answered":
    from ..language_model.fusion_reader import FusionReader
    from ..studio.runs.reader import answer_query
    from .documents import Answered

    studio.store.pools.get(options.pool)
    reader = FusionReader.load(options.reader, device=options.device)
    reply = answer_query(
        studio, reader, _request(options), options.query, options.label or (), watcher
    )
    return Answered(reader.name, options.pool, options.query, reply)


RUNS: "dict[str, Callable[[Studio, argparse.Namespace, Watcher], Document]]" = {
    "train": _train,
    "answer": _answer,
}
"""What each action runs; its watcher writes the progress to standard error."""
