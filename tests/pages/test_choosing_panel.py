"""Compare says whether choosing per query pays; Demonstrations finds a set for `fix`."""

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.reporting.tables.runs import text_table
from core.reporting.tables.worth import fixed_headline, sets_table, settings_table, worth_headline
from core.reporting.words.calibration_findings import ANOTHER_MODEL
from core.studio.pools.demonstrations import fixed
from core.studio.runs import compare
from core.studio.runs.adaptive import RUNS, NeighboursRequest, worth_of_choosing
from core.studio.session.studio import Setup
from tests.pages.drawn import html_of

QUESTION = "Does it pay to choose a setting for each query?"


def words(app):
    parts = [*app.markdown, *app.caption]
    return " ".join(each.value for each in parts).replace("\\", "")


def press(app, label):
    return next(each for each in app.button if each.label == label).click().run()


@pytest.fixture
def compared(visited_pool, language_model, open_page, finish):
    def run(rows):
        app = finish(open_page("compare", limit="5", k="2", rows=rows, view="choice"))
        return finish(press(app, "Compare"))

    return run


def test_compare_shows_what_choosing_per_query_gains(
    compared, visited_pool, the_studio, language_model
):
    app = compared("none;rel;bm25")
    assert not app.exception
    assert QUESTION in words(app)
    run = compare.RUNS.latest(the_studio(), visited_pool).run
    setup = Setup(visited_pool, None, str(language_model))
    for nearest in (50, 1):
        if nearest == 1:
            app = app.number_input(key="compare_nearest").set_value(1).run()
        found = worth_of_choosing(the_studio(), NeighboursRequest(setup, run, nearest))
        assert worth_headline(found) in words(app)
        assert text_table(settings_table(found)) in html_of(app)


def test_one_setting_leaves_nothing_to_choose(compared):
    assert QUESTION not in words(compared("rel"))


def test_neighbours_is_refused_before_it_can_start(visited_pool, language_model, open_page, finish):
    app = finish(open_page("compare", limit="5", k="2", rows="rel;neighbours"))
    assert any("has no finished comparison of 2 settings" in each.value for each in app.info)
    assert next(each for each in app.button if each.label == "Compare").disabled


@pytest.fixture
def twelve(workspace, workspace_with):
    """A pool of twelve queries; its name."""
    wrong = incorrect_answers(("Of course", "Nobody knows"))
    drafts = [Draft(f"Is thing {n} red?", f"The book says {n}", wrong) for n in range(12)]
    workspace_with(workspace, "twelve", tuple(drafts))
    return "twelve"


def test_a_set_is_tried_and_used(twelve, language_model, open_page, finish, the_studio):
    app = finish(open_page("demonstrations", section="fixed"))
    app.number_input(key="fixed_sets").set_value(3)
    app.number_input(key="fixed_k").set_value(1)
    app = finish(press(app, "Try them"))
    assert not app.exception
    found = RUNS.latest(the_studio(), twelve)
    assert fixed_headline(found) in words(app)
    assert text_table(sets_table(found)) in html_of(app)
    app = finish(press(app, "Use the best set"))
    assert [row.id for row in fixed(the_studio(), twelve)] == list(found.best.ids)


def test_a_set_that_the_toy_tried_is_not_called_better(twelve, hub_cache, open_page, finish):
    app = finish(open_page("demonstrations", section="fixed"))
    app.number_input(key="fixed_sets").set_value(2)
    app.number_input(key="fixed_k").set_value(1)
    app = finish(press(app, "Try them"))
    assert f"**{ANOTHER_MODEL}**" in words(app)
    assert "Use the best set" in {each.label for each in app.button}


def test_a_set_that_is_too_large_is_refused_in_a_sentence(
    visited_pool, language_model, open_page, finish
):
    app = finish(open_page("demonstrations", section="fixed"))
    app.number_input(key="fixed_k").set_value(20)
    app = finish(press(app, "Try them"))
    assert not app.exception
    assert any("could choose among sets of 20" in each.value for each in app.error)
