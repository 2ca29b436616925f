"""AppTest as quick as a server: what is the same at every run of a page is made once.

Made for Streamlit 1.67, whose AppTest does three things that a server does not:

- each AppTest looks through every installed package for components, a quarter of a second;
- each run compiles the page, up to a fifth of the run;
- each run is asked a thousand times a second whether it has ended, a twentieth of the run, and
  more where the machine is busy and runs take long.

The names are Streamlit's own, so another version may have moved them. Then `missing` says which,
pages are tested without being quickened, and `test_quick_apptest.py` fails.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner

MADE_FOR = "1.67"
PATCHED = (
    (manifest_scanner, "scan_component_manifests"),
    (app_test, "ScriptCache"),
    (local_script_runner, "ScriptCache"),
    (local_script_runner, "require_widgets_deltas"),
)


def missing() -> list[str]:
    """The patched names that this Streamlit does not have."""
    return [f"{module.__name__}.{name}" for module, name in PATCHED if not hasattr(module, name)]


def _wait_for_the_end(runner: ScriptRunner, timeout: float) -> None:
    runner._script_thread.join(timeout)
    if not runner.script_stopped():
        runner.request_stop()
        runner.join()
        raise RuntimeError(f"A page has not ended after {timeout} s")


@contextmanager
def quick_apptest() -> Iterator[None]:
    """AppTest inside the block looks for components once, compiles once, and waits quietly."""
    with pytest.MonkeyPatch.context() as patch:
        if not missing():
            cache = ScriptCache()
            look = functools.cache(manifest_scanner.scan_component_manifests)
            in_place = (look, lambda: cache, lambda: cache, _wait_for_the_end)
            for (module, name), quicker in zip(PATCHED, in_place, strict=True):
                patch.setattr(module, name, quicker)
        yield
