"""Incorrect answers suggested for the queries of a pool that have none; accepted, or refused."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...background import Job
from ...curation.incorrect_answers import suggest_incorrect
from ...curation.suggestion import Suggestion, SuggestionKind, answered_queries, is_suggestion
from ...demonstration.demonstration import Demonstration, IncorrectAnswer, Status, distinct
from ...errors import InvalidInput
from ...settings import PER_QUERY
from ...store import Change, Pool
from ...text import counted, normalised, short
from ...watcher import NOBODY, Watcher
from ..session.readiness import submit_once
from ..session.studio import Setup, Studio

_ORIGINS = {
    SuggestionKind.NEAR_QUERY: "from near queries",
    SuggestionKind.OTHER_LABEL: "that are other labels",
    SuggestionKind.OWN_ANSWER: "that the language model gave",
}


@dataclass(frozen=True)
class SuggestionList:
    """What was suggested for a pool at one version.

    Attributes:
        version: The pool's version.
        refused: The keys of the suggestions that were refused until then, which is no new version.
        queries: How many distinct queries its included demonstrations have.
        lacking: How many of these have no incorrect answers.
        suggestions: Those of each query together, in the order of the pool.
    """

    version: int
    refused: frozenset[str]
    queries: int
    lacking: int
    suggestions: tuple[Suggestion, ...]


def lacking(studio: Studio, pool: str) -> int:
    """How many queries of the pool's included demonstrations have no incorrect answers."""
    return studio.store.demonstrations.queries_without_incorrect(studio.store.pools.get(pool).id)


def suggested(studio: Studio, setup: Setup) -> tuple[SuggestionList | None, Job | None]:
    """The suggestions for the pool as it is now, or the background job that makes them."""
    pool = studio.store.pools.get(setup.pool)
    slot = f"suggest:{pool.id}:{studio.encoder(setup.encoder).fingerprint}"
    job = studio.pool_worker.latest(slot)
    made = job.result if job is not None and job.state == "finished" else None
    if made is not None and made.version == pool.version and made.refused == _refused(studio, pool):
        return made, None

    def work(job: Job) -> SuggestionList:
        return suggest(studio, setup, watcher=job.watcher())

    label = f"Looking for incorrect answers for {setup.pool}"
    return None, submit_once(studio.pool_worker, slot, label, work)


def suggest(
    studio: Studio, setup: Setup, *, per_query: int = PER_QUERY, watcher: Watcher = NOBODY
) -> SuggestionList:
    """Incorrect answers for the pool's queries without any; embeds what is missing first.

    Raises:
        InvalidInput: No pool has that name.
        Cancelled: The watcher asked to stop.
    """
    view = studio.view(setup, watcher=watcher)
    row_of = dict(zip(view.ids.tolist(), view.rows.tolist(), strict=True))
    pool = studio.store.pools.get(setup.pool)
    refused = _refused(studio, pool)  # read before the rows: what is refused later is made again
    included = studio.store.demonstrations.all(pool.id, status=Status.INCLUDED)
    # What was added since the view was read has no row in it, and is in the next version's.
    queries = answered_queries([each for each in included if each.id in row_of])
    rows = view.embeddings[[row_of[min(each.ids)] for each in queries]]
    found = suggest_incorrect(queries, rows, per_query=per_query, watcher=watcher)
    without = sum(not each.incorrect for each in queries)
    return SuggestionList(view.version, refused, len(queries), without, tuple(found))


def _refused(studio: Studio, pool: Pool) -> frozenset[str]:
    return frozenset(filter(is_suggestion, studio.store.demonstrations.dismissed(pool.id)))


def accept(studio: Studio, suggestions: Sequence[Suggestion]) -> int:
    """Write the suggestions into their demonstrations as one action; its number, for `undo`.

    Every demonstration of a query gets them, so that they outlive the deletion of one.

    Raises:
        InvalidInput: There is none, or their demonstrations are gone or have them already.
        StaleRevision: One of the demonstrations was changed at this very moment.
    """
    wrong: dict[int, list[IncorrectAnswer]] = {}
    for each in suggestions:
        for id in each.ids:
            wrong.setdefault(id, []).append(IncorrectAnswer(each.text, each.kind))
    rows = studio.store.demonstrations.present(list(wrong))
    changes = [change for row in rows if (change := _adding(row, wrong[row.id])) is not None]
    if not changes:
        raise InvalidInput(
            "There is nothing to add: no suggestion was chosen, or the pool has them already."
        )
    many = counted(len(suggestions), "incorrect answer")
    (origin,) = {_ORIGINS[each.kind] for each in suggestions}
    return studio.store.demonstrations.change(changes, what=f"added {many} {origin}")


def refuse(studio: Studio, suggestion: Suggestion) -> int:
    """Note that the text is no incorrect answer of the query; the action's number, for `undo`.

    The query's demonstrations keep that, also in another workspace: nothing suggests it again.

    Raises:
        InvalidInput: They are deleted, or it is refused already.
        StaleRevision: One of them was changed at this very moment.
    """
    key = suggestion.key
    rows = studio.store.demonstrations.present(list(suggestion.ids))
    changes = [
        Change(row.id, row.revision, dismissed=(*row.dismissed, key))
        for row in rows
        if key not in row.dismissed
    ]
    if not changes:
        raise InvalidInput("Nothing to refuse: that is refused already, or its query is gone.")
    text, query = short(suggestion.text), short(suggestion.query)
    what = f"refused {text!r} as an incorrect answer of {query!r}"
    return studio.store.demonstrations.change(changes, what=what)


def undecided(studio: Studio, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
    """Those that are neither refused nor among the incorrect answers of all their demonstrations.

    Nor is one left whose demonstrations are deleted.
    """
    ids = list(dict.fromkeys(id for each in suggestions for id in each.ids))
    rows = {row.id: row for row in studio.store.demonstrations.present(ids)}
    known = {id: {normalised(wrong.text) for wrong in row.incorrect} for id, row in rows.items()}

    def is_left(suggestion: Suggestion) -> bool:
        present = [id for id in suggestion.ids if id in rows]
        refused = any(suggestion.key in rows[id].dismissed for id in present)
        text = normalised(suggestion.text)
        return not refused and any(text not in known[id] for id in present)

    return [each for each in suggestions if is_left(each)]


def _adding(row: Demonstration, wrong: Sequence[IncorrectAnswer]) -> Change | None:
    """The change that gives the demonstration these incorrect answers; None if it has them."""
    incorrect = distinct((*row.incorrect, *wrong))
    return None if incorrect == row.incorrect else Change(row.id, row.revision, incorrect=incorrect)
