"""What is done about findings: each as one action, with its undo, and what is refused."""

from collections import Counter

import pytest

from core.curation.findings.checks.duplicate import best_spelled_first, words_of
from core.demonstration.demonstration import Draft, IncorrectAnswer
from core.errors import InvalidInput
from core.retrieval.knobs import Knobs
from core.studio import Setup
from core.studio.pools import demonstrations, pools
from core.studio.pools.findings import CheckRequest, check_pool
from core.studio.pools.mending import (
    Stays,
    dismiss,
    dismissed_keys,
    in_order,
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


def test_merging_keeps_the_first_named_and_what_the_others_had(studio):
    (group,) = found(studio, "duplicate")
    assert group.ids == (1, 2, 3)
    before = demonstrations.present(studio, group.ids)
    action = merge(studio, [(1, 3, 2)])
    assert list(demonstrations.present(studio, group.ids)) == [1]
    kept = row(studio, 1)
    assert [each.text for each in kept.incorrect] == ["Rome", "Lyon"]  # its own answer is none
    assert (kept.tags, kept.note, kept.best) == (("a", "b"), "typed", True)
    assert (kept.query, kept.answer) == (before[1].query, before[1].answer)
    assert found(studio, "duplicate") == ()
    assert demonstrations.history(studio, "small")[0].what == "merged 2 duplicates into others"
    demonstrations.undo(studio, action)
    after = demonstrations.present(studio, group.ids)
    assert {id: values(r) for id, r in after.items()} == {id: values(r) for id, r in before.items()}


def values(row):
    return row.query, row.answer, row.incorrect, row.tags, row.note, row.best


def test_the_best_answer_of_another_query_is_not_passed_on(studio):
    merge(studio, [(3, 2)])
    assert not row(studio, 3).best


def test_groups_of_one_query_have_one_best_answer(studio):
    pool = studio.store.pools.create("two groups")
    drafts = [
        draft("Q?", "a", best=True), draft("Q?", "a."), draft("q?", "b", best=True),
        draft("Q?", "b."),
    ]  # fmt: skip
    ids = [each.id for each in added(studio, pool, drafts)]
    merge(studio, [(ids[1], ids[0]), (ids[3], ids[2])])
    assert [row(studio, id).best for id in (ids[1], ids[3])] == [True, False]


def added(studio, pool, drafts):
    studio.store.demonstrations.add(pool.id, drafts)
    return studio.store.demonstrations.snapshot(pool.id)[1]


SPELLED = [
    draft("what is teh capital of Peru?", "It is Lima", "Cusco", "Ica"),
    draft("what is the capital of Peru?", "It is Lima"),
    draft("WHAT IS THE CAPITAL OF PERU?", "it is lima", best=True),
    draft("what is the capital of Peru?", "It is Lima "),
    draft("what is the capital of Peru?", "It is Limaâ€¦"),
    draft("what is the capital of Peru?", "It&#32;is Lima"),
]


@pytest.mark.parametrize(
    ("others", "first"),
    [((0,), 1), ((2,), 1), ((3,), 1), ((4,), 1), ((5,), 1), ((2, 0, 4, 5), 1), ((), 1)],
)
def test_the_best_spelled_one_stays_wherever_it_is(others, first):
    more = [draft(f"what is the capital of {each}?", "It is far") for each in ("Chad", "Mali")]
    rows = [SPELLED[at] for at in (*others, first)]
    words = Counter(word for each in (*rows, *more) for word in words_of(each))
    for order in (rows, rows[::-1]):
        assert best_spelled_first(order, words)[0] is SPELLED[first]


def test_of_equally_spelled_ones_that_with_more_incorrect_answers_stays_then_the_first():
    rows = [draft("Is it?", "Yes"), draft("Is it?", "Yes", "No"), draft("Is it?", "Yes", "Hm")]
    assert best_spelled_first(rows, {}) == [rows[1], rows[2], rows[0]]
    assert best_spelled_first([], {}) == []


def test_a_rule_for_all_groups_puts_the_one_that_stays_first(studio):
    whole = check_pool(studio, REQUEST, Watcher())
    (group,) = whole.findings["duplicate"]
    orders = {stays: in_order(whole, group, stays) for stays in Stays}
    assert orders == {
        Stays.BEST_SPELLED: (1, 3, 2), Stays.FIRST: (1, 2, 3), Stays.LAST: (3, 2, 1),
    }  # fmt: skip


def test_personal_data_is_masked_and_html_is_taken_out_in_one_action_each(studio):
    pool = studio.store.pools.create("private")
    rows = added(
        studio,
        pool,
        [
            draft("Whom do I ask?", "a.b@c.org", "+44 20 7946 0958", tags=("x@y.org",)),
            draft("What is <b>it</b>?", "<p>One &amp; two</p>"),
            draft("What does HTML say?", "<b>bold</b> &amp; more"),
        ],
    )
    ids, setup = [each.id for each in rows], Setup("private", None, None)
    assert [each.ids for each in found(studio, "personal-data", setup)] == [(ids[0],)]
    action = repair_letters(studio, ids, "personal-data")
    now = row(studio, ids[0])
    assert (now.answer, now.incorrect[0].text, now.tags) == (
        "[email]", "[phone number]", ("[email]",),
    )  # fmt: skip
    assert demonstrations.history(studio, "private")[0].what == (
        "masked personal data in 1 demonstration"
    )
    assert found(studio, "personal-data", setup) == ()
    demonstrations.undo(studio, action)
    assert row(studio, ids[0]).answer == "a.b@c.org"
    repair_letters(studio, ids, "escaped")
    assert [(row(studio, id).query, row(studio, id).answer) for id in ids[1:]] == [
        ("What is it?", "One & two"), ("What does HTML say?", "<b>bold</b> & more"),
    ]  # fmt: skip
    assert found(studio, "escaped", setup) == ()
    with pytest.raises(InvalidInput, match="Nothing to do"):
        repair_letters(studio, ids, "escaped")


def test_several_groups_are_merged_as_one_action_and_what_is_gone_is_passed_over(studio):
    demonstrations.delete(studio, [3])
    merge(studio, [(3, 2, 1), (4, 3), (6,)])
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
