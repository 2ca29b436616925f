"""The Map shows a collection of passages in place of the pool, once it is chosen."""

import json


def traces(app):
    (chart,) = app.get("plotly_chart")
    return {trace["name"]: trace for trace in json.loads(chart.proto.spec)["data"]}


def words(app):
    return " ".join(each.value for each in (*app.caption, *app.info, *app.markdown))


def test_without_a_collection_there_is_no_choice(visited_pool, open_page):
    app = open_page("map")
    assert "map_passages" not in [each.key for each in app.selectbox]


def test_a_collection_is_laid_out_and_searched(with_passages, open_page, finish):
    app = finish(open_page("map"))
    assert app.selectbox(key="map_passages").value == ""
    assert app.button_group(key="map_colour").value == "tag", "the pool as before"
    app.selectbox(key="map_passages").set_value("facts").run()
    app = finish(app)
    assert not app.exception
    assert list(traces(app)) == ["bats.md (6)", "glass.txt (4)"]
    assert "10 passages, version 2, encoder hashing" in words(app)
    assert "facts" in app.query_params["passages"]
    app.text_input(key="map_passage_query").set_value("a solid book").run()
    app.number_input(key="map_passages_k").set_value(2).run()
    found = traces(app)
    assert list(found) == ["bats.md (6)", "glass.txt (4)", "found (2)", "query"]
    assert found["found (2)"]["text"] == ["1", "2"]
    table = app.dataframe[0].value
    assert table[""].tolist() == [1, 2]
    assert set(table["source"]) <= {f"glass.txt {n}.1" for n in range(1, 5)}
    app.selectbox(key="map_passages").set_value("").run()
    app = finish(app)
    assert app.button_group(key="map_colour").value == "tag"
    assert "passages" not in app.query_params


def test_a_link_opens_the_search(with_passages, open_page, finish):
    link = {"passages": "facts", "passage_query": "cave 3", "by": "bm25", "passages_k": "1"}
    app = finish(open_page("map", **link))
    assert app.dataframe[0].value["text"].tolist() == ["bats sleep in cave 3"]
    (label,) = traces(app)["found (1)"]["hovertext"]
    assert label.startswith("&lt;b&gt;Bats&lt;/b&gt;<br>bats sleep in cave 3<br>id ")
    app.text_input(key="map_passage_query").set_value("unheard of").run()
    assert "No passage was found." in words(app)
    app = open_page("map", passages="none")
    assert app.selectbox(key="map_passages").value == ""
