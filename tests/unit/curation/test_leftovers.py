"""What programs leave in texts: white space, marks, words for an empty cell, escaped letters."""

import random

import pytest

from core.curation import import_file, parse_mapping, preview, read_table
from core.errors import InvalidInput
from tests.support.written_files import write_rows

FORMATS = ("csv", "tsv", "json", "jsonl", "parquet", "xlsx")
JOBS = ("baker", "cobbler", "barber", "judge", "miner", "tailor")


def rows_with(answer="a {}", incorrect="a {}", query="Who is {}?"):
    """Questions with an answer and an incorrect one each, in these words around a job."""
    return [
        {
            "question": query.format(n),
            "reply": answer.format(job),
            "wrong_answer": incorrect.format(other),
        }
        for n, (job, other) in enumerate(zip(JOBS, JOBS[1:] + JOBS[:1], strict=True))
    ]


MAPPED = "query=question,answer=reply,incorrect=wrong_answer"


@pytest.fixture
def look(tmp_path):
    """The preview of rows in a file of the format, under a mapping of theirs with more in it."""

    def look(rows, more="", format="jsonl"):
        path = write_rows(tmp_path / f"f.{format}", format, rows)
        return preview(path, mapping=MAPPED + more)

    return look


def texts(found):
    return [
        (each.query, each.answer, [one.text for one in each.incorrect]) for each in found.drafts
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_a_space_before_every_answer_is_said_and_one_choice_takes_it_away(look, format):
    rows = rows_with(answer=" a {}")
    found = look(rows, format=format)
    left = found.report.leftovers
    assert (left.spaced, left.answers, left.led, left.incorrect) == (6, 6, 6, 0)
    assert found.report.warnings == (
        "Texts that begin or end with white space: 6 (6 of 6 answers, 0 of 6 incorrect answers); "
        "they are kept as written.",
        "Most answers begin with a space, and a prompt puts one in front of them already.",
        "Correct and incorrect answers differ in the white space around them, so a model can tell "
        "them apart by that alone.",
    )
    assert [each.answer for each in found.drafts] == [row["reply"] for row in rows]
    bare = look(rows, ",strip=yes", format)
    assert texts(bare) == texts(look(rows_with(), format=format))
    assert bare.report.warnings == ()


@pytest.mark.parametrize(
    ("answer", "incorrect", "query", "led", "differ"),
    [
        (" a {}", " a {}", "Who is {}?", True, False),
        ("a {}", " a {}", "Who is {}?", False, True),
        ("a {}\n", "a {}", "Who is {}?", False, True),
        ("a {}\n", "a {}\n", "Who is {}?", False, False),
        (" a {}", " a {}", "Who is {}? ", False, False),
        ("    return {}\n", "    return {}\n", "def f():\n", False, False),
        ("a {}", "a {}", "Who is {}?", False, False),
    ],
)
def test_where_white_space_matters(look, answer, incorrect, query, led, differ):
    left = look(rows_with(answer, incorrect, query)).report.leftovers
    assert (left.led_by_a_space, left.differ) == (led, differ)


def test_half_of_the_answers_are_not_most_of_them(look):
    rows = rows_with(" a {}", " a {}")[:3] + rows_with()[3:]
    left = look(rows).report.leftovers
    assert (left.led, left.led_by_a_space, left.differ) == (3, False, False)


@pytest.mark.parametrize(
    ("query", "answer", "ends"),
    [
        ("Who is {}?\n\n###\n\n", " a {} END", ("\n\n###\n\n", " END")),
        ("Who is {} ->", " a {}\n", (" ->", "")),
        ("Who is {} =>", "a {}###", (" =>", "###")),
        ("Who is {}?", "a {}<|endoftext|>", ("", "<|endoftext|>")),
        ("Who is {}?", "a {}</s>", ("", "</s>")),
        ("Who is {}? True or false?", "the END of {}", ("", "")),
    ],
)
def test_marks_at_the_ends_of_all_texts_are_taken_away_with_white_space(look, query, answer, ends):
    rows = rows_with(answer, answer, query)
    left = look(rows).report.leftovers
    assert (left.query_end, left.answer_end) == ends
    (first, *_) = texts(look(rows, ",strip=yes"))
    bare = [query, answer, answer]
    for place, end in enumerate((ends[0], ends[1], ends[1])):
        bare[place] = bare[place].removesuffix(end).strip()
    job, other = JOBS[:2]
    assert first == (bare[0].format(0), bare[1].format(job), [bare[2].format(other)])


def test_a_mark_that_one_text_lacks_is_none(look):
    rows = rows_with("a {} END", "a {} END")
    rows[3]["reply"] = "a judge"
    found = look(rows, ",strip=yes")
    assert found.report.leftovers.answer_end == ""
    assert texts(found)[0][1] == "a baker END"


@pytest.mark.parametrize("format", FORMATS)
def test_words_for_an_empty_cell_are_counted_and_left_out_by_choice(look, format):
    rows = rows_with()
    rows[0]["wrong_answer"] = "nan"
    rows[1] |= {"reply": "None", "wrong_answer": "nan"}
    rows[2] |= {"reply": r"\N", "wrong_answer": "NULL"}
    found = look(rows, format=format)
    assert found.report.leftovers.empty == {"None": 1, r"\N": 1, "nan": 2, "NULL": 1}
    assert found.report.warnings == (
        r'Words that may stand for an empty cell: "None" (1), "\N" (1), "nan" (2), "NULL" (1); '
        r"they are kept as texts.",
    )
    assert found.report.demonstrations == 6
    bare = look(rows, r",empty=None|\N|nan|NULL", format)
    assert texts(bare)[0] == ("Who is 0?", "a baker", [])
    assert (bare.report.demonstrations, bare.report.leftovers.empty) == (4, {})
    assert bare.report.dropped == {"empty answer": 2, "empty incorrect answer": 1}


def test_only_the_words_that_are_named_are_left_out(look):
    rows = rows_with()
    rows[0]["reply"], rows[1]["reply"] = "None", "NaN"
    found = look(rows, ",empty= NaN ")
    assert [each.answer for each in found.drafts][:2] == ["None", "a barber"]


@pytest.mark.parametrize("word", ["none", "Nan", "na", "Null and void", "NANO", "-", "Na"])
def test_words_that_no_program_writes_for_nothing_are_texts(look, word):
    rows = rows_with()
    rows[0]["reply"] = word
    assert look(rows).report.leftovers.empty == {}


def test_an_empty_option_keeps_the_place_of_those_after_it(write):
    rows = [{"question": f"q{n}", "choices": ["nan", "b", "c"], "answer": "C"} for n in range(3)]
    mapping = "query=question,answer=answer,options=choices,empty=nan"
    (first, *_) = preview(write("f.json", rows), mapping=mapping).drafts
    assert (first.answer, [each.text for each in first.incorrect]) == ("c", ["b"])


@pytest.mark.parametrize("more", [",strip=yes", r",empty=\N|nan", ",empty=NULL,strip=yes"])
def test_the_choices_are_written_and_read_with_the_mapping(look, more):
    found = look(rows_with(), more)
    assert str(found.mapping).endswith(more)
    assert parse_mapping(str(found.mapping), found.table) == found.mapping


def test_neither_yes_nor_no_is_refused(write, one_sentence):
    table = read_table(write("f.json", rows_with()))
    with one_sentence("write strip=yes or strip=no"):
        parse_mapping(MAPPED + ",strip=both", table)
    assert not parse_mapping(MAPPED + ",strip=no", table).strip


@pytest.mark.parametrize("format", FORMATS)
def test_escaped_letters_are_counted_and_kept(look, format):
    rows = rows_with()
    rows[0] |= {"question": "What is &quot;it&quot;?", "reply": "Salt &amp; Light"}
    rows[1]["wrong_answer"] = "It&#039;s"
    found = look(rows, format=format)
    assert texts(found)[0][:2] == ("What is &quot;it&quot;?", "Salt &amp; Light")
    assert found.report.leftovers.escaped == 3
    assert found.report.warnings == (
        "Texts and tags with escaped letters, such as &quot;: 3; they are kept as written, and "
        "Review finds and repairs them.",
    )


def test_a_pool_that_is_stripped_is_the_pool_without_what_was_left(write, store):
    """A generator leaves white space, marks or both in a file; taken away, nothing is left."""
    for seed in range(40):
        chance = random.Random(seed)
        space = chance.choice(["", " ", "\n", "\t"])
        query_end = chance.choice(["", "\n\n###\n\n", " ->", "\n=>"])
        answer_end = chance.choice(["", " END", "\n###", " STOP"])
        left = rows_with(
            f"{space}a {{}}{answer_end}", f"a {{}}{answer_end}", f"Who {{}}{query_end}"
        )
        path = write(f"{seed}.json", left)
        import_file(store, path, f"left {seed}", mapping=f"{MAPPED},strip=yes")
        bare = write(f"bare {seed}.json", rows_with(query="Who {}"))
        import_file(store, bare, f"bare {seed}", mapping=MAPPED)
        pools = [store.pools.get(f"{name} {seed}") for name in ("left", "bare")]
        found = [
            [(row.query, row.answer, row.incorrect) for row in store.demonstrations.all(pool.id)]
            for pool in pools
        ]
        assert found[0] == found[1]


def test_a_file_with_nothing_but_words_for_nothing_is_refused_when_they_are_left_out(look):
    rows = [{"question": "q", "reply": "nan", "wrong_answer": "b"}]
    found = look(rows, ",empty=nan")
    assert found.report is None
    assert "1 x empty answer" in found.problem
    with pytest.raises(InvalidInput):
        parse_mapping("query=question,answer=reply,empty=nan,empty=b", found.table)
