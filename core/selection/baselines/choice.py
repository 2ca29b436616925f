"""A selection under way among the rows that are not excluded, in float64 throughout."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInput
from ...types import BoolArray, FloatArray, IntArray
from ..pool_arrays import Selection, check_finite, finite_vector, open_rows

EQUAL = 1e-12
"""Values this close in float64 differ by rounding only, if at all."""

MOST_COMPARED = 4096
"""More rows than this are not all compared with each other: their cosines take 134 MB."""


class GreedyChoice:
    """The candidates, those chosen so far, and the parts of their values.

    Only the c rows that are not excluded can be chosen, so time and memory depend on c alone.
    A place is a position among them; they keep their order, so the lowest place has the lowest
    index. Whether excluded rows are finite is not checked.

    Attributes:
        rows: The candidates' embeddings, shape (c, d), float64.
        relevance: Their cosines with the query, shape (c,), in [-1, 1].
        closed: True where a candidate may not be chosen any more, shape (c,).
        k: How many are chosen in the end: cut to the candidates, or to their groups.
    """

    def __init__(
        self,
        relevance: ArrayLike,
        embeddings: ArrayLike,
        k: int,
        excluded: ArrayLike | None,
        groups: ArrayLike | None,
    ) -> None:
        """Check the arrays and begin; raises ValueError as `open_rows` does, and for NaN."""
        pool = open_rows(embeddings, k, excluded, groups)
        every = finite_vector("relevance", relevance, len(pool.embeddings))
        self._shape = every.shape
        self._indices = np.flatnonzero(~pool.closed)
        self._groups = None if pool.groups is None else pool.groups[self._indices]
        self.rows: NDArray[np.float64] = pool.embeddings[self._indices].astype(np.float64)
        check_finite(self.rows)
        self.relevance = every[self._indices]
        self.closed: BoolArray = np.zeros(len(self.rows), dtype=bool)
        self.k = pool.k
        self._redundancy = np.full(len(self.rows), -np.inf)
        self._places: list[int] = []
        self._values: list[float] = []
        self._redundancies: list[float] = []

    def __len__(self) -> int:
        return len(self._places)

    def of_candidates(self, name: str, numbers: ArrayLike) -> IntArray:
        """Whole numbers of all rows, shape (n,), as those of the candidates, shape (c,).

        Raises:
            ValueError: They are anything else.
        """
        every = np.asarray(numbers)
        if every.shape != self._shape or (every.dtype.kind not in "iu" and every.size):
            raise ValueError(
                f"{name} have shape {every.shape} and type {every.dtype}; give integers "
                f"{self._shape}"
            )
        return every[self._indices].astype(np.int64)

    def best(self, values: FloatArray, then_by: FloatArray | None = None) -> int:
        """The place of the largest value that may still be chosen.

        Equal values go to the larger one of `then_by`, where it is given, then to the lowest index.
        Values are equal within 1e-12, in proportion where the largest is above 1.
        """
        still = np.flatnonzero(~self.closed)
        largest = values[still].max()
        still = still[values[still] >= largest - EQUAL * max(1.0, abs(largest))]
        if then_by is not None:
            still = still[then_by[still] >= then_by[still].max() - EQUAL]
        return int(still[0])

    def pick(self, place: int, value: float) -> NDArray[np.float64]:
        """Choose a candidate for its value; returns the cosines of all with it, shape (c,).

        Each cosine is a dot product of its own, so that equal rows get equal bits.
        """
        self._redundancies.append(float(self._redundancy[place]) if self._places else np.nan)
        self._places.append(place)
        self._values.append(float(value))
        self.closed[place] = True
        if self._groups is not None:
            self.closed |= self._groups == self._groups[place]
        cosines: NDArray[np.float64] = np.vecdot(self.rows, self.rows[place])
        np.maximum(self._redundancy, cosines, out=self._redundancy)
        return cosines

    def all_cosines(self) -> NDArray[np.float64]:
        """The cosines of the candidates with each other, shape (c, c), equal for equal rows.

        Raises:
            InvalidInput: There are more than 4,096.
        """
        if len(self.rows) > MOST_COMPARED:
            raise InvalidInput(
                f"There are {len(self.rows):,} candidates, of which each would be compared with "
                f"every other; choose among at most {MOST_COMPARED:,}, those most similar to the "
                "query."
            )
        # The last bits of a matrix product depend on a row's position, so equal rows share one.
        # Adding 0 gives the two zeros of floating point the same bytes.
        place_of: dict[bytes, int] = {}
        at = [place_of.setdefault(row.tobytes(), len(place_of)) for row in self.rows + 0.0]
        distinct = self.rows[np.unique(np.array(at, dtype=np.int64), return_index=True)[1]]
        cosines: NDArray[np.float64] = (distinct @ distinct.T)[np.ix_(at, at)]
        return cosines

    def selection(self) -> Selection:
        """Everything chosen so far, as positions among all rows."""
        places = np.array(self._places, dtype=np.int64)
        return Selection(
            indices=self._indices[places].astype(np.int64),
            values=np.array(self._values, dtype=np.float64),
            relevance=self.relevance[places],
            quality_bias=np.full(len(places), np.nan),
            redundancy=np.array(self._redundancies, dtype=np.float64),
        )
