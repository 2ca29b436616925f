"""A model behind a server that is slow, dies and comes back, in a real browser."""

from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from tests.browser.driver import (
    a_run,
    finish,
    free_port,
    lambda_field,
    start_app,
    stop_app,
    until,
)
from tests.support.openai_server import Hang, Offer, Words, serving

WRITING = "The model is writing."


@pytest.fixture
def server():
    """(what it offers, a function that starts it at its port, one that ends it)."""
    port, offer = free_port(), Offer(echo=False, prompt_logprobs=False)
    with ExitStack() as running:

        def start():
            running.enter_context(serving(Words(), offer, port))

        yield port, offer, start, running.close


@pytest.fixture
def app(server, tmp_path, monkeypatch):
    """A studio whose model is on that server, which is started with it."""
    port, _, start, _ = server
    start()
    monkeypatch.setenv("SHOTLIST_OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
    running = start_app(tmp_path / "workspace", model="openai:tiny")
    yield running
    stop_app(running)


def context(page):
    return page.locator(".chosen .row").all_inner_texts()


def answers(page):
    return page.get_by_test_id("stCode").all_inner_texts()


def test_sliders_move_while_a_server_is_slow_and_answers_come_when_it_is_back(app, server, window):
    _, offer, start, end = server
    page = window(f"{app.url}/explore?method=rel%2Bdiv&k=3")
    expect(page.get_by_text("openai:tiny at 127.0.0.1").first).to_be_visible()
    expect(page.get_by_text("cannot score answers").first).to_be_visible()

    slow = Hang()
    offer.faults.append(slow)
    with a_run(page):
        page.get_by_role("radio", name="Model's answer").click()
    expect(page.get_by_text(WRITING)).to_be_visible()
    assert slow.began.wait(60)
    before = context(page)
    with a_run(page):
        lambda_field(page, "lambda_d").fill("0")
        page.keyboard.press("Enter")
    until(page, lambda: context(page) != before, True)
    slow.end.set()
    finish(page)
    (after, alone) = answers(page)
    assert alone == "nothing"
    assert after in "".join(context(page))

    end()
    with a_run(page):
        lambda_field(page, "lambda_d").fill("1")
        page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing answers at").first).to_be_visible(timeout=90_000)
    start()
    page.get_by_role("button", name="Try again").click()
    until(page, lambda: answers(page)[1:], ["nothing"])
    assert answers(page)[0] in "".join(context(page))
