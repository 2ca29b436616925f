"""The DuckDB file of a workspace: who may open it, read it and write it."""

import re
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self
from weakref import WeakValueDictionary

from ..errors import InvalidInput, WorkspaceBusy
from ..writing import whole_file
from .migrations import migrate

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FILE_NAME = "shotlist.duckdb"
MEMORY_LIMIT = "512MB"
"""DuckDB's own buffers; beyond it DuckDB spills to the workspace's disk."""
MANY_ROWS = 10_000
"""With at least this many new rows, the log is moved into the file at once."""

_open_here: "WeakValueDictionary[Path, Database]" = WeakValueDictionary()
_opening = threading.Lock()


class Database:
    """One open workspace. Any thread may call any method; one writer at a time.

    A connection that threads share mixes up their results, so `read` and `write` each open a
    fresh cursor. What was read stays true while `commits` is the same. The write lock is what
    keeps two writers of one row from losing an update, which DuckDB alone does not do: never hold
    it while a model works.
    """

    def __init__(self, folder: Path, connection: "DuckDBPyConnection") -> None:
        self.folder = folder
        self.session = uuid.uuid4().hex
        self._connection = connection
        self.commits = 0
        self._writing = threading.Lock()
        self._closed = False

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The workspace's database, made and brought up to date where needed.

        Raises:
            WorkspaceBusy: It is open already, here or in another process.
            InvalidInput: The folder or the file cannot be used.
        """
        with _opening:
            where = _made(folder)
            if where in _open_here:
                raise WorkspaceBusy(
                    f"The workspace {folder} is already open in this process: "
                    "use the store that is open, or close it first."
                )
            database = cls(where, _connected(where, folder))
            try:
                with database._writing, database._cursor() as cursor:
                    migrate(cursor)
            except BaseException:
                database._connection.close()
                raise
            _open_here[where] = database
            return database

    @contextmanager
    def _cursor(self) -> "Iterator[DuckDBPyConnection]":
        cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    @contextmanager
    def read(self) -> "Iterator[DuckDBPyConnection]":
        """A cursor of one's own; all its statements see the same committed state."""
        with self._cursor() as cursor:
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            yield cursor

    @contextmanager
    def write(self) -> "Iterator[DuckDBPyConnection]":
        """A cursor inside a transaction, for one writer at a time.

        Committed when the block ends; any exception, a cancellation included, rolls it all back.
        """
        with self._writing, self._cursor() as cursor:
            cursor.execute("BEGIN")
            try:
                yield cursor
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
            cursor.execute("COMMIT")
            self.commits += 1

    def checkpoint_after(self, new_rows: int) -> None:
        """Move the log into the file at once where so many new rows were written."""
        if new_rows >= MANY_ROWS:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Move the log into the file and free the space of replaced rows, if idle.

        While a reader is at work this does nothing; a later call will.
        """
        import duckdb

        with self._writing, self._cursor() as cursor:
            try:
                cursor.execute("CHECKPOINT")
            except duckdb.TransactionException:
                return

    def copy_to(self, folder: Path) -> None:
        """Put all that is stored into the database of another workspace.

        Raises:
            InvalidInput: The folder cannot be used.
        """
        place = _made(folder) / FILE_NAME
        with self._writing, whole_file(place) as unfinished, self._cursor() as cursor:
            cursor.execute("ATTACH '{}' AS copied".format(str(unfinished).replace("'", "''")))
            cursor.execute(f"COPY FROM DATABASE {place.stem} TO copied")
            cursor.execute("DETACH copied")

    def close(self) -> None:
        """Release the file; a second call does nothing."""
        with _opening:
            if self._closed:
                return
            self.checkpoint()
            self._closed = True
            self._connection.close()
            _open_here.pop(self.folder, None)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return folder.resolve(strict=True)
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"The workspace {folder} cannot be made or opened ({error}): "
            "name a folder that you may write to."
        ) from error


def _connected(where: Path, shown: Path) -> "DuckDBPyConnection":
    import duckdb

    try:
        return duckdb.connect(where / FILE_NAME, config={"memory_limit": MEMORY_LIMIT})
    except duckdb.Error as error:
        raise _explained(str(error), shown) from error


def _explained(message: str, folder: Path) -> InvalidInput:
    if "lock" in message:
        holder = re.search(r"PID (\d+)", message)
        process = f"another process (PID {holder[1]})" if holder else "another process"
        return WorkspaceBusy(
            f"The workspace {folder} is already open in {process}: "
            "close it there, or choose another workspace."
        )
    reason = " ".join(message.split("\n")[0].split())
    return InvalidInput(
        f"The database {folder / FILE_NAME} cannot be opened ({reason}): "
        "put a copy of it back, or choose another workspace."
    )
