"""Log-probabilities, kept once for each model, prompt and answer."""

from collections.abc import Mapping, Sequence

from .database import Database
from .exchange import lend, one_number
from .records import StoredLogProb

Pair = tuple[str, str]
"""The hash of a prompt and the hash of an answer."""


class LogProbs:
    """Log-probabilities by (model fingerprint, prompt hash, answer hash)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, model: str, pairs: Sequence[Pair]) -> dict[Pair, StoredLogProb]:
        """What is known of these pairs; a pair that is not known is absent from the result."""
        if not pairs:
            return {}
        distinct = list(dict.fromkeys(pairs))
        with self._database.read() as cursor:
            lend(
                cursor,
                "wanted",
                {"prompt": "text", "answer": "text"},
                {
                    "prompt": [pair[0] for pair in distinct],
                    "answer": [pair[1] for pair in distinct],
                },
            )
            rows = cursor.execute(
                """SELECT prompt, answer, total, n_tokens, tokens FROM log_probs l
                SEMI JOIN wanted w USING (prompt, answer) WHERE l.model = ?""",
                [model],
            ).fetchall()
        return {
            (prompt, answer): StoredLogProb(total, n_tokens, tuple(tokens))
            for prompt, answer, total, n_tokens, tokens in rows
        }

    def put(self, model: str, rows: Mapping[Pair, StoredLogProb]) -> None:
        """Keep these; a pair that is known already keeps what it has."""
        if not rows:
            return
        with self._database.write() as cursor:
            lend(
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
                    "prompt": [pair[0] for pair in rows],
                    "answer": [pair[1] for pair in rows],
                    "total": [row.total for row in rows.values()],
                    "n_tokens": [row.n_tokens for row in rows.values()],
                    "tokens": [list(row.tokens) for row in rows.values()],
                },
            )
            cursor.execute(
                """INSERT INTO log_probs
                SELECT $model, g.* FROM given g
                ANTI JOIN (SELECT prompt, answer FROM log_probs WHERE model = $model) l
                USING (prompt, answer)""",
                {"model": model},
            )

    def count(self, model: str) -> int:
        """How many pairs are known of this model."""
        with self._database.read() as cursor:
            return one_number(cursor, "SELECT count(*) FROM log_probs WHERE model = ?", [model])
