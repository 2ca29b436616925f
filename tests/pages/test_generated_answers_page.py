"""Compare with generated answers: the switch and its cost, the metrics, each example's texts."""

import pytest

from core.metrics.scores import OfAnswer
from core.reporting.words.own_answers import right_answers
from core.studio.runs import compare
from core.studio.runs.starts import STANDARD
from tests.pages.conftest import parameter
from tests.pages.drawn import html_of, show

GENERATED = tuple(OfAnswer.__annotations__)
KEY = "compare_generate"


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def press(app, label):
    next(each for each in app.button if each.label == label).click().run()


def offered(app):
    return app.selectbox(key="compare_metric").options


@pytest.fixture
def generated(visited_pool, language_model, open_page, finish):
    """A comparison of two rows over two examples, with generated answers."""
    app = finish(open_page("compare", limit="2", k="2", generate="yes"))
    press(app, "Compare")
    return finish(app)


def test_without_the_switch_nothing_is_generated(
    visited_pool, language_model, open_page, finish, the_studio
):
    app = finish(open_page("compare", limit="2", k="2"))
    assert app.toggle(key=KEY).value is False
    assert "answers generated" not in words(app)
    press(app, "Compare")
    finish(app)
    found = compare.RUNS.latest(the_studio(), visited_pool)
    assert found.settings.generate is False
    assert not [each for each in offered(app) if "Exact match" in each]
    assert right_answers(found) == ""
    assert "What the model itself answers" not in words(show(app, "examples"))
    assert "generate" not in app.query_params


def test_the_switch_says_its_cost_and_is_in_the_link(
    visited_pool, language_model, open_page, finish
):
    app = finish(open_page("compare", limit="2", k="2"))
    switch = app.toggle(key=KEY)
    assert "one text an example and row, each of at most 64 tokens" in switch.help
    switch.set_value(True).run()
    assert f"at most {2 * len(STANDARD)} answers generated)" in words(app)
    assert parameter(app, "generate") == "yes"
    assert finish(open_page("compare", generate="all")).toggle(key=KEY).value is False


@pytest.mark.thorough
def test_the_metrics_are_offered_and_every_example_has_its_texts(
    generated, visited_pool, the_studio
):
    found = compare.RUNS.latest(the_studio(), visited_pool)
    assert found.settings.generate is True
    for row in found.methods.values():
        assert [row.metrics[name].n for name in GENERATED] == [2] * len(GENERATED)
    assert "Exact match (share)" in offered(generated)
    assert any("ROUGE-L" in body for body in html_of(show(generated, "metrics")))
    tables = html_of(show(generated, "examples"))
    assert "What the model itself answers after each context" in words(generated)
    answers = next(body for body in tables if "ended by" in body)
    assert answers.count("neither") == len(found.methods), "random weights answer nothing right"
    assert right_answers(found) in words(generated)
    assert "The model's own answers that are a correct one" in words(show(generated, "grounds"))


def test_a_metric_of_them_is_drawn(generated, finish):
    generated.selectbox(key="compare_metric").set_value("f1").run()
    app = finish(generated)
    assert not app.exception
    assert any("Answer F1" in body for body in html_of(app))
