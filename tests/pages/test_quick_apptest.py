"""What quickens AppTest fits the Streamlit that is installed, and changes no page."""

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from tests.pages.quick_apptest import MADE_FOR, missing


def test_it_is_made_for_this_streamlit():
    assert (missing(), st.__version__.rpartition(".")[0]) == ([], MADE_FOR), (
        "tests/pages/quick_apptest.py patches names of another Streamlit: time the page tests "
        "without it, then take it out or make it fit"
    )


def test_components_are_looked_for_once_and_a_page_that_changed_is_run_as_it_is(tmp_path):
    assert manifest_scanner.scan_component_manifests() is (
        manifest_scanner.scan_component_manifests()
    )
    for number, text in enumerate(("one", "two")):
        page = tmp_path / f"page_{number}.py"
        page.write_text(f"import streamlit as st\nst.text({text!r})\n")
        assert [each.value for each in AppTest.from_file(str(page)).run().text] == [text]


def test_a_page_that_does_not_end_in_time_is_stopped(tmp_path):
    page = tmp_path / "page.py"
    page.write_text("import streamlit as st\nwhile True:\n    st.text('on and on')\n")
    with pytest.raises(RuntimeError, match=r"has not ended after 0\.2 s"):
        AppTest.from_file(str(page)).run(timeout=0.2)
