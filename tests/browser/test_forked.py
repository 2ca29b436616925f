"""A forked server starts whatever this process has run before."""

import os
import sys
from types import ModuleType

import streamlit

from tests.browser.driver import PATIENCE
from tests.browser.forked import Forked


def test_a_page_tested_in_this_process_before_is_not_run_by_the_child(tmp_path, monkeypatch):
    page = ModuleType("__main__")
    page.__file__ = str(tmp_path / "gone.py")
    monkeypatch.setitem(sys.modules, "__main__", page)
    log = tmp_path / "log"
    forked = Forked(["--version"], dict(os.environ), log)
    assert forked.wait(PATIENCE) == 0
    assert streamlit.__version__ in log.read_text(encoding="utf-8")
    assert sys.modules["__main__"] is page
