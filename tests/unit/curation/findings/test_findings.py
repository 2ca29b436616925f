"""Each check on pools whose faults are known, and what every finding has."""

import numpy as np
import pytest

from core.curation.findings.checks.outlier import FAR, FEWEST, modified_z
from core.curation.findings.registry import CHECKS, find_all
from core.demonstration.demonstration import Status
from core.retrieval.retrieved import RetrievalCounts
from tests.unit.curation.findings.conftest import draft

CLEAN = (
    ("Is glass a liquid?", "No, it is solid", "Yes, it flows"),
    ("Do bats see at night?", "Most of them do", "They are blind"),
    ("How tall is the tower of Pisa?", "57 metres", "100 metres"),
)
FRANCE = "What is the capital of France?"


def counted(counts, asked):
    """That demonstrations 1, 2, ... are in so many contexts."""
    ids = np.arange(1, len(counts) + 1)
    return RetrievalCounts(ids, np.array(counts), asked, asked)


@pytest.mark.parametrize("threshold", [0.85, 1.0])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_a_pool_without_faults_has_no_findings(checked, n, threshold):
    found = find_all(checked(*CLEAN[:n], threshold=threshold))
    assert found == dict.fromkeys(CHECKS, ())


def test_an_answer_among_its_own_incorrect_ones(found):
    rows = ((FRANCE, "Paris", "Rome", "PARIS."), *CLEAN)
    assert found("own-incorrect", *rows) == [([(FRANCE, "Paris")], 1.0, "Paris")]
    assert found("contradiction", *rows, name="b") == []


def test_an_answer_that_is_correct_here_and_incorrect_there(found):
    rows = ((FRANCE, "Paris", "Rome"), (FRANCE, "Lyon", "paris"), *CLEAN)
    both = [(FRANCE, "Paris"), (FRANCE, "Lyon")]
    assert found("contradiction", *rows) == [(both, 1.0, "Paris")]


def test_two_that_contradict_each_other_are_one_finding(found):
    rows = ((FRANCE, "Paris", "Lyon"), (FRANCE, "Lyon", "Paris"), *CLEAN)
    assert found("contradiction", *rows) == [([row[:2] for row in rows[:2]], 1.0, "Paris")]


def test_a_contradiction_of_queries_that_are_much_the_same(found):
    typed = "What is the capitol of France?"
    rows = ((FRANCE, "Paris", "Rome"), (typed, "Rome", "Berlin"), *CLEAN)
    ((both, measure, text),) = found("contradiction", *rows)
    assert (both, text) == ([(FRANCE, "Paris"), (typed, "Rome")], "Rome")
    assert 0.95 <= measure < 1.0
    assert found("contradiction", *rows, threshold=1.0, name="b") == []


def test_a_contradiction_needs_two_demonstrations_and_one_query(found):
    other = "Where do people eat most?"
    assert found("contradiction", (FRANCE, "Paris"), (other, "Rome", "Paris"), *CLEAN) == []


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("Das ist schÃ¶n", "Das ist schön"),
        ("It doesnâ€™t", "It doesn’t"),
        ("a dash \x80\x94 without its first byte", "a dash — without its first byte"),
        ("Don\x92t", "Don’t"),
        ("lost \N{REPLACEMENT CHARACTER} letter", "lost \N{REPLACEMENT CHARACTER} letter"),
    ],
)
@pytest.mark.parametrize("field", ["query", "answer", "incorrect"])
def test_damaged_letters_with_their_repair(found, text, repaired, field):
    row = {
        "query": (text, "an answer"),
        "answer": ("A query?", text),
        "incorrect": ("A query?", "an answer", text),
    }[field]
    assert found("encoding", row, *CLEAN) == [([row[:2]], 1.0, repaired)]


@pytest.mark.parametrize("text", ["schön", "&amp; is kept", "naïve café", "Größe", "日本語", "…"])
def test_good_letters_are_left_alone(found, text):
    assert found("encoding", (text, text), *CLEAN) == []


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("the book &quot;Heat&quot; &amp; more", 'the book "Heat" & more'),
        ("It&#039;s 100&deg;C", "It's 100°C"),
        ("caf&eacute; &#x263A; &hellip;", "café ☺ …"),
        ("a &lt;b&gt; &alpha;", "a <b> α"),
        ("&amp;lt;", "&lt;"),
        ("Salt%20%26%20Light", "Salt & Light"),
        ("caf%C3%A9", "café"),
        (r"caf\u00e9 \u2019s", "café ’s"),
    ],
)
@pytest.mark.parametrize("field", ["query", "answer", "incorrect", "tag"])
def test_escaped_letters_with_their_repair(found, text, repaired, field):
    row = {
        "query": draft(text, "an answer"),
        "answer": draft("A query?", text),
        "incorrect": draft("A query?", "an answer", text),
        "tag": draft("A query?", "an answer", tags=(text,)),
    }[field]
    assert found("escaped", row, *CLEAN) == [([(row.query, row.answer)], 1.0, repaired)]


@pytest.mark.parametrize(
    "text",
    [
        "AT&T", "R&D; so on", "x = &sum;", "a &b; c", "&", "&;", "100%", "50% or 20%", "a %20 b",
        "https://a.org/b%20c", "%FF", r"\u", r"C:\users", r"\u0041", r"\ud83d", "&notaname;",
    ],
)  # fmt: skip
def test_texts_that_are_not_escaped_are_left_alone(found, text):
    assert found("escaped", (text, text), *CLEAN) == []


def test_queries_and_answers_without_a_word(found):
    rows = (("...", "-"), ("Why?", "?!"), ("1 + 1", "2"), *CLEAN)
    assert found("wordless", *rows) == [([("...", "-")], 2.0, "..."), ([("Why?", "?!")], 1.0, "?!")]


def test_the_same_demonstration_but_for_case_order_and_a_slip_is_one_group(found):
    rows = (
        (FRANCE, "It is Paris"),
        ("the capital of FRANCE is what", "It is Paris."),
        (FRANCE, "IT IS PARIS"),
        ("What is the capitol of France?", "It is Paris"),
        (FRANCE, "Paris is it"),
        ("What is the capital of Peru?", "It is Lima"),
        *CLEAN,
    )
    ((group, measure, text),) = found("duplicate", *rows)
    assert (group, text) == ([row[:2] for row in rows[:4]], "")
    assert 0.95 <= measure < 1.0
    ((group, measure, _),) = found("duplicate", *rows, threshold=1.0, name="b")
    assert (group, measure) == ([row[:2] for row in rows[:3]], 1.0)


def test_other_answers_to_one_query_are_no_duplicates(found):
    rows = (
        (FRANCE, "Paris"),
        (FRANCE, "The city of light"),
        (FRANCE, "page 1"),
        (FRANCE, "page 2"),
    )
    assert found("duplicate", *rows) == []


def test_near_same_queries_with_different_short_answers(found):
    rows = (
        (FRANCE, "Paris"),
        ("What is the capitol of France?", "Lyon"),
        ("Who wrote the third book of the law?", "Nobody knows"),
        ("Who wrote the third book of the laws?", "Nobody knew"),
        *CLEAN,
    )
    ((both, measure, _),) = found("other-answer", *rows)
    assert both == [row[:2] for row in rows[:2]]
    assert 0.95 <= measure < 1.0


def test_case_is_another_answer_where_no_word_is_longer(found):
    rows = (("The cross?", "Bb Bb", "BB Bb"), ("The formula?", "Sc = Ej", "sC = eJ"), *CLEAN)
    assert found("own-incorrect", *rows) == found("contradiction", *rows, name="b") == []


@pytest.mark.parametrize(
    ("answer", "other", "same"),
    [
        ("no", "NO.", True), ("No", "no", True), ("OK", "ok.", True), ("Ja.", "JA", True),
        ("да", "Да.", True), ("Bb", "BB", False), ("us", "US", False), ("C", "c", False),
        ("no", "No one", False), ("no", "on", False),
    ],
)  # fmt: skip
def test_answers_of_two_letters_in_capitals(found, answer, other, same):
    expected = [([("Is it?", answer)], 1.0, answer)] * same
    assert found("own-incorrect", ("Is it?", answer, other), *CLEAN) == expected


def test_words_in_another_order_may_be_another_question(found):
    rows = (
        ("Does growth of wages cause growth of prices?", "Yes", "No"),
        ("Does growth of prices cause growth of wages?", "No", "Yes"),
    )
    for check in ("contradiction", "other-answer"):
        assert found(check, *rows, *CLEAN, name=check) == []


def test_code_and_formulas_are_not_without_a_word(found):
    rows = (("What divides?", "//"), ("And this?", "**"), ("Which sign?", "≡"))
    assert found("wordless", *rows) == []


def test_a_sign_is_another_answer(found):
    rows = (("Which language?", "C", "C++"), ("Which language?", "C++", "C#"), *CLEAN)
    assert found("own-incorrect", *rows) == found("duplicate", *rows, name="b") == []


def test_long_answers_may_all_be_right(found):
    rows = ((FRANCE, "Paris"), ("What is the capitol of France?", "That depends on what is meant"))
    assert found("other-answer", *rows) == []


def test_the_same_answer_under_several_queries_is_a_leak(found):
    rows = (
        ("When did it begin?", "In the year of the great frost"),
        ("Who came first?", "nobody"),
        ("What year is this about?", "in the year of the great frost."),
        ("Which year was coldest?", "In the year of the great frost"),
        *CLEAN,
    )
    ((group, measure, text),) = found("leak", *rows)
    assert group == [rows[0], rows[2], rows[3]]
    assert (measure, text) == (3.0, rows[0][1])


def test_queries_that_are_much_the_same_leak_whatever_their_answers(found):
    rows = (
        (FRANCE, "Paris"),
        (FRANCE, "On the Seine"),
        ("the capital of France: what is?", "Rome"),
    )
    ((group, measure, _),) = found("leak", *rows, *CLEAN)
    assert (group, measure) == (list(rows), 2.0)


def test_labels_are_no_leak(found):
    reviews = [(f"review {'abcdefghijkl'[i] * 5}", ("good", "bad")[i % 2]) for i in range(12)]
    assert found("leak", *reviews) == []


def test_a_very_long_answer(found):
    rows = [(f"question {'abcdefghijklmnopqrst'[i] * 4}", "word " * (3 + i % 3)) for i in range(19)]
    long = ("The last one?", "word " * 60)
    assert found("long-answer", *rows, long) == [([long], float(len(long[1])), "")]
    assert found("long-answer", *rows[:18], long, name="b") == []  # too few to compare


def test_answers_of_many_lengths_are_not_long(found):
    rows = [(f"question {'abcdefghijklmnopqrst'[i] * 4}", "w" * 2 ** (i // 2)) for i in range(20)]
    assert found("long-answer", *rows) == []


def test_robust_deviations_by_hand():
    # The median is 3, the absolute deviations are 2, 1, 0, 1, 97, so their median is 1.
    assert modified_z(np.array([1.0, 2.0, 3.0, 4.0, 100.0])) == pytest.approx(
        0.6745 * np.array([-2.0, -1.0, 0.0, 1.0, 97.0])
    )
    assert modified_z(np.array([2.0, 2.0, 2.0, 9.0])).tolist() == [0.0] * 4


def test_a_query_far_from_all_others_is_an_outlier(checked):
    near = [
        (f"How deep is lake {first}{second}?", "Deep") for first in "aeiou" for second in "lnrs"
    ]
    pool = checked(*near, ("Zwölf Boxkämpfer jagen Viktor", "quer"))
    apart = 1.0 - pool.near.nearest
    centre = np.median(apart)
    scores = 0.6745 * (apart - centre) / np.median(np.abs(apart - centre))
    expected = {place: score for place, score in enumerate(scores.tolist()) if score > FAR}
    assert 20 in expected
    assert {each.ids: each.measure for each in find_all(pool)["outlier"]} == {
        (pool.rows[place].id,): pytest.approx(score) for place, score in expected.items()
    }
    assert find_all(checked(*near[: FEWEST - 2], near[-1], name="b"))["outlier"] == ()


def test_retrieved_by_no_query_and_by_very_many(found):
    ids = [row[:2] for row in CLEAN]
    counts = counted([0, 2, 3], 8)
    assert found("never-retrieved", *CLEAN, retrieved=counts) == [([ids[0]], 0.0, "")]
    rows = [*CLEAN, *((f"Query {word}?", word.upper()) for word in ("ab", "cd", "ef", "gh", "ij"))]
    rare = [0, 0, 0, 0, 0]
    often = found("often-retrieved", *rows, retrieved=counted([0, 2, 3, *rare], 8), name="b")
    assert often == [([ids[2]], 0.375, ""), ([ids[1]], 0.25, "")]


def test_where_all_are_in_many_contexts_none_is_there_too_often(found):
    assert found("often-retrieved", *CLEAN, retrieved=counted([3, 5, 8], 8)) == []
    rows = [*CLEAN, ("Query ab?", "AB")]
    assert found("often-retrieved", *rows, retrieved=counted([0, 0, 7, 1], 8), name="b") == [
        ([CLEAN[2][:2]], 0.875, "")
    ]


def test_once_is_not_often_and_pinned_is_no_fault(found):
    pinned = draft(*CLEAN[0], status=Status.PINNED)
    rows = (pinned, *CLEAN[1:])
    assert found("often-retrieved", *rows, retrieved=counted([3, 1, 1], 3)) == []


def test_nothing_is_known_of_retrieval_before_it_is_counted(found):
    for check in ("never-retrieved", "often-retrieved"):
        assert found(check, *CLEAN, name=check) == []
        assert found(check, *CLEAN, retrieved=counted([0, 0, 0], 0), name=f"{check} 0") == []


FAULTY = (
    (FRANCE, "Paris", "Paris"),
    (FRANCE, "Lyon", "Paris"),
    ("the capital of France is what", "paris"),
    ("schÃ¶n", "..."),
    *CLEAN,
)


def test_a_finding_has_the_same_key_in_a_pool_in_another_order(checked):
    there = find_all(checked(*FAULTY))
    here = find_all(checked(*CLEAN, *FAULTY[:4][::-1], name="b"))
    keys = {name: {each.key for each in found} for name, found in there.items()}
    assert keys == {name: {each.key for each in found} for name, found in here.items()}
    every = [key for found in keys.values() for key in found]
    assert len(set(every)) == len(every) > 4


def test_another_text_is_another_finding(checked):
    (one,) = find_all(checked(*FAULTY))["encoding"]
    (other,) = find_all(checked(("schÃ¶ner", "..."), *CLEAN, name="b"))["encoding"]
    assert one.key != other.key


@pytest.mark.parametrize("threshold", [0.85, 0.95, 1.0])
def test_every_finding_is_of_the_pool_and_the_gravest_comes_first(checked, threshold):
    pool = checked(*FAULTY, threshold=threshold, retrieved=counted([0, 0, 0, 9, 9, 9, 9], 9))
    ids = [row.id for row in pool.rows]
    found = find_all(pool)
    assert list(found) == list(CHECKS)
    assert sum(map(len, found.values())) >= 6
    for name, findings in found.items():
        assert [each.measure for each in findings] == sorted(
            (each.measure for each in findings), reverse=True
        )
        for each in findings:
            assert each.check == name
            assert list(each.ids) == [id for id in ids if id in each.ids]
            assert np.isfinite(each.measure)


def test_a_lower_threshold_finds_no_less(checked):
    pools = [
        find_all(checked(*FAULTY, threshold=threshold, name=str(threshold)))
        for threshold in (0.85, 0.95, 1.0)
    ]
    for name in ("duplicate", "leak"):
        members = [{id for each in pool[name] for id in each.ids} for pool in pools]
        texts = [len(each) for each in members]
        assert texts == sorted(texts, reverse=True)


def test_names_and_explanations_are_complete():
    for name, check in CHECKS.items():
        assert check.name == name
        assert check.explanation.endswith(".")
        assert check.label
        assert check.measure
