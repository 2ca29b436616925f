"""What is chosen on one page appears on another only where it means the same there."""

import pytest

from core.demonstration.demonstration import Draft
from core.store import Store
from tests.pages.conftest import POOL, ignored
from tests.pages.states import CHOSEN, NAMES, SHARED, every_state, name_of, values

pytestmark = pytest.mark.usefixtures("two_pools", "language_model")
OTHER = "other pool"
IN_THE_GATE = {"demonstrations", "explore", "compare"}
LEFT = {"section", "part", "source", "do", "from", "passages", "index"}
"""What the state's link chooses, of which another value would hide the rest; and the index, whose
options AppTest cannot name: their labels have labels, too."""


@pytest.fixture
def two_pools(with_passages, workspace):
    """Another pool beside the one that is shown: there are evaluation examples elsewhere."""
    with Store.open(workspace) as store:
        drafts = [Draft(f"Is {n} even?", f"It is {n}.") for n in range(9)]
        store.demonstrations.add(store.pools.create(OTHER).id, drafts)


def name_in(key, page):
    """What a widget's value is kept as, by the widget's key."""
    return (key or "").removeprefix(f"{page}_").split(f"_{POOL}")[0].removesuffix("_typed")


def follow(app, page, **link):
    """Open the page as a link in the menu does: with no parameters but those that are given."""
    app.switch_page(f"pages/{page}.py").query_params.clear()
    for name, text in link.items():
        app.query_params[name] = text
    return app.run()


def change(app, page, shared):
    """Give other values to the widgets whose values are shared, or to the others; how many."""
    changed = 0
    for kind in CHOSEN:
        for each in getattr(app.main, kind):
            name = name_in(each.key, page)
            if each.disabled or name in LEFT or "_row_" in each.key or (name in SHARED) != shared:
                continue
            if kind in ("text_input", "text_area"):
                each.set_value("bats")
            elif kind == "number_input":
                low = each.min or 0
                each.set_value(low if each.value != low else low + 1)
            elif kind == "slider":
                each.set_value(each.min)
            elif kind in ("toggle", "checkbox"):
                each.set_value(not each.value)
            elif kind == "selectbox" and len(each.options) > 1:
                each.select_index(len(each.options) - 1)
            elif kind == "multiselect" and each.value:
                each.unselect(each.value[0])
            else:
                continue
            changed += 1
    app.run()
    return changed


@pytest.fixture
def usual(open_app, finish, seen):
    """What the widgets of a page are at where nothing was chosen but what is shared."""

    def values_of(page, **shared):
        key = (page, *shared.items())
        if key not in seen:
            app = follow(open_app("start"), "explore", pool=POOL, **shared)
            seen[key] = values(finish(follow(finish(app), page)))
        return seen[key]

    return values_of


@pytest.fixture(scope="module")
def seen():
    """What was seen by an earlier test."""
    return {}


def others(page, count):
    """The pages that follow it in the menu, which begins again at its end; at most so many."""
    place = NAMES.index(page)
    return [*NAMES[place + 1 :], *NAMES[:place]][:count]


def states():
    """The first states of three pages, and all others in `make test-thorough`."""
    first = {}
    for state in every_state():
        of_page = first.setdefault(state[0], state) == state and state[0] in IN_THE_GATE
        yield pytest.param(state, id=name_of(state), marks=() if of_page else pytest.mark.thorough)


@pytest.mark.parametrize(
    "count", [pytest.param(1, id="next"), pytest.param(None, id="all", marks=pytest.mark.thorough)]
)
@pytest.mark.parametrize("state", list(states()))
def test_every_ordered_pair_of_pages(open_app, finish, usual, state, count):
    page, link = state
    shared = {name: text for name, text in link.items() if name in SHARED}
    app = finish(follow(open_app("start"), page, pool=POOL, **link))
    assert change(app, page, shared=False) or link or page in ("start", "explore")
    for other in others(page, count):
        app = finish(follow(app, other))
        assert not ignored(app)
        assert values(app) == usual(other, **shared)
        follow(app, page)
    change(app, page, shared=True)
    for other in (page, *others(page, count)):
        app = finish(follow(app, other))
        assert not ignored(app)
        follow(app, page)
