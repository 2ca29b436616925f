"""Native libraries: the one place that imports FAISS, and weights read one model at a time."""

import os
import sys
import threading
from typing import Any


def import_faiss() -> Any:
    """The faiss module, safe to use beside torch.

    On Linux both bring a libgomp of their own and get along in either order of import. On macOS
    both bring a libomp, and the second one aborts the process ("OMP: Error #15") or crashes in
    parallel loops: there the check is switched off and FAISS keeps to one thread.

    Source: faiss-wheels issue 73.
    """
    if sys.platform == "darwin":
        os.environ.setdefault("KMP_DUPLICATE_LIB_OK", "TRUE")
    import faiss

    if sys.platform == "darwin":
        faiss.omp_set_num_threads(1)
    return faiss


ONE_AT_A_TIME = threading.RLock()
"""While `transformers` reads weights it changes state of the whole process (how modules are
initialised, which weights are tied): two threads that read at the same time spoil each other's
models, which then lack weights or have wrong ones."""
