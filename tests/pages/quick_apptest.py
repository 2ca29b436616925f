"""AppTest as quick as a server: what is the same at every run of a page is made once.

Made for Streamlit 1.67. Its AppTest does two things anew that a server does once:

- each AppTest looks through every installed package for components, a quarter of a second;
- each run compiles the page, up to a fifth of the run.

The names are Streamlit's own, so another version may have moved them. Then `missing` says which,
pages are tested without being quickened, and `test_quick_apptest.py` fails.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import app_test, local_script_runner

MADE_FOR = "1.67"
PATCHED = (
    (manifest_scanner, "scan_component_manifests"),
    (app_test, "ScriptCache"),
    (local_script_runner, "ScriptCache"),
)


def missing() -> list[str]:
    """The patched names that this Streamlit does not have."""
    return [f"{module.__name__}.{name}" for module, name in PATCHED if not hasattr(module, name)]


@contextmanager
def quick_apptest() -> Iterator[None]:
    """AppTest's runs inside the block share one look for components and one cache of pages."""
    with pytest.MonkeyPatch.context() as patch:
        if not missing():
            cache = ScriptCache()
            look = functools.cache(manifest_scanner.scan_component_manifests)
            for (module, name), once in zip(
                PATCHED, (look, lambda: cache, lambda: cache), strict=True
            ):
                patch.setattr(module, name, once)
        yield
