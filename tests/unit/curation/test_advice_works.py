"""What a refusal advises: the file is refused with that advice, and read once it is followed."""

import json
import re
from dataclasses import dataclass, field

import pytest

from core.curation import preview
from core.errors import InvalidInput

ROWS = [{"question": "q", "answer": "a"}, {"question": "r", "answer": "b"}]
CSV = "question,answer\nq,a\nr,b\n"


@dataclass(frozen=True)
class Case:
    """A file that is refused, a part of the advice, and the file or the choice that follows it."""

    name: str
    content: str | bytes | object
    advice: str
    then: str | bytes | object = None
    renamed: str = ""
    choice: dict[str, str] = field(default_factory=dict)
    demonstrations: int = 2


CASES = (
    Case("a.csv", "Customer says,We say\nq,a\nr,b\n", "name them, as in query=COLUMN,answer=COLUMN",
         choice={"mapping": "query=Customer says,answer=We say"}),
    Case("a.csv", "Why it is.,It is so.\nHow it is.,Well.\n", "query=column 1,answer=column 2",
         choice={"mapping": "query=column 1,answer=column 2"}),
    Case("a.json", [{"q": "q", "meta": {"a": "a"}}, {"q": "r", "meta": {"a": "b"}}],
         "its columns are q, meta.a: name them", choice={"mapping": "query=q,answer=meta.a"}),
    Case("a.dat", CSV, "name one of truthfulqa, csv", choice={"format": "csv"}),
    Case("a.dat", CSV, "or rename the file", renamed="a.csv"),
    Case("a.csv", "question,answer\nq,a, b\nr,b\n", "put quotes around cells that contain a comma",
         then='question,answer\nq,"a, b"\nr,b\n'),
    Case("a.csv", 'question,answer\nq,"a\nr,b\n', "close it, or where it is a letter",
         then='question,answer\nq,"""a"\nr,b\n'),
    Case("a.csv", 'question,answer\n"What is "it"?",a\nr,b\n', r'write each quote .* twice \(""\)',
         then='question,answer\n"What is ""it""?",a\nr,b\n'),
    Case("a.csv", 'question,answer\n"What is \\"it\\"?",a\nr,b\n', r'write each quote .* twice',
         then='question,answer\n"What is ""it""?",a\nr,b\n'),
    Case("a.json", {"train": ROWS, "test": ROWS[:1]}, "write the one to import",
         then=ROWS),
    Case("a.jsonl", f'{json.dumps(ROWS[0])}\nr, b\n', "every line must be one JSON object",
         then="\n".join(map(json.dumps, ROWS))),
    Case("a.jsonl", '["q", "a"]\n["r", "b"]\n', r'one JSON object such as {"query"',
         then="\n".join(json.dumps({"query": q, "answer": a}) for q, a in ("qa", "rb"))),
    Case("a.csv", "question,answer,text\nq,accept,a\nr,reject,b\n", "status=answer",
         choice={"mapping": "query=question,answer=text,status=answer"}),
    Case("a.csv", CSV, "import it as csv", choice={"format": "csv"}),
    Case("a.json", [{"question": "q", "choices": ["a", "b"], "answer": 1}],
         "write first=0 or first=1",
         choice={"mapping": "query=question,answer=answer,options=choices,first=1"},
         demonstrations=1),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.advice)
def test_the_advice_works(write, case):
    path = write(case.name, case.content)
    given = {"format": "truthfulqa"} if case.advice == "import it as csv" else {}
    try:
        problem = preview(path, **given).problem
    except InvalidInput as error:
        problem = str(error)
    assert re.search(case.advice, problem), problem
    followed = write(case.renamed or case.name, case.content if case.then is None else case.then)
    found = preview(followed, **case.choice)
    assert found.report is not None, found.problem
    assert found.report.demonstrations == case.demonstrations
