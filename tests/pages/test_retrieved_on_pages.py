"""How often each demonstration is retrieved, in the table and on the map."""

import base64
import json

import numpy as np
import pytest

from core.retrieval.knobs import Knobs
from core.retrieval.retrieved import RetrievalCounts
from core.studio import Setup
from core.studio.pools.retrieved import retrieved_now
from pages.common.demonstrations.saving import EDITING_KEY
from pages.common.demonstrations.table_columns import in_order, table_columns
from tests.pages.conftest import POOL, press, shown

KNOBS = {"method": "rel+div", "k": "2", "lambda_d": "0.6"}
ASKED = Knobs("rel+div", 2, lambda_d=0.6)


@pytest.fixture
def counted(the_studio):
    """What is counted with the knobs of the link."""

    def found() -> RetrievalCounts | None:
        return retrieved_now(the_studio(), Setup(POOL, None, None), ASKED)[0]

    return found


def captions(app):
    return " ".join(each.value for each in app.caption).replace("\\", "")


def numbers(made):
    """The numbers of a drawn figure, as plotly writes them."""
    return np.frombuffer(base64.b64decode(made["bdata"]), made["dtype"]).tolist()


def column(app):
    """The column of the table, by id."""
    editing = app.session_state[EDITING_KEY]
    frame = editing.frame({}, {})
    return dict(zip(frame["id"], frame["retrieved"], strict=True))


def test_the_table_counts_on_a_click_with_the_knobs_of_the_link(
    visited_pool, open_page, finish, counted
):
    app = finish(open_page("demonstrations", **KNOBS))
    assert counted() is None
    press(app, "count_retrieved")
    finish(app)
    found = counted()
    assert found.asked == 5
    assert column(app) == found.shares
    assert (
        "Retrieved: in how many of the contexts of 5 queries of the pool, each without its own "
        "demonstrations (rel+div, k 2, lambda_d 0.60)."
    ) in captions(app)
    assert not [button for button in app.button if button.key == "count_retrieved"]


def test_sorting_by_it_counts_by_itself(visited_pool, open_page, finish, the_studio, counted):
    app = finish(open_page("demonstrations", sort="retrieved", descending="True", **KNOBS))
    found = counted()
    ids = app.session_state[EDITING_KEY].ids
    assert ids == sorted(found.shares, key=lambda id: (-found.shares[id], id))
    assert sorted(shown(the_studio(), POOL)) == sorted(ids)
    columns = table_columns([])
    by_retrieved, by_id = (in_order(columns, by, judged=False) for by in ("retrieved", "id"))
    assert by_retrieved[:4] == ["tick", "id", "status", "retrieved"]
    assert by_id == [name for name in columns if name not in ("similarity", "worth")]
    assert sorted(by_retrieved) == sorted(by_id)
    assert in_order(columns, "id", judged=True) == [n for n in columns if n != "similarity"]


def test_with_other_knobs_it_is_offered_again(visited_pool, open_page, finish):
    app = finish(open_page("demonstrations", **KNOBS))
    press(app, "count_retrieved")
    finish(app)
    other = finish(open_page("demonstrations", **KNOBS | {"k": "3"}))
    assert [button for button in other.button if button.key == "count_retrieved"]
    assert "Retrieved:" not in captions(other)


def test_the_map_is_coloured_by_it(visited_pool, open_page, finish, counted):
    app = finish(open_page("map", colour="retrieved", **KNOBS))
    found = counted()
    (trace,) = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    assert trace["name"] == "included (10)"
    assert trace["marker"]["colorbar"]["title"]["text"] == "% of contexts"
    ids, percents = numbers(trace["customdata"]), numbers(trace["marker"]["color"])
    assert dict(zip(ids, percents, strict=True)) == {i: 100 * found.shares[i] for i in ids}


def test_a_method_that_asks_the_model_says_so(visited_pool, open_page, finish):
    app = finish(open_page("demonstrations", method="mdl"))
    press(app, "count_retrieved")
    assert "asks the language model for every query" in app.error[0].value
