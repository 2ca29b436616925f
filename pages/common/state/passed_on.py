"""What one page passes on to another: a query to write a demonstration of, holes for the Map."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

_NEW, _HOLES = "passed_on_query", "passed_on_holes"
MOST_HOLES = 300
"""So many holes are drawn, the farthest."""


@dataclass(frozen=True)
class Holes:
    """Queries with no demonstration near them, the farthest `of` so many, and their pool's name."""

    pool: str
    queries: tuple[str, ...]
    of: int
    source: str


def write_one(pool: str, query: str) -> None:
    """Offer a demonstration of the query to be typed on Demonstrations."""
    st.session_state[_NEW] = (pool, query)


def query_to_write(pool: str) -> str:
    """The query that a demonstration of this pool is to be written of, once; else ""."""
    of, query = st.session_state.get(_NEW, ("", ""))
    if of != pool:
        return ""
    del st.session_state[_NEW]
    return str(query)


def draw_holes(pool: str, queries: Sequence[str], source: str) -> None:
    """Draw these on the Map of the pool until they are cleared."""
    st.session_state[_HOLES] = Holes(pool, tuple(queries[:MOST_HOLES]), len(queries), source)


def drawn_holes(pool: str) -> Holes | None:
    """What is drawn on the Map of the pool; None for nothing."""
    holes: Holes | None = st.session_state.get(_HOLES)
    return holes if holes is not None and holes.pool == pool else None


def clear_holes() -> None:
    """Draw none any more."""
    st.session_state.pop(_HOLES, None)
