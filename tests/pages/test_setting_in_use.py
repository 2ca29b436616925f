"""Use this setting: from a result onto every page, kept with the pool; a link comes first."""

import pytest
import streamlit as st

from core.demonstration.demonstration import Draft
from core.errors import WorkspaceBusy
from core.reporting.words.advice import Grounds, SettingToUse
from core.retrieval.knobs import Knobs
from core.store import Store
from core.studio.pools import demonstrations
from core.studio.pools.pools import setting_in_use
from pages.common.frame import page as frame_page
from pages.common.runs import setting as setting_page
from pages.common.state.setting import PAGES
from tests.pages.conftest import POOL, errors, parameter, press
from tests.support.gated import gated

NEAR = Knobs("rel+div", k=3, lambda_d=0.4)
VERB = {"calibrate": "Calibrate", "compare": "Compare"}


@pytest.fixture
def recommends(monkeypatch):
    """Has every result recommend a setting."""

    def set_to(knobs):
        found = SettingToUse(knobs, Grounds.LEADS, 1)
        for name in ("setting_of_calibration", "setting_of_comparison"):
            monkeypatch.setattr(setting_page, name, lambda *given: found)

    return set_to


@pytest.fixture
def of_a_run(visited_pool, language_model, open_page, finish, recommends):
    """The page with a result that recommends the setting."""

    def show(page, knobs=NEAR):
        recommends(knobs)
        app = finish(open_page(page, limit="4", k="2"))
        return finish(press(app, f"{VERB[page]}_start"))

    return show


def restarted():
    """The next page is opened by a new server."""
    frame_page.open_studio().close()
    st.cache_resource.clear()


def keys(app):
    return {each.key for each in app.button}


def at(app, *names):
    return [app.session_state[f"kept_{name}"] for name in names]


@pytest.mark.parametrize("page", gated(["compare", "calibrate"]))
def test_one_press_sets_it_on_every_page_and_a_restart_keeps_it(page, of_a_run, open_page):
    app = press(of_a_run(page), "setting_use")
    assert at(app, "method", "k", "lambda_d", "lambda_b") == ["rel+div", 3, 0.4, 0.95]
    assert app.number_input(key=f"{page}_k").value == 3
    assert parameter(app, "k") == "3"
    assert "setting_use" not in keys(app)
    assert "In use" in [each.value for each in app.caption]
    restarted()
    explore = open_page("explore")
    assert explore.selectbox(key="explore_method").value == "rel+div"
    assert [parameter(explore, name) for name in ("k", "lambda_d")] == ["3", "0.40"]
    assert open_page("map").number_input(key="map_k").value == 3
    assert open_page("compare").slider(key="compare_lambda_d").value == 0.4
    assert open_page("calibrate").number_input(key="calibrate_k").value == 3


def test_the_press_counts_on_pages_that_were_open_before(of_a_run, open_app, recommends, finish):
    of_a_run("compare")
    app = finish(open_app("explore"))
    assert app.selectbox(key="explore_method").value == "rel+div+bias"
    app.switch_page("pages/compare.py").run()
    press(app, "setting_use")
    app.switch_page("pages/explore.py").run()
    assert not app.exception
    assert app.selectbox(key="explore_method").value == "rel+div"
    assert app.number_input(key="explore_k").value == 3
    app.selectbox(key="explore_method").set_value("vrsd").run()
    assert app.session_state["kept_method"] == "vrsd", "what is chosen by hand afterwards stays"
    app.switch_page("pages/compare.py").run()
    assert "setting_use" in keys(app)


def test_undo_brings_back_what_was_in_use(of_a_run, the_studio):
    app = of_a_run("compare")
    press(press(app, "setting_use"), "setting_undo")
    assert at(app, "method", "k", "lambda_d") == ["rel+div+bias", 2, 0.75]
    assert app.number_input(key="compare_k").value == 2
    assert "setting_use" in keys(app)
    assert setting_in_use(the_studio(), POOL) == Knobs(k=2)


def test_the_history_of_the_pool_undoes_it_and_then_the_page_says_so(
    of_a_run, open_page, the_studio
):
    app = press(of_a_run("compare"), "setting_use")
    done = demonstrations.history(the_studio(), POOL)[0]
    assert done.what == "put in use: rel+div with k 3, lambda_d 0.40"
    press(open_page("demonstrations", section="history"), f"demonstrations_undo_{done.id}")
    app.run()
    assert at(app, "method", "k") == ["rel+div+bias", 2], "in the window that was open, too"
    assert "setting_undo" not in keys(app)
    assert errors(app) == []


def test_a_link_comes_before_the_setting_of_the_pool(of_a_run, open_page):
    press(
        of_a_run("compare", Knobs("rel+div", k=3, lambda_d=0.4, one_per_query=True)), "setting_use"
    )
    restarted()
    app = open_page("explore", method="vrsd", k="5")
    assert at(app, "method", "k") == ["vrsd", 5]
    assert not app.toggle(key="explore_one_per_query").value, "a whole view is as its link says"
    app = open_page("calibrate", k="4", lambda_b="0.50")
    assert at(app, "k", "lambda_b", "lambda_d", "method") == [4, 0.5, 0.4, "rel+div"]
    assert not app.toggle(key="calibrate_one_per_query").value
    assert open_page("calibrate").toggle(key="calibrate_one_per_query").value


def test_each_pool_has_its_own(workspace, visited_pool, open_page, the_studio):
    with Store.open(workspace) as store:
        other = store.pools.create("other")
        store.demonstrations.add(other.id, [Draft("q", "a")])
        store.history.use_setting(other.id, NEAR.to_json(), {}, "near")
    app = open_page("explore", pool=POOL)
    app.number_input(key="explore_k").set_value(9).run()
    app.selectbox(key="sidebar_pool").set_value("other").run()
    assert app.selectbox(key="explore_method").value == "rel+div"
    assert at(app, "method", "k", "lambda_d") == ["rel+div", 3, 0.4]
    app.selectbox(key="sidebar_pool").set_value(POOL).run()
    assert at(app, "k") == [3], "a pool without one leaves the knobs as they are"


def test_a_method_that_is_gone_is_not_put_in_use(workspace, visited_pool, open_page):
    with Store.open(workspace) as store:
        pool = store.pools.get(POOL).id
        store.history.use_setting(pool, {"method": "gone", "k": 3}, {}, "gone")
    assert at(open_page("explore"), "method", "k") == ["rel+div+bias", 6]


@pytest.mark.parametrize("page", gated(["compare", "calibrate"]))
def test_it_can_be_taken_along(page, of_a_run, workspace):
    link, command, code = (each.value for each in of_a_run(page).code[:3])
    assert link.endswith("method=rel%2Bdiv&k=3&lambda_d=0.40&lambda_b=0.95")
    assert "/explore?v=1&pool=small+pool+%3Cscript%3E&" in link
    assert command.startswith(f"python -m core retrieve --workspace {workspace} --pool 'small pool")
    assert command.endswith("--method rel+div -k 3 --lambda-d 0.40 --encoder hashing")
    assert f"Store.open({str(workspace)!r})" in code
    assert len(code.splitlines()) == 5


def test_a_copy_opens_while_the_studio_has_the_workspace(of_a_run, workspace):
    """In this process, as another one is refused in the same way."""
    app = of_a_run("compare")
    assert "end the studio first, or copy it" in "".join(each.value for each in app.caption)
    with pytest.raises(WorkspaceBusy):
        Store.open(workspace)
    press(press(app, "setting_use"), "setting_copy")
    command, code = (each.value for each in app.code[1:3])
    copy = workspace / "copy"
    assert f"--workspace {copy} " in command
    assert f"Store.open({str(copy)!r})" in code
    with Store.open(copy) as store:
        pool = store.pools.get(POOL)
        assert store.history.setting(pool.id)["lambda_d"] == 0.4
        assert store.pools.create("new").id > pool.id, "numbers go on where they were"
    press(app, "setting_copy")
    with Store.open(copy) as store:
        assert [each.name for each in store.pools.all()] == [POOL]


def test_every_page_with_shared_knobs_is_set():
    assert set(PAGES) == {"explore", "map", "calibrate", "compare"}
