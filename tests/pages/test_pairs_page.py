"""Compare, query by query: who wins against the reference, and what a better sum is worth."""

import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from core.metrics.registry import METRICS
from core.reporting.tables.comparison import wins_table
from core.reporting.words.rows import sums_finding, win_sentence
from core.studio.runs import compare
from core.studio.runs.stories import Stories
from pages.common.runs.pairs import has_pairs
from tests.pages.drawn import html_of


def words(app):
    parts = [*app.markdown, *app.caption]
    return " ".join(each.value for each in parts).replace("\\", "")


def charts(app):
    return [json.loads(each.proto.spec) for each in app.get("plotly_chart")]


@pytest.fixture
def compared(visited_pool, language_model, open_page, finish):
    app = finish(
        open_page("compare", limit="4", k="2", view="queries", rows="none;rel;rel+div;vrsd")
    )
    next(each for each in app.button if each.label == "Compare").click().run()
    return finish(app)


@pytest.fixture
def found(compared, visited_pool, the_studio):
    return compare.RUNS.latest(the_studio(), visited_pool)


def test_wins_are_shown_in_the_metric_that_leads(compared, found):
    assert "DPO per triple, query by query: who wins against no demonstrations" in words(compared)
    assert wins_table(found, "dpo_per_triple") in html_of(compared)
    assert win_sentence(found, "vrsd", "dpo_per_triple") in words(compared)
    assert "Cosine of the sum is undefined for the reference, no demonstrations" in words(compared)
    assert charts(compared) == [], "without demonstrations there is no sum to compare"


@pytest.mark.thorough
def test_another_metric_reference_and_row_can_be_chosen(compared, found, the_studio):
    app = compared.selectbox(key="compare_metric").select("cos_sum").run()
    app = app.selectbox(key="compare_reference").select("rel").run()
    assert not app.exception
    against_rel = replace(found, reference="rel")
    row = app.selectbox(key="compare_pair")
    assert (row.value, row.options) == ("vrsd", ["none", "rel+div", "vrsd"])
    assert wins_table(against_rel, "cos_sum") in html_of(app)
    assert words(app).count(win_sentence(against_rel, "vrsd", "cos_sum")) == 1
    sums = Stories(the_studio(), found).sums("vrsd", "rel")
    (drawn,) = charts(app)
    assert drawn["data"][0]["x"] == pytest.approx([point.sums for point in sums.points])
    assert drawn["data"][0]["y"] == pytest.approx([point.answers for point in sums.points])
    assert "vrsd minus rel" in drawn["layout"]["yaxis"]["title"]["text"]
    assert sums_finding(sums.found.rho) in " ".join(html_of(app))
    traced = "4 queries on which both settings have both numbers. Spearman's rank correlation"
    assert traced in words(app)
    app = row.select("rel+div").run()
    assert win_sentence(against_rel, "rel+div", "cos_sum") in words(app)
    assert "rel+div minus rel" in charts(app)[0]["layout"]["yaxis"]["title"]["text"]
    app = app.selectbox(key="compare_pair").select("none").run()
    assert charts(app) == []


def section():
    import streamlit as st

    from pages.common.runs.pairs import draw_pairs

    draw_pairs(*st.session_state["given"])


def test_while_a_run_goes_on_the_table_stands_alone(found):
    app = AppTest.from_function(section)
    app.session_state["given"] = (found, "mc1", None)
    app.run()
    assert not app.exception
    assert html_of(app) == [wins_table(found, "mc1")]
    assert METRICS["mc1"].label in words(app)
    assert not app.selectbox


def test_a_row_alone_has_no_pairs(found):
    assert has_pairs(found)
    alone = {"rel": found.methods["rel"]}
    assert not has_pairs(replace(found, methods=alone, reference="rel"))
