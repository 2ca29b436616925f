"""Under another key a widget begins anew, which Streamlit does not let a page ask for."""

import pytest
from streamlit.testing.v1 import AppTest


def files():
    import streamlit as st
    from streamlit.errors import StreamlitValueAssignmentNotAllowedError

    st.session_state["widget"] = None
    try:
        st.file_uploader("File", key="widget")
    except StreamlitValueAssignmentNotAllowedError:
        st.text("refused")


def chart():
    import streamlit as st
    from plotly.graph_objects import Figure
    from streamlit.errors import StreamlitValueAssignmentNotAllowedError

    st.session_state["widget"] = {"selection": {"points": []}}
    try:
        st.plotly_chart(Figure(), key="widget", on_select="rerun")
    except StreamlitValueAssignmentNotAllowedError:
        st.text("refused")


@pytest.mark.parametrize("page", [files, chart])
def test_streamlit_itself_refuses_to_empty_a_widget(page):
    shown = AppTest.from_function(page).run().text
    assert [text.value for text in shown] == ["refused"], "widget_keys.py can go"


def test_widgets_of_a_name_begin_anew_and_others_stay():
    def page():
        import streamlit as st

        from pages.common.streamlit_workarounds.widget_keys import empty_widgets, key_number

        for name in ("one", "two"):
            st.text_input(name, key=f"{name}_{key_number(name)}")
        st.button("Empty", on_click=empty_widgets, args=["one"])

    app = AppTest.from_function(page).run()
    for text in app.text_input:
        text.set_value("typed")
    app.run()
    app.button[0].click().run()
    assert [(text.key, text.value) for text in app.text_input] == [
        ("one_1", ""),
        ("two_0", "typed"),
    ]
