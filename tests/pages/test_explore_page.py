"""Explore: the query, the knobs, what they redraw, the link, and what is said when all is empty."""

import json
import math
import os
import re
import threading
from dataclasses import replace

import pytest

from core.demonstration.demonstration import Status, incorrect_answers
from core.language_model.loading import find_device
from core.reporting.results.query import inside, sets_of
from core.retrieval.knobs import Knobs
from core.studio.explore import asking
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.path import path_of, steps_of
from core.studio.pools import demonstrations
from core.studio.session import readiness
from core.studio.session.models import NOT_ITS_TASK
from core.studio.session.studio import Setup
from core.text import lambda_text
from pages.common.explore import example_query
from tests.pages.conftest import POOL, QUERIES
from tests.pages.drawn import html_of

EVIL = "<script>alert(1)</script> **bold** $x$"


def html(app):
    return html_of(app)


def table(app, name):
    return next((body for body in html(app) if f'"explore {name}"' in body), None)


def words(app):
    parts = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return " ".join(each.value for each in parts).replace("\\", "")


def curve(app):
    charts = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    return charts[0] if charts else None


def link(app):
    return {name: (v if isinstance(v, str) else v[0]) for name, v in app.query_params.items()}


def knob(app, name):
    return app.number_input(key=f"explore_{name}_typed")


def details(app, view):
    app.segmented_control(key="explore_view").set_value(view).run()
    return app


def asked_on_the_page(model):
    """What the page asks when it is opened with k=3."""
    return ExploreRequest(
        Setup(POOL, None, str(model)),
        QUERIES[0],
        Knobs(k=3),
        leave_out=True,
        answers=("No, says the book (0)", "Not at all, says the book (0)"),
        incorrect=incorrect_answers(["Of course", "Nobody knows"]),
    )


@pytest.fixture
def explored(visited_pool, language_model, open_page, finish):
    return finish(open_page("explore", k="3", view="context"))


def test_alone_it_shows_context_curve_effect_and_their_source(
    small_pool, language_model, open_page, finish
):
    app = finish(open_page("explore", k="3"))
    assert not app.exception
    dpo, diversity = curve(app)["data"]
    assert dpo["x"] == diversity["x"]
    assert (dpo["x"][0], dpo["x"][-1]) == (0.0, 1.0)
    assert dpo["x"][1:-1:2] == dpo["x"][2::2], "each step ends where the next one begins"
    assert None not in dpo["y"]
    assert "its own 2 demonstrations are never in its context" in words(app)
    assert f"rel+div+bias, k 3, lambda_d 0.75, lambda_b 0.95, bias raw; pool {POOL}" in words(app)
    assert not [b for b in app.button if b.label == "Cancel"]
    details(app, "answers")
    assert table(app, "answers").count('class="correct"') == 2
    assert table(app, "answers").count('class="incorrect"') == 2
    details(app, "path-d")
    assert "This context is chosen for lambda_d from" in words(app)
    details(app, "context")
    assert table(app, "context").count('class="rank"') == 3
    assert curve(app) is None, "one view at a time"
    assert link(app)["view"] == "context"


@pytest.mark.thorough
def test_through_the_router(small_pool, language_model, open_app, finish):
    app = finish(open_app("explore"))
    assert curve(app) is not None
    assert link(app)["pool"] == POOL


def test_the_figures_on_the_page_are_the_services(explored, the_studio, language_model):
    found = explore(resolve(the_studio(), asked_on_the_page(language_model)))
    shown = table(explored, "context")
    for pick in found.picks:
        assert pick.query in shown
        assert f"{pick.value:.2f}".lstrip("-") in shown
    assert f"{found.tokens:,}</strong>" in " ".join(html(explored))
    assert f"of {found.window:,} in the window" in " ".join(html(explored))


def test_kinds_of_incorrect_answers_are_told_as_text(
    small_pool_with_kinds, language_model, open_page, finish
):
    app = finish(open_page("explore", k="3", view="answers"))
    assert table(app, "kinds").count("&lt;b&gt;myth&lt;/b&gt;") == 1
    assert table(app, "answers").count("&lt;b&gt;myth&lt;/b&gt;") == 1
    assert "<b>myth" not in " ".join(html(app))
    assert "without an interval" in words(app)


def test_lambda_d_redraws_the_context_and_leaves_the_curve(explored, finish):
    before = table(explored, "context")
    knob(explored, "lambda_d").set_value(0.0).run()
    assert 'data-lambda-d="0.00"' in table(explored, "context")
    assert table(explored, "context") != before
    assert link(explored)["lambda_d"] == "0.00"
    points = curve(finish(details(explored, "curve")))
    assert any("now 0.00" in body for body in html(explored))
    knob(explored, "lambda_d").set_value(0.75).run()
    assert any("now 0.75" in body for body in html(explored))
    assert curve(explored) == points


@pytest.mark.thorough
def test_lambda_b_and_k_draw_another_curve(explored, finish):
    points = curve(finish(details(explored, "curve")))["data"][1]["y"]
    knob(explored, "lambda_b").set_value(0.2).run()
    other = curve(finish(explored))["data"][1]["y"]
    assert other != points
    explored.number_input(key="explore_k").set_value(2).run()
    assert curve(finish(explored))["data"][1]["y"] != other
    assert table(details(explored, "context"), "context").count('class="rank"') == 2


@pytest.mark.thorough
def test_in_a_large_pool_a_link_opens_a_query_that_is_not_listed_and_letters_find_others(
    explored, open_page, finish, monkeypatch
):
    monkeypatch.setattr(example_query, "LISTED", 2)
    app = finish(open_page("explore", k="3", query=QUERIES[4]))
    chosen = app.selectbox(key=f"explore_query_{POOL}")
    assert (chosen.value, chosen.options) == (QUERIES[4], [QUERIES[4], QUERIES[0]])
    assert not app.toast
    assert app.text_input(key="explore_search_queries").label == "Search the 5 queries"
    app.text_input(key="explore_search_queries").set_value("DO B").run()
    finish(app)
    assert app.selectbox(key=f"explore_query_{POOL}").options == [QUERIES[1], QUERIES[3]]
    assert link(app)["query"] == QUERIES[1]
    app.text_input(key="explore_search_queries").set_value("zebra").run()
    assert "No query of the pool contains that text" in words(app)


def test_while_an_index_is_prepared_the_whole_pool_serves_and_the_page_says_so(
    explored, open_page, finish, the_studio, monkeypatch
):
    monkeypatch.setattr(asking, "LARGE_POOL", 1)
    go_on = threading.Event()
    the_studio().pool_worker.submit("test", "Occupies the worker", lambda job: go_on.wait(60))
    app = open_page("explore", k="3", index="ivf", candidates="6")
    assert "Until the index is ready, the context is chosen from the whole pool" in words(app)
    assert "Exact: chosen from all" in words(app) + " ".join(html(app))
    assert "The curve is exact, for the whole pool." not in words(app)
    assert link(app)["index"] == "ivf"
    go_on.set()
    app = finish(app)
    assert "Until the index is ready" not in words(app)
    assert "Approximate: chosen among 6 candidates" in words(app) + " ".join(html(app))
    assert "The curve is exact, for the whole pool." in words(app)


def test_one_answer_per_query_is_turned_on_beside_k(explored, open_page, finish):
    view = {"from": "typed", "typed": QUERIES[0], "method": "rel", "k": "4"}
    app = finish(open_page("explore", **view))
    assert "2 of 4 answer the same query." in words(app)
    assert "one_per_query" not in link(app)
    app.toggle(key="explore_one_per_query").set_value(True).run()
    app = finish(app)
    assert "answer the same query" not in words(app)
    assert "at most one answer per query" in words(app)
    assert table(app, "context").count('class="rank"') == 4
    assert link(app)["one_per_query"] == "True"
    again = finish(open_page("explore", **view, one_per_query="True"))
    assert again.toggle(key="explore_one_per_query").value is True
    assert "answer the same query" not in words(again)


def test_what_the_ranking_cannot_tell_stands_beside_how_it_was_chosen(explored, open_page, finish):
    app = finish(open_page("explore", k="9", method="bm25", **{"from": "typed", "typed": "Zebra"}))
    said = words(app)
    assert "No demonstration shares a word with the query; their order is by id." in said
    assert "2 of 9 answer the same query." in said
    app = finish(open_page("explore", k="20", method="rel"))
    assert "8 of 20: there are no more that may be chosen." in words(app)


def test_the_link_opens_the_same_view(explored, finish, open_page):
    app = explored
    app.selectbox(key="explore_method").set_value("rel+div").run()
    app.selectbox(key=f"explore_query_{POOL}").set_value(QUERIES[3]).run()
    app.number_input(key="explore_k").set_value(4).run()
    knob(app, "lambda_d").set_value(0.31).run()
    app.selectbox(key="explore_order").set_value("as chosen").run()
    finish(app)
    values = link(app)
    assert values == {
        "v": "1",
        "pool": POOL,
        "query": QUERIES[3],
        "method": "rel+div",
        "k": "4",
        "lambda_d": "0.31",
        "lambda_b": "0.95",
        "order": "as chosen",
        "view": "context",
    }
    second = finish(open_page("explore", **values))
    assert html(second) == html(app)
    assert curve(finish(details(second, "curve"))) == curve(finish(details(app, "curve")))
    values["view"] = "curve"
    assert link(second) == values
    assert knob(second, "lambda_d").value == 0.31


@pytest.mark.thorough
def test_a_link_with_nonsense_falls_back_to_the_defaults(
    small_pool, language_model, open_page, finish
):
    app = finish(
        open_page("explore", lambda_d="7", lambda_b="nan", k="x", method="best", query="No such")
    )
    found = link(app)
    assert (found["lambda_d"], found["lambda_b"], found["k"]) == ("0.75", "0.95", "6")
    assert (found["method"], found["query"]) == ("rel+div+bias", QUERIES[0])


def figure(app, label):
    """A figure of the row above the tables, as it is shown."""
    (row,) = [body for body in html(app) if "explore-figures" in body]
    shown = row.partition(f">{label}<strong>")[2].partition("<")[0]
    return float(shown.replace("\N{MINUS SIGN}", "-"))


def test_what_the_context_does_to_the_query_is_said_by_dpo_and_delta_together(explored):
    details(explored, "answers")
    dpo, delta = figure(explored, "DPO per triple"), figure(explored, "Delta")
    (said,) = [each.value for each in explored.caption if each.value.startswith("For this query")]
    helps, harms = "the context helps:" in said, "the context harms:" in said
    assert helps == (dpo > -0.69)
    assert harms == (dpo < -0.69 and delta < 0)
    assert ("lose much:" in said) == (dpo < -0.69 and delta >= 0)
    explored.selectbox(key="explore_method").select("none").run()
    assert "For this query" not in words(explored)


def test_a_typed_query_without_answers_has_context_and_diversity(
    small_pool, language_model, open_page, finish
):
    app = finish(open_page("explore", **{"from": "typed", "typed": "Is the moon square?"}))
    assert "Typed by hand: nothing is left out" in words(app)
    assert len(curve(app)["data"]) == 1
    assert table(details(app, "context"), "context") is not None
    assert table(details(app, "answers"), "answers") is None
    assert "No answers yet: type correct and incorrect ones" in words(app)
    app.text_area(key="explore_answers").set_value(
        "No, it is round\n\nNo, it is round\n Yes "
    ).run()
    finish(app)
    assert table(app, "answers").count('class="correct"') == 2
    assert link(app)["answers"] == "No, it is round\nYes"
    app.text_area(key="explore_incorrect").set_value("Of course").run()
    finish(app)
    assert table(app, "answers").count('class="incorrect"') == 1
    assert len(curve(details(app, "curve"))["data"]) == 2


def test_an_empty_query_says_what_to_do(small_pool, open_page):
    app = open_page("explore", **{"from": "typed", "typed": "  "})
    assert "Type a query" in words(app)
    assert table(app, "context") is None


def test_what_users_typed_stays_text(small_pool, language_model, open_page, finish):
    app = finish(
        open_page(
            "explore",
            **{"from": "typed", "typed": EVIL, "answers": EVIL, "incorrect": EVIL},
            view="answers",
        )
    )
    assert not app.exception
    assert not any("<script" in body.replace("<style>", "") for body in html(app))
    assert "&lt;script&gt;alert(1)&lt;/script&gt; **bold** $x$" in table(app, "answers")
    details(app, "prompt")
    assert app.code[0].value.endswith(f"Q: {EVIL}\nA:")
    assert app.code[0].language in (None, "", "plaintext")
    assert "pool small pool <script>" in words(app)


@pytest.fixture
def busy_worker(small_pool, the_studio):
    """The model's worker is busy, so that no model is loaded while the test runs."""
    release = threading.Event()
    the_studio().model_worker.submit("test", "Occupies the worker", lambda job: release.wait(60))
    yield
    release.set()


@pytest.mark.thorough
def test_a_new_workspace_opens_with_a_pool_that_its_practice_model_can_answer(
    workspace, open_page, finish, monkeypatch
):
    monkeypatch.setattr("core.studio.pools.pools.BUNDLED", ("service-desk-curated",))
    app = finish(open_page("explore", k="2"))
    assert app.selectbox(key="sidebar_pool").value == link(app)["pool"] == "service-desk-curated"
    assert app.selectbox(key="sidebar_model").value == "practice"
    assert "A toy that comes with Shotlist" in words(app)
    assert "1,071,872 parameters" in words(app)
    assert app.button(key="real_model_sidebar").label.startswith("Get a small real model: SmolLM2")
    dpo, _ = curve(app)["data"]
    assert min(dpo["y"]) > -math.log(2), "every context helps more than none"
    assert NOT_ITS_TASK not in words(app)


@pytest.mark.thorough
def test_a_model_of_the_hub_cache_is_offered_and_scores(
    small_pool, open_page, finish, cache_model, tiny_lm_folder
):
    cache_model("some/tiny", tiny_lm_folder)
    app = finish(open_page("explore", view="answers"))
    assert words(app).count(NOT_ITS_TASK) == 1
    offered = app.selectbox(key="sidebar_model")
    (label,) = [option for option in offered.options if option.startswith("some/tiny (")]
    finish(offered.select("some/tiny").run())
    assert table(app, "answers") is not None
    assert f"model tiny, float32 on {find_device('auto')}" in words(app)
    assert "A toy that comes" not in words(app)
    assert NOT_ITS_TASK not in words(app)
    assert link(app)["model"] == "some/tiny"


def test_while_the_model_is_loaded_the_context_is_there(busy_worker, open_page):
    app = open_page("explore")
    assert len(curve(app)["data"]) == 1
    assert table(details(app, "context"), "context") is not None
    assert "lambda_b is set to 1: 10 of 10 demonstrations have no quality bias" in words(app)
    assert "The language model is being loaded" in words(app)
    waiting = [caption.value for caption in app.sidebar.caption if "waiting" in caption.value]
    assert len(waiting) == 1
    assert waiting[0].endswith(": waiting for the work before it")
    assert app.number_input(key="explore_lambda_b_typed_fixed_1").disabled
    details(app, "prompt")
    assert "Its tokens are counted when the language model is loaded" in words(app)
    details(app, "tokens")
    assert "no scored answers" in words(app)
    assert "language model not loaded yet" in words(app)


@pytest.mark.parametrize("method", ["none", "random", "fix", "bias", "rel", "rel+bias"])
def test_methods_without_lambda_d_have_no_curve(explored, finish, method):
    explored.selectbox(key="explore_method").set_value(method).run()
    finish(explored)
    assert (table(explored, "context") is None) is (method == "none")
    assert curve(finish(details(explored, "curve"))) is None
    assert "does not use lambda_d, so there is no curve over it" in words(explored)
    assert table(finish(details(explored, "answers")), "answers") is not None
    assert not explored.error


def test_a_method_that_cannot_choose_yet_says_so(busy_worker, open_page):
    app = open_page("explore", method="bias")
    assert "The method 'bias' cannot choose yet" in words(app)
    assert not app.exception


def test_another_template_is_in_the_prompt_the_link_and_the_provenance(explored, finish, open_page):
    before = table(details(explored, "answers"), "answers")
    explored.selectbox(key="sidebar_template").set_value("question-answer").run()
    finish(explored)
    details(explored, "prompt")
    assert explored.code[0].value.endswith(f"Question: {QUERIES[0]}\nAnswer:")
    assert link(explored)["template"] == "question-answer"
    assert "template question-answer, most relevant last" in words(explored)
    assert table(finish(details(explored, "answers")), "answers") != before
    second = finish(open_page("explore", **link(explored)))
    assert table(second, "answers") == table(explored, "answers")
    for page in ("calibrate", "compare"):
        assert link(open_page(page, template="question-answer"))["template"] == "question-answer"


def test_the_details(explored):
    details(explored, "tokens")
    assert "No, says the book (0)" in explored.selectbox(key="explore_tokens_4").options
    assert table(explored, "tokens").count("<tr>") > 3
    details(explored, "prompt")
    assert "Demonstrations in this order:" in words(explored)
    assert explored.code[0].value.endswith(f"Q: {QUERIES[0]}\nA:")
    details(explored, "path-d")
    steps = table(explored, "steps")
    assert "<td>0.000</td>" in steps
    assert "<td>1.000</td>" in steps
    assert steps.count("class=here") == 1
    details(explored, "path-b")
    assert "lambda_b from" in table(explored, "steps")
    assert "contexts in" in words(explored)


def why(app, text):
    app.text_input(key="explore_why_text").set_value(text).run()
    return app


def marked(app):
    """The demonstration whose cells keep their colours in the triangle; None where all do."""
    sent = (each.proto for each in app.get("bidi_component"))
    names = [json.loads(c.json) for c in sent if c.component_name == "shotlist_cockpit_marked"]
    return names[0] if names else None


def test_why_a_demonstration_is_not_in_the_context(explored, the_studio, language_model):
    details(explored, "why-not")
    assert marked(explored) is None
    resolved = resolve(the_studio(), asked_on_the_page(language_model))
    found, view = explore(resolved), resolved.view
    chosen = [pick.id for pick in found.picks]
    own = view.queries.index(QUERIES[0])
    why(explored, str(view.ids[own]))
    assert "It has the query of this example" in words(explored)
    assert table(explored, "why") is None
    assert marked(explored) == view.ids[own]
    why(explored, str(chosen[1]))
    assert "It is chosen at step 2." in words(explored)
    assert table(explored, "why").count('class="rank"') == 2
    assert f"Relevance {found.picks[1].relevance:.3f}, quality bias" in words(explored)
    other = next(
        row
        for row, id in enumerate(view.ids)
        if id not in chosen and view.queries[row] != QUERIES[0]
    )
    why(explored, view.answers[other].upper())  # letters, as in the table's search
    assert "At the last step, 3, it is number" in words(explored)
    assert view.queries[other] in explored.selectbox(key="explore_why_row").options[0]
    assert marked(explored) == view.ids[other]
    explored.button(key="explore_why_pin").click().run()
    assert "It is pinned: every context of this pool begins with it." in words(explored)
    explored.button(key="explore_why_pin").click().run()
    assert "It is pinned" not in words(explored)
    why(explored, "no such text")
    assert "No included demonstration has this text." in words(explored)
    explored.selectbox(key="explore_method").set_value("vrsd").run()
    assert "does not choose by relevance, quality and diversity" in words(explored)


def test_where_all_places_are_pinned_nothing_is_chosen(explored, open_page, finish, the_studio):
    demonstrations.set_status(the_studio(), [9], Status.PINNED)
    app = finish(open_page("explore", k="1"))
    why(details(app, "why-not"), "10")
    assert "Nothing is chosen: k leaves no room." in words(app)
    assert table(app, "why") is None
    why(app, "9")
    assert "It is in 1 context of the triangle, on 100.0 % of it." in words(app)


def strip(app, knob):
    return next(body for body in html(app) if f'"path-strip {knob}"' in body)


@pytest.mark.parametrize("knob_name", ["lambda_d", "lambda_b"])
def test_stepping_changes_the_context_as_the_path_lists_it(explored, the_studio, knob_name):
    setup = Setup(POOL, None, os.environ["SHOTLIST_MODEL"])
    request = ExploreRequest(setup, QUERIES[0], Knobs(k=3), leave_out=True)
    rows = path_of(resolve(the_studio(), request), knob_name)
    contexts = sets_of(steps_of(the_studio().view(setup), rows))
    assert len(contexts) > 1
    details(explored, {"lambda_d": "path-d", "lambda_b": "path-b"}[knob_name])

    def chosen():
        at = replace(request.knobs, **{knob_name: knob(explored, knob_name).value})
        found = explore(resolve(the_studio(), replace(request, knobs=at)))
        return {(pick.query, pick.answer) for pick in found.picks}

    knob(explored, knob_name).set_value(inside(contexts[0])).run()
    assert explored.button(key=f"explore_{knob_name}_previous").disabled
    shown = chosen()
    for place, context in enumerate(contexts[1:], start=1):
        explored.button(key=f"explore_{knob_name}_next").click().run()
        assert not explored.exception
        at = knob(explored, knob_name).value
        assert context.low < at < context.high
        assert f'data-low="{context.low!r}" data-high="{context.high!r}" class=here' in strip(
            explored, knob_name
        )
        assert strip(explored, knob_name).count("<i ") == len(contexts)
        now = chosen()
        assert now - shown == set(context.enters)
        assert shown - now == set(context.leaves)
        assert link(explored)[knob_name] == lambda_text(at)
        assert explored.button(key=f"explore_{knob_name}_next").disabled is (
            place == len(contexts) - 1
        )
        shown = now
    explored.button(key=f"explore_{knob_name}_previous").click().run()
    assert contexts[-2].low < knob(explored, knob_name).value < contexts[-2].high


def test_a_value_between_the_hundredths_is_kept_and_left_again(
    small_pool, language_model, open_page, finish
):
    app = finish(open_page("explore", lambda_d="0.7044", view="context"))
    assert knob(app, "lambda_d").value == 0.7044
    assert 'data-lambda-d="0.7044"' in table(app, "context")
    assert link(app)["lambda_d"] == "0.7044"
    knob(app, "lambda_d").set_value(0.71).run()
    app.run()
    assert knob(app, "lambda_d").value == 0.71
    assert 'data-lambda-d="0.71"' in table(app, "context")
    assert link(app)["lambda_d"] == "0.71"


def test_a_lambda_that_is_held_has_no_strip(explored):
    explored.selectbox(key="explore_method").set_value("rel+bias").run()
    details(explored, "path-d")
    assert not [body for body in html(explored) if '"path-strip ' in body]
    assert "The path is known for methods with lambda_d" in words(explored)
    details(explored, "path-b")
    (only,) = [body for body in html(explored) if '"path-strip ' in body]
    assert "path-strip lambda_b" in only


def test_candidates_of_an_index_are_named_as_such(explored, finish):
    explored.selectbox(key="explore_index").set_value("hnsw").run()
    explored.number_input(key="explore_candidates").set_value(7).run()
    finish(explored)
    assert (link(explored)["index"], link(explored)["candidates"]) == ("hnsw", "7")
    assert "Approximate: chosen among 7 candidates of the hnsw index, which finds" in words(
        explored
    )


def test_the_flat_index_is_offered_only_where_a_link_asks_for_it(explored, open_page, finish):
    assert not [name for name in explored.selectbox(key="explore_index").options if "flat" in name]
    app = finish(open_page("explore", k="3", index="flat", candidates="7"))
    # Twice as many are all there are: the whole pool is read.
    assert "Exact: chosen from all 10 demonstrations." in words(app)
    assert (link(app)["index"], link(app)["candidates"]) == ("flat", "7")


def test_a_window_that_is_too_small_leaves_demonstrations_out(explored, finish):
    explored.number_input(key="explore_k").set_value(8).run()
    finish(explored)
    shown = table(explored, "context").count('class="rank"')
    assert shown < 8
    assert f"no room for {8 - shown} of 8 chosen demonstrations" in words(explored)


def test_cancel_and_go_on(small_pool, language_model, open_page, finish, the_studio):
    app, release = finish(open_page("explore", k="3")), threading.Event()
    the_studio().model_worker.submit("test", "Occupies the worker", lambda job: release.wait(60))
    app.number_input(key="explore_k").set_value(2).run()
    app.button(key="explore_cancel").click().run()
    release.set()
    app.run()
    assert "Stopped after 0 of" in words(app)
    app.button(key="explore_again").click().run()
    finish(app)
    assert None not in curve(app)["data"][0]["y"]


def test_a_pool_without_included_demonstrations(workspace, open_page):
    from core.studio import Studio

    with Studio.open() as studio:
        studio.store.pools.create("empty")
    app = open_page("explore")
    assert "has no included demonstration" in words(app)
    app.segmented_control(key="explore_from").set_value("typed").run()
    app.text_input(key="explore_typed").set_value("Anything?").run()
    assert not app.exception
    assert "The context is empty" in words(app)


@pytest.mark.thorough
def test_while_query_and_answer_are_embedded_queries_alone_are_compared_and_the_page_says_so(
    explored, open_page, finish, the_studio, monkeypatch
):
    monkeypatch.setattr(readiness, "AT_ONCE", 0)
    go_on = threading.Event()
    the_studio().pool_worker.submit("test", "Occupies the worker", lambda job: go_on.wait(60))
    app = open_page("explore", k="3", by="query+answer", candidates="4")
    assert "queries alone are compared" in words(app)
    assert "compared by query and answer" not in words(app)
    assert link(app)["by"] == "query+answer"
    go_on.set()
    app = finish(app)
    assert "queries alone are compared" not in words(app)
    assert "4 candidates, compared by query and answer" in words(app)


def test_a_method_that_asks_the_model_is_asked_beside_the_page(explored, open_page, finish):
    app = finish(open_page("explore", k="2", method="mdl"))
    assert not app.exception
    assert not app.error
    assert "mdl, k 2, sets 10" in words(app)
    assert table(app, "context").count('class="rank"') == 2


def test_the_models_own_answers_are_shown_with_the_context_and_without(
    explored, finish, language_model
):
    app = finish(details(explored, "own"))
    assert not app.exception
    texts = [each.value for each in app.code]
    assert len(texts) == 2
    assert [each.value for each in app.markdown if "context**" in each.value] == [
        "**With this context**",
        "**Without a context**",
    ]
    for facts in [
        each.value.replace("\\", "") for each in app.caption if "nats per token" in each.value
    ]:
        assert facts.startswith("In other words than the query's correct and incorrect answers")
        assert re.search(
            r"judge it yourself\. \d+ tokens, -\d+\.\d\d nats per token on average; ", facts
        )


def test_without_a_model_the_details_say_so_instead_of_its_answers(visited_pool, open_page, finish):
    app = details(finish(open_page("explore", k="3", model="nowhere")), "own")
    assert not app.exception
    assert "The language model could not be loaded; the side bar says why." in words(app)
