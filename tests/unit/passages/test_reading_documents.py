"""Files of every format as documents with titles."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.curation.files.decoding import Sureness
from core.errors import InvalidInput
from core.passages.columns import Columns
from core.passages.reading import Document, read_documents

ROWS = [("Bats", "Bats can see.\nThey also hear."), ("Glass", "It is a solid.")]
DOCUMENTS = tuple(Document(*row) for row in ROWS)


@pytest.fixture
def written(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_a_txt_is_one_document_with_the_title_of_its_name(written):
    found = read_documents(written("cats and dogs.txt", "One.\r\n\r\nTwo.\rThree."))
    assert found.documents == (Document("cats and dogs", "One.\n\nTwo.\nThree."),)
    assert (found.format, found.encoding, found.columns) == ("txt", "utf-8", None)


def test_a_gzipped_txt_in_an_older_encoding(written):
    text = "Кошка сидит на окне и смотрит на птиц, которые летают над домом. " * 5
    found = read_documents(written("koshka.txt.gz", gzip.compress(text.encode("cp1251"))))
    assert found.documents == (Document("koshka", text),)
    assert (found.encoding, found.encoding_sureness) == ("cp1251", Sureness.LIKELY)
    again = read_documents(written("k.txt", text.encode("cp1251")), encoding="windows-1251")
    assert again.documents[0].text == text
    assert again.encoding_sureness is Sureness.CHOSEN


MARKDOWN = """\
Before all.

# Animals #
## Bats
They see.

```sh
# no heading
---
```

### In caves
~~~
``` # neither
~~~
Dark.
Two lines
=========

Things
======
Glass
-----
- a list
---
A solid.
####### seven signs
#no space
"""


def test_headings_become_titles_and_fences_are_whole(written):
    found = read_documents(written("notes.md", MARKDOWN))
    assert [(each.title, each.text.strip()) for each in found.documents] == [
        ("notes", "Before all."),
        ("Animals > Bats", "They see.\n\n```sh\n# no heading\n---\n```"),
        ("Animals > Bats > In caves", "~~~\n``` # neither\n~~~\nDark.\nTwo lines\n========="),
        ("Things > Glass", "- a list\n---\nA solid.\n####### seven signs\n#no space"),
    ]


def test_settings_at_the_beginning_have_no_heading(written):
    text = "---\ntitle: x\n---\nUnder\n=====\ntext"
    found = read_documents(written("a.markdown", text))
    assert found.documents == (Document("a", "---\ntitle: x\n---"), Document("Under", "text"))


def test_a_file_of_headings_alone_has_no_document(written):
    assert read_documents(written("a.md", "# One\n## Two\n")).documents == ()


def as_jsonl(rows, *names):
    return "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)


def test_jsonl_by_synonyms(written):
    found = read_documents(written("a.jsonl", as_jsonl(ROWS, "Heading", "contents")))
    assert found.documents == DOCUMENTS
    assert found.columns == Columns("contents", "Heading", guessed=True)


def test_the_clearest_name_is_taken_and_the_others_are_named(written):
    rows = [("1", "Bats", "long", "short")]
    found = read_documents(written("a.jsonl", as_jsonl(rows, "id", "name", "document", "text")))
    assert found.documents == (Document("Bats", "short"),)
    assert found.unused_columns == ("id", "document")


def test_the_tsv_of_dense_passage_retrieval(written):
    text = 'id\ttext\ttitle\n1\t"Bats ""see"" well."\tBats\n2\tIt is a solid.\tGlass\n'
    found = read_documents(written("psgs_w100.tsv", text))
    assert found.documents == (
        Document("Bats", 'Bats "see" well.'),
        Document("Glass", "It is a solid."),
    )


def test_csv_and_parquet(written, tmp_path):
    csv = 'title,text\nBats,"Bats can see.\nThey also hear."\nGlass,It is a solid.\n'
    assert read_documents(written("a.csv", csv)).documents == DOCUMENTS
    titles, texts = zip(*ROWS, strict=True)
    pq.write_table(pa.table({"title": titles, "passage": texts}), tmp_path / "a.parquet")
    found = read_documents(tmp_path / "a.parquet")
    assert (found.documents, found.encoding) == (DOCUMENTS, "binary")


def test_lists_numbers_and_nothing_as_texts(written):
    rows = [(None, ["One.", "Two."]), (7, None), ("x", 1.50)]
    found = read_documents(written("a.jsonl", as_jsonl(rows, "title", "text")))
    assert found.documents == (Document("", "One.\nTwo."), Document("7", ""), Document("x", "1.5"))


def test_a_mapping_chooses_the_columns(written):
    rows = [("t", "b, c", "other")]
    path = written("a.jsonl", as_jsonl(rows, "head, line", "Body", "text"))
    found = read_documents(path, mapping="text=body,title=head, line")
    assert found.documents == (Document("t", "b, c"),)
    assert found.columns == Columns("Body", "head, line", guessed=False)
    assert read_documents(path, mapping="text=Body").documents == (Document("", "b, c"),)


def test_the_only_column_is_the_text(written):
    found = read_documents(written("a.jsonl", '{"sentence": "One."}\n{"sentence": "Two."}'))
    assert found.documents == (Document("", "One."), Document("", "Two."))


@pytest.mark.parametrize(
    ("name", "content", "given", "message"),
    [
        ("a.jsonl", '{"q": "x", "a": "y"}', {}, "No column of a.jsonl .* q, a; name one with text"),
        ("a.jsonl", '{"text": "x"}', {"mapping": "text=y"}, 'no column "y" in a.jsonl'),
        ("a.jsonl", '{"text": "x"}', {"mapping": "title=text"}, "no column for the text"),
        ("a.jsonl", '{"text": "x"}', {"mapping": "body=text"}, '"body=text" in the mapping'),
        ("a.jsonl", '{"text": "x"}', {"mapping": "text=a,text=b"}, "each once"),
        ("a.jsonl", '{"text": [["x"]], "title": "a"}', {}, "row 1 has a list within a list"),
        ("a.txt", "x", {"mapping": "text=x"}, "read as txt, which has no columns"),
        ("a.pdf", "x", {}, "format of a.pdf is not clear .* txt, md, jsonl"),
        ("a.txt", "x", {"format": "doc"}, 'Unknown format "doc": choose one of txt, md'),
        ("a.txt", b"\x00\x01\x02", {}, "not a text file"),
        ("a.jsonl", "", {}, "a.jsonl is empty"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(written, name, content, given, message):
    with pytest.raises(InvalidInput, match=message):
        read_documents(written(name, content), **given)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="There is no file"):
        read_documents(tmp_path / "none.txt")


def test_a_named_format_decides(written):
    found = read_documents(written("LICENSE", "# One\nx"), format="md")
    assert found.documents == (Document("One", "x"),)
