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
    {"query": "is fire  HOT?", "answers": ["No"], "incorrect": ["Never"]},
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
    OddRow("is fire  HOT?", "No", (4,), (2,)),
)


def told(oddities):
    return [(each.kind, each.sentence, each.demonstrations) for each in oddities]


def test_a_preview_names_the_rows_of_the_file(write):
    report = preview(write("odd.json", ROWS)).report
    assert told(report.oddities) == [
        (OddKind.OWN_INCORRECT, OWN, OWN_ROWS),
        (OddKind.CONTRADICTION, CONTRADICTION, CONTRADICTED),
    ]
    assert report.warnings == (OWN, CONTRADICTION)
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
        {"query": "is ice COLD?", "answer": "No", "incorrect": ["Perhaps"]},
        {"query": "Is fire hot?", "answer": "Always", "incorrect": ["Yes"]},
        {"query": "Is tea warm?", "answer": "Yes", "incorrect": ["No"]},
        {"query": "Is ice cold?", "answer": "Yes", "incorrect": ["No"]},
    ]
    assert import_file(store, write("before.json", before), "pool").oddities == ()
    report = import_file(store, write("after.json", after), "pool")
    # Within the file, "No" is correct in row 1 and incorrect in row 4.
    contradicted, differing = report.oddities
    assert contradicted.demonstrations == (OddRow("is ice COLD?", "No", (1,), (4,), 4),)
    assert differing.kind is OddKind.POOL_CONTRADICTION
    assert differing.demonstrations == (OddRow("Is fire hot?", "Yes", (), (2,), 2),)
    assert report.warnings[-1] == differing.sentence
    later = import_file(
        store, write("later.json", [{"query": "Is tea hot?", "answer": "Yes"}]), "pool"
    )
    (found,) = later.oddities
    assert found.demonstrations == (OddRow("Is tea hot?", "Yes", (1,), (), 7),)
    again = import_file(store, write("before.json", before[:1]), "pool")
    assert [row.query for odd in again.oddities for row in odd.demonstrations] == ["is ice COLD?"]
