"""In which order a search gives a pool's demonstrations: the whole pool's, never a page's."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class SortBy(StrEnum):
    """What the demonstrations are sorted by; those that are equal in it stand by their ids."""

    ID = "id"
    QUERY = "query"
    ANSWER = "answer"
    INCORRECT = "incorrect"
    TAGS = "tags"
    STATUS = "status"
    BEST = "best"
    NOTE = "note"
    QUALITY_BIAS = "quality_bias"
    CHANGED = "changed"


@dataclass(frozen=True)
class Order:
    """A column and its direction. What has no value there stands last in both directions.

    `quality_bias` is by id, for an order by it: the store has one for every language model.
    """

    by: SortBy = SortBy.ID
    descending: bool = False
    quality_bias: Mapping[int, float] = field(default_factory=dict)


SORTED = """,
    keyed AS (
        SELECT f.id,
            CASE $by WHEN 'query' THEN lower(query) WHEN 'answer' THEN lower(answer)
                WHEN 'status' THEN status WHEN 'note' THEN nullif(lower(note), '')
                WHEN 'tags' THEN nullif(lower(array_to_string(tags, ', ')), '') END AS text_key,
            CASE $by WHEN 'id' THEN f.id WHEN 'incorrect' THEN len(incorrect)
                WHEN 'best' THEN CASE WHEN best THEN 0 ELSE 1 END
                WHEN 'quality_bias' THEN v.value WHEN 'changed' THEN c.action END::DOUBLE
                AS number_key
        FROM found f
        LEFT JOIN valued v ON v.id = f.id
        LEFT JOIN (
            SELECT demonstration_id, max(action_id) AS action FROM revisions
            WHERE $by = 'changed' GROUP BY demonstration_id
        ) c ON c.demonstration_id = f.id
    )
    SELECT id FROM keyed ORDER BY
        CASE WHEN NOT $down THEN text_key END ASC NULLS LAST,
        CASE WHEN $down THEN text_key END DESC NULLS LAST,
        CASE WHEN NOT $down THEN number_key END ASC NULLS LAST,
        CASE WHEN $down THEN number_key END DESC NULLS LAST,
        id"""
"""Goes on from `WITH found AS (..)` and sorts its rows; `valued` holds the quality bias by id."""
