"""Coverage and distributions on Review: holes, what is passed on to the table and to the Map."""

import pytest

from core.demonstration.demonstration import Draft, Status
from core.studio import Setup
from core.studio.pools import demonstrations
from core.studio.pools.retrieved import CoverageRequest, coverage_now
from tests.pages.conftest import parameter, press
from tests.support.gated import gated

POOL, EXAM = "to cover <b>", "exam *one*"
ROWS = (
    Draft("Do bats see?", "Yes", tags=("animals",)),
    Draft("Do bats see?", "They do, and well"),
    Draft("Do moles see?", "Hardly", tags=("animals", "physics")),
    Draft("How deep is the *sea*?", "Deep", tags=("physics",)),
    Draft("Is glass a liquid?", "No", status=Status.EXCLUDED),
)
ASKED = ("Is glass a liquid?", "Is glass a fluid?", "Do bats see?")


@pytest.fixture
def opened(workspace, workspace_with, open_page, finish, the_studio):
    workspace_with(workspace, POOL, ROWS)
    finish(open_page("review", pool=POOL))
    store = the_studio().store
    store.demonstrations.add(store.pools.create(EXAM).id, [Draft(query, "x") for query in ASKED])

    def review(part="coverage", **link):
        return finish(open_page("review", pool=POOL, part=part, **link))

    return review


def coverage(studio, examples=POOL):
    request = CoverageRequest(Setup(POOL, None, None), examples)
    found, _ = coverage_now(studio, request)
    return found


def below(app):
    (slider,) = [each for each in app.slider if each.label == "Holes are below"]
    return slider


def listed(app):
    return app.dataframe[0].value


def test_holes_are_listed_the_farthest_first_with_their_nearest(opened, the_studio):
    app = opened(below="1.0")
    found = coverage(the_studio())
    assert found.queries == ("Do bats see?", "Do moles see?", "How deep is the *sea*?")
    table = listed(app)
    order = sorted(range(3), key=lambda place: (found.similarity[place], place))
    assert table["query"].tolist() == [found.queries[place] for place in order]
    assert table["cosine"].tolist() == [found.similarity[place] for place in order]
    rows = demonstrations.present(the_studio(), found.nearest.tolist())
    assert table["nearest"].tolist() == [rows[found.nearest[place]].query for place in order]
    assert "ends" not in table
    assert (parameter(app, "part"), parameter(app, "below")) == ("coverage", "1.00")
    below(app).set_value(0.0).run()
    assert not app.dataframe


def test_queries_of_another_pool_and_how_many_holes_one_ends(opened, the_studio):
    app = opened(examples=EXAM, below="0.9")
    found = coverage(the_studio(), EXAM)
    holes = found.holes(0.9)
    assert listed(app)["query"].tolist() == [found.queries[place] for place in holes]
    assert listed(app)["ends"].tolist() == found.fills(0.9).tolist()
    assert parameter(app, "examples") == EXAM


def test_a_demonstration_is_written_where_a_hole_is(opened, open_app, finish, the_studio):
    opened()
    app = open_app("review")
    app.sidebar.selectbox[0].set_value(POOL).run()
    app.button_group(key="review_part").set_value("coverage").run()
    app = finish(app)
    below(app).set_value(1.0).run()
    query = listed(app)["query"].tolist()[0]
    press(app, "review_write_one")
    assert [title.value for title in app.title] == ["Demonstrations"]
    app.switch_page("pages/demonstrations.py").run()
    areas = {each.label: each for each in app.text_area}
    assert areas["Query"].value == query
    assert [each.label for each in app.expander if each.proto.expanded] == ["Add one by hand"]
    areas["Query"].set_value("Do fish see?")
    areas["Answer"].set_value("They do").run()
    press(app, "demonstrations_add")
    texts = [row.query for row in the_studio().store.demonstrations.all(1)]
    assert "Do fish see?" in texts
    assert not [each for each in app.expander if each.proto.expanded]


@pytest.mark.parametrize(
    ("most", "drawn"),
    gated(
        [(2, "Squares\\: the 2 farthest of 3 queries of"), (3, "Squares\\: 3 queries of to cover")]
    ),
)
def test_holes_are_drawn_on_the_map_until_they_are_cleared(
    opened, open_app, finish, monkeypatch, most, drawn
):
    monkeypatch.setattr("pages.common.state.passed_on.MOST_HOLES", most)
    opened()
    app = open_app("review")
    app.sidebar.selectbox[0].set_value(POOL).run()
    app.button_group(key="review_part").set_value("coverage").run()
    app = finish(app)
    below(app).set_value(1.0).run()
    press(app, "review_holes_on_map")
    assert [title.value for title in app.title] == ["Map"]
    app = finish(app.switch_page("pages/map.py").run())
    assert any(drawn in each.value for each in app.caption)
    press(app, "map_clear_holes")
    assert not any("Squares" in each.value for each in app.caption)


@pytest.mark.parametrize("measure", ["quality", "length", "query-length"])
def test_distributions_by_tag(opened, measure):
    app = opened("by_tag", measured=measure)
    assert not app.exception
    assert len(app.get("plotly_chart")) + len(app.info) == 1
    if measure != "quality":
        (chart,) = app.get("plotly_chart")
        assert all(
            name in chart.proto.spec for name in ("animals (2)", "physics (2)", "no tag (1)")
        )


def test_an_empty_pool_has_no_coverage(workspace, workspace_with, open_page, finish):
    workspace_with(workspace, POOL, [Draft("Do bats see?", "Yes", status=Status.EXCLUDED)])
    app = finish(open_page("review", pool=POOL, part="coverage"))
    assert not app.exception
    assert not app.dataframe
