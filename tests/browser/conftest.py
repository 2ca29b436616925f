"""Fixtures of the browser tests; `driver.py` starts the app and the browser."""

from pathlib import Path

import pytest

from tests.browser.driver import (
    import_few,
    in_the_servers,
    launched_browser,
    on_the_screens,
    start_app,
    stop_app,
    windows,
)
from tests.support.tiny_language_model import build_tiny_language_model


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in Path(item.fspath).parts:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.slow)


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
def roomy_model(tmp_path_factory):
    """A tiny language model whose window holds six demonstrations, letter by letter."""
    return build_tiny_language_model(tmp_path_factory.mktemp("roomy-model"), window=4096)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """The studio with the first queries of the service desk and the practice model."""
    workspace = tmp_path_factory.mktemp("app") / "workspace"
    import_few(workspace, "service-desk", 60, "service-desk")
    running = start_app(workspace)
    yield running
    stop_app(running)


@pytest.fixture
def window(browser):
    """Opens windows, each a visitor of its own; fails on an error of the page's own script."""
    with windows(browser) as open_window:
        yield open_window
