"""A menu link waits for the run with what was typed, and no longer; by a clock of its own."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

LEAVING = Path(__file__).parents[2] / "pages/common/streamlit_workarounds/leaving.js"
PAGE = """<div data-testid="stApp" data-test-script-state="notRunning">
  <a data-testid="stPageLink-NavLink" href="#there">There</a>
</div>"""
START = """async source => {
  window.server = new class extends EventTarget {
    tell(field) {
      const { buffer } = new Uint8Array([field * 8 + 2, 0]);
      this.dispatchEvent(new MessageEvent('message', { data: buffer }));
    }
  }();
  WebSocket.prototype.send = () => {};
  const script = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  (await import(script)).default();
}"""
ASK = "() => WebSocket.prototype.send.call(server, new Uint8Array([11 * 8 + 2, 0]))"
BEGUN, ENDED = 4, 6
"""The fields of Streamlit's messages that tell of a run."""


@pytest.fixture
def page(window):
    """A page with one link and a server that says what the test tells it to say."""
    page = window("", alone=True, wait=False)
    page.clock.install(time=0)
    page.set_content(PAGE)
    page.clock.pause_at(3_600)
    page.evaluate(START, LEAVING.read_text(encoding="utf-8"))
    return page


def tell(page, *fields):
    page.evaluate("fields => fields.forEach(field => server.tell(field))", list(fields))


def follow(page, *, after):
    """Click the link; whether it was followed when so many milliseconds had gone by."""
    page.get_by_role("link", name="There").click()
    page.clock.run_for(after)
    return page.evaluate("() => location.hash") == "#there"


def test_a_link_is_followed_at_once_where_nothing_was_asked(page):
    assert follow(page, after=0)


def test_a_link_waits_until_the_run_has_begun_and_taken_what_was_sent(page):
    page.evaluate(ASK)
    assert not follow(page, after=10_000)
    tell(page, BEGUN)
    page.clock.run_for(400)
    assert page.evaluate("() => location.hash") == ""
    page.clock.run_for(200)
    assert page.evaluate("() => location.hash") == "#there"


def test_a_run_too_short_for_the_page_to_show_it_holds_no_link(page):
    page.evaluate(ASK)
    tell(page, BEGUN, ENDED)
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    assert follow(page, after=0)


def test_a_link_waits_for_the_next_run_of_a_server_that_has_been_late(page):
    """What was typed while a run went on is in the next one, which begins late here as well."""
    page.evaluate(ASK)
    page.clock.run_for(3_000)
    tell(page, BEGUN)
    page.evaluate(ASK)
    tell(page, ENDED)
    assert not follow(page, after=6_000)
    tell(page, BEGUN)
    page.clock.run_for(600)
    assert page.evaluate("() => location.hash") == "#there"


def test_a_quick_server_is_not_waited_for_where_two_requests_made_one_run(page):
    page.evaluate(ASK)
    page.evaluate(ASK)
    page.clock.run_for(50)
    tell(page, BEGUN, ENDED)
    assert not follow(page, after=200)
    page.clock.run_for(200)
    assert page.evaluate("() => location.hash") == "#there"


def test_a_server_that_is_gone_holds_a_link_for_half_a_minute(page):
    page.evaluate(ASK)
    assert not follow(page, after=29_000)
    page.clock.run_for(2_000)
    assert page.evaluate("() => location.hash") == "#there"
