"""What Streamlit has no parameter for, so that a style sheet does it."""

from inspect import signature

import streamlit as st

CAN_GO = "Streamlit has a parameter: {} can go"


def test_a_button_shows_its_label():
    assert "label_visibility" not in signature(st.button).parameters, CAN_GO.format(
        "hidden_labels.css"
    )


def test_the_headers_of_a_table_sort_it():
    names = {*signature(st.data_editor).parameters, *signature(st.column_config.Column).parameters}
    assert {"num_rows", "pinned"} <= names
    assert [name for name in names if "sort" in name] == [], CAN_GO.format("header_clicks.css")
