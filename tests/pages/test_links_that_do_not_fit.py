"""Any link opens: what of it cannot be used is at its default, and one line names it."""

import re

import pytest

from tests.pages.conftest import ignored
from tests.pages.states import EVERY, FREE, OF_PAGES, SHARED, every_state, name_of, values

pytestmark = pytest.mark.usefixtures("with_passages", "language_model")
PARAMETER = re.compile(r"(\w+)=(.*?)(?:, | and | \()")
TEXTS = {
    "of another type": "?*!",
    "of another page": "fused",
    "empty": "",
}


@pytest.fixture
def looked_for(monkeypatch):
    """Owner and name of whatever a page looks for in its address."""
    from pages.common.state import state

    found, linked = set(), state.linked
    monkeypatch.setattr(state, "linked", lambda *asked: found.add(asked) or linked(*asked))
    return found


def unfit(page, link, text):
    """Every parameter but those of the link, with a text that fits nowhere."""
    found = {name: text for name in EVERY if name not in link}
    if not text:
        return found
    if text == "fused" and (page == "programs" or "passages" in link):
        found["by"] = "query"
    return {name: each for name, each in found.items() if name not in FREE}


def every_misfit():
    """In the gate Explore's first state with every text; all others in `make test-thorough`."""
    explore = next(state for state in every_state() if state[0] == "explore")
    for state in every_state():
        for name, text in TEXTS.items():
            marks = () if state == explore else pytest.mark.thorough
            yield pytest.param(state, text, id=f"{name_of(state)}-{name}", marks=marks)


@pytest.mark.parametrize(("state", "text"), list(every_misfit()))
def test_every_parameter_at_once(open_page, finish, looked_for, state, text):
    page, link = state
    usual = finish(open_page(page, **link))
    assert not ignored(usual)
    given = unfit(page, link, text)
    app = finish(open_page(page, **link, **given))
    assert values(app) == values(usual)
    line = ignored(app)
    assert set(PARAMETER.findall(line)) == set(given.items())
    known = {("shared", name) for name in SHARED}
    known |= {(owner, name) for owner, names in OF_PAGES.items() for name in names}
    assert looked_for <= known, "a parameter that is added is in states.py"
    assert not ignored(finish(open_page(page, **usual.query_params))), "the page's own link fits"


def test_a_number_is_kept_for_a_program_that_is_chosen_later(open_page):
    app = open_page("programs", do="answer", programs="vanilla", samples="3", p_queries="many")
    assert ignored(app) == "p_queries=many (must be a whole number from 1)."
    assert "answers_samples" not in values(app)
    app.multiselect(key="programs_programs").set_value(["vanilla", "open-domain"]).run()
    assert not app.exception
    assert values(app)["answers_samples"] == 3
