import pytest

from core.demonstration.criteria import IdCriterion, OfStatus, TagCriterion, Words, read_search
from core.demonstration.demonstration import Demonstration, Draft, Status, incorrect_answers
from core.errors import InvalidInput
from core.store import Additions, Change, SearchOrder


def texts(demonstrations):
    return [(d.query, d.answer) for d in demonstrations]


def test_what_was_added_is_there_word_for_word(store, pool):
    draft = Draft(
        "Why?",
        "So.",
        incorrect_answers(("No", "Never")),
        ("b", "a"),
        True,
        Status.EXCLUDED,
        "  a note ",
    )
    added = store.demonstrations.add(pool.id, [draft], who="ann", what="by hand")
    assert added == Additions(added.ids, 0, added.action)
    assert store.demonstrations.all(pool.id) == [
        Demonstration(
            "Why?",
            "So.",
            incorrect_answers(("No", "Never")),
            ("b", "a"),
            True,
            Status.EXCLUDED,
            "  a note ",
            id=added.ids[0],
            revision=1,
        )
    ]
    action = store.history.actions(pool.id)[0]
    assert (action.id, action.who, action.what) == (added.action, "ann", "by hand")


def test_texts_are_as_they_were_written_and_empty_or_repeated_parts_go(store, pool):
    wrong = incorrect_answers(("    x", "", "x\n", "\u200b", "y\u200d"))
    draft = Draft("\t a  b\n", "    c\n  d\n", wrong, ("t ", " ", "t"))
    store.demonstrations.add(pool.id, [draft])
    (d,) = store.demonstrations.all(pool.id)
    assert (d.query, d.answer, d.incorrect, d.tags) == (
        "\t a  b\n",
        "    c\n  d\n",
        incorrect_answers(["    x", "y\u200d"]),
        ("t",),
    )


@pytest.mark.parametrize(
    ("first", "second", "double"),
    [
        (("Why?", "So."), ("Why?", "So."), True),
        (("Why?", "So."), (" Why?\n", "\tSo. "), True),
        (("Café", "So\u00adso."), ("Cafe\u0301", "Soso."), True),
        (("Why?", "So."), ("WHY?", "So."), False),
        (("3²", "So."), ("32", "So."), False),
        (("Co", "So."), ("CO", "So."), False),
        (("ﬁne day", "So."), ("fine day", "So."), False),
        (("a  b", "So."), ("a b", "So."), False),
        (("Why?", "So."), ("Why?", "so."), False),
        (("Why?", "So."), ("Why", "So."), False),
        (("q", "a b"), ("q", "a  b"), False),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_a_double_has_the_same_query_and_the_same_answer_but_for_what_nobody_sees(
    store, pool, first, second, double, together
):
    drafts = [Draft(*first), Draft(*second)]
    if together:
        added = [store.demonstrations.add(pool.id, drafts)]
    else:
        added = [store.demonstrations.add(pool.id, [draft]) for draft in drafts]
    assert sum(one.doubles for one in added) == int(double)
    wanted = [first] if double else [first, second]
    assert texts(store.demonstrations.all(pool.id)) == wanted


def test_only_doubles_leave_no_trace(store, pool, filled):
    again = store.demonstrations.add(pool.id, [Draft(d.query, d.answer) for d in filled])
    assert again == Additions([], 3, None)
    assert store.demonstrations.add(pool.id, []) == Additions([], 0, None)
    assert len(store.history.actions(pool.id)) == 1


def test_doubles_in_another_pool_or_deleted_ones_do_not_count(store, pool, filled):
    other = store.pools.create("other")
    assert len(store.demonstrations.add(other.id, [Draft("Is glass a liquid?", "No.")]).ids) == 1
    store.demonstrations.change([Change(filled[2].id, 1, deleted=True)], what="delete")
    assert len(store.demonstrations.add(pool.id, [Draft("Is glass a liquid?", "No.")]).ids) == 1


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (Draft("", "a"), "query of draft 3 is empty"),
        (Draft("q", " \n"), "answer of draft 3 is empty"),
        (Draft("q\ud800", "a"), "half a character"),
        (Draft("q", "a", incorrect_answers(("\udfff",))), "half a character"),
    ],
)
def test_one_bad_draft_and_nothing_is_written(store, pool, bad, message):
    with pytest.raises(InvalidInput, match=message) as refusal:
        store.demonstrations.add(pool.id, [Draft("1", "a"), Draft("2", "a"), bad])
    str(refusal.value).encode()
    assert store.demonstrations.all(pool.id) == []
    assert store.history.actions(pool.id) == []
    with pytest.raises(InvalidInput):
        store.demonstrations.add_to_named("new", [Draft("1", "a"), Draft("2", "a"), bad])
    assert [summary.name for summary in store.pools.all()] == ["myths"]


def test_adding_to_a_named_pool_makes_it_once(store):
    pool, added = store.demonstrations.add_to_named("new", [Draft("1", "a")])
    same, more = store.demonstrations.add_to_named("new", [Draft("1", "a"), Draft("2", "a")])
    assert pool.id == same.id
    assert pool.version < same.version == store.pools.get("new").version
    assert (len(more.ids), more.doubles) == (1, 1)
    assert [d.id for d in store.demonstrations.all(pool.id)] == added.ids + more.ids


def test_an_unknown_pool_is_refused(store):
    with pytest.raises(InvalidInput, match="no pool with the id 5"):
        store.demonstrations.add(5, [Draft("q", "a")])


def test_one_query_has_one_best_answer(store, pool):
    store.demonstrations.add(
        pool.id, [Draft("q", "1"), Draft("q\n", "2", best=True), Draft("q", "3", best=True)]
    )
    store.demonstrations.add(pool.id, [Draft("q", "4", best=True), Draft("r", "5", best=True)])
    store.demonstrations.add(pool.id, [Draft("Q", "6", best=True)])
    best = {d.answer: d.best for d in store.demonstrations.all(pool.id)}
    assert best == {"1": False, "2": True, "3": False, "4": False, "5": True, "6": True}


def test_ids_follow_the_order_of_the_drafts(store, pool):
    added = store.demonstrations.add(pool.id, [Draft(f"q{i}", f"a{i}") for i in range(5000)])
    found = store.demonstrations.all(pool.id)
    assert [d.id for d in found] == added.ids == sorted(set(added.ids))
    assert [d.query for d in found] == [f"q{i}" for i in range(5000)]


def test_ids_are_never_used_again(store, pool):
    first = store.demonstrations.add(pool.id, [Draft("q", "a")]).ids[0]
    store.pools.delete("myths")
    again = store.pools.create("myths")
    assert store.demonstrations.add(again.id, [Draft("q", "a")]).ids[0] > first


def test_by_ids_keeps_the_order_given(store, pool, filled):
    a, b, c = filled
    assert store.demonstrations.by_ids([c.id, a.id, c.id]) == [c, a, c]
    assert store.demonstrations.by_ids([]) == []
    with pytest.raises(InvalidInput, match="id 999"):
        store.demonstrations.by_ids([a.id, 999])
    store.demonstrations.change([Change(b.id, 1, deleted=True)], what="delete")
    with pytest.raises(InvalidInput, match=f"id {b.id}"):
        store.demonstrations.by_ids([b.id])
    assert store.demonstrations.by_ids([b.id], deleted=True)[0].answer == b.answer


def test_snapshot_gives_the_version_that_fits(store, pool, filled):
    seen, demonstrations = store.demonstrations.snapshot(pool.id)
    assert seen == store.pools.get("myths")
    assert demonstrations == filled


def test_pinned_ones_are_included_ones_too(store, pool, filled):
    before = store.pools.get(pool.name).version
    store.demonstrations.change([Change(filled[1].id, 1, status=Status.PINNED)], what="pin")
    store.demonstrations.change([Change(filled[2].id, 1, status=Status.EXCLUDED)], what="exclude")
    assert store.pools.get(pool.name).version == before + 2
    included = [row.id for row in store.demonstrations.all(pool.id, status=Status.INCLUDED)]
    assert included == [row.id for row in filled if row.id != filled[2].id]
    searched = store.demonstrations.search(pool.id, [OfStatus(Status.INCLUDED)]).rows
    assert [row.id for row in searched] == included
    (pinned,) = store.demonstrations.search(pool.id, [OfStatus(Status.PINNED)]).rows
    assert (pinned.id, pinned.status) == (filled[1].id, Status.PINNED)
    assert filled[1].query in store.demonstrations.queries(pool.id, status=Status.INCLUDED)


def test_status_filters(store, pool, filled):
    store.demonstrations.change([Change(filled[1].id, 1, status=Status.EXCLUDED)], what="exclude")
    included = store.demonstrations.all(pool.id, status=Status.INCLUDED)
    excluded = store.demonstrations.all(pool.id, status=Status.EXCLUDED)
    assert [d.id for d in included] == [filled[0].id, filled[2].id]
    assert [d.id for d in excluded] == [filled[1].id]
    assert store.demonstrations.search(pool.id, [OfStatus(Status.EXCLUDED)]).rows == excluded


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("", ["Yes.", "Bats can see.", "No."]),
        ("BATS", ["Yes.", "Bats can see."]),
        ("only by", ["Yes."]),
        ("can see.", ["Bats can see."]),
        ("window", ["No."]),
        ("blind", ["Yes.", "Bats can see."]),
        ("b%t", []),
        ("_ats", []),
        (".*", []),
        ("animals", []),  # tags have a filter of their own
        ("'; DROP TABLE pools; --", []),
    ],
)
def test_search_finds_text_letter_for_letter_in_any_case(store, pool, filled, text, answers):
    page = store.demonstrations.search(pool.id, [Words(text)])
    assert [d.answer for d in page.rows] == answers
    assert page.total == len(answers)


def test_pattern_signs_are_found_as_themselves(store, pool):
    signs = ["100%", "a_b", "\\", "[x]", "'", '"', "ÄÖ", "数字", "🦇"]
    store.demonstrations.add(pool.id, [Draft(f"query {i}", sign) for i, sign in enumerate(signs)])
    for sign in signs:
        assert [d.answer for d in store.demonstrations.search(pool.id, [Words(sign)]).rows] == [
            sign
        ]
    assert [d.answer for d in store.demonstrations.search(pool.id, [Words("äö")]).rows] == ["ÄÖ"]


@pytest.mark.parametrize(
    ("search", "answers"),
    [
        ("see bats", ["Yes.", "Bats can see."]),
        ("answer:see", ["Bats can see."]),
        ("-answer:see", ["Yes.", "No."]),
        ("/^B.ts/", ["Bats can see."]),
        ("answer:/^b/", []),
        ("answer:/^b/i", ["Bats can see."]),
        ("incorrect:/^Th/", ["Bats can see."]),
        ("-incorrect:/^Th/", ["Yes.", "No."]),
        ("tag:animals tag:birds", ["Bats can see."]),
        ("tag:birds|physics", ["Bats can see.", "No."]),
        ("-tag:birds|physics", ["Yes."]),
        ("length:<4", ["No."]),
        ("length:..4", ["Yes.", "No."]),
        ("length:4", ["Yes."]),
        ("query-length:>1000", []),
        ("wrong:0", ["No."]),
        ("wrong:>=1 -length:4", ["Bats can see."]),
        ("reviewed:no", ["Yes.", "Bats can see.", "No."]),
        ("reviewed:yes", []),
        ("-reviewed:yes status:included", ["Yes.", "Bats can see.", "No."]),
    ],
)
def test_a_search_meets_all_that_it_asks_for(store, pool, filled, search, answers):
    page = store.demonstrations.search(pool.id, read_search(search))
    assert [d.answer for d in page.rows] == answers
    found = store.demonstrations.found(pool.id, read_search(search))
    assert found == [d.id for d in filled if d.answer in answers]


def test_a_search_by_review_follows_the_review(store, pool, filled):
    store.demonstrations.change([Change(filled[1].id, 1, reviewed=("2026-11-27",))], what="read")
    assert store.demonstrations.found(pool.id, read_search("reviewed:yes")) == [filled[1].id]
    assert store.demonstrations.found(pool.id, read_search("reviewed:>1")) == []


@pytest.mark.parametrize("pattern", ["[", "a(?=b)", "*"])
def test_a_pattern_that_cannot_be_read_is_refused_in_a_sentence(store, pool, filled, pattern):
    for search in (f"/{pattern}/", f"-answer:/{pattern}/"):
        with pytest.raises(
            InvalidInput, match=r"^The pattern /.*/ cannot be read: .*quotation"
        ) as refused:
            store.demonstrations.search(pool.id, read_search(search))
        assert "Error" not in str(refused.value)


@pytest.mark.parametrize("search", ["like:1", "quality:<0"])
def test_the_store_does_not_know_what_is_computed(store, pool, filled, search):
    with pytest.raises(InvalidInput, match="name ids instead"):
        store.demonstrations.found(pool.id, read_search(search))


def test_search_among_named_ids_passes_over_those_that_are_not_the_pools(store, pool, filled):
    other = store.pools.create("other")
    (strange,) = store.demonstrations.add(other.id, [Draft("Elsewhere?", "Yes.")]).ids
    wanted = [filled[2].id, filled[0].id, strange, 10**9]
    page = store.demonstrations.search(pool.id, [IdCriterion(tuple(wanted))])
    assert ([row.id for row in page.rows], page.total) == ([filled[0].id, filled[2].id], 2)
    both = store.demonstrations.search(
        pool.id, [IdCriterion(tuple(wanted)), Words(filled[2].answer)]
    )
    assert [row.id for row in both.rows] == [filled[2].id]
    assert store.demonstrations.search(pool.id, [IdCriterion(())]).total == 0


def test_search_by_tags_wants_at_least_one(store, pool, filled):
    def found(*tags):
        return [d.answer for d in store.demonstrations.search(pool.id, [TagCriterion(tags)]).rows]

    assert found("birds") == ["Bats can see."]
    assert found("birds", "physics") == ["Bats can see.", "No."]
    assert found("bird") == []
    both = store.demonstrations.search(pool.id, [TagCriterion(("animals",)), Words("can see")])
    assert [d.answer for d in both.rows] == ["Bats can see."]


@pytest.mark.parametrize(
    ("limit", "offset", "numbers"),
    [
        (None, 0, range(10)),
        (3, 0, range(3)),
        (3, 9, [9]),
        (3, 10, []),
        (0, 0, []),
        (None, 8, [8, 9]),
        (100, 0, range(10)),
    ],
)
def test_pages_tile_the_result(store, pool, limit, offset, numbers):
    store.demonstrations.add(pool.id, [Draft(f"q{i}", "a") for i in range(10)])
    page = store.demonstrations.search(pool.id, limit=limit, offset=offset)
    assert [d.query for d in page.rows] == [f"q{i}" for i in numbers]
    assert page.total == 10


def test_tags_are_counted_without_deleted_rows(store, pool, filled):
    assert store.demonstrations.tags(pool.id) == {"animals": 2, "birds": 1, "physics": 1}
    store.demonstrations.change([Change(filled[1].id, 1, deleted=True)], what="delete")
    assert store.demonstrations.tags(pool.id) == {"animals": 1, "physics": 1}


def test_distinct_queries_come_in_the_order_of_their_first_ids(store, pool):
    first = [Draft("Z?", "1", status=Status.EXCLUDED), Draft("B?", "1"), Draft("A?", "1")]
    store.demonstrations.add(pool.id, first)
    more = store.demonstrations.add(pool.id, [Draft("Z?", "2"), Draft("B?", "2"), Draft("b?", "3")])
    assert store.demonstrations.queries(pool.id) == ["Z?", "B?", "A?", "b?"]
    included = store.demonstrations.queries(pool.id, status=Status.INCLUDED)
    assert included == ["B?", "A?", "Z?", "b?"]
    store.history.undo(more.action)
    assert store.demonstrations.queries(pool.id, status=Status.INCLUDED) == ["B?", "A?"]
    with pytest.raises(InvalidInput, match="pool"):
        store.demonstrations.queries(pool.id + 1)


def test_queries_without_incorrect_answers_are_counted(store, pool):
    drafts = [
        Draft("Q1?", "a"),
        Draft("Q1? ", "b", incorrect_answers(("x",))),
        Draft("Q2?", "a"),
        Draft("Q3?", "a", status=Status.EXCLUDED),
        Draft("Q4?", "a"),
    ]
    added = store.demonstrations.add(pool.id, drafts)
    assert store.demonstrations.queries_without_incorrect(pool.id) == 2
    (row,) = store.demonstrations.by_ids([added.ids[4]])
    store.demonstrations.change([Change(row.id, row.revision, deleted=True)], what="deleted")
    assert store.demonstrations.queries_without_incorrect(pool.id) == 1


def test_an_order_by_what_is_no_field_is_refused_and_says_what_there_is(store, pool, filled):
    order = SearchOrder("query; DROP TABLE demonstrations")
    with pytest.raises(
        InvalidInput,
        match=r"cannot be sorted by 'query; DROP .*': choose one of id, query, answer, incorrect, "
        r"tags, best, status, note, rationale, passages_shown, written_by, quality_bias, "
        r"retrieved, similarity, worth, changed\.$",
    ):
        store.demonstrations.search(pool.id, order=order)
