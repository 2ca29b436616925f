"""The rows of Compare: added, copied, removed, named, changed; links; refusals in one sentence."""

import json
import re

import pytest

from core.evaluation.plan.comparison_rows import ComparisonRow
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import Knobs
from core.settings import Embed
from core.studio import Setup
from core.studio.runs import compare
from core.studio.runs.starts import STANDARD
from pages.common.frame.text import plain
from pages.common.runs.rows import summed_up
from tests.pages.drawn import html_of

ROW = re.compile(r"compare_row_(\d+)_method")

OTHERS = ("More", "Starting points", "Take it with you")


def ids(app):
    """The numbers of the rows, from top to bottom."""
    return [int(found[1]) for each in app.selectbox if (found := ROW.fullmatch(each.key or ""))]


def methods(app):
    return [app.selectbox(key=f"compare_row_{row}_method").value for row in ids(app)]


def names(app):
    """What each row is called: its name, or what stands for it."""
    inputs = [app.text_input(key=f"compare_row_{row}_name") for row in ids(app)]
    return [each.value or each.placeholder for each in inputs]


def summaries(app):
    labels = [each.proto.popover.label.replace("\\", "") for each in app.get("popover")]
    return [label for label in labels if label not in OTHERS]


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def rows_in_address(app):
    value = app.query_params.get("rows")
    return value if value is None or isinstance(value, str) else value[0]


def press(app, key):
    app.button(key=key).click().run()
    assert not app.exception, app.exception
    return app


def compare_button(app):
    return next(each for each in app.button if each.label == "Compare")


@pytest.fixture
def opened(small_pool, language_model, open_page, finish):
    """Compare, opened with these rows and whatever else a link says."""
    return lambda **link: finish(open_page("compare", **link))


def test_a_first_visit_has_the_standard_methods_and_a_short_address(opened):
    app = opened()
    assert methods(app) == names(app) == list(STANDARD)
    assert rows_in_address(app) is None
    assert not compare_button(app).disabled
    assert methods(app) == ["none", "rel", "rel+div+bias"]
    all_of_it = "rel+div+bias, k 6, lambda_d 0.75, lambda_b 0.95"
    assert summaries(app) == ["none", "rel, k 6", all_of_it]


def test_a_row_is_added_copied_and_removed_without_shifting_the_others(opened):
    app = opened(rows="rel;'by hand:' rel+div k=3")
    first, second = ids(app)
    press(app, "compare_add")
    assert methods(app) == ["rel", "rel+div", "none"], "the first method that no row has"
    press(app, f"compare_row_{second}_copy")
    assert methods(app) == ["rel", "rel+div", "rel+div", "none"]
    assert names(app) == ["rel", "by hand", "rel+div@k=3", "none"], "a copy has no name of its own"
    copied = ids(app)[2]
    app.slider(key=f"compare_row_{copied}_lambda_d").set_value(0.25).run()
    press(app, f"compare_row_{first}_remove")
    assert ids(app)[:2] == [second, copied]
    assert names(app) == ["by hand", "rel+div@k=3,lambda_d=0.25", "none"]
    assert summaries(app) == [
        "by hand: rel+div, k 3, lambda_d 0.75",
        "rel+div, k 3, lambda_d 0.25",
        "none",
    ]
    assert rows_in_address(app) == "'by hand:' rel+div k=3;rel+div k=3 lambda_d=0.25;none"


def test_only_the_knobs_of_the_method_are_offered(opened):
    app = opened(rows="none;rel;rel+bias;random")
    none, rel, biased, random = ids(app)
    keys = {
        each.key
        for kind in ("slider", "number_input", "toggle", "selectbox")
        for each in getattr(app, kind)
        if each.key and each.key.startswith("compare_row_")
    }
    shared = {"method", "model", "k", "candidates", "embed", "one_per_query"}

    def of(row):
        return {key.removeprefix(f"compare_row_{row}_") for key in keys if f"_{row}_" in key}

    assert of(none) == {"method", "model"}
    assert of(rel) == shared
    assert of(biased) == shared | {"bias_scale", "lambda_b"}
    assert of(random) == shared - {"candidates"} | {"seed"}
    label = app.slider(key=f"compare_row_{biased}_lambda_b").label
    assert label == "lambda_b: 0 = quality bias only, 1 = no quality bias"


def test_a_row_follows_the_knobs_above_until_it_has_its_own(opened):
    app = opened(rows="rel+div;bm25")
    row, _ = ids(app)
    app.slider(key="compare_lambda_d").set_value(0.5).run()
    assert summaries(app)[0] == "rel+div, k 6, lambda_d 0.50"
    app.slider(key=f"compare_row_{row}_lambda_d").set_value(0.9).run()
    app.slider(key="compare_lambda_d").set_value(0.25).run()
    assert summaries(app)[0] == "rel+div, k 6, lambda_d 0.90"
    assert rows_in_address(app) == "rel+div lambda_d=0.9;bm25"
    app.slider(key=f"compare_row_{row}_lambda_d").set_value(0.25).run()
    assert rows_in_address(app) == "rel+div;bm25"
    app.slider(key="compare_lambda_d").set_value(0.75).run()
    assert summaries(app)[0] == "rel+div, k 6, lambda_d 0.75"


def test_another_method_keeps_what_it_knows_and_gives_the_rest_back(opened):
    app = opened(rows="rel+div lambda_d=0.1 candidates=7")
    (row,) = ids(app)
    method = f"compare_row_{row}_method"
    app.selectbox(key=method).set_value("bm25").run()
    assert rows_in_address(app) == "bm25 candidates=7"
    assert summaries(app) == ["bm25, k 6, of 7"]
    app.selectbox(key=method).set_value("rel+div").run()
    assert rows_in_address(app) == "rel+div candidates=7 lambda_d=0.1"


def test_a_name_is_text_and_comes_back_from_the_link(opened, finish):
    typed = "50 % *off*; <b>it's</b>: \"x\" 'y'"
    app = opened(rows="rel;rel+div")
    row = ids(app)[1]
    app.text_input(key=f"compare_row_{row}_name").set_value(f" {typed} ").run()
    assert names(app) == ["rel", typed]
    again = opened(rows=rows_in_address(app), limit="1", k="1", view="examples")
    assert names(again) == ["rel", typed]
    compare_button(again).click().run()
    again = finish(again)
    assert "<b>it" not in " ".join(html_of(again))
    assert again.button_group(key="compare_context").options == ["rel", plain(typed)]
    assert again.selectbox(key="compare_reference").options == ["rel", typed]


def test_a_link_opens_every_knob_of_its_rows(opened):
    link = (
        "a: rel+div+bias k=3 bias_scale=rank candidates=20 embed=query+answer one_per_query=True "
        "lambda_d=0.5 lambda_b=0.123;random seed=7 model=/models/tiny;rel"
    )
    app = opened(rows=link)
    assert rows_in_address(app) == link
    first, second, _ = ids(app)
    assert app.slider(key=f"compare_row_{first}_lambda_b").value == 0.123
    assert app.selectbox(key=f"compare_row_{first}_embed").value == Embed.QUERY_AND_ANSWER
    assert app.toggle(key=f"compare_row_{first}_one_per_query").value is True
    assert app.selectbox(key=f"compare_row_{second}_model").value == "/models/tiny"
    assert names(app)[:2] == ["a", "random@seed=7,model=tiny"]
    assert summaries(app) == [
        "a: rel+div+bias, k 3, lambda_d 0.50, lambda_b 0.123, rank, of 20, query+answer, "
        "one per query",
        "random, k 6, seed 7, tiny",
        "rel, k 6",
    ]


def test_a_row_for_another_model_and_back_for_the_chosen_one(opened):
    app = opened(rows="rel;rel")
    assert compare_button(app).disabled
    row = ids(app)[1]
    app.selectbox(key=f"compare_row_{row}_model").set_value("practice").run()
    assert names(app) == ["rel", "rel@model=practice"]
    assert rows_in_address(app) == "rel;rel model=practice"
    assert not compare_button(app).disabled
    app.selectbox(key=f"compare_row_{row}_model").set_value("").run()
    assert rows_in_address(app) == "rel;rel"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            "rel;rel",
            "The setting 'rel' is named twice; change a knob of one of them, or leave one out.",
        ),
        (
            "rel;same: rel",
            "The settings 'rel' and 'same' are the same; change a knob of one of them, or leave "
            "one out.",
        ),
        (
            "a: rel;a: bm25",
            "Two settings have the name 'a'; give each a name of its own.",
        ),
    ],
)
def test_rows_that_cannot_be_compared_switch_off_the_button_and_stay(opened, rows, sentence):
    app = opened(rows=rows)
    assert [each.value.replace("\\", "") for each in app.info] == [sentence]
    assert compare_button(app).disabled
    assert rows_in_address(app) == rows
    press(app, f"compare_row_{ids(app)[1]}_remove")
    assert not app.info
    assert not compare_button(app).disabled


def test_without_rows_there_is_nothing_to_compare(opened):
    app = opened(rows="rel")
    press(app, f"compare_row_{ids(app)[0]}_remove")
    assert "No setting to compare was given; name at least one method." in words(app)
    assert compare_button(app).disabled
    assert methods(press(app, "compare_add")) == ["none"]


def test_the_starting_points_replace_the_rows(opened):
    app = opened()
    press(app, "compare_start_VRSD's table")
    assert rows_in_address(app) == ";".join(
        (
            "rel+div candidates=20 embed=query+answer lambda_d=0.0",
            "rel+div candidates=20 embed=query+answer lambda_d=0.5",
            "rel+div candidates=20 embed=query+answer lambda_d=1.0",
            "vrsd candidates=20 embed=query+answer",
            "bm25 embed=query+answer",
        )
    )
    assert not compare_button(app).disabled
    press(app, "compare_start_RAGSys's methods")
    assert names(app) == ["none", "fix", "bias", "rel", "rel+bias", "rel+div", "rel+div+bias"]
    press(app, "compare_start_Three methods")
    assert rows_in_address(app) is None
    press(app, "compare_clear")
    assert methods(app) == []
    assert rows_in_address(app) == ";"
    assert app.button(key="compare_clear").disabled
    press(app, "compare_start_Every method")
    able = [name for name, method in METHODS.items() if method.reads is None]
    assert names(app) == [name for name in able if name != "neighbours"], "it needs an earlier run"
    assert not [each for each in app.button if "PGRA" in each.label], "the pool has no task"


def test_a_link_may_have_no_rows(small_pool, open_page):
    app = open_page("compare", rows=";")
    assert methods(app) == []
    assert rows_in_address(app) == ";"


def test_rows_outlive_a_visit_to_another_page(small_pool, language_model, open_app, finish):
    app = finish(open_app("compare"))
    press(app, "compare_start_RAGSys's methods")
    row = ids(app)[5]
    app.slider(key=f"compare_row_{row}_lambda_d").set_value(0.2).run()
    app.text_input(key=f"compare_row_{row}_name").set_value("wide").run()
    app.switch_page("pages/calibrate.py").run()
    app.switch_page("pages/compare.py").run()
    assert not app.exception
    assert names(app)[5] == "wide"
    assert summaries(app)[5] == "wide: rel+div, k 6, lambda_d 0.20"
    assert app.slider(key=f"compare_row_{row}_lambda_d").value == 0.2


def test_two_settings_of_one_method_are_run_and_told_apart(opened, finish, the_studio, small_pool):
    app = opened(rows="none;rel+div;wide: rel+div lambda_d=0.0 k=2", limit="4", k="3")
    compare_button(app).click().run()
    app = finish(app)
    found = compare.RUNS.latest(the_studio(), small_pool)
    asked = {name: each.request for name, each in found.methods.items()}
    assert [(name, each.method, each.k) for name, each in asked.items()] == [
        ("none", "none", 3),
        ("rel+div", "rel+div", 3),
        ("wide", "rel+div", 2),
    ]
    assert asked["wide"].lambda_d == 0.0
    dots = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert {name for trace in dots["data"] for name in trace["y"]} == set(asked)
    assert "k 2, lambda_d 0.00" in " ".join(html_of(app))
    assert "wide: rel+div, k 2, lambda_d 0.00; pool" in words(app)
    app.button_group(key="compare_view").set_value("grounds").run()
    assert "Compared: 3 settings on 4 evaluation examples" in words(app)
    again = compare.resumed(Setup(small_pool), found.settings)
    assert [(row.name, row.setting) for row in again.rows] == [
        (row.name, row.setting)
        for row in (
            ComparisonRow("none", Knobs("none", 3)),
            ComparisonRow("rel+div", Knobs("rel+div", 3)),
            ComparisonRow("wide", Knobs("rel+div", 2, 0.0)),
        )
    ]


def test_what_is_summed_up_of_each_knob():
    changed = Knobs("vrsd", 4, candidates=1500, embed=Embed.QUERY_AND_ANSWER, one_per_query=True)
    assert summed_up(changed) == "k 4, of 1,500, query+answer, one per query"
    assert summed_up(Knobs("none", 4)) == ""
    assert summed_up(Knobs("rel+div+bias", lambda_d=0.125)) == "k 6, lambda_d 0.125, lambda_b 0.95"
