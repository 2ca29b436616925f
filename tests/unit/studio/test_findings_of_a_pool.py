"""What is wrong with a pool: of one version, with progress, and stopped when asked."""

from dataclasses import replace

import numpy as np
import pytest

from core.curation.findings.registry import CHECKS
from core.demonstration.demonstration import Draft, Status
from core.errors import Cancelled, InvalidInput
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools import findings as module
from core.studio.pools.findings import (
    COMPARING,
    COUNTING,
    CheckRequest,
    LatestFindings,
    check_pool,
    find_in_background,
    findings_now,
)
from core.studio.pools.mending import dismiss
from core.watcher import EMBEDDING, Watcher

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


def test_queries_that_were_compared_are_not_compared_again(studio, monkeypatch):
    compared = []
    really = module.near_texts

    def noting(texts, *arguments, known, **options):
        compared.append(set(texts) - set(known.texts))
        return really(texts, *arguments, known=known, **options)

    monkeypatch.setattr(module, "near_texts", noting)
    whole = check_pool(studio, REQUEST, Watcher())
    check_pool(studio, replace(REQUEST, threshold=0.9), Watcher())
    demonstrations.set_status(studio, [3], Status.EXCLUDED)
    fewer = check_pool(studio, REQUEST, Watcher())
    demonstrations.set_status(studio, [3], Status.INCLUDED)
    again = check_pool(studio, REQUEST, Watcher())
    assert compared == [{whole.rows[1].query, "Do bats see?", "How deep is the sea?"}, set(),
                        {"Do bats see?"}]  # fmt: skip
    assert fewer.queries == 2
    assert again.findings == whole.findings


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


def test_findings_are_found_once_for_a_pool_as_it_is(studio):
    assert findings_now(studio, REQUEST) == LatestFindings(None, None, current=False)
    job = find_in_background(studio, REQUEST)
    assert job.wait(60)
    assert job.state == "finished", job.error
    first = findings_now(studio, REQUEST)
    assert (first.job, first.current) == (None, True)
    assert first.found.findings == check_pool(studio, REQUEST, Watcher()).findings
    dismiss(studio, first.found.findings["duplicate"])
    assert findings_now(studio, REQUEST) == first
    demonstrations.delete(studio, [4])
    assert findings_now(studio, REQUEST) == LatestFindings(first.found, None, current=False)
    again = find_in_background(studio, REQUEST)
    assert again.wait(60)
    now = findings_now(studio, REQUEST)
    assert now.current
    assert now.found.rows.keys() == first.found.rows.keys() - {4}


def test_findings_of_a_few_settings_are_kept_the_latest(studio, monkeypatch):
    monkeypatch.setattr(module, "KEPT", 2)
    requests = [replace(REQUEST, threshold=threshold) for threshold in (0.9, 0.95, 1.0)]
    for request in requests:
        assert find_in_background(studio, request).wait(60)
    kept = [findings_now(studio, request).current for request in requests]
    assert kept == [False, True, True]


def test_findings_do_not_wait_for_scores_that_the_knobs_do_not_weigh(studio, monkeypatch):
    """What is scored changes the view all the time; only a bias that counts needs it."""
    request = replace(REQUEST, knobs=Knobs("rel", 2))
    assert find_in_background(studio, request).wait(60)
    view = studio.view(SETUP)
    scored = replace(view, quality_bias=np.arange(len(view), dtype=np.float64))
    monkeypatch.setattr(studio, "view", lambda setup, **more: scored)
    assert findings_now(studio, request).current
    weighing = replace(REQUEST, knobs=Knobs("rel+div+bias", 2, lambda_b=0.5))
    assert find_in_background(studio, weighing).wait(60)
    assert findings_now(studio, weighing).current
    other = replace(view, quality_bias=np.ones(len(view)))
    monkeypatch.setattr(studio, "view", lambda setup, **more: other)
    assert not findings_now(studio, weighing).current
