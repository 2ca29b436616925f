"""The page Programs: queries are tried, attempts looked at, good ones kept."""

import pytest

from core.demonstration.demonstration import Draft
from core.studio.programs import bootstrap
from tests.pages.conftest import press
from tests.unit.studio.test_bootstrap import CAPITALS, Knowing

LANDS = tuple(Draft(f"The capital of {land}?", CAPITALS[land]) for land in ("France", "Italy"))
NEW = (
    Draft("The capital of Norway?", "Oslo"),
    Draft("The capital of Peru?", "Lima"),
    Draft("The capital of Cuba?", "<b>Trinidad</b>"),
)


@pytest.fixture
def model():
    return Knowing()


@pytest.fixture
def lands(workspace, workspace_with, every_studio, model, hashing_encoder, presence, the_studio):
    every_studio(
        load_encoder=lambda name: hashing_encoder,
        load_model=lambda name: model,
        presence=presence,
    )
    workspace_with(workspace, "lands", LANDS)
    the_studio().store.demonstrations.add_to_named("new", NEW)
    return "lands"


def texts(app):
    """What the page says, without what keeps Streamlit from reading it as markdown."""
    shown = (*app.markdown, *app.caption, *app.subheader, *app.success)
    return [each.value.replace("\\", "") for each in shown]


def number_of(studio, word):
    found = bootstrap.RUNS.latest(studio, "lands")
    return next(each.number for each in found.tried if word in each.query)


def tried(open_page, finish):
    app = open_page("programs", pool="lands", examples="new")
    (start,) = [each for each in app.button if each.label == "Try them"]
    start.click().run()
    return finish(app)


def test_attempts_are_looked_at_and_the_chosen_ones_kept(lands, open_page, finish, the_studio):
    app = open_page("programs", pool="lands", examples="new")
    assert any("Nothing was tried with this pool yet" in each for each in texts(app))
    app = tried(open_page, finish)
    assert app.subheader[0].value == "2 of 3 queries came out right \\(1 answer wrong\\)\\."
    peru, cuba = (number_of(the_studio(), word) for word in ("Peru", "Cuba"))
    press(app, f"programs_look_1_{cuba}")
    assert any(each.startswith("Rejected: answer wrong") for each in texts(app))
    assert any("\\<b\\>Trinidad\\</b\\>" in each.value for each in app.markdown)
    assert app.checkbox(key=f"programs_keep_1_{cuba}").disabled
    press(app, f"programs_look_1_{peru}")
    assert {"Right", "Predicted: Lima", "Accepted: Lima"} <= set(texts(app))
    (written,) = [each.proto.body for each in app.get("html") if ">per token<" in each.proto.body]
    assert ">Lima<" in written
    assert app.button(key="programs_keep").disabled
    app.checkbox(key=f"programs_keep_1_{peru}").check().run()
    assert app.button(key="programs_keep").label == "Keep 1 as demonstrations"
    press(app, "programs_keep")
    assert [each.value for each in app.success] == [
        "1 added to pool lands\\. The pool's history can undo it\\."
    ]
    rows = the_studio().store.demonstrations.all(the_studio().store.pools.get("lands").id)
    assert [(row.query, row.answer, row.written_by) for row in rows[2:]] == [
        ("The capital of Peru?", "Lima", "nearest with fake, run 1")
    ]
    app = finish(open_page("explore", pool="lands", q="The capital of Peru", method="rel", k="3"))
    assert any("written by nearest with fake, run 1" in each.proto.body for each in app.get("html"))


def test_the_list_can_be_filtered_and_all_right_ones_chosen(lands, open_page, finish, the_studio):
    app = tried(open_page, finish)
    (every,) = [each for each in app.button if each.label == "Choose all right"]
    every.click().run()
    assert app.button(key="programs_keep").label == "Keep 2 as demonstrations"
    app.segmented_control(key="programs_filter_1").set_value("answer wrong").run()
    looks = [each.key for each in app.button if each.label == "Open"]
    assert looks == [f"programs_look_1_{number_of(the_studio(), 'Cuba')}"]
    assert app.button(key="programs_keep").label == "Keep 2 as demonstrations"


def test_a_run_that_was_cut_off_can_be_gone_on_with(lands, open_page, finish, the_studio, model):
    from core.studio.session.studio import Setup
    from core.watcher import Watcher

    model.allowed = 1
    request = bootstrap.BootstrapRequest(setup=Setup("lands", model="fake"), examples="new")
    with pytest.raises(KeyboardInterrupt):
        bootstrap.run(the_studio(), request, Watcher())
    model.allowed = 1_000
    app = open_page("programs", pool="lands", examples="new")
    (again,) = [each for each in app.button if each.label == "Go on with it"]
    again.click().run()
    app = finish(app)
    assert app.subheader[0].value.startswith("2 of 3 queries came out right")
    assert bootstrap.RUNS.latest(the_studio(), "lands").run == 1


def test_a_program_that_searches_says_that_there_are_no_passages(lands, open_page):
    app = open_page("programs", pool="lands", program="multi-hop")
    assert any("Passages are searched, and there are none" in each.value for each in app.info)
    (start,) = [each for each in app.button if each.label == "Try them"]
    assert start.disabled
    assert not app.exception
