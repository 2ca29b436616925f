"""What is done about findings: each as one action, with its undo, and what is refused."""

import pytest

from core.demonstration.demonstration import Draft, IncorrectAnswer
from core.errors import InvalidInput
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations, pools
from core.studio.pools.findings import CheckRequest, check_pool
from core.studio.pools.mending import (
    dismiss,
    dismissed_keys,
    merge,
    repair_letters,
    restore,
    take_own_out,
)
from core.watcher import Watcher

SETUP = Setup("small", None, None)
REQUEST = CheckRequest(SETUP, Knobs("rel", 1))
FRANCE = "What is the capital of France?"


def draft(query, answer, *incorrect, **more):
    return Draft(query, answer, incorrect=tuple(map(IncorrectAnswer, incorrect)), **more)


@pytest.fixture
def pool_drafts():
    return [
        draft(FRANCE, "It is Paris", "Rome", tags=("a",)),
        draft(FRANCE.upper(), "it is Paris.", "Lyon", "It is Paris", tags=("b",), best=True),
        draft("What is the capitol of France?", "It is Paris", note="typed"),
        draft("Ist das schÃ¶n?", "Jaâ€¦", "Neinâ€¦"),
        draft("Do bats see?", "Yes", "yes.", "No"),
        draft("How deep is the sea?", "Deep enough"),
    ]


@pytest.fixture
def escaped_drafts():
    return [
        draft("Who wrote &quot;Heat&quot;?", "S &amp; L", "A &amp; B", tags=("Art &amp; Craft",)),
        draft("What is &amp;amp; for?", "An ampersand"),
        draft("Is water wet?", "Yes"),
    ]


def found(studio, kind, setup=SETUP):
    request = CheckRequest(setup, REQUEST.knobs)
    return check_pool(studio, request, Watcher()).findings[kind]


def row(studio, id):
    return demonstrations.present(studio, [id])[id]


def test_merging_keeps_the_best_answer_and_what_the_others_had(studio):
    (group,) = found(studio, "duplicate")
    assert group.ids == (1, 2, 3)
    before = demonstrations.present(studio, group.ids)
    action = merge(studio, [group.ids])
    assert list(demonstrations.present(studio, group.ids)) == [2]
    kept = row(studio, 2)
    assert [each.text for each in kept.incorrect] == ["Lyon", "Rome"]  # its own answer is none
    assert (kept.tags, kept.note, kept.best) == (("b", "a"), "typed", True)
    assert (kept.query, kept.answer) == (before[2].query, before[2].answer)
    assert found(studio, "duplicate") == ()
    assert demonstrations.history(studio, "small")[0].what == "merged 2 duplicates into others"
    demonstrations.undo(studio, action)
    after = demonstrations.present(studio, group.ids)
    assert {id: (r.query, r.answer, r.incorrect, r.tags, r.note) for id, r in after.items()} == {
        id: (r.query, r.answer, r.incorrect, r.tags, r.note) for id, r in before.items()
    }


def test_several_groups_are_merged_as_one_action_and_what_is_gone_is_passed_over(studio):
    demonstrations.delete(studio, [3])
    merge(studio, [(1, 2, 3), (4, 3), (6,)])
    assert list(demonstrations.present(studio, range(1, 7))) == [2, 4, 5, 6]
    with pytest.raises(InvalidInput, match="Nothing to merge"):
        merge(studio, [(1, 2, 3)])


def test_repairing_writes_every_text_as_it_was(studio):
    (finding,) = found(studio, "encoding")
    repair_letters(studio, finding.ids, "encoding")
    now = row(studio, 4)
    assert (now.query, now.answer, now.incorrect[0].text) == ("Ist das schön?", "Ja…", "Nein…")
    assert found(studio, "encoding") == ()
    with pytest.raises(InvalidInput, match="Nothing to do"):
        repair_letters(studio, finding.ids, "encoding")


def test_escaped_letters_are_written_as_letters_one_level_at_a_time(studio, escaped_drafts):
    pool = studio.store.pools.create("escaped")
    studio.store.demonstrations.add(pool.id, escaped_drafts)
    setup = Setup("escaped", None, None)
    findings = found(studio, "escaped", setup)
    assert [each.measure for each in findings] == [4.0, 1.0]
    ids = [id for each in findings for id in each.ids]
    action = repair_letters(studio, ids, "escaped")
    first, second = (row(studio, id) for id in ids)
    assert (first.query, first.answer, first.incorrect[0].text, first.tags) == (
        'Who wrote "Heat"?', "S & L", "A & B", ("Art & Craft",),
    )  # fmt: skip
    assert second.query == "What is &amp; for?"
    assert [each.ids for each in found(studio, "escaped", setup)] == [(ids[1],)]
    demonstrations.undo(studio, action)
    assert row(studio, ids[0]).tags == ("Art &amp; Craft",)


def test_the_own_answer_is_taken_out_of_the_incorrect_ones(studio):
    ids = [id for each in found(studio, "own-incorrect") for id in each.ids]
    assert ids == [2, 5]
    take_own_out(studio, ids)
    assert [[each.text for each in row(studio, id).incorrect] for id in ids] == [["Lyon"], ["No"]]
    assert found(studio, "own-incorrect") == ()


def test_a_dismissed_finding_is_known_by_its_key_until_it_is_restored(studio):
    (finding,) = found(studio, "duplicate")
    version = studio.store.pools.get("small").version
    action = dismiss(studio, [finding])
    assert dismissed_keys(studio, "small") == {finding.key}
    assert studio.store.pools.get("small").version == version  # nothing is computed again
    assert found(studio, "duplicate") == (finding,)
    with pytest.raises(InvalidInput, match="Nothing to do"):
        dismiss(studio, [finding])
    restore(studio, [finding])
    assert dismissed_keys(studio, "small") == frozenset()
    demonstrations.undo(studio, demonstrations.history(studio, "small")[0].id)
    assert dismissed_keys(studio, "small") == {finding.key}
    assert action


def test_another_text_of_one_of_them_makes_it_another_finding(studio):
    (finding,) = found(studio, "duplicate")
    dismiss(studio, [finding])
    demonstrations.delete(studio, [3])
    (other,) = found(studio, "duplicate")
    assert other.key not in dismissed_keys(studio, "small")


@pytest.mark.parametrize("format", ["jsonl", "csv", "json"])
def test_a_dismissal_survives_an_export_and_an_import(studio, tmp_path, format):
    findings = [*found(studio, "duplicate"), *found(studio, "own-incorrect")]
    dismiss(studio, findings)
    file = tmp_path / f"small.{format}"
    pools.run_export(studio, "small", format, file)
    pools.run_import(studio, pools.ImportRequest(pools.read_table(file), "copy"))
    assert dismissed_keys(studio, "copy") == {each.key for each in findings}
    again = [
        *found(studio, "duplicate", Setup("copy")),
        *found(studio, "own-incorrect", Setup("copy")),
    ]
    assert [each.key for each in again] == [each.key for each in findings]


def test_a_method_that_cannot_be_asked_leaves_retrieval_out(studio):
    found = check_pool(studio, CheckRequest(SETUP, Knobs("mdl", 2)), Watcher())
    assert found.retrieved is None
    assert found.note.startswith("Retrieval is not counted: The method 'mdl' asks the language")
    assert found.findings["never-retrieved"] == ()
