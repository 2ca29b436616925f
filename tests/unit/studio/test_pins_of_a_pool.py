"""Pinned demonstrations: in every context, after an export and an import, until they are let go."""

import pytest

from core.curation.importing import import_file
from core.demonstration.criteria import OfStatus
from core.demonstration.demonstration import Status
from core.exporting import EXPORTERS
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.pools import demonstrations
from core.studio.pools.demonstrations import TableRequest
from core.studio.pools.pools import run_export
from tests.unit.studio.exploring import QUERY


def rows(studio, status=None):
    return demonstrations.table(
        studio, TableRequest("small", () if status is None else (OfStatus(status),))
    ).rows


def explored(studio, **knobs):
    asked = Knobs(k=3, lambda_b=1.0, **knobs)
    return explore(
        resolve(studio, ExploreRequest(Setup("small", None, None), QUERY, asked, leave_out=True))
    )


@pytest.mark.parametrize("method", ["rel+div+bias", "vrsd", "random"])
def test_a_pinned_one_is_first_in_every_context_until_that_is_undone(studio, method):
    before = [pick.id for pick in explored(studio, method=method).picks]
    wanted = next(row for row in rows(studio) if row.id not in before and row.query != QUERY)
    action = demonstrations.set_status(studio, [wanted.id], Status.PINNED)
    picks = explored(studio, method=method).picks
    assert [pick.pinned for pick in picks] == [True, False, False]
    assert picks[0].id == wanted.id
    done = demonstrations.history(studio, "small", limit=1)[0]
    assert (done.id, done.what) == (action, "pinned 1 demonstration")
    demonstrations.undo(studio, action)
    assert [pick.id for pick in explored(studio, method=method).picks] == before


def test_its_own_example_does_without_it(studio):
    own = next(row for row in rows(studio) if row.query == QUERY)
    demonstrations.set_status(studio, [own.id], Status.PINNED)
    assert not any(pick.pinned for pick in explored(studio).picks)


def test_the_table_finds_pinned_ones_and_counts_them_among_the_included(studio):
    every = rows(studio)
    demonstrations.set_status(studio, [every[2].id], Status.PINNED)
    demonstrations.set_status(studio, [every[4].id], Status.EXCLUDED)
    assert [row.id for row in rows(studio, Status.PINNED)] == [every[2].id]
    included = [row.id for row in rows(studio, Status.INCLUDED)]
    assert included == [row.id for row in every if row.id != every[4].id]


@pytest.mark.parametrize("format", EXPORTERS)
def test_an_export_keeps_pins(studio, tmp_path, format):
    every = rows(studio)
    demonstrations.set_status(studio, [every[2].id], Status.PINNED)
    demonstrations.set_status(studio, [every[4].id], Status.EXCLUDED)
    out = tmp_path / f"small.{format}"
    run_export(studio, "small", format, out, overwrite=False)
    import_file(studio.store, out, "again")
    again = demonstrations.table(studio, TableRequest("again")).rows
    assert [row.status for row in again] == [row.status for row in rows(studio)]
    assert [row.answer for row in again if row.status is Status.PINNED] == [every[2].answer]
