"""Reading a pool one after the other: decisions, their undo, what is known of a demonstration."""

import re

import pytest

from core.curation.findings.registry import CHECKS
from core.demonstration.demonstration import Draft, Status
from core.errors import InvalidInput, StaleRevision
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.findings import CheckRequest, check_pool
from core.studio.pools.mending import dismissed_keys
from core.studio.pools.reviewing import (
    NEIGHBOURS,
    Decision,
    begin,
    begin_with_the_rest,
    begun,
    check_of,
    decide,
    go,
    known_of,
    next_of,
    queue_of,
    take_back,
)
from core.watcher import Watcher

SETUP = Setup("small", None, None)


@pytest.fixture
def pool_drafts():
    return [
        Draft("Do bats see?", "Yes, well"),
        Draft("Do bats see?", "They do"),
        Draft("Do moles see?", "Hardly", status=Status.EXCLUDED),
        Draft("Is glass a liquid?", "No", status=Status.PINNED),
        Draft("do bats SEE", "yes well"),
        Draft("How deep is the sea?", "Deep"),
    ]


@pytest.fixture
def queue(studio):
    return begin(studio, "small", "all", [3, 4, 1, 2])


def now(studio, queue):
    return studio.store.review_queues.get(queue.id)


def row(studio, id):
    return demonstrations.present(studio, [id])[id]


def test_a_queue_is_of_one_pool(studio, queue):
    assert queue_of(studio, "small", queue.id) == queue
    assert queue_of(studio, "small", queue.id + 1) is None
    studio.store.pools.create("other")
    assert queue_of(studio, "other", queue.id) is None
    assert queue_of(studio, "gone", queue.id) is None


def test_a_decision_is_one_action_and_turns_to_the_next(studio, queue):
    shown = next_of(studio, queue)
    assert (shown.id, shown.status, shown.reviewed) == (3, Status.EXCLUDED, ())
    action = decide(studio, queue, shown, Decision.KEEP)
    assert (row(studio, 3).status, len(row(studio, 3).reviewed)) == (Status.INCLUDED, 1)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}", *row(studio, 3).reviewed)
    assert demonstrations.history(studio, "small")[0].id == action
    assert demonstrations.history(studio, "small")[0].what == "reviewed and kept 'Do moles see?'"
    pinned = next_of(studio, now(studio, queue))
    decide(studio, now(studio, queue), pinned, Decision.KEEP)
    assert (row(studio, 4).status, len(row(studio, 4).reviewed)) == (Status.PINNED, 1)
    decide(studio, now(studio, queue), next_of(studio, now(studio, queue)), Decision.EXCLUDE)
    assert (row(studio, 1).status, len(row(studio, 1).reviewed)) == (Status.EXCLUDED, 1)
    assert (now(studio, queue).place, now(studio, queue).left) == (3, 1)


def test_a_decision_may_be_made_again_and_turns_to_the_next_that_is_left(studio, queue):
    for _ in range(3):
        decide(studio, now(studio, queue), next_of(studio, now(studio, queue)), Decision.KEEP)
    go(studio, queue, 0)
    decide(studio, now(studio, queue), row(studio, 3), Decision.EXCLUDE)
    assert (row(studio, 3).status, len(row(studio, 3).reviewed)) == (Status.EXCLUDED, 2)
    assert (now(studio, queue).place, now(studio, queue).left) == (3, 1)


def test_what_was_decided_in_another_queue_is_passed(studio, queue):
    other = begin(studio, "small", "two", [1, 4])
    for _ in range(2):
        decide(studio, now(studio, other), next_of(studio, now(studio, other)), Decision.KEEP)
    assert now(studio, queue).left == 2
    decide(studio, queue, next_of(studio, queue), Decision.KEEP)
    assert next_of(studio, now(studio, queue)).id == 2
    again = begin(studio, "small", "again", [1, 4])
    assert (again.left, next_of(studio, again).id) == (2, 1)


def test_a_decision_is_taken_back_with_its_place(studio, queue):
    action = decide(studio, queue, next_of(studio, queue), Decision.KEEP)
    go(studio, queue, 3)
    take_back(studio, queue, 0, action)
    assert (row(studio, 3).status, row(studio, 3).reviewed) == (Status.EXCLUDED, ())
    assert next_of(studio, now(studio, queue)).id == 3


def test_what_somebody_changed_meanwhile_is_not_decided_unseen(studio, queue):
    shown = next_of(studio, queue)
    demonstrations.add_tag(studio, [3], "seen")
    with pytest.raises(StaleRevision):
        decide(studio, queue, shown, Decision.EXCLUDE)
    assert (row(studio, 3).reviewed, now(studio, queue).place) == ((), 0)
    demonstrations.delete(studio, [3])
    with pytest.raises((InvalidInput, StaleRevision)):
        decide(studio, queue, shown, Decision.KEEP)
    assert next_of(studio, queue) is None
    assert now(studio, queue).left == 3


def test_at_the_end_there_is_none(studio, queue):
    go(studio, queue, 4)
    assert next_of(studio, now(studio, queue)) is None


def test_what_is_begun_and_what_is_left(studio, queue):
    decide(studio, queue, next_of(studio, queue), Decision.KEEP)
    rest = begin_with_the_rest(studio, "small")
    assert studio.store.review_queues.ids(rest.id) == [1, 2, 4, 5, 6]
    assert [each.id for each in begun(studio, "small")] == [rest.id, queue.id]
    for id in (1, 2, 4):
        shown = row(studio, id)
        decide(studio, now(studio, queue), shown, Decision.EXCLUDE)
    assert [each.id for each in begun(studio, "small")] == [rest.id]
    for id in (5, 6):
        decide(studio, now(studio, rest), row(studio, id), Decision.KEEP)
    assert begun(studio, "small") == []
    with pytest.raises(InvalidInput, match="nothing to review"):
        begin_with_the_rest(studio, "small")


def test_the_same_again_goes_on_and_others_of_the_name_take_its_place(studio, queue):
    decide(studio, queue, next_of(studio, queue), Decision.KEEP)
    again = begin(studio, "small", "all", [3, 4, 1, 2, 3])
    assert (again.id, again.place, again.left) == (queue.id, 1, 3)
    turned_round = begin(studio, "small", "all", [2, 1, 4, 3])
    named_otherwise = begin(studio, "small", "some", [3, 4, 1, 2])
    assert len({queue.id, turned_round.id, named_otherwise.id}) == 3
    assert [each.id for each in begun(studio, "small")] == [named_otherwise.id, turned_round.id]


def test_what_is_known_of_one(studio):
    assert known_of(studio, SETUP, None, row(studio, 1), None).neighbours == ()
    view = studio.view(SETUP)
    found = check_pool(studio, CheckRequest(SETUP, Knobs("rel", 2)), Watcher())
    known = known_of(studio, SETUP, view, row(studio, 1), found)
    relevance = view.relevance(studio.query_vector(SETUP.encoder, "Do bats see?"))
    expected = sorted((4, 5, 6), key=lambda id: (-relevance[view.positions([id])[0]], id))
    assert known.answers == ("They do",)
    assert [each.id for each in known.neighbours] == expected
    assert (known.neighbours[0].query, known.neighbours[0].answer) == ("do bats SEE", "yes well")
    assert [each.cosine for each in known.neighbours] == pytest.approx(
        [relevance[view.positions([id])[0]] for id in expected]
    )
    assert known.checks == ("duplicate", "leak")
    assert known.retrieved == found.retrieved.shares[1]
    assert known.quality_bias is None
    excluded = known_of(studio, SETUP, view, row(studio, 3), found)
    assert len(excluded.neighbours) == min(NEIGHBOURS, 4)
    assert excluded.answers == ()
    assert (excluded.retrieved, excluded.checks) == (None, ())


@pytest.fixture
def duplicates(studio):
    """The findings, and a queue of the group of duplicates among them: 1 and 5."""
    found = check_pool(studio, CheckRequest(SETUP, Knobs("rel", 1)), Watcher())
    (group,) = found.findings["duplicate"]
    assert group.ids == (1, 5)
    return found, group, begin(studio, "small", CHECKS["duplicate"].label, group.ids)


def decide_here(studio, queue, decision, found):
    queue = now(studio, queue)
    return decide(studio, queue, next_of(studio, queue), decision, found)


def test_a_finding_all_of_which_is_kept_is_dismissed_by_the_last_decision(studio, duplicates):
    found, group, queue = duplicates
    decide_here(studio, queue, Decision.KEEP, found)
    assert dismissed_keys(studio, "small") == frozenset()
    action = decide_here(studio, queue, Decision.KEEP, found)
    assert dismissed_keys(studio, "small") == {group.key}
    assert [row(studio, id).dismissed for id in group.ids] == [(group.key,)] * 2
    assert demonstrations.history(studio, "small")[0].what == (
        "reviewed and kept 'do bats SEE', which dismissed 1 of its findings (Duplicates)"
    )
    take_back(studio, now(studio, queue), 1, action)
    assert dismissed_keys(studio, "small") == frozenset()
    assert row(studio, 5).reviewed == ()
    decide_here(studio, queue, Decision.KEEP, found)
    assert dismissed_keys(studio, "small") == {group.key}


def test_one_that_is_excluded_edited_or_deleted_leaves_the_finding_open(studio, duplicates):
    found, _, queue = duplicates
    first = decide_here(studio, queue, Decision.EXCLUDE, found)
    second = decide_here(studio, queue, Decision.KEEP, found)
    assert dismissed_keys(studio, "small") == frozenset()
    take_back(studio, now(studio, queue), 1, second)
    take_back(studio, now(studio, queue), 0, first)
    decide_here(studio, queue, Decision.KEEP, found)
    demonstrations.delete(studio, [1])
    decide_here(studio, queue, Decision.KEEP, found)
    assert dismissed_keys(studio, "small") == frozenset()


def test_only_findings_of_the_kind_that_is_read_are_dismissed(studio, duplicates):
    found, group, _ = duplicates
    (leak,) = found.findings["leak"]
    assert {*group.ids} <= {*leak.ids}
    other = begin(studio, "small", "some", leak.ids)
    for _ in leak.ids:
        decide_here(studio, other, Decision.KEEP, found)
    assert dismissed_keys(studio, "small") == frozenset()
    leaks = begin(studio, "small", CHECKS["leak"].label, leak.ids)
    for _ in leak.ids:
        decide_here(studio, leaks, Decision.KEEP, found)
    assert dismissed_keys(studio, "small") == {leak.key}


def test_a_decision_without_findings_dismisses_nothing(studio, duplicates):
    _, _, queue = duplicates
    for _ in range(2):
        decide_here(studio, queue, Decision.KEEP, None)
    assert dismissed_keys(studio, "small") == frozenset()


def test_the_partner_of_a_duplicate_is_known_beside_it(studio, duplicates):
    found, _, queue = duplicates
    assert check_of(queue) == "duplicate"
    known = known_of(studio, SETUP, None, row(studio, 1), found, check_of(queue))
    assert [each.id for each in known.partners] == [5]
    assert known_of(studio, SETUP, None, row(studio, 1), found).partners == ()
    assert known_of(studio, SETUP, None, row(studio, 6), found, "duplicate").partners == ()
    assert check_of(begin(studio, "small", "some", [1])) is None
