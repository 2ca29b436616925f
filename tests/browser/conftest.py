"""Fixtures of the browser tests; `driver.py` starts the app and the browser."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    finish,
    in_the_servers,
    launched_browser,
    on_the_screens,
    start_app,
    stop_app,
    tables,
    windows,
)
from tests.browser.pools import AGAIN, fill


def pytest_collection_modifyitems(items):
    """Mark what drives a browser, and let it be run once more where it fails.

    The report names what was run again; what fails twice in a row fails.
    """
    for item in items:
        parts = Path(item.fspath).parts
        if "browser" in parts:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
        if "journeys" in parts and not item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.journey)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed and report.when != "teardown":
        report.sections.append(("on the screen", on_the_screens()))
        report.sections.append(("in the servers", in_the_servers()))
    return report


def pytest_terminal_summary(terminalreporter):
    """Show why a test was run once more: its first try is a failure to be understood."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_sep("_", f"first try of {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)
        for title, content in report.sections:
            terminalreporter.write_sep("-", title)
            terminalreporter.write_line(content)


@pytest.fixture(scope="session")
def browser():
    with launched_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The studio that the tests share, with the demonstrations of each of its pools."""
    workspace = tmp_path_factory.mktemp("app") / "workspace"
    demonstrations = fill(workspace)
    running = start_app(workspace)
    yield running, demonstrations
    stop_app(running)


@pytest.fixture(scope="session")
def app(served):
    """The studio that the tests share; it opens with the bundled service desk."""
    return served[0]


@pytest.fixture(scope="session")
def demonstrations(served):
    """The demonstrations of each pool, as the workspace was filled with them."""
    return served[1]


@pytest.fixture
def window(browser):
    """Opens windows, each a visitor of its own; fails on an error of the page's own script."""
    with windows(browser) as open_window:
        yield open_window


@pytest.fixture
def untouched(request):
    """Gives the name of a pool that no run of the test before this one has written to."""
    runs = getattr(request.node, "execution_count", 1)
    return lambda name: name if runs == 1 else f"{name}{AGAIN}"


@pytest.fixture
def open_pool(app, demonstrations, window, untouched):
    """Opens Demonstrations on a pool; gives the window and the pool's ids as the table shows them.

    Everything that the pool needs is done by then: nothing runs any more unless the test asks.
    """

    def opened(name, *, alone=False, **link):
        pool = untouched(name)
        address = f"{app.url}/demonstrations?{urlencode({'pool': pool, **link})}"
        page = window(address, alone=alone)
        if "section" not in link:
            expect(tables(page).first).to_be_visible()
        finish(page)
        return page, [str(each.id) for each in demonstrations[pool]]

    return opened
