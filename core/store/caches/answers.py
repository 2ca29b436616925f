"""What models said: log-probabilities of answers, quality bias, generated texts."""

import json
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ...generation import EndedBy, Generation, ServerDoubt
from ...recorded import read, write
from ...types import LogProb
from ..database import Database
from ..exchange import arrow_table
from .keyed_table import KeyedTable, OneTable

Pair = tuple[str, str]
"""The hash of a prompt and the hash of an answer."""
Key = tuple[str, str, int]
"""The hash of a prompt, the hash of the settings, and which of the texts it is, from 0."""


class LogProbs(OneTable):
    """Log-probabilities by (model fingerprint, prompt hash, answer hash)."""

    def __init__(self, database: Database) -> None:
        self._table = KeyedTable(
            database,
            "log_probs",
            scope=("model",),
            key={"prompt": "text", "answer": "text"},
            values={"total": "number", "n_tokens": "integer", "tokens": "numbers"},
        )

    def get(self, model: str, pairs: Sequence[Pair]) -> dict[Pair, LogProb]:
        """What is known of these pairs; a pair that is not known is absent from the result."""
        return {
            (prompt, answer): LogProb(total, n_tokens, tuple(tokens))
            for (prompt, answer), (total, n_tokens, tokens) in self._table.rows(
                (model,), pairs
            ).items()
        }

    def put(self, model: str, rows: Mapping[Pair, LogProb]) -> None:
        """Keep these; a pair that is known already keeps what it has."""
        self._table.add(
            (model,),
            {
                "prompt": [prompt for prompt, _ in rows],
                "answer": [answer for _, answer in rows],
                "total": [row.total for row in rows.values()],
                "n_tokens": [row.n_tokens for row in rows.values()],
                "tokens": [list(row.tokens) for row in rows.values()],
            },
        )


class QualityBiases:
    """Quality bias by (model fingerprint, template fingerprint, text hash)."""

    def __init__(self, database: Database) -> None:
        self._table = KeyedTable(
            database,
            "quality",
            scope=("model", "template"),
            key={"hash": "text"},
            values={"value": "number"},
        )
        self._counted: dict[tuple[str, str], int] = {}
        self._puts = 0

    def missing(self, model: str, template: str, hashes: Sequence[str]) -> list[str]:
        """Those of the hashes that have no value yet, each once, in the order given."""
        return self._table.missing((model, template), hashes)

    def put(
        self, model: str, template: str, hashes: Sequence[str], values: Sequence[float]
    ) -> None:
        """Keep one value for each hash; a hash that has one already keeps the old one.

        Minus infinity marks a demonstration that never fits the model's window.

        Raises:
            ValueError: There are not as many values as hashes, or one is NaN or plus infinity.
        """
        numbers = np.asarray(values, dtype=np.float64)
        if numbers.shape != (len(hashes),) or not (numbers < np.inf).all():
            raise ValueError(f"{len(hashes)} hashes need as many numbers, got {numbers!r}")
        if not len(hashes):
            return
        given = arrow_table({"hash": "text", "value": "number"}, {"hash": hashes, "value": numbers})
        self._table.add_many((model, template), given)
        self._puts += 1
        self._counted.clear()

    def get(self, model: str, template: str, hashes: Sequence[str]) -> NDArray[np.float64]:
        """The values, shape (m,), in the order given; NaN where there is none yet."""
        values = np.full(len(hashes), np.nan)
        found = self._table.arrays((model, template), hashes)
        values[found["position"]] = found["value"]
        return values

    def count(self, model: str, template: str) -> int:
        """How many values there are for this model and template."""
        # A page asks at every move of a slider, and only `put` changes the answer.
        key, puts = (model, template), self._puts
        if key in self._counted:
            return self._counted[key]
        counted = self._table.count(*key)
        if puts == self._puts:
            self._counted[key] = counted
        return counted


class Generations(OneTable):
    """Generated texts by (model fingerprint, prompt hash, settings hash, number)."""

    def __init__(self, database: Database) -> None:
        self._table = KeyedTable(
            database,
            "generations",
            scope=("model",),
            key={"prompt": "text", "settings": "text", "number": "integer"},
            values={
                "text": "text",
                "tokens": "integers",
                "log_probs": "numbers",
                "ended_by": "text",
                "thoughts": "text",
                "instead": "text",
                "doubts": "text",
            },
        )

    def get(self, model: str, keys: Sequence[Key]) -> dict[Key, Generation]:
        """What is known of these; a key that is not known is absent from the result."""
        return {
            (prompt, settings, number): _generation(*columns)
            for (prompt, settings, number), columns in self._table.rows((model,), keys).items()
        }

    def put(self, model: str, rows: Mapping[Key, Generation]) -> None:
        """Keep these; a key that is known already keeps what it has."""
        self._table.add(
            (model,),
            {
                "prompt": [prompt for prompt, _, _ in rows],
                "settings": [settings for _, settings, _ in rows],
                "number": [number for _, _, number in rows],
                "text": [row.text for row in rows.values()],
                "tokens": [list(row.tokens) for row in rows.values()],
                "log_probs": [list(row.log_probs) for row in rows.values()],
                "ended_by": [row.ended_by.value for row in rows.values()],
                "thoughts": [row.thoughts for row in rows.values()],
                "instead": [row.instead for row in rows.values()],
                "doubts": [json.dumps(write(row.doubts)) for row in rows.values()],
            },
        )


def _generation(
    text: str,
    tokens: list[int],
    log_probs: list[float],
    ended_by: str,
    thoughts: str,
    instead: str,
    doubts: str,
) -> Generation:
    """The generation of the columns of values."""
    return Generation(
        text,
        tuple(tokens),
        tuple(log_probs),
        ended_by=EndedBy(ended_by),
        thoughts=thoughts,
        instead=instead,
        doubts=read(tuple[ServerDoubt, ...], json.loads(doubts)),
    )
