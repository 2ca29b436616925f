"""Log-probabilities, kept once for each model, prompt and answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...types import LogProb
from ..database import Database
from ..transfer.exchange import one_number, register_table

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Pair = tuple[str, str]
"""The hash of a prompt and the hash of an answer."""

_AT_ONCE = 250
"""Prompts looked up by one statement: for so few DuckDB uses the index, for more it scans."""


class LogProbs:
    """Log-probabilities by (model fingerprint, prompt hash, answer hash)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, model: str, pairs: Sequence[Pair]) -> dict[Pair, LogProb]:
        """What is known of these pairs; a pair that is not known is absent from the result."""
        if not pairs:
            return {}
        wanted = set(pairs)
        with self._database.read() as cursor:
            return {
                (prompt, answer): LogProb(total, n_tokens, tuple(tokens))
                for prompt, answer, total, n_tokens, tokens in _rows(
                    cursor, "prompt, answer, total, n_tokens, tokens", model, wanted
                )
                if (prompt, answer) in wanted
            }

    def put(self, model: str, rows: Mapping[Pair, LogProb]) -> None:
        """Keep these; a pair that is known already keeps what it has."""
        if not rows:
            return
        with self._database.write() as cursor:
            known = set(_rows(cursor, "prompt, answer", model, rows))
            new = {pair: row for pair, row in rows.items() if pair not in known}
            if not new:
                return
            register_table(
                cursor,
                "given",
                {
                    "prompt": "text",
                    "answer": "text",
                    "total": "number",
                    "n_tokens": "integer",
                    "tokens": "numbers",
                },
                {
                    "prompt": [pair[0] for pair in new],
                    "answer": [pair[1] for pair in new],
                    "total": [row.total for row in new.values()],
                    "n_tokens": [row.n_tokens for row in new.values()],
                    "tokens": [list(row.tokens) for row in new.values()],
                },
            )
            cursor.execute("INSERT INTO log_probs SELECT ?, g.* FROM given g", [model])

    def count(self, model: str) -> int:
        """How many pairs are known of this model."""
        with self._database.read() as cursor:
            return one_number(cursor, "SELECT count(*) FROM log_probs WHERE model = ?", [model])


def _rows(
    cursor: "DuckDBPyConnection", columns: str, model: str, pairs: Iterable[Pair]
) -> Iterator[tuple[Any, ...]]:
    """What the model has under the pairs' prompts, whatever the answer."""
    distinct = list(dict.fromkeys(prompt for prompt, _ in pairs))
    for start in range(0, len(distinct), _AT_ONCE):
        prompts = distinct[start : start + _AT_ONCE]
        # Only a list of values, with no other condition, is looked up in the index; with
        # a join, or the model asked for as well, DuckDB would read the whole table.
        places = ", ".join("?" * len(prompts))
        # Nothing but column names of this file and question marks is put into the statement.
        statement = f"SELECT model, {columns} FROM log_probs WHERE prompt IN ({places})"  # noqa: S608
        for of, *row in cursor.execute(statement, prompts).fetchall():
            if of == model:
                yield tuple(row)
