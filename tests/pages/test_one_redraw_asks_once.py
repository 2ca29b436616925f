"""A move of a slider on Explore: what one redraw of the page asks the studio and the database."""

import re
from collections import Counter

import pytest

import core.studio.explore.exploration
import pages.common.explore.knobs
from core.store.database import Database
from core.studio import Studio
from tests.pages.drawn import html_of


def context(app):
    """The demonstrations that the page shows, without what the lambdas make of them."""
    (table,) = (body for body in html_of(app) if '"explore context"' in body)
    return re.findall(r"says the book \(\d+\)|Is the moon|Do bats|Is glass|Do bulls|sugar", table)


@pytest.fixture
def asked(monkeypatch):
    """How often a redraw of what the knobs decide asks for each thing; empty before it."""
    counts = Counter()

    def count(owner, name):
        really = getattr(owner, name)

        def counted(*arguments, **options):
            counts[name] += 1
            return really(*arguments, **options)

        monkeypatch.setattr(owner, name, counted)

    for name in ("view", "query_vector", "loaded_model", "template"):
        count(Studio, name)
    count(core.studio.explore.exploration, "choose_context")
    count(core.studio.explore.exploration, "usable_request")
    count(Database, "read")
    count(Database, "write")
    really = pages.common.explore.knobs.choose_request

    def choose_request(*arguments):
        counts.clear()  # what is drawn above the knobs is not drawn again when one is moved
        return really(*arguments)

    monkeypatch.setattr(pages.common.explore.knobs, "choose_request", choose_request)
    return counts


@pytest.mark.parametrize("moves", [(1.0, 0.1), (0.31, 0.32)], ids=["new context", "same context"])
def test_a_warm_move_asks_once(small_pool, language_model, open_page, finish, asked, moves):
    app = finish(open_page("explore", pool=small_pool, k="3", view="context"))
    before, after = moves
    finish(app.number_input(key="explore_lambda_d_typed").set_value(before).run())
    shown = context(app)
    app.number_input(key="explore_lambda_d_typed").set_value(after).run()
    assert not app.exception
    assert (context(app) == shown) == (before != 1.0)
    assert asked == {
        "view": 1,
        "query_vector": 1,
        "usable_request": 1,
        "choose_context": 1,
        "loaded_model": 2,  # for the view's quality bias, and for what is drawn
        # What is known of pools is in memory; the scores of another context's answers are read.
        **({} if context(app) == shown else {"read": 1}),
    }
