"""What is wrong with a pool: of one version, with progress, and stopped when asked."""

import pytest

from core.background import Watcher
from core.background.watcher import EMBEDDING
from core.curation.findings.registry import CHECKS
from core.demonstration.demonstration import Draft, Status
from core.errors import Cancelled, InvalidInput
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools import findings as module
from core.studio.pools.findings import COMPARING, COUNTING, CheckRequest, check_pool

SETUP = Setup("small", None, None)
REQUEST = CheckRequest(SETUP, Knobs("rel+div", 2))


@pytest.fixture
def pool_drafts():
    queries = ("Is glass a liquid?", "is glass a  LIQUID?", "Do bats see?", "How deep is the sea?")
    return [Draft(query, "It depends") for query in queries]


def test_every_kind_is_there_and_only_included_demonstrations_are_looked_at(studio):
    found = check_pool(studio, REQUEST, Watcher())
    assert list(found.findings) == list(CHECKS)
    (group,) = found.findings["duplicate"]
    assert group.ids == (1, 2)
    assert [row.id for row in found.rows.values()] == list(found.rows) == [1, 2, 3, 4]
    assert (found.queries, found.retrieved.asked, found.note) == (3, 4, "")
    demonstrations.set_status(studio, [2], Status.EXCLUDED)
    found = check_pool(studio, REQUEST, Watcher())
    assert found.findings["duplicate"] == ()
    assert list(found.rows) == [1, 3, 4]


def test_other_knobs_than_the_wanted_ones_are_noted(studio):
    found = check_pool(studio, CheckRequest(SETUP, Knobs("rel+div+bias", 2)), Watcher())
    assert found.note.startswith("lambda_b is set to 1: 4 of 4 demonstrations")


def test_each_phase_is_counted_to_its_end(studio):
    seen = {}
    phases = []
    watcher = Watcher(
        on_phase=phases.append,
        on_progress=lambda done, total: seen.update({phases[-1]: (done, total)}),
    )
    check_pool(studio, REQUEST, watcher)
    assert phases == [EMBEDDING, COUNTING, COMPARING]
    assert seen == {EMBEDDING: (4, 4), COUNTING: (4, 4), COMPARING: (3, 3)}


def test_a_change_meanwhile_is_in_both_the_arrays_and_the_rows(studio, monkeypatch):
    whole, changed = studio.view, []

    def view(setup, **more):
        found = whole(setup, **more)
        if not changed:
            changed.append(demonstrations.set_status(studio, [1], Status.EXCLUDED))
        return found

    monkeypatch.setattr(studio, "view", view)
    found = check_pool(studio, REQUEST, Watcher())
    assert changed
    assert list(found.rows) == [2, 3, 4]
    assert found.findings["duplicate"] == ()


@pytest.mark.parametrize("phase", [COUNTING, COMPARING])
def test_it_stops_when_asked(studio, monkeypatch, phase):
    phases = []
    ran = []
    monkeypatch.setattr(module, "find_all", lambda checked: ran.append(checked))
    watcher = Watcher(on_phase=phases.append, cancelled=lambda: phases[-1:] == [phase])
    with pytest.raises(Cancelled):
        check_pool(studio, REQUEST, watcher)
    assert phases[-1] == phase
    assert not ran


@pytest.mark.parametrize("threshold", [0.84, 1.01, float("nan")])
def test_another_threshold_is_refused(threshold):
    with pytest.raises(InvalidInput, match=r"must be a similarity from 0\.85"):
        CheckRequest(SETUP, threshold=threshold)
