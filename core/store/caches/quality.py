"""Quality bias, kept once for each demonstration's text, model and template."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..database import Database
from ..transfer.exchange import one_number, register_positions, register_table


class Quality:
    """Values by (model fingerprint, template fingerprint, text hash)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counted: dict[tuple[str, str], int] = {}
        self._puts = 0

    def missing(self, model: str, template: str, hashes: Sequence[str]) -> list[str]:
        """Those of the hashes that have no value yet, each once, in the order given."""
        distinct = list(dict.fromkeys(hashes))
        absent = np.isnan(self.get(model, template, distinct))
        return [distinct[position] for position in np.flatnonzero(absent)]

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
        first = {one: position for position, one in reversed(list(enumerate(hashes)))}
        kept = list(first.values())
        with self._database.write() as cursor:
            register_table(
                cursor,
                "given",
                {"hash": "text", "value": "number"},
                {"hash": [hashes[position] for position in kept], "value": numbers[kept]},
            )
            cursor.execute(
                """INSERT INTO quality
                SELECT $model, $template, g.hash, g.value FROM given g
                ANTI JOIN (SELECT hash FROM quality
                    WHERE model = $model AND template = $template) q USING (hash)""",
                {"model": model, "template": template},
            )
        self._puts += 1
        self._counted.clear()

    def get(self, model: str, template: str, hashes: Sequence[str]) -> NDArray[np.float64]:
        """The values, shape (m,), in the order given; NaN where there is none yet."""
        values = np.full(len(hashes), np.nan)
        with self._database.read() as cursor:
            register_positions(cursor, "wanted", "hash", hashes)
            found = cursor.execute(
                """SELECT w.position, q.value FROM wanted w
                JOIN (SELECT hash, value FROM quality
                    WHERE model = ? AND template = ?) q USING (hash)""",
                [model, template],
            ).fetchnumpy()
        values[found["position"]] = found["value"]
        return values

    def count(self, model: str, template: str) -> int:
        """How many values there are for this model and template."""
        # A page asks at every move of a slider, and only `put` changes the answer.
        key, puts = (model, template), self._puts
        if key in self._counted:
            return self._counted[key]
        with self._database.read() as cursor:
            counted = one_number(
                cursor, "SELECT count(*) FROM quality WHERE model = ? AND template = ?", [*key]
            )
        if puts == self._puts:
            self._counted[key] = counted
        return counted
