"""Servers of the studio forked from one process that has imported what every studio imports.

To import the encoder's libraries takes as much of a processor as dozens of visits. What a server
does besides is what `streamlit run` does. Whoever tests a server that still imports starts one with
`start_app(..., forked=False)`.
"""

import faulthandler
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "streamlit.web.cli", "torch", "transformers", "sentence_transformers", "umap", "faiss",
    "duckdb", "pyarrow", "plotly.graph_objects", "tests.browser.forked",
)  # fmt: skip
_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(list(LIBRARIES))


class Forked:
    """A server's process, asked as `subprocess.Popen` is asked."""

    def __init__(self, arguments: list[str], environment: dict[str, str], log: Path) -> None:
        given = (arguments, environment, log)
        self._process = _forking.Process(target=_serve, args=given, daemon=True)
        with _no_main():
            self._process.start()
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("a forked studio", timeout)
        return self._process.exitcode


@contextmanager
def _no_main() -> Iterator[None]:
    """Let a child begin with `_serve`: it would first run what `__main__` is.

    Under pytest that is nothing, until a page was tested in this process: Streamlit puts the page
    in its place, and its file may be gone by now.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _serve(arguments: list[str], environment: dict[str, str], log: Path) -> None:
    """What the child does: `streamlit` with these arguments, as if it had been started there."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    faulthandler.enable(file=2)
    faulthandler.register(signal.SIGUSR1, file=2)
    sys.argv = ["streamlit", *arguments]

    from streamlit.web.cli import main

    main()
