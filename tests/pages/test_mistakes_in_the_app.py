"""Every kind of mistake in the app: one clear sentence, no traceback, and nothing is written."""

import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest
import streamlit as st

import pages.common.frame.page
from core.background import Presence
from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.embedding import load_encoder
from core.studio import Setup, Studio
from core.studio.pools import demonstrations
from tests.pages.conftest import POOL, QUERIES, ignored, type_into
from tests.pages.drawn import html_of

EMPTY, EXCLUDED = "nothing in it", "all excluded"
GOOD = b"query,answer\nIs ice hot?,No\n"
NOTHING_INCLUDED = "The pool has no included demonstration. Import or include some first."


@pytest.fixture(scope="module")
def studio(tmp_path_factory, hashing_encoder, load_once):
    """One workspace for all: a pool, an empty one, one whose every demonstration is excluded."""
    st.cache_resource.clear()
    with Studio.open(
        tmp_path_factory.mktemp("mistakes") / "workspace",
        load_encoder=lambda name: hashing_encoder if name is None else load_encoder(name),
        load_model=load_once,
        presence=Presence(drawing=0.0),
    ) as opened:
        for name in (POOL, EXCLUDED):
            opened.store.demonstrations.add(
                opened.store.pools.create(name).id,
                [
                    Draft(query, word, incorrect_answers(("Of course",)))
                    for query in QUERIES
                    for word in "NM"
                ],
            )
        excluded = [row.id for row in rows(opened, EXCLUDED)]
        demonstrations.set_status(opened, excluded, Status.EXCLUDED)
        opened.store.pools.create(EMPTY)
        for name in (POOL, EXCLUDED, EMPTY):
            opened.view(Setup(name))
        yield opened
    st.cache_resource.clear()


@pytest.fixture(scope="module")
def first_content(studio):
    return content(studio)


@pytest.fixture(autouse=True)
def nothing_is_written(studio, first_content, monkeypatch):
    """The pages open the one workspace, and leave it as it was."""
    monkeypatch.setattr(pages.common.frame.page, "open_studio", lambda: studio)
    yield
    assert content(studio) == first_content


def rows(studio, pool):
    return studio.store.demonstrations.all(studio.store.pools.get(pool).id)


def content(studio):
    """Everything that people put into the workspace, and every run."""
    store, found = studio.store, {}
    for summary in store.pools.all():
        pool = store.pools.get(summary.name)
        found[pool.name] = (
            summary,
            rows(studio, pool.name),
            store.history.actions(pool.id),
            store.pools.fixed_ids(pool.id),
            store.runs.latest("evaluate", pool.id),
            store.runs.latest("calibrate", pool.id),
        )
    return found


def one_sentence(app):
    """The only error on the screen."""
    assert not app.exception, app.exception
    (error,) = [each.value.replace("\\", "") for each in app.error]
    assert "\n" not in error
    assert "Traceback" not in error
    assert error.endswith(".")
    return error


def sentences(app):
    return [each.value.replace("\\", "") for each in (*app.info, *app.text, *app.caption)]


def button(app, label):
    return next(each for each in app.button if each.label == label)


BAD_FILES = {
    "empty": ("a.csv", b"", "a.csv is empty"),
    "header only": ("a.csv", b"query,answer\n", "has a header (query, answer) but no rows"),
    "no answers": ("a.csv", b"query,answer\nWhy?,\n", "No row of a.csv has both"),
    "damaged parquet": ("a.parquet", b"PAR1 nothing PAR1", "cannot be read as parquet"),
    "damaged xlsx": ("a.xlsx", b"PK\x03\x04 nothing", "cannot be read as an Excel workbook"),
    "damaged json": ("a.json", b'{"query": ', "a.json is not JSON"),
    "damaged jsonl": ("a.jsonl", b'{"query": "q", "answer": "a"}\n{\n', "line 2 is not JSON"),
    "json without rows": ("a.json", b"3", "contains a single value; give a list of objects"),
    "damaged gzip": ("a.csv.gz", b"\x1f\x8b nothing", "cannot be unpacked"),
    "binary": ("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(99), "it contains binary data"),
    "utf-16 without a mark": ("a.csv", GOOD.decode().encode("utf-16-le"), "contains binary data"),
    "unknown extension": ("a.docx", GOOD, "is not clear from its name"),
    "a name of odd letters": ("../$x$<b>\u202e;*a*.csv", b"", "is empty: give a file"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_file_that_cannot_be_imported(open_page, case):
    name, bad, reason = BAD_FILES[case]
    app = open_page("demonstrations", section="import", pool=POOL)
    app.file_uploader(key="import_file_0").upload(name, bad).run()
    assert reason in one_sentence(app)
    assert all(each.disabled for each in app.button if each.key == "import_go")


def test_a_file_of_another_format_than_chosen(open_page):
    app = open_page("demonstrations", section="import", pool=POOL)
    app.file_uploader(key="import_file_0").upload("a.csv", GOOD).run()
    app.selectbox(key="import_format_0").set_value("parquet").run()
    assert "cannot be read as parquet" in one_sentence(app)


def test_columns_that_say_nothing_are_asked_for(open_page):
    app = open_page("demonstrations", section="import", pool=POOL)
    app.file_uploader(key="import_file_0").upload("a.csv", b"x,y\n1,2\n").run()
    assert not app.exception
    assert any("Choose above which column has the query" in each for each in sentences(app))
    assert app.button(key="import_go").disabled
    app.multiselect(key="import_query_0_guessed from the file").set_value(["x"]).run()
    assert app.button(key="import_go").disabled, "no column of answers is named yet"


@pytest.mark.parametrize("name", ["../../etc/passwd\u202e <b>$x$.csv", "n" * 300 + ".csv"])
def test_any_name_of_a_file_will_do(open_page, name):
    app = open_page("demonstrations", section="import", pool=POOL)
    app.file_uploader(key="import_file_0").upload(name, GOOD).run()
    assert not app.exception
    assert not app.error
    assert not app.button(key="import_go").disabled
    app.text_input(key="import_pool_0").set_value("  ").run()
    assert app.button(key="import_go").disabled
    assert "Give the pool a name." in sentences(app)


def test_half_a_surrogate_pair_is_shown_as_what_it_becomes(open_page):
    app = open_page("demonstrations", section="import", pool=POOL)
    bad = b'[{"query": "why \\ud83d", "answer": ["a\\uDE00", "b"]}]'
    app.file_uploader(key="import_file_0").upload("a.json", bad).run()
    assert not app.exception
    assert app.dataframe[1].value["query"].tolist() == ["why \ufffd"] * 2
    assert app.dataframe[1].value["answer"].tolist() == ["a\ufffd", "b"]


LINKS = [
    *(("compare", {"lambda_d": bad}, "0.75") for bad in ("1.01", "-0.1", "nan", "inf", "half")),
    *(("explore", {"lambda_b": bad}, "0.95") for bad in ("7", "nan")),
    *(("map", {"k": bad}, "6") for bad in ("0", "-3", "51", "1" + "0" * 30, "2.5", "many")),
    ("calibrate", {"k": "0"}, "6"),
    ("explore", {"method": "best"}, "rel+div+bias"),
    ("map", {"method": "best"}, "rel+div+bias"),
    *(
        ("compare", {"rows": bad}, None)
        for bad in (
            "rel;best",
            "rel candidates=many",
            "rel lambda_d=0.5",
            "rel+div lambda_d=2",
            "a:",
        )
    ),
    ("compare", {"limit": "0"}, "5"),
    ("calibrate", {"limit": "some"}, "5"),
    ("compare", {"seed": "-1"}, "0"),
    ("calibrate", {"scale": "huge"}, "raw"),
    ("compare", {"examples": "nowhere"}, None),
    ("explore", {"order": "backwards"}, None),
    ("explore", {"index": "annoy"}, None),
    ("map", {"colour": "smell"}, "label"),
    ("calibrate", {"template": "best"}, None),
    ("demonstrations", {"section": "cellar"}, None),
    ("demonstrations", {"status": "lost"}, None),
]


@pytest.mark.parametrize(("page", "link", "instead"), LINKS)
def test_a_link_with_a_value_that_is_not_allowed(open_page, finish, page, link, instead):
    ((name, text),) = link.items()
    if page == "map":
        finish(open_page(page, pool=POOL))  # it reads the link when it is laid out
    app = open_page(page, pool=POOL, **link)
    assert not app.exception
    assert not app.error
    assert not app.toast
    line = ignored(app)
    assert line.startswith(f"{name}={text}")
    assert line.count("=") - text.count("=") == 1, "nothing else is ignored"
    value = app.query_params.get(name)
    assert (value[0] if isinstance(value, list) else value) == instead


@pytest.mark.parametrize("page", ["demonstrations", "map", "explore", "calibrate", "compare"])
def test_a_link_to_a_pool_that_is_not_there(open_page, page):
    app = open_page(page, pool="no*where", nonsense="1")
    assert not app.exception
    assert not app.error
    first = open_page(page).sidebar.selectbox(key="sidebar_pool").value
    assert app.sidebar.selectbox(key="sidebar_pool").value == first
    assert ignored(app).startswith("pool=no*where (there is no such pool)")


@pytest.mark.parametrize("page", ["explore", "map"])
def test_an_empty_query(open_page, finish, page):
    app = finish(open_page(page, pool=POOL, **{"from": "typed", "typed": "   "}))
    assert not app.error
    assert any(each.startswith("Type a query to see") for each in sentences(app))


def test_a_query_of_the_link_that_the_pool_has_not(open_page):
    app = open_page("explore", pool=POOL, query="No *such* query?")
    assert not app.exception
    assert not app.toast
    assert ignored(app) == f"query=No *such* query? (no query of pool {POOL})."
    assert app.selectbox(key=f"explore_query_{POOL}").value == QUERIES[0]


def without_tokenizer(folder, whole):
    shutil.copytree(whole, folder)
    for path in folder.glob("tokenizer*"):
        path.unlink()


def pickle_only(folder, whole):
    shutil.copytree(whole, folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def cut_off(folder, whole):
    shutil.copytree(whole, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100])


BAD_MODELS = {
    "missing": (lambda folder, whole: None, "There is no model folder"),
    "a file": (
        lambda folder, whole: folder.write_text("x"),
        "is a file, and none in the GGUF format; give",
    ),
    "empty": (lambda folder, whole: folder.mkdir(), "has no config.json"),
    "no tokenizer": (without_tokenizer, "has no tokenizer"),
    "pickle": (pickle_only, "pytorch_model.bin is never read"),
    "cut off": (cut_off, "are damaged or cut off"),
}


@pytest.mark.parametrize("case", BAD_MODELS)
def test_a_model_that_cannot_be_loaded(open_page, finish, tmp_path, tiny_lm_folder, case):
    make, reason = BAD_MODELS[case]
    make(tmp_path / "model", tiny_lm_folder)
    app = finish(open_page("explore", pool=POOL, model=str(tmp_path / "model"), view="context"))
    error = one_sentence(app)
    assert reason in error
    assert str(tmp_path / "model") in error
    assert any("could not be loaded; the side bar says why" in each for each in sentences(app))
    assert any('"explore context"' in body for body in html_of(app)), "it retrieves"
    button(app, "Go on").click().run()
    assert one_sentence(finish(app)) == error


@pytest.mark.parametrize("page", ["calibrate", "compare"])
def test_a_run_with_a_model_that_cannot_be_loaded(open_page, finish, tmp_path, page):
    app = finish(open_page(page, pool=POOL, model=str(tmp_path / "none")))
    assert "There is no model folder" in one_sentence(app)
    button(app, page.capitalize()).click().run()
    finish(app)
    assert not app.exception
    assert ["There is no model folder" in each.value for each in app.main.error] == [True]


@pytest.mark.thorough
def test_a_chat_template_that_the_model_has_not(open_page, finish, tiny_lm_folder):
    app = finish(open_page("explore", pool=POOL, model=str(tiny_lm_folder), template="chat"))
    assert "has no chat template that can be used" in one_sentence(app)
    app.sidebar.selectbox(key="sidebar_template").set_value("qa").run()
    assert not finish(app).error


@pytest.mark.parametrize(
    ("name", "reason"),
    [("none", "There is no folder"), ("empty", "is no sentence-transformers encoder")],
)
def test_an_encoder_that_cannot_be_loaded(open_page, tmp_path, name, reason):
    (tmp_path / "empty").mkdir()
    app = open_page("explore", pool=POOL, encoder=str(tmp_path / name))
    assert reason in one_sentence(app)
    assert app.sidebar.selectbox(key="sidebar_encoder").value == str(tmp_path / name)


@pytest.mark.parametrize(
    ("query", "answer", "reason"),
    [
        ("", "No", "one of them is empty"),
        ("Why?", " \n", "one of them is empty"),
        (QUERIES[0], "N", "already has this query with this answer"),
    ],
)
def test_a_demonstration_that_cannot_be_added(open_page, query, answer, reason):
    app = open_page("demonstrations", pool=POOL)
    app.text_area(key=f"add_query_0_{POOL}").set_value(query)
    app.text_area(key=f"add_answer_0_{POOL}").set_value(answer)
    button(app, "Add to the pool").click().run()
    assert reason in one_sentence(app)
    assert app.text_area(key=f"add_query_0_{POOL}").value == query, "what was typed is not lost"


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"answer": "M"}, "nothing was written, so change one of the two"),
        ({"query": " "}, "is empty: write one"),
    ],
)
def test_an_edit_that_cannot_be_saved(open_page, columns, reason):
    app = open_page("demonstrations", pool=POOL)
    type_into(app, 0, **columns)
    sentence = one_sentence(app)
    assert sentence.startswith("Not saved. ")
    assert reason in sentence
    for section in ("history", "table"):
        app.button_group(key="demonstrations_section").set_value(section).run()
    assert one_sentence(app) == sentence, "it is shown as long as the edit stays"
    for name, value in columns.items():
        assert app.dataframe[0].value[name][0] == value, "what was typed is not lost"


@pytest.mark.parametrize("name", ["", "   ", POOL])
def test_a_name_that_changes_nothing(open_page, name):
    app = open_page("demonstrations", pool=POOL, section="pool")
    app.text_input(key=f"pool_rename_{POOL}").set_value(name).run()
    assert button(app, "Rename").disabled


def test_a_name_that_another_pool_has(open_page):
    app = open_page("demonstrations", pool=POOL, section="pool")
    app.text_input(key=f"pool_rename_{POOL}").set_value(f" {EMPTY} ").run()
    button(app, "Rename").click().run()
    assert one_sentence(app) == (f"There is a pool named {EMPTY!r} already: choose another name.")


@pytest.mark.parametrize("pool", [EMPTY, EXCLUDED])
@pytest.mark.parametrize("page", ["map", "explore", "calibrate", "compare"])
def test_a_page_of_a_pool_with_nothing_included(open_page, finish, tiny_lm_folder, pool, page):
    app = finish(open_page(page, pool=pool, model=str(tiny_lm_folder)))
    assert not app.error
    assert NOTHING_INCLUDED in sentences(app)
    for each in app.button:
        of_a_row = (each.key or "").startswith("compare_")  # they can be set up before a pool is
        assert each.disabled or of_a_row, each.label


@pytest.mark.parametrize("pool", [EMPTY, EXCLUDED])
def test_a_typed_query_to_a_pool_with_nothing_included(open_page, finish, pool):
    app = finish(open_page("explore", pool=pool, **{"from": "typed", "typed": "Why?"}))
    assert not app.error
    assert any(each.startswith("The context is empty") for each in sentences(app))


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("table", "No demonstration matches the filters."),
        ("history", "Nothing has been done to this pool yet."),
        ("fixed", "The method fix shows these for every query"),
        ("pool", "Deleting a pool removes its demonstrations"),
    ],
)
def test_the_demonstrations_of_an_empty_pool(open_page, section, words):
    app = open_page("demonstrations", pool=EMPTY, section=section)
    assert not app.exception
    assert not app.error
    assert any(words in each for each in sentences(app))


OTHER = """
import sys
from core.store import Store
with Store.open(sys.argv[1]):
    print("open", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_process(workspace):
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(workspace)], stdin=-1, stdout=-1, text=True
    )
    with process:
        assert process.stdout.readline() == "open\n"
        yield process
        process.stdin.close()


@pytest.mark.parametrize("page", ["demonstrations", "explore"])
def test_a_workspace_that_another_process_has_open(open_page, tmp_path, monkeypatch, page):
    with another_process(tmp_path / "taken") as other:
        monkeypatch.setattr(
            pages.common.frame.page, "open_studio", lambda: Studio.open(tmp_path / "taken")
        )
        app = open_page(page)
    error = one_sentence(app)
    assert str(tmp_path / "taken") in error
    assert f"another process (PID {other.pid})" in error
    assert not app.button
