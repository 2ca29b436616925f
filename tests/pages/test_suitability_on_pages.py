"""Start, Demonstrations and Calibrate say in one line whether diversity can pay in the pool."""

import pytest

from core.demonstration.demonstration import Draft
from core.reporting.words.start_page import suitability_line
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.pools import suitability

PAGES = ("start", "demonstrations", "calibrate")
FEW = "To measure it, 5 queries are few; 200 or more are better."


def lines(app):
    """What the page says of it, as it is read."""
    shown = [each.value.replace("\\", "") for each in app.main.caption]
    return [line for line in shown if line.startswith("Diversity ")]


@pytest.fixture
def all_excluded(small_pool, open_page, the_studio):
    """The name of a pool of which no demonstration is included."""
    open_page("demonstrations")
    rows = the_studio().store.demonstrations.all(the_studio().store.pools.get(small_pool).id)
    demonstrations.set_status(the_studio(), [row.id for row in rows], "excluded")
    return small_pool


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_said_before_it_is_known_and_one_line_after(
    small_pool, open_page, finish, the_studio, page
):
    app = open_page(page)
    assert lines(app) == []
    app = finish(app)
    studio, setup = the_studio(), Setup(small_pool)
    found, job = suitability(studio, setup, studio.view(setup))
    assert job is None
    where = f"in pool {small_pool}" if page == "start" else "here"
    assert lines(app) == [
        suitability_line(found, where=where, with_incorrect=page != "demonstrations")
    ]
    (line,) = lines(app)
    assert line.startswith(f"Diversity can pay {where}: 2.0 demonstrations per query, sameness ")
    assert FEW in line


def test_demonstrations_leaves_the_incorrect_answers_to_its_counts(small_pool, open_page, finish):
    (line,) = lines(finish(open_page("demonstrations")))
    assert "incorrect" not in line
    (line,) = lines(finish(open_page("calibrate")))
    assert line.endswith("Every query has incorrect answers.")


def test_an_edit_is_looked_at_anew(small_pool, open_page, finish, the_studio):
    app = finish(open_page("calibrate"))
    pool = the_studio().store.pools.get(small_pool)
    the_studio().store.demonstrations.add(pool.id, [Draft("Is it late?", "No")])
    assert lines(app.run()) == []
    (line,) = lines(finish(app))
    assert line.startswith("Diversity can hardly pay here: 1.8 demonstrations per query, sameness ")
    assert line.endswith("5 of 6 queries (83 %) have incorrect answers.")


@pytest.mark.parametrize("page", PAGES)
def test_a_pool_without_included_demonstrations_gets_no_line(all_excluded, open_page, finish, page):
    assert lines(finish(open_page(page, pool=all_excluded))) == []
