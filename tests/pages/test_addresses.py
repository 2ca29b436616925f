"""What is chosen is kept for its owner, and an address is read once: when it is new."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.common.state.readers import one_of, some_of, switch, whole, within

TEXTS = ("", "?", "0", "1", "2", "0.5", "-1", "nan", "inf", "1e400", "a", "a,b", "b,a", "a,a",
         "a,c", "True", "true", "on", "9" * 5_000)  # fmt: skip


def accepted(read):
    """What a reader makes of each text that it does not refuse."""
    found = {}
    for text in TEXTS:
        try:
            found[text] = read(text)
        except ValueError:
            continue
    return found


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (within(0.0, 1.0), {"0": 0.0, "1": 1.0, "0.5": 0.5}),
        (whole(1, 2), {"1": 1, "2": 2}),
        (whole(0), {"0": 0, "1": 1, "2": 2}),
        (one_of("", "a"), {"": "", "a": "a"}),
        (one_of(), {}),
        (some_of(["a", "b"], ","), {"a": ["a"], "a,b": ["a", "b"], "b,a": ["b", "a"]}),
        (switch(), {"True": True}),
        (switch(on="on", off="a"), {"on": True, "a": False}),
    ],
)
def test_a_reader_takes_what_is_allowed_and_nothing_else(read, texts):
    assert accepted(read) == texts


@pytest.mark.parametrize(
    ("read", "allowed"),
    [
        (within(0.0, 1.0), "must be a number from 0 to 1"),
        (whole(1, 1_000), "must be a whole number from 1 to 1,000"),
        (whole(1), "must be a whole number from 1"),
        (one_of("", "a", "b"), "must be a or b"),
        (one_of(*map(str, range(20))), "there is no such choice"),
        (one_of(""), "there is no such choice"),
    ],
)
def test_what_is_refused_says_what_is_allowed(read, allowed):
    with pytest.raises(ValueError, match=f"^{allowed}$"):
        read("?")


def page():
    """A page of the title in the session, with a number of its own and one that all pages share."""
    import streamlit as st

    from pages.common.state.address import ignored_line, open_address, write_link
    from pages.common.state.knobs import kept_key
    from pages.common.state.readers import whole
    from pages.common.state.state import SHARED, keeper, remember

    title = st.session_state.get("title", "first")
    open_address(title)
    values = {}
    for name, owner in (("own", title), ("all", SHARED)):
        key = kept_key(title, name, 1, whole(1, 9), owner=owner)
        values[name] = st.number_input(name, 1, 9, key=key, on_change=keeper(key, owner, name))
        remember(owner, name, values[name])
    write_link(**{name: str(value) for name, value in values.items()})
    st.text(ignored_line())


def opened(app, title, **link):
    """The page of this title opened anew, by a link or by the menu; its two numbers."""
    app.session_state["title"] = title
    app.query_params.clear()
    for name, text in link.items():
        app.query_params[name] = text
    assert not app.run().exception
    return numbers(app)


def numbers(app):
    return [each.value for each in app.number_input]


@pytest.fixture
def app():
    return AppTest.from_function(page)


def test_one_name_of_two_pages_is_two_values(app):
    assert opened(app, "first", own="2", all="3") == [2, 3]
    assert opened(app, "second") == [1, 3]
    assert opened(app, "second", own="2") == [2, 3]
    app.number_input(key="second_own").set_value(7).run()
    app.number_input(key="second_all").set_value(8).run()
    assert opened(app, "first") == [2, 8]
    assert opened(app, "second") == [7, 8]


def test_back_shows_what_the_address_has(app):
    opened(app, "first", own="2", all="3")
    app.number_input(key="first_own").set_value(4).run()
    opened(app, "second", all="5")
    assert opened(app, "first", own="4", all="3") == [4, 3]


def test_an_address_of_before_does_not_undo_what_was_chosen(app):
    """A browser that answers at once still sends the address of the run before."""
    opened(app, "first", own="2", all="3")
    for value in (4, 5):
        app.number_input(key="first_own").set_value(value)
        app.query_params["own"] = "2"
        app.run()
        assert numbers(app) == [value, 3]
    app.query_params["own"] = "4"
    assert numbers(app.run()) == [5, 3]
    assert app.text[0].value == ""


def test_a_line_names_what_is_ignored_until_the_page_is_left(app):
    link = {"own": "ten", "all": "", "other": "x" * 99, "v": "2", "more": "1"}
    assert opened(app, "first", **link) == [1, 1]
    line = (
        "Ignored in this link: own=ten (must be a whole number from 1 to 9); all= (empty); "
        f"other={'x' * 37}... and more=1 (not used here); v=2 (must be 1)."
    )
    assert app.text[0].value == line
    app.number_input(key="first_own").set_value(4).run()
    assert app.text[0].value == line
    opened(app, "second")
    assert app.text[0].value == ""
    opened(app, "first")
    assert app.text[0].value == ""
