"""Compare on a pool of labels: PGRA to start from, what it costs, its pictures and its verdict."""

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.metrics import METRICS
from core.retrieval.choosing import METHODS
from core.studio.runs import compare
from tests.pages.drawn import show
from tests.pages.test_compare_rows import compare_button, ids, methods, press, summaries, words

MOODS = ("positive", "negative")
REVIEWS = tuple(
    Draft(
        f"Review {number} says that it was {'grand' if number % 3 else 'dull'}",
        MOODS[number % 3 == 0],
        incorrect_answers((MOODS[number % 3 != 0],)),
    )
    for number in range(36)
)
LABEL = METRICS["label_consistency"].axis
ROWS = "none;rel;pgra exemplars=2;few: pgra exemplars=2 candidates=5;more: pgra exemplars=2 k=4"


@pytest.fixture
def reviews(workspace, workspace_with):
    workspace_with(workspace, "reviews", REVIEWS)
    return "reviews"


@pytest.fixture
def opened(reviews, language_model, open_page, finish):
    return lambda **link: finish(open_page("compare", **link))


def selectbox(app, label):
    (found,) = [each for each in app.selectbox if each.label == label]
    return found


def test_a_pool_with_a_task_has_pgra_to_start_from(opened):
    app = opened()
    press(app, "compare_start_PGRA")
    assert methods(app) == ["none", "random", "rel", "pgra", "pgra", "pgra"]
    assert summaries(app)[3:] == [
        "pgra, k 6",
        "pgra, k 6, similarity dot",
        "pgra, k 6, similarity centred",
    ]
    assert "36 texts read once) for the model to judge" in words(app)
    assert "at most 216 contexts (and " in words(app).lower()
    press(app, "compare_start_PGRA: candidates 16, 50, 100, 150")
    assert summaries(app) == ["rel, k 6", *(f"pgra, k 6, of {n}" for n in (16, 50, 100, 150))]
    assert not compare_button(app).disabled
    press(app, "compare_start_PGRA: kept 4, 8, 16, 24")
    assert summaries(app) == [f"{each}, k {n}" for each in ("rel", "pgra") for n in (4, 8, 16, 24)]
    assert not compare_button(app).disabled
    press(app, "compare_start_Every method")
    assert methods(app) == [name for name in METHODS if name != "neighbours"], "without a run"


def test_a_run_shows_labels_chance_and_sweeps(opened, finish, the_studio, reviews):
    app = opened(rows=ROWS, k="2", limit="30", seed="3")
    compare_button(app).click().run()
    app = finish(app)
    assert not app.exception, app.exception
    found = compare.RUNS.latest(the_studio(), reviews)
    assert found.labels.task == "sentiment"
    shown = words(show(app, "grounds"))
    assert f"Chance for label consistency (true labels): {found.labels.chance:.3f}" in shown
    assert "MC1 here is the accuracy of choosing the label" in shown
    shown = words(show(app, "labels"))
    assert "Do demonstrations with the query's own label bring right answers?" in shown
    assert LABEL in selectbox(app, "Metric").options
    assert len(app.get("plotly_chart")) == 1
    (rows,) = [each for each in app.multiselect if each.label == "Rows"]
    assert rows.options == ["rel", "pgra@exemplars=2", "few", "more"]
    app = rows.set_value([]).run()
    assert len(app.get("plotly_chart")) == 0
    app = show(app, "knob")
    assert "What is the effect of the knob that differs between rows?" in words(app)
    knob, metric = (selectbox(app, each) for each in ("Knob", "Metric of this picture"))
    assert (knob.options, metric.value) == (["k", "candidates"], "label_consistency")
    app = selectbox(app, "Knob").set_value("candidates").run()
    app = selectbox(app, "Metric of this picture").set_value("mc1").run()
    assert not app.exception, app.exception
    assert "MC1" in str(app.get("plotly_chart")[0].proto.spec)
    app = selectbox(app, "Metric").set_value("label_consistency").run()
    app = show(app, "grounds")
    assert "Label consistency (true labels): The share of a context's demonstrations" in words(app)


def rows_shown(app):
    (rows,) = [each for each in app.multiselect if each.label == "Rows"]
    return rows.value


@pytest.mark.thorough
def test_a_run_of_other_rows_begins_with_its_own_best_ones(opened, finish):
    link = {"k": "2", "limit": "30", "seed": "3", "view": "labels"}
    app = opened(rows="rel;pgra exemplars=2", **link)
    compare_button(app).click().run()
    app = finish(app)
    assert rows_shown(app) == ["rel", "pgra@exemplars=2"]
    press(app, "compare_start_PGRA: candidates 16, 50, 100, 150")
    compare_button(app).click().run()
    first, *others = rows_shown(finish(app))
    assert first == "rel"
    assert [each.partition("=")[0] for each in others] == ["pgra@candidates"]


def test_a_pool_without_labels_shows_nothing_of_them(
    visited_pool, language_model, open_page, finish
):
    app = finish(open_page("compare", rows="rel;none", k="2", limit="4"))
    compare_button(app).click().run()
    app = finish(app)
    assert LABEL not in selectbox(app, "Metric").options
    assert "abel consistency" not in words(app)
    offered = app.button_group(key="compare_view").options
    assert offered == [
        "Overview",
        "All metrics",
        "Query by query",
        "Choice per query",
        "Examples",
        "Grounds",
    ]


def test_pgra_on_a_pool_without_labels_is_refused_in_a_sentence(
    visited_pool, language_model, open_page, finish
):
    app = finish(open_page("compare", rows="rel;pgra", k="2", limit="4"))
    (said,) = [each.value.replace("\\", "") for each in app.info]
    assert "are not labels that many queries share, so it has no task" in said
    assert compare_button(app).disabled
    press(app, f"compare_row_{ids(app)[1]}_remove")
    assert not compare_button(app).disabled
