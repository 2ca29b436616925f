"""A small pool, and the commands as a person runs them."""

import shutil

import pytest

from core.commands.main import main
from tests.support.commands import documents, written


@pytest.fixture(autouse=True)
def workspace(tmp_path, monkeypatch):
    folder = tmp_path / "workspace"
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _each_model_is_loaded_once(every_studio, load_once, load_encoder_once):
    """Else each command loads its own."""
    every_studio(load_encoder=load_encoder_once, load_model=load_once)


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "pool.jsonl")


@pytest.fixture(scope="session")
def imported(tmp_path_factory):
    """A workspace into which the file was imported, to be copied."""
    folder = tmp_path_factory.mktemp("imported")
    file, workspace = str(written(folder / "pool.jsonl")), str(folder / "workspace")
    assert main(["import", file, "--pool", "small", "--workspace", workspace]) == 0
    return workspace


@pytest.fixture
def run(capsys):
    return documents(main, capsys)


@pytest.fixture
def pool(imported, workspace):
    shutil.copytree(imported, workspace)
    return "small"


@pytest.fixture(scope="session")
def read_only(tmp_path_factory, imported):
    folder = tmp_path_factory.mktemp("read") / "workspace"
    shutil.copytree(imported, folder)
    return folder


@pytest.fixture
def kept(read_only, monkeypatch):
    """The pool in a workspace of all tests that only read it: embedded and scored once for all."""
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(read_only))
    return "small"
