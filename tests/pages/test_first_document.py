"""The document that the browser loads first: Streamlit's, with what is ours in it."""

import re
from inspect import signature

import streamlit as st

from pages.common.streamlit_workarounds.first_document import STREAMLITS, first_document

ORIGINAL = STREAMLITS.read_text(encoding="utf-8")
DOCUMENT = first_document("Our title", "/our.css")
IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def scripts(document):
    """The scripts of the folder that a document names."""
    return re.findall(r'="\./static/js/([^"]+)"', document)


def test_the_title_is_ours_and_our_styles_come_last():
    assert re.findall("<title>(.*)</title>", DOCUMENT) == ["Our title"]
    assert DOCUMENT.index('<link rel="stylesheet" href="./our.css"></body>') > DOCUMENT.index(
        "</head>"
    )


def test_each_script_is_named_once_and_with_it_all_that_it_imports():
    named = scripts(DOCUMENT)
    assert len(named) == len(set(named))
    assert set(named) > set(scripts(ORIGINAL))
    for kind in ("Slider", "Selectbox", "TextInput", "ButtonGroup"):
        assert [name for name in named if name.startswith(f"{kind}.")], kind
    folder = STREAMLITS.parent / "static/js"
    for name in set(named) - set(scripts(ORIGINAL)):
        text = (folder / name).read_text(encoding="utf-8")
        assert set(IMPORTED.findall(text)) <= set(named), name


def test_nothing_else_of_the_document_is_changed():
    ours = re.compile(
        r'<link rel="(?:modulepreload|stylesheet)" href="\./(?:static/js/|our)[^"]*">'
    )
    plain = ours.sub("", DOCUMENT).replace("Our title", "Streamlit")
    assert plain == ours.sub("", ORIGINAL)


def test_streamlit_itself_has_a_title_of_its_own_and_names_no_script_of_a_widget():
    assert "<title>Streamlit</title>" in ORIGINAL
    assert [name for name in scripts(ORIGINAL) if name.startswith(("Slider.", "Selectbox."))] == []


def test_streamlit_itself_takes_nothing_for_its_document():
    known = {
        "script_path", "secrets", "lifespan", "routes", "middleware", "on_script_error",
        "exception_handlers", "debug",
    }  # fmt: skip
    assert set(signature(st.App).parameters) == known, "is one of them for its document's head?"
