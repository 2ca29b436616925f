"""Classification sets: lines of a label and a text, and columns of labels and texts."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.curation import OddRow, guess_mapping, import_file, preview, read_table
from core.curation.files.labels import are_labelled_lines, read_labelled_lines
from core.curation.oddities import OddKind
from core.exporting import EXPORTERS, export_pool

SST_FIRST = "a stirring , funny and finally transporting re-imagining of beauty and the"
SST_LAST = "a deliciously nonsensical comedy about a city coming apart at its seams ."
ELLING = "an effectively creepy , fear-inducing -lrb- not fear-reducing -rrb- film from japanese"
SERFDOM = "How did serfdom develop in and then leave Russia ?"
CURRENCY = "What currency is used in Australia ?"
DENVER, E_COLI = "How far is it from Denver to Aspen ?", "What is e-coli ?"
SETS = {
    "sst/stsa.binary.train.gz": (
        {"0": 3310, "1": 3610}, ("1", SST_FIRST), ("1", SST_LAST), "béart"
    ),
    "sst/stsa.binary.dev": (
        {"0": 428, "1": 444}, ("0", "one long string of cliches ."), ("1", ELLING), "næs"
    ),
    "sst/stsa.binary.test": (
        {"0": 912, "1": 909},
        ("0", "no movement , no yuks , not much of anything ."),
        ("0", "but here 's the real damn : it is n't funny , either ."),
        "münch",
    ),
    "sst/stsa.fine.train.gz": (
        {"0": 1092, "1": 2218, "2": 1624, "3": 2322, "4": 1288},
        ("4", SST_FIRST), ("4", SST_LAST), "café",
    ),
    "sst/stsa.fine.dev": (
        {"0": 139, "1": 289, "2": 229, "3": 279, "4": 165},
        ("2", "in his first stab at the form , jacquot takes a slightly anarchic approach that "
              "works only sporadically ."),
        ("4", ELLING), "naiveté",
    ),
    "sst/stsa.fine.test": (
        {"0": 279, "1": 633, "2": 389, "3": 510, "4": 399},
        ("1", "no movement , no yuks , not much of anything ."),
        ("0", "but here 's the real damn : it is n't funny , either ."),
        "münch",
    ),
    "trec/TREC.train.all": (
        {"0": 1162, "1": 1250, "2": 86, "3": 1223, "4": 835, "5": 896},
        ("0", SERFDOM), ("1", CURRENCY), "sisterðcity",
    ),
    "trec/TREC.test.all": (
        {"0": 138, "1": 94, "2": 9, "3": 65, "4": 81, "5": 113}, ("5", DENVER), ("0", E_COLI), "",
    ),
    "trec/raw/TREC.train": (
        {"DESC": 1162, "ENTY": 1250, "ABBR": 86, "HUM": 1223, "LOC": 835, "NUM": 896},
        ("DESC", SERFDOM), ("ENTY", CURRENCY), "sisterðcity",
    ),
    "trec/raw/TREC.test": (
        {"DESC": 138, "ENTY": 94, "ABBR": 9, "HUM": 65, "LOC": 81, "NUM": 113},
        ("NUM", DENVER), ("DESC", E_COLI), "",
    ),
    "cr/custrev.all": (
        {"0": 1368, "1": 2407},
        ("0", "weaknesses are minor : the feel and layout of the remote control are only so-so ;"),
        ("1", ""), "",
    ),
    "mr/rt-polarity.all.gz": (
        {"0": 5331, "1": 5331}, ("0", "simplistic , silly and tedious ."),
        ("1", "provides a porthole into that noble , trembling incoherence that defines us all ."),
        "amélie's",
    ),
    "mpqa/mpqa.all": ({"0": 7294, "1": 3312}, ("0", "complaining"), ("1", ""), ""),
    "subj/subj.all.gz": (
        {"0": 5000, "1": 5000},
        ("0", "smart and alert , thirteen conversations about one thing is a small gem ."),
        ("1", "looking for a short cut to fame , glass concocted sources , quotes and even entire "
              "stories , but his deception did not go unnoticed forever , and eventually , his "
              "world came crumbling down . . ."),
        "moliè",
    ),
}  # fmt: skip
"""How many texts each label has, how the first and the last begin (empty: is), and a word."""


def content(store, name):
    pool = store.pools.get(name)
    return [(d.query, d.answer, d.tags, d.best) for d in store.demonstrations.all(pool.id)]


@pytest.mark.parametrize("name", SETS)
def test_the_sets_come_in_by_their_lines(name, shared):
    labels, first, last, word = SETS[name]
    table = read_table(shared / "data" / name)
    assert table.format == "sent-conv"
    assert Counter(row["label"] for row in table.rows) == labels
    for row, (label, beginning) in ((table.rows[0], first), (table.rows[-1], last)):
        assert (row["label"], row["text"][: len(beginning) or None]) == (label, beginning)
    assert word in " ".join(row["text"] for row in table.rows)
    assert str(guess_mapping(table)).startswith("query=text,answer=label")


@pytest.mark.parametrize(
    ("name", "queries", "demonstrations", "dropped"),
    [
        ("trec/TREC.train.all", 5381, 5381, {"double answer": 71}),
        ("cr/custrev.all", 3765, 3765, {"double answer": 6, "empty query": 4}),
        ("mpqa/mpqa.all", 8240, 8338, {"double answer": 2265, "empty query": 3}),
    ],
)
def test_texts_that_are_empty_or_there_twice_are_counted(
    shared, name, queries, demonstrations, dropped
):
    report = preview(shared / "data" / name).report
    assert (report.queries, report.demonstrations, report.dropped) == (
        queries, demonstrations, dropped
    )  # fmt: skip


def test_phrases_with_both_labels_keep_both_and_are_named(shared):
    report = preview(shared / "data" / "mpqa" / "mpqa.all").report
    (odd,) = report.oddities
    assert odd.kind is OddKind.OTHER_LABEL
    assert odd.sentence in report.warnings
    assert odd.demonstrations[:2] == (
        OddRow("claims", "0", (40, 418, 3157, 6820, 6838), (8322,)),
        OddRow("claims", "1", (8322,), (40, 418, 3157, 6820, 6838)),
    )
    assert len(odd.demonstrations) == 2 * (8338 - 8240), "each text has two labels here"


def test_fine_labels_are_tags(shared):
    found = preview(shared / "data" / "trec" / "raw" / "TREC.test", limit=500)
    assert (found.columns, str(found.mapping)) == (
        ["label", "fine_label", "text"],
        "query=text,answer=label,tags=fine_label",
    )
    first = found.drafts[0]
    assert (first.query, first.answer, first.tags) == (DENVER, "NUM", ("NUM:dist",))


LINES = "0 a dull film \r\n\n1\ta café\n-1 [1, 2]\n0  two  spaces\nLOC:city Where is Oslo ?\n1 \n"


def test_a_line_is_a_label_white_space_and_the_text():
    grid = read_labelled_lines(LINES, "f")
    assert grid.columns == ["label", "fine_label", "text"]
    assert list(grid.rows) == [
        {"label": "0", "text": "a dull film"},
        {"label": "1", "text": "a café"},
        {"label": "-1", "text": "[1, 2]"},
        {"label": "0", "text": "two  spaces"},
        {"label": "LOC", "fine_label": "LOC:city", "text": "Where is Oslo ?"},
        {"label": "1", "text": ""},
    ]


def test_an_empty_text_is_dropped_and_counted(store, write):
    report = import_file(store, write("set.all", "0 a\n1 b\n1 \n0\n"), "p", format="sent-conv")
    assert (report.rows, report.demonstrations, report.dropped) == (4, 2, {"empty query": 2})
    assert [row[:2] for row in content(store, "p")] == [("a", "0"), ("b", "1")]


@pytest.mark.parametrize(
    "line", ["no label", "0,a film", "1.5 a film", "1984 a film", "Note:this one", "loc:city x"]
)
def test_a_line_without_a_label_is_named(line, write, one_sentence):
    path = write("set.txt", f"0 a\n\n1 b\n{line}\n")
    with one_sentence(r"set.txt: line 4 begins with no label: write a whole number"):
        read_table(path, format="sent-conv")


def test_latin_1_letters_that_python_takes_for_line_ends_are_none(write):
    text = "0 wait\x85 what\n1 clich\xe9s \x96 caf\xe9s\n" * 3
    rows = read_table(write("set.all", text.encode("latin-1"))).rows
    assert rows[0] == {"label": "0", "text": "wait… what"}
    assert rows[1] == {"label": "1", "text": "clichés – cafés"}


SET = "0 dull\n1 bright\n0 grey\n1 clear\n"


@pytest.mark.parametrize("name", ["set.all", "set.txt", "set", "SET.TRAIN.gz", "a.binary.dev"])
def test_the_lines_tell_the_format_where_the_name_does_not(name, write):
    table = read_table(write(name, SET))
    assert (table.format, len(table.rows), table.rows[3]["text"]) == ("sent-conv", 4, "clear")


def test_a_known_name_tells_the_format_whatever_the_lines_are(write):
    assert read_table(write("a.csv", SET)).format == "csv"
    assert read_table(write("a.csv", SET), format="SENT-CONV").format == "sent-conv"


@pytest.mark.parametrize(
    ("text", "labelled"),
    [
        (SET, True),
        (SET.replace("\n", "\r\n"), True),
        (SET + "0\n", False),  # one line of five without a text
        (SET * 5 + "0\n", True),
        ("", False),
        ("0 a\n1 b\n0 c\n", False),  # three lines for two labels
        ("0 a\n0 b\n0 c\n0 d\n", False),  # a single label
        ("".join(f"{n} item\n" for n in range(40)), False),  # a numbered list
        ("".join(f"{n % 50} text\n" for n in range(100)), True),
        ("".join(f"{n % 51} text\n" for n in range(102)), False),
        ("good a\nbad b\n" * 5, False),
    ],
)
def test_what_counts_as_labelled_lines(text, labelled):
    assert are_labelled_lines(text) is labelled


words = st.text(st.characters(codec="ascii", categories=["L", "P"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.integers(0, 4), st.lists(words, min_size=1, max_size=4))))
def test_what_is_written_as_lines_is_read_back(pairs):
    text = "".join(f"{label} {' '.join(spoken)}\n" for label, spoken in pairs)
    assert [(row["label"], row["text"]) for row in read_labelled_lines(text, "f").rows] == [
        (str(label), " ".join(spoken)) for label, spoken in pairs
    ]


def test_other_choices_do_not_belong_to_the_format(write, one_sentence):
    with one_sentence("has no delimiter"):
        read_table(write("set.all", SET), delimiter=",")
    assert read_table(write("set.all", SET), encoding="latin-1").encoding == "iso8859-1"


@pytest.mark.parametrize("format", EXPORTERS)
def test_export_then_import_gives_the_same_set(format, store, shared, tmp_path):
    import_file(store, shared / "data" / "trec" / "raw" / "TREC.test", "before")
    path = tmp_path / f"set{EXPORTERS[format].extension}"
    export_pool(store, "before", format, path)
    import_file(store, path, "after")
    assert content(store, "after") == content(store, "before")
    assert content(store, "after")[0] == (DENVER, "NUM", ("NUM:dist",), False)


@pytest.mark.parametrize(
    ("rows", "number"),
    [
        ([("b", "1"), ("a", "0"), ("b", "1"), ("a", "1"), ("c", "0")], 0),  # labels of two queries
        ([(f"t{n}", str(n % 2)) for n in range(8)] + [("t0", "1")], 2),
        ([(f"t{n}", str(n % 2)) for n in range(8)] + [("t0", "0")], 0),  # a mere double
        ([(f"t{n}", f"answer {n}") for n in range(8)] + [("t0", "1")], 0),  # no labels
    ],
)
def test_two_labels_of_a_text_are_odd_where_answers_are_labels(rows, number, write):
    text = "text,label\n" + "".join(f"{text},{label}\n" for text, label in rows)
    odd = preview(write("set.csv", text)).report.oddities
    assert sum(len(each.demonstrations) for each in odd) == number
    if number:
        assert odd[0].demonstrations == (
            OddRow("t0", "0", (1,), (9,)), OddRow("t0", "1", (9,), (1,))
        )  # fmt: skip


def test_labels_of_one_row_are_meant_together(write):
    rows = [{"text": f"t{n}", "label": ["0", "1"]} for n in range(8)]
    assert preview(write("set.json", rows)).report.oddities == ()


def test_a_label_that_differs_from_the_pools_is_named(store, write):
    import_file(store, write("train.all", "0 a\n1 b\n0 c\n1 d\n0 e\n1 f\n"), "set")
    report = import_file(store, write("test.all", "1 a\n1 b\n0 g\n0 h\n"), "set")
    (odd,) = report.oddities
    assert (odd.kind, odd.sentence) == (OddKind.POOL_OTHER_LABEL, report.warnings[-1])
    assert odd.demonstrations == (OddRow("a", "1", (1,), (), 7), OddRow("a", "0", (), (), 1))


@pytest.mark.parametrize(
    ("columns", "mapping"),
    [
        ("text label", "query=text,answer=label"),
        ("sentence label idx", "query=sentence,answer=label"),
        ("text label label_text", "query=text,answer=label_text"),
        ("label_text label text", "query=text,answer=label_text"),
        ("review sentiment", "query=review,answer=sentiment"),
        ("Text Labels", "query=Text,answer=Labels"),
        ("content category", "query=content,answer=category"),
        ("document class", "query=document,answer=class"),
        ("utterance intent", "query=utterance,answer=intent"),
        ("sentence target", "query=sentence,answer=target"),
        ("text target", "query=text,answer=target"),
        ("text coarse_label fine_label", "query=text,answer=coarse_label,tags=fine_label"),
        ("label-coarse label-fine text", "query=text,answer=label-coarse,tags=label-fine"),
        ("text label topic incorrect note",
         "query=text,answer=label,incorrect=incorrect,tags=topic,note=note"),
        ("question passage label", "query=passage+question,answer=label"),
        # Where there is an answer, a label is a tag, as ever.
        ("question answer label", "query=question,answer=answer,tags=label"),
        ("text response label_text label", "query=text,answer=response,tags=label"),
    ],
)  # fmt: skip
def test_columns_of_labels_and_texts(columns, mapping, write):
    names = columns.split()
    cells = [f"{name.lower()} cell" for name in names]
    table = read_table(write("set.tsv", "\t".join(names) + "\n" + "\t".join(cells) + "\n"))
    assert str(guess_mapping(table)) == mapping


@pytest.mark.parametrize("columns", ["sentence1,sentence2,label", "premise,hypothesis,label",
                                     "sentence,output", "label,idx", "text,idx"])  # fmt: skip
def test_columns_that_are_no_text_with_a_label(columns, write):
    line = ",".join(f"c{n}" for n in range(columns.count(",") + 1))
    assert "looks like the" in preview(write("set.csv", f"{columns}\n{line}\n")).problem


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
def test_numbers_stay_as_they_are_written(format, write, tmp_path):
    if format == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = tmp_path / "set.parquet"
        pq.write_table(pa.table({"sentence": ["a film", "b film"], "label": [0, 10]}), path)
    else:
        cells = {
            "csv": "sentence,label\na film,0\nb film,10\n",
            "tsv": "sentence\tlabel\na film\t0\nb film\t10\n",
            "jsonl": '{"sentence": "a film", "label": 0}\n{"sentence": "b film", "label": 10}\n',
        }
        path = write(f"set.{format}", cells[format])
    assert [(each.query, each.answer) for each in preview(path).drafts] == [
        ("a film", "0"), ("b film", "10")
    ]  # fmt: skip
