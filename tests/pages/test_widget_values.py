"""A widget's value goes to the browser with every run, where one run alone might be missed."""

from streamlit.testing.v1 import AppTest


def sent(page):
    """Whether each of two runs of a page sends the value of its number, and the value itself."""
    app, found = AppTest.from_function(page), []
    for _ in range(2):
        assert not app.run().exception
        (number,) = app.number_input
        found.append((number.proto.set_value, number.value))
    return found


def test_streamlit_itself_sends_a_value_once():
    def page():
        import streamlit as st

        if "number" not in st.session_state:
            st.session_state["number"] = 7
        st.number_input("Number", key="number")

    assert sent(page) == [(True, 7), (False, 7)], "widget_values.py can go"


def test_a_kept_value_is_sent_with_every_run():
    def page():
        import streamlit as st

        from pages.common.streamlit_workarounds.widget_values import keep_sending

        keep_sending("number", 7)
        st.number_input("Number", key="number")

    assert sent(page) == [(True, 7), (True, 7)]


def test_a_widget_has_its_first_value_until_it_is_set_from_elsewhere():
    def page():
        import streamlit as st

        from pages.common.streamlit_workarounds.widget_values import set_value, was_set

        st.button("Set", on_click=set_value, args=["number", 9])
        st.number_input("Number", value=None if was_set("number") else 7, key="number", step=1)

    app = AppTest.from_function(page).run()
    assert app.number_input[0].value == 7
    app.button[0].click().run()
    assert app.number_input[0].value == 9
    app.run()
    assert app.number_input[0].value == 9


def test_a_widget_without_a_value_begins_again_with_its_first():
    def page():
        import streamlit as st

        from pages.common.streamlit_workarounds.widget_values import send_again

        runs = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
        chosen = st.segmented_control("One", ["a", "b"], default="b", key="one")
        if runs == 2:
            send_again("one")
        st.text(f"{chosen} in run {runs}")

    app = AppTest.from_function(page).run()
    app.button_group[0].set_value(["a"]).run()
    assert [text.value for text in app.text] == ["b in run 3"]
