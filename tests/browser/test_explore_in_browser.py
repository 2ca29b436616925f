"""Explore in a real browser: lambdas, live curve, the link in a second window."""

from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    a_run,
    figures,
    finish,
    lambda_field,
    type_lambda,
    until,
    visit,
)
from tests.browser.pools import seat


def query_of(page):
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def show(page, view):
    """Open one of the views below the cockpit, unless it is open."""
    radio = page.get_by_role("radio", name=view, exact=True)
    if radio.get_attribute("aria-checked") != "true":
        with a_run(page):
            radio.click()
    finish(page)


def context_table(page):
    """The texts of the rows of the context's table, which is opened."""
    show(page, "Context")
    return page.locator("table.context tbody tr").all_inner_texts()


def points_of(page, least=6):
    """The defined (x, y) points of each trace of the query's curve that has enough of them."""
    (figure,) = [figure for figure in figures(page) if figure["traces"]]
    traces = [
        [(x, y) for x, y in zip(trace["x"], trace["y"], strict=True) if y is not None]
        for trace in figure["traces"]
    ]
    return [points for points in traces if len(points) >= least]


@pytest.fixture
def explore(app, window):
    """The page with its curve drawn to its end."""
    page = window(f"{app.url}/explore")
    finish(page)
    expect(lambda_field(page, "lambda_b")).to_be_enabled()
    until(page, lambda: len(points_of(page)) >= 2, True)
    return page


def test_the_curve_fills_in_over_the_whole_of_lambda_d(explore):
    dpo, diversity = points_of(explore)[:2]
    xs = [x for x, _ in dpo]
    assert (xs[0], xs[-1]) == (0.0, 1.0)
    assert xs[1:-1:2] == xs[2::2], "each step ends where the next one begins"
    assert all(y <= 0 for _, y in dpo)
    assert all(-1 <= y <= 1 for _, y in diversity)
    assert diversity[0][1] < diversity[-1][1]


def test_lambda_d_redraws_the_context_but_not_the_curve(explore):
    points = points_of(explore)
    before = context_table(explore)
    assert len(before) == 6
    type_lambda(explore, "lambda_d", "0")
    assert query_of(explore)["lambda_d"] == "0.00"
    after = context_table(explore)
    assert after != before
    assert after[0].split("\n")[:2] == before[0].split("\n")[:2]
    show(explore, "Curve")
    assert points_of(explore) == points


def test_lambda_b_changes_context_and_curve(explore):
    points = points_of(explore)
    before = context_table(explore)
    type_lambda(explore, "lambda_b", "0")
    assert query_of(explore)["lambda_b"] == "0.00"
    assert context_table(explore) != before
    show(explore, "Curve")
    until(explore, lambda: len(points_of(explore)) >= 2, True)
    assert points_of(explore) != points


def test_the_link_opens_the_same_view_in_a_second_window(explore, window):
    type_lambda(explore, "lambda_d", "0.65")
    show(explore, "Context")
    assert {"pool", "query", "method", "k", "lambda_d", "lambda_b"} <= set(query_of(explore))
    second = window(explore.url)
    finish(second)
    assert context_table(second) == context_table(explore)
    assert query_of(second) == query_of(explore)
    assert query_of(second)["lambda_d"] != "0.75"
    for page in (explore, second):
        expect(lambda_field(page, "lambda_d")).to_have_value(query_of(explore)["lambda_d"])


def test_a_link_with_values_out_of_range_falls_back(app, window):
    page = window(f"{app.url}/explore?lambda_d=7&lambda_b=zzz&k=0")
    found = query_of(page)
    assert (found["lambda_d"], found["lambda_b"], found["k"]) == ("0.75", "0.95", "6")


def type_query(page, query, answer, incorrect):
    with a_run(page):
        page.get_by_role("radio", name="Typed by hand").click()
    for name, text in (
        ("Your query", query),
        ("Correct answers, one per line", answer),
        ("Incorrect answers, one per line", "\n".join(incorrect)),
    ):
        page.get_by_role("textbox", name=name, exact=True).fill(text)
        with a_run(page):
            page.keyboard.press("Control+Enter")
    finish(page)


def log_probs(page):
    """Each answer on the screen: its log-probability alone and with the context."""
    rows = page.locator("table.explore.answers tbody tr").all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    return {
        answer: [float(text.split("\n")[0].replace("\u2212", "-")) for text in numbers[:2]]
        for answer, _, *numbers in cells
    }


def test_names_that_no_dialect_knows_are_followed(app, window):
    """A function and fields that two demonstrations call, and then asked for by a typed query."""
    page = window(f"{app.url}/explore?pool=seats&k=2&view=answers")
    right = seat("Korean", "Prague")
    wrong = (right.replace("grabSeat", "book_table"), right.replace("foodStyle", "kitchen_style"))
    type_query(page, "reserve a Korean restaurant in Prague", right, wrong)
    found = log_probs(page)
    assert sorted(found) == sorted((right, *wrong))
    alone, with_context = found[right]
    assert with_context > alone + 30
    assert with_context > max(found[answer][1] for answer in wrong) + 5


def strip_of(page, knob):
    """The contexts that the strip of a path shows: (low, high, whether it is the present)."""
    return page.locator(f".path-strip.{knob} i").evaluate_all(
        """parts => parts.map(part => [
             Number(part.dataset.low), Number(part.dataset.high), part.classList.contains('here'),
           ])"""
    )


def pairs_of(place):
    """Query and answer of every demonstration in a part of a table."""
    return {
        tuple(line.strip() for line in text.split("\n") if line.strip())
        for text in place.locator(".pair").all_inner_texts()
    }


def in_the_cockpit(page):
    """Query and answer of every demonstration of the context."""
    rows = page.locator(".chosen .row").all()
    return {tuple(row.locator(".query, .answer").all_inner_texts()) for row in rows}


def next_context(page):
    buttons = page.locator(".st-key-explore_lambda_d_next")
    with a_run(page):
        buttons.get_by_role("button", name="Next", exact=False).first.click()
    finish(page)


def open_path(page):
    """Open the table of lambda_d's path and go to its first context that holds for a while."""
    show(page, "Path of lambda_d")
    expect(page.locator("table.steps")).to_be_visible()
    type_lambda(page, "lambda_d", "0")
    assert query_of(page)["lambda_d"] == "0.00"
    # At 0 itself contexts may tie.
    if not any(here for _, _, here in strip_of(page, "lambda_d")):
        next_context(page)


def test_the_strip_shows_every_context_from_0_to_1_and_the_present_one(explore):
    open_path(explore)
    contexts = strip_of(explore, "lambda_d")
    assert contexts[0][0] == 0
    assert contexts[-1][1] == 1
    assert all(a[1] == b[0] for a, b in zip(contexts, contexts[1:], strict=False))
    assert sum(here for _, _, here in contexts) == 1


def test_stepping_changes_the_context_as_the_path_lists_it(explore):
    open_path(explore)
    for _ in range(3):
        before, contexts = in_the_cockpit(explore), strip_of(explore, "lambda_d")
        (now,) = (place for place, (_, _, here) in enumerate(contexts) if here)
        low, high, _ = contexts[now + 1]
        next_context(explore)
        assert [at for at, _, here in strip_of(explore, "lambda_d") if here] == [low]
        after = in_the_cockpit(explore)
        row = next(
            each for each in explore.locator("table.steps tbody tr").all()
            if each.locator("td").first.inner_text() == f"{low:.3f}"
            and each.locator("td").nth(2).locator(".pair").count()
        )  # fmt: skip
        assert after - before == pairs_of(row.locator("td").nth(2))
        assert before - after == pairs_of(row.locator("td").nth(3))
        chosen = float(query_of(explore)["lambda_d"])
        assert low < chosen < high
        assert float(lambda_field(explore, "lambda_d").input_value()) == chosen


def own_answers(page):
    """The model's own answers with the context and without, once both are written."""
    finish(page)
    expect(page.get_by_text("nats per token on average")).to_have_count(2)
    return page.get_by_test_id("stCode").all_inner_texts()


def show_own_answers(page):
    show(page, "Model's answer")


def test_the_models_own_answer_follows_the_context(explore, app):
    show_own_answers(explore)
    after, alone = own_answers(explore)
    assert after != alone
    type_lambda(explore, "lambda_d", "0")
    assert own_answers(explore)[1] == alone
    visit(explore, f"{app.url}/explore?method=none")
    show_own_answers(explore)
    assert own_answers(explore) == [alone, alone]


def by_task(page):
    """The two ranks of each row of the context's table."""
    rows = page.locator("table.context tbody tr").all()
    return [
        tuple(int(each.locator("td").nth(at).inner_text().split()[0]) for at in (2, 3))
        for each in rows
    ]


def test_by_a_task_both_ranks_come_when_the_model_has_read_the_pool(app, window):
    page = window(f"{app.url}/explore?pool=classified&method=pgra&k=4")
    heads = page.locator("table.context th")
    expect(heads.get_by_text("by the task")).to_be_visible(timeout=120_000)
    finish(page)
    ranks = by_task(page)
    assert [second for _, second in ranks] == [1, 2, 3, 4]
    assert len({first for first, _ in ranks}) == 4
    expect(page.get_by_text("kept have the query's label (objective)")).to_be_visible()
    expect(page.get_by_text("A model sorts by a task only if it knows it")).to_be_visible()
    page.get_by_text("What the model reads of the query").click()
    expect(page.locator("code").get_by_text("Follow the demonstrations:")).to_be_visible()
    with a_run(page):
        page.get_by_text("Typed by hand").click()
    with a_run(page):
        page.get_by_label("Your query").fill("I liked the <b>song</b>")
        page.keyboard.press("Enter")
    expect(heads.get_by_text("by the task")).to_be_visible(timeout=120_000)
    finish(page)
    assert [second for _, second in by_task(page)] == [1, 2, 3, 4]
    expect(page.get_by_text("kept have the query's label")).to_have_count(0)


def test_by_a_task_a_pool_without_labels_is_one_sentence(app, window):
    page = window(f"{app.url}/explore?pool=edited&method=pgra")
    expect(page.get_by_text("The answers of pool 'edited' are not labels")).to_be_visible()
    finish(page)
    expect(page.locator("table.context")).to_have_count(0)
