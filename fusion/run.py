"""What the reader's commands run: train one over a pool, or ask it."""

import argparse
from collections.abc import Callable

from core.commands.documents import CommandDocument
from core.studio import Studio
from core.watcher import Watcher
from core.writing import folder_for

from .documents import Answered, TrainedReader
from .over_a_pool import EvidenceRequest, answer_query, train_on_pool
from .reader import FusionReader
from .training import FineTuning


def _request(options: argparse.Namespace) -> EvidenceRequest:
    return EvidenceRequest(options.pool, options.encoder, options.k)


def _train(studio: Studio, options: argparse.Namespace, watcher: Watcher) -> TrainedReader:
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


def _answer(studio: Studio, options: argparse.Namespace, watcher: Watcher) -> Answered:
    studio.store.pools.get(options.pool)
    reader = FusionReader.load(options.reader, device=options.device)
    reply = answer_query(
        studio, reader, _request(options), options.query, options.label or (), watcher
    )
    return Answered(reader.name, options.pool, options.query, reply)


RUNS: dict[str, Callable[[Studio, argparse.Namespace, Watcher], CommandDocument]] = {
    "train": _train,
    "answer": _answer,
}
"""What each command runs; its watcher writes the progress to standard error."""
