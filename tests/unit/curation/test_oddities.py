"""What an import warns of it also names: the rows of the file, and the ids in the pool."""

from core.curation import OddRow, import_file, preview
from core.curation.oddities import OddKind

OWN = "Answers that are also among their own incorrect answers: 2; they were kept, look at them."
CONTRADICTION = (
    "Answers that are correct in one row and incorrect in another of the same query: 2; both were "
    "kept as they are, look at them."
)
ROWS = [
    {"query": "Is ice cold?", "answers": ["Yes", "Very"], "incorrect": ["No", "Very"]},
    {"query": "Is fire hot?", "answers": ["Yes"], "incorrect": ["No"]},
    {"query": "", "answers": ["Lost"], "incorrect": ["Lost"]},
    {"query": " Is fire hot?", "answers": ["No"], "incorrect": ["Never"]},
    {"query": "Is glass hard?", "answers": ["Yes"], "incorrect": ["No"]},
    {"query": "Is fire hot?\u200b", "answers": ["Always"], "incorrect": ["Yes"]},
    {"query": "Is glass soft?", "answers": ["No"], "incorrect": ["Yes"]},
    {"query": "Is ice warm?", "answers": ["No"], "incorrect": ["No"]},
]
OWN_ROWS = (
    OddRow("Is ice cold?", "Very", (1,), (1,)),
    OddRow("Is ice warm?", "No", (8,), (8,)),
)
CONTRADICTED = (
    OddRow("Is fire hot?", "Yes", (2,), (6,)),
    OddRow(" Is fire hot?", "No", (4,), (2,)),
)


def described(oddities):
    return [(each.kind, each.sentence, each.demonstrations) for each in oddities]


def test_a_preview_names_the_rows_of_the_file(write):
    report = preview(write("odd.json", ROWS)).report
    assert described(report.oddities) == [
        (OddKind.OWN_INCORRECT, OWN, OWN_ROWS),
        (OddKind.CONTRADICTION, CONTRADICTION, CONTRADICTED),
    ]
    assert report.warnings == (
        OWN,
        CONTRADICTION,
        "Texts that begin or end with white space: 1 (0 of 8 answers, 0 of 8 incorrect answers); "
        "they are kept as written.",
    )
    assert [each.ids for each in report.oddities] == [(), ()]
    assert report.dropped == {"empty query": 1}


def test_an_import_names_the_ids_also_of_what_was_there_before(store, write):
    import_file(store, write("first.json", ROWS[1:2]), "pool")
    own, contradicted = import_file(store, write("odd.json", ROWS), "pool").oddities
    rows = {d.id: (d.query, d.answer) for d in store.demonstrations.all(1)}
    for found, wanted in ((own, OWN_ROWS), (contradicted, CONTRADICTED)):
        assert [rows[id] for id in found.ids] == [(row.query, row.answer) for row in wanted]
    assert contradicted.ids[0] == 1  # it came with the first file


def test_rows_that_repeat_a_pair_are_all_named(write):
    rows = [
        {"query": "q", "answer": "a", "incorrect": ["b"]},
        {"query": "q", "answer": "a", "incorrect": ["c"]},
        {"query": "q", "answer": "c", "incorrect": ["b", "d"]},
        {"query": "q", "answer": "a", "incorrect": ["a"]},
    ]
    own, contradicted = preview(write("repeated.json", rows)).report.oddities
    assert own.demonstrations == (OddRow("q", "a", (1, 2, 4), (4,)),)
    assert contradicted.demonstrations == (OddRow("q", "c", (3,), (2,)),)


def test_a_sound_file_has_none(write):
    rows = [
        {"query": "q", "answer": "a", "incorrect": ["b"]},
        {"query": "r", "answer": "b", "incorrect": ["a"]},
        {"query": "q", "answer": "A", "incorrect": ["b"]},
    ]
    report = preview(write("sound.json", rows)).report
    assert (report.oddities, report.warnings) == ((), ())


def test_what_the_pool_had_before_may_contradict_the_file(store, write):
    before = [
        {"query": "Is ice cold?", "answer": "Yes", "incorrect": ["No"]},
        {"query": "Is fire hot?", "answer": "Yes", "incorrect": ["Never"]},
        {"query": "Is tea hot?", "answer": "No", "incorrect": ["Yes"]},
    ]
    after = [
        {"query": "Is ice cold?\n", "answer": "No", "incorrect": ["Perhaps"]},
        {"query": "Is fire hot?", "answer": "Always", "incorrect": ["Yes"]},
        {"query": "Is tea warm?", "answer": "Yes", "incorrect": ["No"]},
        {"query": "Is ice cold?", "answer": "Yes", "incorrect": ["No"]},
    ]
    assert import_file(store, write("before.json", before), "pool").oddities == ()
    report = import_file(store, write("after.json", after), "pool")
    # Within the file, "No" is correct in row 1 and incorrect in row 4.
    contradicted, differing = report.oddities
    assert contradicted.demonstrations == (OddRow("Is ice cold?\n", "No", (1,), (4,), 4),)
    assert differing.kind is OddKind.POOL_CONTRADICTION
    assert differing.demonstrations == (OddRow("Is fire hot?", "Yes", (), (2,), 2),)
    assert differing.sentence in report.warnings
    later = import_file(
        store, write("later.json", [{"query": "Is tea hot?", "answer": "Yes"}]), "pool"
    )
    (found,) = later.oddities
    assert found.demonstrations == (OddRow("Is tea hot?", "Yes", (1,), (), 7),)
    again = import_file(store, write("before.json", before[:1]), "pool")
    assert [row.query for odd in again.oddities for row in odd.demonstrations] == ["Is ice cold?\n"]


def test_an_answer_is_found_among_its_incorrect_ones_in_another_spelling(write):
    rows = [
        {
            "query": "Which metal is yellow?",
            "answer": "Gold",
            "incorrect": ["gold", "Gold.", "tin"],
        },
        {"query": "Which planet is red?", "answer": "Mars", "incorrect": ["MARS ", "Venus"]},
        {"query": "Which tree has needles?", "answer": "pine", "incorrect": ["\uff30ine", "oak"]},
        {"query": "Which sea is salty?", "answer": "All", "incorrect": ["none", "All\n"]},
        {"query": "Which bird is wise?", "answer": "Owl", "incorrect": ["crow"]},
        {"query": "Which bird is wise?", "answer": "Raven", "incorrect": ["the  OWL", "owl"]},
    ]
    own, contradicted = preview(write("variants.json", rows)).report.oddities
    assert own.sentence == (
        "Answers that are also among their own incorrect answers: 4, 3 of them in another "
        "spelling, which evaluation does not count as incorrect; they were kept, look at them."
    )
    assert [(row.answer, row.rows, row.against) for row in own.demonstrations] == [
        ("Gold", (1,), (1,)), ("Mars", (2,), (2,)), ("pine", (3,), (3,)), ("All", (4,), (4,)),
    ]  # fmt: skip
    assert contradicted.sentence == (
        "Answers that are correct in one row and incorrect in another of the same query: 1, all of "
        "them in another spelling, which evaluation does not count as incorrect; both were kept as "
        "they are, look at them."
    )
    assert contradicted.demonstrations == (OddRow("Which bird is wise?", "Owl", (5,), (6,)),)


def test_queries_that_read_alike_are_named_with_their_rows(store, write):
    rows = [
        {"query": "What is Co?", "answer": "cobalt", "incorrect": ["copper"]},
        {"query": "What is 3²?", "answer": ["9", "nine"]},
        {"query": "What is CO?", "answer": "carbon monoxide", "incorrect": ["cobalt"]},
        {"query": "What is Co? ", "answer": "a metal"},
        {"query": "What is 32?", "answer": "thirty-two"},
        {"query": "What is 1½ + 1?", "answer": "2½", "incorrect": ["2"]},
        {"query": "What is  Co?", "answer": "a place"},
    ]
    (alike,) = import_file(store, write("alike.json", rows), "pool").oddities
    assert alike.kind is OddKind.LOOSELY_EQUAL
    assert alike.sentence == (
        "Queries that differ from another one only in case, white space or the form of letters and "
        "digits, as Co and CO do: 5; they were kept as different queries, look at them."
    )
    assert alike.demonstrations == (
        OddRow("What is Co?", "cobalt", (1, 4), (3, 7), 1),
        OddRow("What is CO?", "carbon monoxide", (3,), (1, 4, 7), 4),
        OddRow("What is  Co?", "a place", (7,), (1, 3, 4), 8),
        OddRow("What is 3²?", "9", (2,), (5,), 2),
        OddRow("What is 32?", "thirty-two", (5,), (2,), 6),
    )
    assert store.pools.summary("pool").queries == 6


def test_queries_that_read_like_the_pools_are_named_as_well(store, write):
    before = [
        {"query": "What is Co?", "answer": "cobalt"},
        {"query": "What is CO?", "answer": "carbon monoxide"},
        {"query": "What is Fe?", "answer": "iron"},
    ]
    after = [
        {"query": "What is Co?", "answer": "a metal"},
        {"query": "What is FE?", "answer": "a file"},
        {"query": "What is Au?", "answer": "gold"},
    ]
    import_file(store, write("before.json", before), "pool")
    (alike,) = import_file(store, write("after.json", after), "pool").oddities
    assert alike.kind is OddKind.POOL_LOOSELY_EQUAL
    assert alike.sentence.startswith("Queries of this file and of what the pool had before that ")
    assert alike.demonstrations == (
        OddRow("What is Co?", "a metal", (1,), (), 4),
        OddRow("What is CO?", "carbon monoxide", (), (1,), 2),
        OddRow("What is FE?", "a file", (2,), (), 5),
        OddRow("What is Fe?", "iron", (), (2,), 3),
    )
