"""Fixtures of the browser tests; `driver.py` starts the app and the browser."""

from pathlib import Path

import pytest

from tests.browser.driver import (
    in_the_servers,
    launched_browser,
    on_the_screens,
    start_app,
    stop_app,
    windows,
)
from tests.browser.pools import fill


def pytest_collection_modifyitems(items):
    """Mark what drives a browser, and let it be run once more where it fails.

    The report names what was run again; what fails twice in a row fails.
    """
    for item in items:
        parts = Path(item.fspath).parts
        if "browser" in parts:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.flaky(reruns=1))
        if "journeys" in parts:
            item.add_marker(pytest.mark.journey)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed and report.when != "teardown":
        report.sections.append(("on the screen", on_the_screens()))
        report.sections.append(("in the servers", in_the_servers()))
    return report


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
