"""The index in the workspace: kept, found again, and built anew when it has to be."""

import threading

import numpy as np
import pytest

from core.errors import InvalidInput
from core.index import INDEXES, load_or_build, registry
from core.index.registry import in_memory


def forget():
    """Let go of every index in memory."""
    registry.RECENT.drop(lambda each: True)


@pytest.fixture(autouse=True)
def _nothing_in_memory():
    forget()
    yield
    forget()


@pytest.fixture(params=sorted(INDEXES))
def kind(request):
    return request.param


@pytest.fixture
def builds(monkeypatch):
    """Counts the builds of every kind."""
    counted = []
    for index_class in INDEXES.values():
        whole = index_class.build

        def build(embeddings, quality_bias=None, *, _whole=whole):
            counted.append(len(embeddings))
            return _whole(embeddings, quality_bias)

        monkeypatch.setattr(index_class, "build", build)
    return counted


def best(index):
    return index.search(np.array([0.0, 1.0, 0.0, 0.0]), 1)[0].tolist()


ROWS = np.eye(4, dtype=np.float32)


def test_built_once_then_found_in_memory_and_in_the_folder(kind, tmp_path, builds):
    folder = tmp_path / "new" / "folder"
    first = load_or_build(folder, kind, "key", ROWS)
    assert load_or_build(folder, kind, "key", ROWS) is first
    forget()
    again = load_or_build(folder, kind, "key", ROWS)
    assert again is not first
    assert best(first) == best(again) == [1]
    assert builds == [4]


def test_another_key_builds_anew(kind, tmp_path, builds):
    load_or_build(tmp_path, kind, "one", ROWS)
    changed = load_or_build(tmp_path, kind, "two", ROWS[::-1])
    assert best(changed) == [2]
    forget()
    assert best(load_or_build(tmp_path, kind, "two", ROWS[::-1])) == [2]
    assert builds == [4, 4]


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "gone"])
def test_a_damaged_file_is_built_anew(kind, tmp_path, builds, damage):
    load_or_build(tmp_path, kind, "key", ROWS)
    forget()
    path = tmp_path / f"{kind}.npz"
    whole = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    else:
        flipped = whole.copy()
        flipped[len(whole) // 2] ^= 0xFF
        path.write_bytes({"empty": b"", "cut": whole[:-40], "flipped": flipped}[damage])
    assert best(load_or_build(tmp_path, kind, "key", ROWS)) == [1]
    forget()
    assert best(load_or_build(tmp_path, kind, "key", ROWS)) == [1]
    assert builds == [4, 4]


def test_a_saved_index_of_another_size_is_not_believed(kind, tmp_path, builds):
    load_or_build(tmp_path, kind, "key", ROWS)
    forget()
    assert load_or_build(tmp_path, kind, "key", ROWS[:3]).size == 3
    assert builds == [4, 3]


def test_kinds_and_folders_do_not_mix(tmp_path, builds):
    for place in ("a", "b"):
        for kind in INDEXES:
            assert load_or_build(tmp_path / place, kind, "key", ROWS).kind == kind
    assert builds == [4] * 6
    kept = [in_memory(tmp_path / place, kind, "key") for place in ("a", "b") for kind in INDEXES]
    assert sum(kept) == registry.KEPT


def test_many_threads_build_it_once(tmp_path, builds):
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(load_or_build(tmp_path, "flat", "key", ROWS)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert builds == [4]
    assert all(index is found[0] for index in found)


def test_a_failed_write_leaves_the_old_file(kind, tmp_path, monkeypatch):
    load_or_build(tmp_path, kind, "one", ROWS)
    before = (tmp_path / f"{kind}.npz").read_bytes()

    def full(*_, **__):
        raise OSError("no space left on device")

    monkeypatch.setattr("core.index.base.np.savez", full)
    with pytest.raises(OSError, match="no space"):
        load_or_build(tmp_path, kind, "two", ROWS)
    assert [path.name for path in tmp_path.iterdir()] == [f"{kind}.npz"]
    assert (tmp_path / f"{kind}.npz").read_bytes() == before


def test_an_unknown_kind_names_the_known_ones(tmp_path):
    for call in (
        lambda: load_or_build(tmp_path, "annoy", "", ROWS),
        lambda: load_or_build(tmp_path, "", "", ROWS),
    ):
        with pytest.raises(InvalidInput, match="flat, hnsw, ivf"):
            call()
