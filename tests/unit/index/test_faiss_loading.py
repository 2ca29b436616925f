"""FAISS and torch in one process, whichever comes first."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from core.native import import_faiss

BOTH = """
import numpy as np
from core.index import INDEXES
def use_faiss():
    rows = np.eye(64, dtype=np.float32)
    assert INDEXES["hnsw"].build(rows).search(rows[5], 1)[0].tolist() == [5]
def use_torch():
    import torch
    assert float((torch.ones(300, 300) @ torch.ones(300, 300)).sum()) == 300.0**3
{first}(); {second}(); {first}(); {second}()
print("both work")
"""


@pytest.mark.parametrize("order", [("use_faiss", "use_torch"), ("use_torch", "use_faiss")])
def test_either_order_works(order):
    code = BOTH.format(first=order[0], second=order[1])
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, "both work\n"), done.stderr


def test_on_macos_two_runtimes_are_allowed_and_faiss_keeps_to_one_thread(monkeypatch):
    threads = []
    monkeypatch.setitem(sys.modules, "faiss", SimpleNamespace(omp_set_num_threads=threads.append))
    monkeypatch.setenv("KMP_DUPLICATE_LIB_OK", "")
    monkeypatch.delenv("KMP_DUPLICATE_LIB_OK")

    monkeypatch.setattr(sys, "platform", "linux")
    import_faiss()
    assert "KMP_DUPLICATE_LIB_OK" not in os.environ
    assert threads == []

    monkeypatch.setattr(sys, "platform", "darwin")
    import_faiss()
    assert os.environ["KMP_DUPLICATE_LIB_OK"] == "TRUE"
    assert threads == [1]
