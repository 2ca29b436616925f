"""The store: one object that owns a workspace's database."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from .caches.answers import Generations, LogProbs, QualityBiases
from .caches.vectors import Coordinates, Embeddings, TaskStates, TokenVectors
from .database import Database
from .demonstrations import Demonstrations
from .history import History
from .passages import Passages
from .pools import Pools
from .review_queues import ReviewQueues
from .runs import Runs


class Store:
    """Everything that a workspace remembers, one attribute for each kind of thing.

    Safe to share between threads: each call has a cursor and a snapshot of its own, and writers
    queue. When a call has returned, its work is on the disk; until then it is as if never begun.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.pools = Pools(database)
        self.demonstrations = Demonstrations(database)
        self.history = History(database)
        self.embeddings = Embeddings(database)
        self.token_vectors = TokenVectors(database)
        self.task_states = TaskStates(database)
        self.quality = QualityBiases(database)
        self.log_probs = LogProbs(database)
        self.generations = Generations(database)
        self.passages = Passages(database)
        self.review_queues = ReviewQueues(database)
        self.runs = Runs(database)
        self.coordinates = Coordinates(database)

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """The store of a workspace, created where the folder has none, migrated where it is older.

        Raises:
            WorkspaceBusy: Another process, or this one, has the workspace open.
            InvalidInput: The folder cannot be used, or its database is damaged, too old or too new.
        """
        return cls(Database.open(Path(folder)))

    @property
    def folder(self) -> Path:
        """The workspace's folder; indexes and reports are kept beside the database."""
        return self._database.folder

    def copied(self) -> Path:
        """The folder of a new copy of it all, which another process can open meanwhile."""
        self._database.copy_to(self.folder / "copy")
        return self.folder / "copy"

    def close(self) -> None:
        """Write the log into the database file and release the workspace. May be called twice."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
