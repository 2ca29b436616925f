"""No enabled button without effect: each changes the page, the address or the pool, or says why."""

import pytest

from core.studio.pools import demonstrations
from tests.pages.drawn import html_of

TEXTS = (
    "title", "header", "subheader", "markdown", "caption", "text", "success", "info", "warning",
    "error", "toast", "metric",
)  # fmt: skip
CHOSEN = (
    "text_input", "text_area", "number_input", "slider", "selectbox", "multiselect", "checkbox",
    "toggle", "radio", "button_group",
)  # fmt: skip

MOST = 20
READ = "Read one by one"
"""Leaves for Review, which a page that runs alone does not know."""


def seen(app):
    """All that a visitor can tell apart: texts, tables, what is chosen, and the address."""
    texts = [(kind, each.value) for kind in TEXTS for each in getattr(app, kind)]
    texts += [("progress", each.proto.text) for each in app.get("progress")]
    frames = [frame.value.to_csv() for frame in app.dataframe]
    chosen = [(each.key, str(each.value)) for kind in CHOSEN for each in getattr(app, kind)]
    buttons = [(each.key, each.label, each.disabled) for each in app.button]
    html = html_of(app)
    return texts, frames, chosen, buttons, html, dict(app.query_params)


def press_every_button(app, wait=None, last=None, most=MOST):
    """Press each button that is enabled when its turn comes; the labels of those pressed.

    Those that undo an undo come without end; `most` are enough. `last` takes away what the others
    act on.
    """
    pressed, known, before = [], set(), seen(app)
    while True:
        on = [one for one in app.main.button if not one.disabled and one.label != READ]
        waiting = [one for one in on if one.key not in known]
        if not waiting or len(pressed) == most:
            return pressed
        button = min(waiting, key=lambda one: one.label == last)
        known.add(button.key)
        label = button.label
        button.click().run()
        assert not app.exception, (label, app.exception)
        after = seen(app)
        assert after != before, f"{label!r} ({button.key}) changed nothing and said nothing"
        pressed.append(label)
        before = after if wait is None else seen(wait(app))


def test_on_the_table_whichever_rows_are_meant(small_pool, open_page, the_studio):
    open_page("demonstrations")
    demonstrations.add_tag(the_studio(), [1], "checked")
    app = open_page("demonstrations", search="bats")
    assert {each.label for each in app.main.button if not each.disabled} == {
        "Add to the pool",
        "Count how often each is retrieved",
        "Keep this search",
    }
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    app.selectbox(key="demonstrations_bulk_tag").set_value("checked").run()
    pressed = press_every_button(app)
    assert {"Add tag", "Remove tag", "Exclude", "Include", "Use as fixed", "Delete"} <= set(pressed)
    assert {"Yes, delete", "Undo", "Add to the pool"} <= set(pressed)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("section", "some", "most"),
    [
        ("history", {"Undo", "Redo"}, 8),  # each press makes one more to press
        ("fixed", {"Up", "Remove", "Draw six with the pool's seed"}, MOST),
    ],
)
def test_in_the_other_sections(small_pool, language_model, open_page, section, some, most):
    app = open_page("demonstrations", search="bats")
    app.radio(key="demonstrations_bulk_scope").set_value(1).run()
    app.button(key="demonstrations_bulk_Exclude").click().run()
    app.button_group(key="demonstrations_section").set_value(section).run()
    pressed = press_every_button(app, most=most)
    assert some <= set(pressed)


@pytest.mark.thorough
def test_on_the_map(visited_pool, open_page, finish):
    app = finish(open_page("map"))
    app.text_input(key="map_search").set_value("id:1-4").run()
    pressed = press_every_button(app, last="Clear the selection")
    assert {"Keep this search", "Exclude", "Include", "Use as fixed", "Delete", "Undo"} <= set(
        pressed
    )


def test_on_explore(visited_pool, language_model, open_page, finish):
    app = finish(open_page("explore", k="2", lambda_d="0.5", view="path-d"))
    pressed = press_every_button(app, finish)
    assert any(label.startswith(("Previous", "Next")) for label in pressed)


def test_on_explore_without_a_cockpit(visited_pool, language_model, open_page, finish):
    app = finish(open_page("explore", k="2", method="bm25"))
    assert {"Exclude", "Pin", "Edit", "Undo"} <= set(press_every_button(app, finish))


@pytest.mark.parametrize(("page", "verb"), [("calibrate", "Calibrate"), ("compare", "Compare")])
def test_on_the_pages_that_run(small_pool, language_model, open_page, finish, page, verb):
    app = finish(open_page(page, limit="2", k="1"))
    before = seen(app)
    app.button[[each.label for each in app.button].index(verb)].click().run()
    assert seen(app) != before
    finish(app)
