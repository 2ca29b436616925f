"""The main paths of a person, in one server and one browser; the gate runs no others."""

import re
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.pools.pools import load_bundled
from core.studio.start import idea
from tests.browser.driver import (
    MENU,
    a_run,
    edit_cell,
    figures,
    finish,
    grid,
    lambda_field,
    menu,
    settle,
    tables,
    turn_to,
    type_lambda,
    until,
    windows,
)
from tests.browser.pools import CALIBRATED

LINKED = {
    "pool": "misconceptions",
    "method": "rel",
    "k": "3",
    "query": "Do identical twins have identical fingerprints?",
}
ANSWER = 4
"""Its column in the demonstrations' table."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    """The services, on a workspace of their own with the bundled pools."""
    with Studio.open(tmp_path_factory.mktemp("services") / "workspace") as opened:
        load_bundled(opened)
        yield opened


def context_of(studio, pool, query, knobs):
    """The pairs that the service chooses for one of the pool's own queries, in their order."""
    request = ExploreRequest(Setup(pool), query, knobs, leave_out=True)
    return [(pick.query, pick.answer) for pick in explore(resolve(studio, request)).picks]


def context_on(page):
    """The pairs in Explore's context, in the order chosen."""
    rows = page.locator(".chosen .row").all()
    if rows:
        return [tuple(row.locator(".query, .answer").all_inner_texts()) for row in rows]
    pairs = page.locator("table.context tbody tr .pair").all_inner_texts()
    return [tuple(line.strip() for line in pair.split("\n") if line.strip()) for pair in pairs]


def chosen(page, label):
    return page.get_by_role("combobox", name=label, exact=True).input_value()


def steps_on(page):
    """DPO over lambda_d as Explore's chart holds it: each context's step by its two ends."""
    until(page, lambda: [len(figure["traces"]) > 1 for figure in figures(page)], [True])
    return figures(page)[0]["traces"][0]


def first_column(page, name):
    return [row[name] for row in grid(tables(page).first)] if tables(page).count() else []


@pytest.fixture(scope="module", autouse=True)
def first_visit(app, browser):
    """What the very first visitor of the server saw, who came by a link to one view."""
    with windows(browser) as open_window:
        page = open_window(f"{app.url}/explore?{urlencode(LINKED)}")
        finish(page)
        return SimpleNamespace(
            menu=menu(page),
            context=context_on(page),
            pool=chosen(page, "Pool"),
            query=chosen(page, "Evaluation example"),
            address=page.url,
        )


def test_a_link_opens_its_view_on_a_fresh_server(app, window, studio, first_visit):
    knobs = Knobs(method=LINKED["method"], k=int(LINKED["k"]))
    wanted = context_of(studio, LINKED["pool"], LINKED["query"], knobs)
    assert len(wanted) == 3
    assert first_visit.context == wanted
    assert (first_visit.pool, first_visit.query) == ("misconceptions (565)", LINKED["query"])
    assert "method=rel&" in first_visit.address
    assert first_visit.menu == menu(window(app.url))
    assert [label for label, _ in first_visit.menu] == MENU


@pytest.mark.thorough
def test_the_first_picture_is_the_idea_and_its_door_opens_the_example(app, window, studio):
    page = window(app.url, width=1280, height=800)
    finish(page)
    example, _ = idea(studio)
    assert page.url.endswith("/start")
    drawn = page.locator(".idea-bar").evaluate_all(
        "bars => bars.map(bar => [bar.dataset.method, Number(bar.dataset.right)])"
    )
    assert [method for method, _ in drawn] == [way.method for way in example.ways]
    for (_, right), way in zip(drawn, example.ways, strict=True):
        assert right == pytest.approx(way.preference.right, abs=1e-5)
    page.get_by_role("button", name="Try the example").click()
    expect(page.get_by_role("heading", name="Explore", exact=True)).to_be_visible()
    finish(page)
    assert chosen(page, "Evaluation example") == example.query
    assert [query for query, _ in context_on(page)] == [each.query for each in example.mix.shown]


def test_a_file_is_imported_a_cell_edited_and_the_edit_undone(app, window):
    page = window(f"{app.url}/demonstrations?section=import")
    rows = (
        "query,answer,incorrect,tags",
        'Is the sky blue?,"[""Yes."", ""By day.""]","[""No."", ""Never.""]",sky',
        "Is grass red?,No.,Yes.,",
        ",Lost.,No.,",
    )
    file = {"name": "colours.csv", "mimeType": "text/csv", "buffer": "\n".join(rows).encode()}
    page.set_input_files("input[type=file]", file)
    expect(
        page.get_by_text("They become 3 demonstrations of 2 queries, with 5 triples")
    ).to_be_visible()
    page.get_by_role("button", name="Import as a new pool").click()
    expect(page.get_by_text("3 demonstrations were added to colours")).to_be_visible()
    # The preview says so too, and goes.
    expect(page.get_by_text("1 left out (1 x empty query).")).to_have_count(1)
    settle(page)
    page.get_by_test_id("stMain").get_by_role("radio", name="Table").click()
    until(page, lambda: first_column(page, "answer"), ["Yes.", "By day.", "No."])
    settle(page)
    edit_cell(page, 1, ANSWER, "By *day*, $2$.")
    until(page, lambda: first_column(page, "answer"), ["Yes.", "By *day*, $2$.", "No."])
    notice = page.get_by_test_id("stAlert")
    expect(notice).to_contain_text("Saved: edited the answer of demonstration")
    page.get_by_role("button", name="Undo").click()
    expect(notice).to_contain_text("Undo: edited the answer of demonstration")
    until(page, lambda: first_column(page, "answer"), ["Yes.", "By day.", "No."])


def test_a_lambda_changes_the_context_and_the_curve_shows_every_step(app, window, studio):
    page = window(f"{app.url}/explore?{urlencode(LINKED | {'method': 'rel+div', 'k': 6})}")
    finish(page)
    knobs = Knobs(method="rel+div", k=6, lambda_d=0.75)
    pool, query = LINKED["pool"], LINKED["query"]
    assert context_on(page) == context_of(studio, pool, query, knobs)
    dpo = steps_on(page)
    assert (dpo["x"][0], dpo["x"][-1]) == (0.0, 1.0)
    assert dpo["x"][1:-1:2] == dpo["x"][2::2], "each step ends where the next one begins"
    assert all(y is not None and y <= 0 for y in dpo["y"])
    type_lambda(page, "lambda_d", "0")
    assert "lambda_d=0.00" in page.url
    at_0 = Knobs(method="rel+div", k=6, lambda_d=0.0)
    assert context_on(page) == context_of(studio, pool, query, at_0)
    assert steps_on(page) == dpo


def test_a_calibration_runs_to_its_end_and_is_applied(app, window):
    link = {"pool": CALIBRATED, "limit": 4, "lambda_b": "0.60"}
    page = window(f"{app.url}/calibrate?{urlencode(link)}")
    finish(page)
    page.get_by_role("button", name="Calibrate", exact=True).click()
    expect(page.get_by_role("heading", name="Exact figures")).to_be_visible()
    finish(page)
    curve = next(f["traces"] for f in figures(page) if len(f["traces"]) > 1)
    dpo = next(trace for trace in curve if trace["name"] == "DPO per triple")
    assert dpo["x"] == [round(step / 20, 2) for step in range(21)]
    apply = page.get_by_role("button", name="Use this setting")
    sentence = page.locator(".st-key-setting").inner_text()
    wanted = dict(re.findall(r"(lambda_.) (\d\.\d\d)", sentence))
    assert sorted(wanted) == ["lambda_b", "lambda_d"]
    with a_run(page):
        apply.click()
    turn_to(page, "Explore")
    for name, value in wanted.items():
        expect(lambda_field(page, name)).to_have_value(value)
        assert f"{name}={value}" in page.url


@pytest.fixture(scope="module")
def compared(app, browser):
    """A window in which no context was compared with the most similar demonstrations."""
    link = {"pool": CALIBRATED, "limit": 4, "rows": "none;rel"}
    with windows(browser) as open_window:
        page = open_window(f"{app.url}/compare?{urlencode(link)}")
        finish(page)
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.get_by_role("button", name="Download report")).to_be_visible()
        finish(page)
        yield page


def test_a_comparison_shows_each_method_s_figures(compared):
    cells = compared.locator("table.shotlist-table").first.evaluate(
        """table => [...table.rows].map(
             row => [...row.cells].map(cell => cell.innerText.split('\\n')[0]))"""
    )
    assert [row[0] for row in cells] == ["Method", "none", "rel"]
    none, rel = (dict(zip(cells[0][1:], row[1:], strict=True)) for row in cells[1:])
    assert none["DPO per triple"].removeprefix("best ") == "-0.693"
    assert (none["Delta"].removeprefix("best "), none["Sameness"]) == ("0.000", "-")
    assert float(rel["DPO per triple"].removeprefix("best ")) < 0


def test_a_report_is_downloaded_and_opens_by_itself(compared, tmp_path):
    with compared.expect_download() as download:
        compared.get_by_role("button", name="Download report").click()
    file = tmp_path / download.value.suggested_filename
    assert re.fullmatch(r"comparison-.+\.html", file.name)
    download.value.save_as(file)
    asked = []
    alone = compared.context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.goto(file.as_uri())
    expect(alone).to_have_title("Comparison of methods on pool trial & error")
    expect(alone.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(alone.get_by_text("-0.693").first).to_be_visible()
    assert asked == [file.as_uri()]
    alone.close()
