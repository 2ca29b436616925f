"""A search of a pool: what a line of words and filters finds, and searches saved by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...demonstration.criteria import (
    MEASURES,
    QUALITY,
    RETRIEVED,
    SIMILARITY,
    WORTH,
    Criterion,
    IdCriterion,
    Like,
    MeasureCriterion,
    Without,
    quoted,
    read_search,
)
from ...demonstration.demonstration import Status
from ...errors import InvalidInput
from ...retrieval.pool_view import PoolView
from ..explore.exploration import query_vector
from ..session.studio import Setup, Studio
from .demonstrations import quality_biases

NEAREST = 100
"""So many of the nearest in meaning are found where no similarity is given."""


@dataclass(frozen=True)
class SearchCriteria:
    """What a search asks for: criteria that the store knows, and how near in meaning each is.

    `similarity` is by id, in [-1, 1], empty where the search names no meaning.
    """

    criteria: tuple[Criterion, ...] = ()
    similarity: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ComputedMeasures:
    """What was computed of demonstrations, by id; None where it was not.

    `retrieved` are shares of contexts, `worth` is in the unit of the metric it was judged by.
    """

    retrieved: Mapping[int, float] | None = None
    worth: Mapping[int, float] | None = None


def in_one_line(text: str, tags: Sequence[str], status: Status | None) -> str:
    """A search with a choice of tags and of a status, as one line that `sought` reads."""
    parts = [text.strip()]
    if tags:
        parts.append(f"tag:{quoted('|'.join(tags))}")
    if status is not None:
        parts.append(f"status:{status}")
    return " ".join(filter(None, parts))


def sought(
    studio: Studio, setup: Setup, view: PoolView | None, computed: ComputedMeasures, text: str
) -> SearchCriteria:
    """The criteria of a line of words and filters, computed ones as the ids that meet them.

    Args:
        studio: Where the pool is.
        setup: The pool, its encoder and language model.
        view: The included demonstrations; None before they are embedded.
        computed: How often each is retrieved, and what it is worth.
        text: As `read_search` reads it; blank: everything.

    Raises:
        InvalidInput: The line cannot be read, or a value that it asks for is not computed yet.
    """
    asked = read_search(text)
    meanings = [each for each in map(_inner, asked) if isinstance(each, Like)]
    if len(meanings) > 1:
        raise InvalidInput("Two like: are given; name one, so that the nearest come first.")
    similarity = _similarity(studio, setup, view, meanings[0]) if meanings else {}
    named = {each.measure for each in map(_inner, asked) if isinstance(each, MeasureCriterion)}
    ranged = SIMILARITY in named
    values: dict[str, Mapping[int, float] | None] = {
        SIMILARITY: similarity if meanings else None,
        RETRIEVED: computed.retrieved,
        WORTH: computed.worth,
    }
    if QUALITY in named:
        values[QUALITY] = quality_biases(studio, setup, view) or None
    criteria = tuple(_known(each, values, ranged) for each in asked)
    studio.store.demonstrations.require_readable(criteria)
    return SearchCriteria(criteria, similarity)


def saved(studio: Studio, pool: str) -> dict[str, str]:
    """The text of each search that was saved for the pool, by its name, ordered by name."""
    return studio.store.pools.searches(studio.store.pools.get(pool).id)


def save(studio: Studio, pool: str, name: str, text: str) -> None:
    """Keep a search by a name; one of that name is replaced.

    Raises:
        InvalidInput: There is no such pool, the name is empty, or the text is or cannot be read.
    """
    if not read_search(text):
        raise InvalidInput("There is nothing to save: type a search first.")
    studio.store.pools.save_search(studio.store.pools.get(pool).id, name, text)


def forget(studio: Studio, pool: str, name: str) -> None:
    """Remove a saved search; one that is gone is no error."""
    studio.store.pools.save_search(studio.store.pools.get(pool).id, name, "")


def _inner(criterion: Criterion) -> Criterion:
    return _inner(criterion.criterion) if isinstance(criterion, Without) else criterion


def _known(
    criterion: Criterion, values: Mapping[str, Mapping[int, float] | None], ranged: bool
) -> Criterion:
    """The criterion as the store knows it."""
    match criterion:
        case Without(inner):
            return Without(_known(inner, values, ranged))
        case Like():
            nearest = list(values[SIMILARITY] or ())
            return IdCriterion(tuple(nearest if ranged else nearest[:NEAREST]))
        case MeasureCriterion(measure, low, high) if not MEASURES[measure].stored:
            found = values.get(measure)
            if found is None:
                raise InvalidInput(_MISSING[measure])
            return IdCriterion(tuple(id for id, value in found.items() if low <= value <= high))
    return criterion


_MISSING = {
    QUALITY: "No quality bias is scored yet: choose a language model in the side bar, and search "
    "by quality: when it has scored the pool.",
    RETRIEVED: "How often each is retrieved is not counted yet: count it on Demonstrations, and "
    "search by retrieved: then.",
    WORTH: "What each demonstration is worth is not judged yet: judge it on Review, and search by "
    "worth: then.",
    SIMILARITY: "similarity: needs a meaning to compare with: add like: and an id or a text.",
}


def _similarity(
    studio: Studio, setup: Setup, view: PoolView | None, wanted: Like
) -> dict[int, float]:
    """The cosine of each included demonstration's query with the meaning, the nearest first."""
    if view is None:
        raise InvalidInput(
            "The pool is being embedded: search by like: when it is; the side bar shows how far "
            "that is."
        )
    text = wanted.meaning
    if isinstance(text, int):
        pool = studio.store.pools.get(setup.pool)
        there = studio.store.demonstrations.found(pool.id, [IdCriterion((text,))])
        if not there:
            raise InvalidInput(
                f"There is no demonstration {text} in this pool to search by: name the id of one, "
                "or a text."
            )
        text = studio.store.demonstrations.present(there)[0].query
    cosines = view.relevance(query_vector(studio, setup, text))
    ranked = np.argsort(-cosines, kind="stable")
    return dict(zip(view.ids[ranked].tolist(), cosines[ranked].tolist(), strict=True))
