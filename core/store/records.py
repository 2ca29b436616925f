"""What the store returns and accepts: plain records, safe to keep while the store changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from ..demonstration.demonstration import Demonstration
from ..demonstration.fields import ATTRIBUTES, Value
from .exchange import Json, from_json


@dataclass(frozen=True, slots=True)
class Pool:
    """A pool as it was when it was read.

    `version` grows with every committed change of what embeddings, contexts and figures come from:
    the texts of its demonstrations, which exist, which are excluded, best or fixed. No two
    states of any two pools of a workspace share a version, so it suffices as a cache key.
    `edition` grows with those and with notes and tags, which change no figure: it identifies the
    rows as they are shown.
    """

    id: int
    name: str
    seed: int
    version: int
    edition: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSummary:
    """How much is in a pool; deleted demonstrations do not count, excluded ones do.

    `queries` are different texts (`text.same_text`). `triples` sums over the queries the number of
    distinct answers times the number of distinct incorrect answers, compared in the same way.
    """

    name: str
    demonstrations: int
    queries: int
    triples: int
    excluded: int
    version: int


@dataclass(frozen=True, slots=True)
class Additions:
    """What an import put into the pool.

    `ids` are in the order of the drafts, without the `doubles` that were skipped. `action` is
    what to undo, or None when every draft was a double; `places` are the drafts that were added.
    """

    ids: list[int]
    doubles: int
    action: int | None
    places: list[int] = field(default_factory=list, compare=False)


@dataclass(frozen=True, slots=True, init=False)
class Change:
    """New values for one demonstration, by attribute, as in `Change(7, 2, note="with open eyes")`.

    `deleted=True` deletes it, False brings it back; None leaves an attribute as it is. `revision`
    is the one that the writer had read: if it has grown since, nothing is written.
    """

    id: int
    revision: int
    values: Mapping[str, Value]

    def __init__(self, id: int, revision: int, **values: Value | None) -> None:
        unknown = values.keys() - ATTRIBUTES - {"deleted"}
        if unknown:
            raise TypeError(f"A demonstration has no {', '.join(sorted(unknown))}.")
        given = {name: value for name, value in values.items() if value is not None}
        object.__setattr__(self, "id", id)
        object.__setattr__(self, "revision", revision)
        object.__setattr__(self, "values", given)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a search: its rows ordered by id, and how many rows all pages have."""

    rows: list[Demonstration]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What one person did at once: so many `changes` of demonstrations, or of the setting in use.

    `undone`: the action is not in effect now, as it was undone and not redone since. `undoes` is
    the action that this one took back, if any.
    """

    id: int
    pool_id: int
    when: datetime
    who: str
    what: str
    changes: int
    undone: bool
    undoes: int | None


@dataclass(frozen=True, slots=True)
class RowChange:
    """What an action changed of one demonstration, whose query is given as it was then.

    `before` and `after` have the columns that differ: all of them, and none on the other side,
    where the demonstration was added, deleted or brought back.
    """

    id: int
    query: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    """One step in the life of a demonstration.

    `before` and `after` have only the fields that changed; the first row's `before` is empty and
    its `after` has every field.
    """

    action_id: int
    revision: int
    when: datetime
    who: str
    what: str
    before: Mapping[str, Json]
    after: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewQueue:
    """Demonstrations of a pool to be read one after the other, `size` of them.

    `place` is that of the next one, from 0 to `size`, where all were passed. `left` counts those
    that nobody has reviewed since the queue began and that are not deleted.
    """

    id: int
    pool_id: int
    name: str
    size: int
    place: int
    left: int
    created: datetime


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of passages as it was when it was read.

    `version` grows with every committed change; no two states of any two collections of a workspace
    share one.
    """

    id: int
    name: str
    version: int
    created: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSummary:
    """How much is in a collection: `documents` and `sources` are those with a passage in it."""

    name: str
    passages: int
    documents: int
    sources: int
    version: int
    created: datetime


@dataclass(frozen=True, slots=True)
class PassageDraft:
    """A passage before it is stored.

    `source` is the file that it comes from, `document` the number of its document in the file and
    `part` its own number in the document, both from 1.
    """

    text: str
    title: str = ""
    source: str = ""
    document: int = 1
    part: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPassage:
    """A passage of a collection; its id is never given to another one, of any collection."""

    id: int
    title: str
    text: str
    source: str
    document: int
    part: int
    created: datetime


@dataclass(frozen=True, slots=True)
class AddedPassages:
    """What an import put into a collection.

    `ids` are in the order of the drafts, without the `doubles` that were skipped.
    """

    collection: Collection
    ids: tuple[int, ...]
    doubles: int


@dataclass(frozen=True, kw_only=True)
class StoredRun:
    """A run as it was when it was read.

    `state` is one of running, finished, cancelled, failed; `message` says why it failed. `key` is
    the hash of everything that decides what comes out, None where each start is a run of its own.
    `started` is when it was started last. Settings and result are read when they are asked for: a
    result can have megabytes.
    """

    id: int
    kind: str
    pool_id: int | None
    key: str | None
    state: str
    message: str
    started: datetime
    updated: datetime
    settings_text: str
    result_text: str | None

    @cached_property
    def settings(self) -> Mapping[str, Json]:
        """What it was started with."""
        settings: Mapping[str, Json] = from_json(self.settings_text)
        return settings

    @cached_property
    def result(self) -> Mapping[str, Json] | None:
        """What came out; None before it is over, and where it keeps no more than rows."""
        return None if self.result_text is None else from_json(self.result_text)
