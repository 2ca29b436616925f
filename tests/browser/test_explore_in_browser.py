"""Explore in a real browser: sliders, live curve, the link in a second window."""

from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.driver import figures, settle, until, visit


def query_of(page):
    return {name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()}


def slider(page, name):
    return page.get_by_role("slider", name=name)


def context_table(page):
    """The texts of the rows of the context's table."""
    return (
        page.locator(".st-key-beside_tables_explore table")
        .first.locator("tbody tr")
        .all_inner_texts()
    )


def curve(page):
    """The traces of the query's curve: name to the defined (x, y) points."""
    (figure,) = [f for f in figures(page) if f["traces"]]
    return figure


@pytest.fixture
def explore(app, window):
    page = window(f"{app.url}/explore")
    expect(page.get_by_role("heading", name="Explore")).to_be_visible()
    # It is held until the quality is scored; then the curve is drawn anew.
    expect(slider(page, "lambda_b")).to_be_enabled(timeout=120_000)
    settle(page)
    page.wait_for_function(
        """() => [...document.querySelectorAll('.js-plotly-plot')].some(plot =>
             (plot._fullData ?? []).filter(trace =>
               (trace.y ?? []).length >= 6 &&
               Array.from(trace.y).every(y => y !== null && !isNaN(y))
             ).length >= 2)""",
        timeout=120_000,
    )
    settle(page)
    return page


def points_of(figure, least=6):
    return [
        [(x, y) for x, y in zip(t["x"], t["y"], strict=True) if y is not None]
        for t in figure["traces"]
        if len([y for y in t["y"] if y is not None]) >= least
    ]


def test_the_curve_fills_in_over_the_whole_of_lambda_d(explore):
    dpo, diversity = points_of(curve(explore))[:2]
    xs = [x for x, _ in dpo]
    assert (xs[0], xs[-1]) == (0.0, 1.0)
    assert xs[1:-1:2] == xs[2::2], "each step ends where the next one begins"
    assert all(y <= 0 for _, y in dpo)
    assert all(-1 <= y <= 1 for _, y in diversity)
    assert diversity[0][1] < diversity[-1][1]


def test_the_longest_name_of_a_method_fits_its_box(explore):
    box = explore.locator(".st-key-explore_method input")
    expect(box).to_have_value("Relevance, diversity and quality bias")
    assert box.evaluate("input => input.scrollWidth <= input.clientWidth")


def test_lambda_d_redraws_the_context_but_not_the_curve(explore):
    before, points = context_table(explore), points_of(curve(explore))
    assert len(before) == 6
    slider(explore, "lambda_d").press("Home")
    explore.wait_for_url("**lambda_d=0.00**")
    settle(explore)
    after = context_table(explore)
    assert after != before
    assert after[0].split("\n")[:2] == before[0].split("\n")[:2]
    assert points_of(curve(explore)) == points


def test_lambda_b_changes_context_and_curve(explore):
    before, points = context_table(explore), points_of(curve(explore))
    slider(explore, "lambda_b").press("Home")
    explore.wait_for_url("**lambda_b=0.00**")
    explore.wait_for_function(
        """old => [...document.querySelectorAll('.js-plotly-plot')].some(plot =>
             (plot._fullData ?? []).some(trace =>
               (trace.y ?? []).length >= 6 && Array.from(trace.y).every(y => y !== null)
               && JSON.stringify(Array.from(trace.y)) !== old))""",
        arg=str([y for _, y in points[0]]),
        timeout=120_000,
    )
    settle(explore)
    assert context_table(explore) != before
    assert points_of(curve(explore)) != points


def test_the_link_opens_the_same_view_in_a_second_window(explore, window):
    slider(explore, "lambda_d").press("PageDown")
    settle(explore)
    assert {"pool", "query", "method", "k", "lambda_d", "lambda_b"} <= set(query_of(explore))
    second = window(explore.url)
    second.wait_for_timeout(500)
    settle(second)
    assert context_table(second) == context_table(explore)
    assert query_of(second) == query_of(explore)
    assert slider(second, "lambda_d").get_attribute("aria-valuetext") == slider(
        explore, "lambda_d"
    ).get_attribute("aria-valuetext")


def test_a_link_with_values_out_of_range_falls_back(app, window):
    page = window(f"{app.url}/explore?lambda_d=7&lambda_b=zzz&k=0")
    settle(page)
    found = query_of(page)
    assert (found["lambda_d"], found["lambda_b"], found["k"]) == ("0.75", "0.95", "6")


def add_by_hand(page, query, answer):
    if not page.get_by_role("textbox", name="Query").is_visible():  # it stays open for the next
        page.get_by_text("Add one by hand").click()
    page.get_by_role("textbox", name="Query").fill(query)
    page.get_by_role("textbox", name="Answer", exact=True).fill(answer)
    page.get_by_role("button", name="Add to the pool").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("1 demonstration", timeout=60_000)
    settle(page)


def type_query(page, query, answer, incorrect):
    page.get_by_role("radio", name="Typed by hand").click()
    settle(page)
    for name, text in (
        ("Your query", query),
        ("Correct answers, one per line", answer),
        ("Incorrect answers, one per line", "\n".join(incorrect)),
    ):
        page.get_by_role("textbox", name=name, exact=True).fill(text)
        page.keyboard.press("Control+Enter")
        settle(page)


def log_probs(page):
    """Each answer on the screen: its log-probability alone and with the context."""
    rows = page.locator("table.explore.answers tbody tr").all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    return {
        answer: [float(text.split("\n")[0].replace("\u2212", "-")) for text in numbers[:2]]
        for answer, _, *numbers in cells
    }


def test_names_typed_by_hand_are_followed(app, window):
    """A function and fields of no dialect, in two demonstrations and then asked for."""
    written = "grabSeat {{ {} as foodStyle, {} as whereabouts }}".format
    page = window(f"{app.url}/demonstrations")
    add_by_hand(page, "reserve a Thai restaurant in Oslo", written("Thai", "Oslo"))
    add_by_hand(page, "reserve a Greek restaurant in Lima", written("Greek", "Lima"))
    visit(page, f"{app.url}/explore?k=2")
    right = written("Korean", "Prague")
    wrong = (right.replace("grabSeat", "book_table"), right.replace("foodStyle", "kitchen_style"))
    type_query(page, "reserve a Korean restaurant in Prague", right, wrong)
    until(page, lambda: sorted(log_probs(page)), sorted((right, *wrong)))
    found = log_probs(page)
    alone, with_context = found[right]
    assert with_context > alone + 30
    assert with_context > max(found[answer][1] for answer in wrong) + 5


def strip_of(page, knob):
    """The contexts that the strip under a slider shows: (low, high, whether it is the present)."""
    return page.locator(f".path-strip.{knob} i").evaluate_all(
        """parts => parts.map(part => [
             Number(part.dataset.low), Number(part.dataset.high), part.classList.contains('here'),
             part.getBoundingClientRect().width,
           ])"""
    )


def pairs_of(place):
    """Query and answer of every demonstration in a part of a table."""
    return {
        tuple(line.strip() for line in text.split("\n") if line.strip())
        for text in place.locator(".pair").all_inner_texts()
    }


def next_context(page):
    buttons = page.locator(".st-key-explore_lambda_d_next")
    buttons.get_by_role("button", name="Next", exact=False).first.click()
    settle(page)


def test_stepping_changes_the_context_as_the_path_lists_it(explore):
    explore.get_by_role("radio", name="Path of lambda_d").click()
    settle(explore)
    steps = explore.locator("table.steps")
    table = explore.locator("table.context")
    expect(steps).to_be_visible()
    slider(explore, "lambda_d").press("Home")
    explore.wait_for_url("**lambda_d=0.00**")
    settle(explore)
    # At 0 itself contexts may tie: from there to the first one that holds for a while.
    if not any(here for _, _, here, _ in strip_of(explore, "lambda_d")):
        next_context(explore)
    contexts = strip_of(explore, "lambda_d")
    assert contexts[0][0] == 0
    assert contexts[-1][1] == 1
    assert all(a[1] == b[0] for a, b in zip(contexts, contexts[1:], strict=False))
    assert sum(here for _, _, here, _ in contexts) == 1
    for _ in range(3):
        before = pairs_of(table)
        now = next(i for i, (_, _, here, _) in enumerate(strip_of(explore, "lambda_d")) if here)
        low, high, _, _ = contexts[now + 1]
        next_context(explore)
        explore.wait_for_function(
            "low => Number(document.querySelector('.path-strip.lambda_d i.here')?.dataset.low)"
            " === low",
            arg=low,
        )
        settle(explore)
        after = pairs_of(table)
        row = next(
            each for each in steps.locator("tbody tr").all()
            if each.locator("td").first.inner_text() == f"{low:.3f}"
            and each.locator("td").nth(2).locator(".pair").count()
        )  # fmt: skip
        assert after - before == pairs_of(row.locator("td").nth(2))
        assert before - after == pairs_of(row.locator("td").nth(3))
        assert low < float(query_of(explore)["lambda_d"]) < high
        assert float(slider(explore, "lambda_d").input_value()) == pytest.approx(
            float(query_of(explore)["lambda_d"]), abs=1e-9
        )
