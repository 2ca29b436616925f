"""Generated texts, kept once for each model, prompt, settings and number."""

import json
from collections.abc import Mapping, Sequence

from ...generation import EndedBy, Generation, ServerDoubt
from ...recorded import read, write
from ..database import Database
from ..transfer.exchange import one_number, register_table

Key = tuple[str, str, int]
"""The hash of a prompt, the hash of the settings, and which of the texts it is, from 0."""

_AT_ONCE = 250
"""Prompts looked up by one statement."""


class Generations:
    """Generated texts by (model fingerprint, prompt hash, settings hash, number)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, model: str, keys: Sequence[Key]) -> dict[Key, Generation]:
        """What is known of these; a key that is not known is absent from the result."""
        wanted = set(keys)
        prompts = list(dict.fromkeys(prompt for prompt, _, _ in keys))
        found: dict[Key, Generation] = {}
        with self._database.read() as cursor:
            for start in range(0, len(prompts), _AT_ONCE):
                some = prompts[start : start + _AT_ONCE]
                # Only a list of values, with no condition beside it, is looked up in the index.
                places = ", ".join("?" * len(some))
                # Nothing but question marks is put into the statement.
                statement = f"SELECT * FROM generations WHERE prompt IN ({places})"  # noqa: S608
                for of, prompt, settings, number, *columns in cursor.execute(
                    statement, some
                ).fetchall():
                    key = (prompt, settings, number)
                    if of == model and key in wanted:
                        found[key] = _generation(*columns)
        return found

    def put(self, model: str, rows: Mapping[Key, Generation]) -> None:
        """Keep these; a key that is known already keeps what it has."""
        known = self.get(model, list(rows))
        new = {key: row for key, row in rows.items() if key not in known}
        if not new:
            return
        with self._database.write() as cursor:
            register_table(
                cursor,
                "given",
                {
                    "prompt": "text",
                    "settings": "text",
                    "number": "integer",
                    "text": "text",
                    "tokens": "integers",
                    "log_probs": "numbers",
                    "ended_by": "text",
                    "thoughts": "text",
                    "instead": "text",
                    "doubts": "text",
                },
                {
                    "prompt": [prompt for prompt, _, _ in new],
                    "settings": [settings for _, settings, _ in new],
                    "number": [number for _, _, number in new],
                    "text": [row.text for row in new.values()],
                    "tokens": [list(row.tokens) for row in new.values()],
                    "log_probs": [list(row.log_probs) for row in new.values()],
                    "ended_by": [row.ended_by.value for row in new.values()],
                    "thoughts": [row.thoughts for row in new.values()],
                    "instead": [row.instead for row in new.values()],
                    "doubts": [json.dumps(write(row.doubts)) for row in new.values()],
                },
            )
            cursor.execute("INSERT INTO generations SELECT ?, g.* FROM given g", [model])

    def count(self, model: str) -> int:
        """How many texts are known of this model."""
        with self._database.read() as cursor:
            return one_number(cursor, "SELECT count(*) FROM generations WHERE model = ?", [model])


def _generation(
    text: str,
    tokens: list[int],
    log_probs: list[float],
    ended_by: str,
    thoughts: str,
    instead: str,
    doubts: str,
) -> Generation:
    """The generation of the last columns of a row."""
    return Generation(
        text,
        tuple(tokens),
        tuple(log_probs),
        EndedBy(ended_by),
        thoughts,
        instead,
        read(tuple[ServerDoubt, ...], json.loads(doubts)),
    )
