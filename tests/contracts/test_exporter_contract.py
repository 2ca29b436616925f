"""What every exporter promises: export then import gives the same pool."""

from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.curation import guess_mapping, import_file, read_table, to_drafts
from core.demonstration.demonstration import (
    Demonstration,
    Draft,
    IncorrectAnswer,
    Status,
    incorrect_answers,
)
from core.exporting import EXPORTERS, export_demonstrations, export_pool
from core.store import Store
from core.text import is_blank, same_text

TEXTS = [
    "plain", "a, b", 'say "so"', '"', "two\nlines", "dos\r\nlines", "lone\rreturn", "a; b;",
    "tab\there", "猫はどこ？", "👩‍🚀 🇪🇺", "=1+1", "@SUM(A1)", "-5", "+1", "#N/A", "NA", "null",
    "NaN", "007", "1.10", "1e5", "True", "false", "2024-02-29", "[1, 2]", '["a", "b"]', "['a']",
    "[", "[]", "{}", '{"text": "x"}', "_x0041_", "_x005F_", "bell\x07", "\x0bvertical", "é e\u0301",
    "\u2028line", "\ufeffmark", "\uffff", "{query}", "%s", "\\n", "'", "sep=;", "ﬁ", "١٢",
    "    return x\n", "if x:\n\treturn\n\n", "\n\n  def f():\n", " a ", "\ta", "a\n", "\r\na\r\n",
    ' "quoted" ', " [1, 2] ", "\xa0hard\u2003", " = 1", "3²", "32", "Co", "CO", "x  y",
]  # fmt: skip
KINDS = [(), ("wrong value", "", "missing field"), ("[1]", "a, b", "猫"), ("", "", "=1+1")]

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
# What only holds characters that nobody sees is empty to the importer.
filled = texts.filter(lambda text: not is_blank(text)) | st.sampled_from(TEXTS)
words = filled.map(str.strip)
kinds = st.sampled_from(["", "wrong value", "[1]", '["a", "b"]', "a, b"]) | words
kinded = st.lists(st.tuples(filled, kinds), max_size=3, unique_by=lambda pair: same_text(pair[0]))
plain = st.builds(
    Draft,
    query=filled,
    answer=filled,
    tags=st.lists(words, max_size=2, unique=True).map(tuple),
    best=st.booleans(),
    status=st.sampled_from(Status),
    note=texts | st.sampled_from(TEXTS),
    rationale=texts | st.sampled_from(TEXTS),
    passages_shown=st.lists(words, max_size=2, unique=True).map(tuple),
    written_by=words,
)


@st.composite
def demonstrations(draw):
    pairs = (IncorrectAnswer(*pair) for pair in draw(kinded))
    return replace(draw(plain), incorrect=tuple(pairs))


def fields_of(one):
    return {field.name: getattr(one, field.name) for field in fields(Draft)}


def content(store, pool_name):
    pool = store.pools.get(pool_name)
    return [fields_of(each) for each in store.demonstrations.all(pool.id)]


@pytest.mark.parametrize("format", EXPORTERS)
def test_export_then_import_gives_the_same_pool(format, store, tmp_path):
    drafts = [
        Draft(
            query=text,
            answer=TEXTS[-position],
            incorrect=incorrect_answers(
                tuple(dict.fromkeys(TEXTS[position : position + 3])),
                KINDS[position % len(KINDS)][: len(TEXTS) - position],
            ),
            tags=(text.strip(),) if position % 2 else (),
            best=position % 3 == 0,
            status=Status.EXCLUDED if position % 5 == 0 else Status.INCLUDED,
            note=f" {text}\n" if position % 4 else "",
            rationale=text if position % 3 else "",
            passages_shown=(text.strip(), "another") if position % 6 == 1 else (),
            written_by=text.strip() if position % 7 else "",
        )
        for position, text in enumerate(TEXTS)
    ]
    store.demonstrations.add(store.pools.create("before").id, drafts)
    path = tmp_path / f"pool{EXPORTERS[format].extension}"
    report = export_pool(store, "before", format, path)
    assert (report.rows, report.path) == (len(content(store, "before")), path)
    imported = import_file(store, path, "after")
    assert (imported.format, imported.dropped, imported.merged) == (format, {}, 0)
    assert content(store, "after") == content(store, "before")


@pytest.mark.parametrize("format", EXPORTERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draft=demonstrations())
def test_any_demonstration_survives(format, tmp_path, draft):
    row = Demonstration(**fields_of(draft), id=1, revision=1)
    path = tmp_path / f"one{EXPORTERS[format].extension}"
    export_demonstrations([row], format, path, overwrite=True)
    table = read_table(path)
    assert to_drafts(table, guess_mapping(table)).drafts == [draft]


@pytest.fixture(scope="module")
def truthfulqa(shared, tmp_path_factory):
    """A store with TruthfulQA as the pool "before", for all formats."""
    with Store.open(tmp_path_factory.mktemp("truthfulqa") / "workspace") as opened:
        import_file(opened, shared / "data" / "truthfulqa" / "v1" / "TruthfulQA.csv", "before")
        yield opened, content(opened, "before")


@pytest.mark.parametrize(
    "format",
    [
        name if name == "csv" else pytest.param(name, marks=pytest.mark.thorough)
        for name in EXPORTERS
    ],
)
def test_truthfulqa_survives(format, truthfulqa, tmp_path):
    store, before = truthfulqa
    path = tmp_path / f"pool{EXPORTERS[format].extension}"
    assert export_pool(store, "before", format, path).rows == 2837
    report = import_file(store, path, f"after {format}")
    assert (report.demonstrations, report.queries, report.triples) == (2837, 817, 12352)
    assert content(store, f"after {format}") == before


@pytest.mark.parametrize("format", EXPORTERS)
def test_the_registry_names_what_it_holds(format):
    exporter = EXPORTERS[format]
    assert exporter.name == format
    assert exporter.extension == f".{format}"
