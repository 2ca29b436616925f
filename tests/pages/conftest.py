"""Pages under AppTest: a workspace of their own, a fake encoder, a tiny language model."""

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.background import Presence, Worker
from core.demonstration.demonstration import KINDS, Draft, edited, incorrect_answers
from core.evaluation.plan.comparison_rows import rows_of_methods
from core.evaluation.runs.calibrate import CalibrationOptions
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import Knobs
from core.store import Change, PassageDraft, Store
from core.studio import Setup, Studio
from core.studio.explore.effect import query_curve
from core.studio.explore.exploration import ExploreRequest, example_of, resolve
from core.studio.explore.triangle import triangle_of, triangle_scores
from core.studio.map.pool_map import pool_map, text_keys
from core.studio.passages import map_key
from core.studio.pools import demonstrations, pools
from core.studio.pools.demonstrations import TableRequest
from core.studio.runs import calibrate, compare
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.compare import CompareRequest
from core.watcher import Watcher
from pages.common.demonstrations.saving import EDITING_KEY
from pages.common.frame import page
from tests.pages.quick_apptest import quick_apptest

ROOT = Path(__file__).resolve().parents[2]
# AppTest puts a page's folder in front of the others while the page runs, and takes it out again:
# a thread that imports something at that moment skips the next folder. One that is there stays.
sys.path.append(str(ROOT / "pages"))
POOL = "small pool <script>"
QUERIES = (
    "Is the moon made of cheese?",
    "Do bats see well?",
    "Is glass a slow liquid?",
    "Do bulls hate the colour red?",
    "Does sugar make children wild?",
)
SMALL = tuple(
    Draft(
        query,
        f"{word}, says the book ({number})",
        incorrect_answers(("Of course", "Nobody knows")),
    )
    for number, query in enumerate(QUERIES)
    for word in ("No", "Not at all")
)

PASSAGES = [
    *(PassageDraft(f"bats sleep in cave {n}", "<b>Bats</b>", "bats.md", 1, n) for n in range(1, 7)),
    *(PassageDraft(f"glass is a solid, says book {n}", "", "glass.txt", n) for n in range(1, 5)),
]


@pytest.fixture(scope="session", autouse=True)
def _quick_apptest():
    with quick_apptest():
        yield


@pytest.fixture(scope="session", autouse=True)
def _garbage_is_left_to_python():
    """Else each test's first page looks through all that is in memory, a quarter of its time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pages.common.frame.page.freeze_gc", lambda loaded: None)
        yield


@pytest.fixture
def presence():
    """No browser draws: work in the background would stand still after each run, for nobody."""
    return Presence(drawing=0.0)


@pytest.fixture
def workspace(tmp_path, monkeypatch, every_studio, hashing_encoder, load_once, presence):
    """The folder of a workspace that pages open.

    Streamlit keeps the studio between AppTests of one process, so the cache is emptied.
    """
    folder = tmp_path / "workspace"
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(folder))
    every_studio(load_encoder=lambda name: hashing_encoder, load_model=load_once, presence=presence)
    st.cache_resource.clear()
    st.cache_data.clear()
    yield folder
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def language_model(tiny_lm_folder, monkeypatch):
    """A tiny language model, chosen as a user does."""
    monkeypatch.setenv("SHOTLIST_MODEL", str(tiny_lm_folder))
    return tiny_lm_folder


@pytest.fixture
def small_pool(workspace, workspace_with):
    """A pool of five queries with two answers and two incorrect ones each; its name."""
    workspace_with(workspace, POOL, SMALL)
    return POOL


@pytest.fixture(scope="session")
def visited(tmp_path_factory, workspace_with, hashing_encoder, load_once, tiny_lm_folder):
    """The folder of a workspace with the small pool, after the pages computed what they show of it.

    The map is laid out, and the tiny model's log-probabilities for Explore, Calibrate and Compare
    are in the store, so that a test that is not about the computing need not wait for it. The runs
    themselves belonged to another pool, which is deleted.
    """
    folder = tmp_path_factory.mktemp("visited") / "workspace"
    workspace_with(folder, POOL, SMALL)
    with Studio.open(
        folder, load_encoder=lambda name: hashing_encoder, load_model=load_once
    ) as studio:
        here, there = (Setup(name, None, str(tiny_lm_folder)) for name in (POOL, "runs"))
        _, job = pool_map(studio, here, studio.view(here))
        assert job.wait(120)
        studio.store.demonstrations.add(studio.store.pools.create("runs").id, SMALL)
        calibration = CalibrateRequest(setup=there, options=CalibrationOptions(ks=(2,), limit=4))
        calibrate.run(studio, calibration, Watcher())
        # Without a task no method can compare how a task sees texts.
        methods = tuple(
            name
            for name, method in METHODS.items()
            if method.reads is None and name != "neighbours"  # which needs an earlier run
        )
        comparison = CompareRequest(setup=there, rows=rows_of_methods(methods, Knobs(k=2)), limit=4)
        compare.run(studio, comparison, Watcher())
        pools.delete(studio, "runs")
        asked = ExploreRequest(here, QUERIES[0], Knobs(k=3), leave_out=True)
        example = example_of(studio, studio.view(here), QUERIES[0])
        asked = replace(asked, answers=example.answers, incorrect=example.incorrect)
        resolved = resolve(studio, asked)
        query_curve(resolved, studio.engine(here))
        triangle = triangle_of(resolved)
        triangle_scores(resolved, triangle, studio.engine(here), lambda: (0.75, 0.95))
    return folder


@pytest.fixture
def visited_pool(workspace, visited):
    """The small pool as it is once everything of it was computed; its name."""
    shutil.copytree(visited, workspace)
    return POOL


@pytest.fixture
def with_passages(visited_pool, workspace, hashing_encoder):
    """Beside the pool a collection that was laid out before, which takes long."""
    with Store.open(workspace) as store:
        collection = store.passages.add("facts", PASSAGES).collection
        texts = [f"{each.title} | {each.text}" if each.title else each.text for each in PASSAGES]
        points = np.arange(20, dtype=np.float32).reshape(10, 2)
        key = map_key(collection.id, hashing_encoder.fingerprint)
        store.coordinates.put(key, text_keys(texts), points)
    return visited_pool


@pytest.fixture
def small_pool_with_kinds(small_pool):
    """The same pool, the first of every two incorrect answers of a kind that looks like markup."""
    with Studio.open() as studio:
        rows = studio.store.demonstrations.all(studio.store.pools.get(small_pool).id)
        changes = [
            Change(row.id, row.revision, incorrect=edited(row.incorrect, {KINDS: ["<b>myth</b>"]}))
            for row in rows
        ]
        studio.store.demonstrations.change(changes, what="kinds")
    return small_pool


@pytest.fixture
def open_page():
    """Run a page of the app alone, with parameters of a link."""

    def run(name, **link):
        app = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=120)
        for key, value in link.items():
            app.query_params[key] = value
        return app.run()

    return run


@pytest.fixture
def open_app():
    """Run the router, then a page through it."""

    def run(name):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        return app.run().switch_page(f"pages/{name}.py").run()

    return run


@pytest.fixture
def the_studio():
    """The studio that the pages of this test work with."""

    return lambda: page.open_studio()


@pytest.fixture
def submissions(monkeypatch):
    """Every job that a worker was given during the test."""
    given, submit = [], Worker.submit

    def noted(self, *arguments, **options):
        given.append(submit(self, *arguments, **options))
        return given[-1]

    monkeypatch.setattr(Worker, "submit", noted)
    return given


@pytest.fixture
def finish(the_studio, submissions):
    """Wait for every job of both workers, then draw the page again, until nothing is left."""

    def wait(app):
        studio = the_studio()

        def running():
            return [*studio.model_worker.jobs(), *studio.pool_worker.jobs()]

        for _ in range(20):
            # A job may end while the page is drawn, one that the page itself started as well.
            jobs, given = running(), len(submissions)
            app.run()
            if not jobs and len(submissions) == given:
                break
            for job in running():
                assert job.wait(120), job.label
        assert not app.exception, app.exception
        return app

    return wait


def errors(app):
    """The errors on the page, as they are read."""
    return [each.value.replace("\\", "") for each in app.error]


def ignored(app):
    """The line that says what of the link is ignored, as it is read; empty where there is none."""
    begins = "Ignored in this link: "
    lines = [each.value.replace("\\", "") for each in app.info]
    found = [line.removeprefix(begins) for line in lines if line.startswith(begins)]
    assert len(found) <= 1
    return "".join(found)


def press(app, key):
    """Press a button of the page."""
    app.button(key=key).click().run()
    assert not app.exception, app.exception
    return app


def parameter(app, name):
    """A parameter of the address, which AppTest has as a text or as a list of one."""
    value = app.query_params[name]
    return value if isinstance(value, str) else value[0]


def shown(studio, pool):
    """The rows of a pool as the store has them now, by id."""
    return {row.id: row for row in demonstrations.table(studio, TableRequest(pool)).rows}


def type_into(app, row, **columns):
    """Type into a row of the demonstrations' table, as the browser sends it: with all before."""
    editor = app.dataframe[0].proto.id
    typed = app.session_state[app.session_state[EDITING_KEY].key]["edited_rows"]
    rows = {str(place): dict(cells) for place, cells in typed.items()}
    rows[str(row)] = {**rows.get(str(row), {}), **columns}
    return send_typed(app, editor, rows)


def send_typed(app, editor, rows):
    """Run the page with these rows of an editor as the browser sends what was typed."""
    states = app._tree.get_widget_states()
    typed = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    states.widgets.add(id=editor, string_value=json.dumps(typed))
    app._run(states)
    assert not app.exception, app.exception
    return app
