"""Preferences without a prompt: what both texts begin with is the query."""

import os
from collections.abc import Sequence

from ....demonstration.fields import FIELD
from ..grid import Cells, Grid, ShapedRows, beside, plain


def implicit_prompts(grid: Grid) -> ShapedRows | None:
    """A row a pair: the words that both begin with, and the rest of each.

    A pair without a common beginning has an empty query. None where another column may be the
    query, or where fewer than half of the pairs have a common beginning.
    """
    names = {plain(column): column for column in grid.columns}
    chosen, rejected = names.get("chosen"), names.get("rejected")
    if chosen is None or rejected is None or set(names) & set(FIELD["query"].synonyms):
        return None
    others = [column for column in grid.columns if column not in (chosen, rejected)]
    if any(_has_sentences(grid.rows, column) for column in others):
        return None
    reshaped: list[Cells] = []
    common = 0
    for row in grid.rows:
        right, wrong = row.get(chosen), row.get(rejected)
        if not isinstance(right, str) or not isinstance(wrong, str):
            return None
        query = _common_beginning(right, wrong)
        common += bool(query)
        reshaped.append(
            {
                "query": query.strip(),
                "answer": right[len(query) :].strip(),
                "incorrect": wrong[len(query) :].strip(),
                **beside(row, chosen, rejected, own=("query", "answer", "incorrect")),
            }
        )
    return ShapedRows(reshaped) if 2 * common >= len(grid.rows) else None


def _has_sentences(rows: Sequence[Cells], column: str) -> bool:
    """Whether most cells of the column are texts of several words."""
    several = sum(isinstance(cell := row.get(column), str) and " " in cell for row in rows)
    return 2 * several > len(rows)


def _common_beginning(one: str, other: str) -> str:
    """The words that both texts begin with, with the white space after them."""
    common = os.path.commonprefix([one, other])
    if len(common) in (len(one), len(other)):
        common = common.rstrip()  # one begins the other: its last word is the answer
    return common[: max(common.rfind(" "), common.rfind("\n")) + 1]
