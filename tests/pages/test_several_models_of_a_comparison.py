"""A comparison over several models: a section for each, headed by the model's name."""

import json

from streamlit.testing.v1 import AppTest


def two_models():
    from dataclasses import replace

    from core.evaluation.results.run_figures import End
    from pages.common.runs.comparison import draw
    from tests.unit.reporting.summaries import three_methods

    last = replace(three_methods(), end=End.ALL)
    first = replace(last, settings=replace(last.settings, model="/models/a *large* one"))
    draw(replace(last, earlier=(first,)))


def test_each_model_has_its_section_with_charts_of_its_own():
    app = AppTest.from_function(two_models, default_timeout=120).run()
    assert not app.exception
    heads = [each.value.replace("\\", "") for each in app.subheader]
    assert heads == ["Model a *large* one", "Model tiny", "Model by model"]
    charts = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    assert len(charts) == 5
    assert charts[0]["data"] == charts[2]["data"]
    *_, by_model = charts
    assert by_model["data"][0]["x"] == ["a *large* one", "tiny"]
    assert by_model["layout"]["yaxis"]["title"]["text"] == "MC1 (share)"
    captions = " ".join(each.value.replace("\\", "") for each in app.caption)
    assert captions.count("; model a *large* one (") == captions.count("; model tiny (") == 1
