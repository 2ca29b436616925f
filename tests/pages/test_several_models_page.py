"""Compare after a comparison over two models: the earlier one's table, and the orders."""

import pytest

from core.evaluation.plan.comparison_rows import ComparisonRow
from core.reporting.tables.comparison import RANKS_TITLE, TITLE
from core.reporting.words.provenance import NEVER_ACROSS
from core.retrieval.knobs import Knobs
from core.studio import Studio
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from core.studio.session.studio import Setup
from core.watcher import Watcher
from tests.pages.drawn import html_of
from tests.support.tiny_language_model import build_tiny_language_model


@pytest.fixture(scope="session")
def other_model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "<i>other"
    return str(build_tiny_language_model(folder, seed=7))


@pytest.fixture
def open_compared(visited_pool, language_model, other_model, open_page, finish):
    def opened(*models):
        rows = [
            ComparisonRow(f"{method}{at}", Knobs(method, 2), model)
            for at, model in enumerate(models)
            for method in ("none", "rel", "rel+div")
        ]
        request = CompareRequest(setup=Setup(visited_pool), rows=tuple(rows), limit=3)
        with Studio.open() as studio:
            compare.run(studio, request, Watcher())
        return finish(open_page("compare", limit="3", k="2"))

    return opened


def words(app):
    return " ".join(each.value for each in (*app.markdown, *app.subheader)).replace("\\", "")


def test_the_page_shows_the_earlier_model_and_whether_its_order_holds(open_compared, other_model):
    app = open_compared(other_model, None)
    said, drawn = words(app), " ".join(html_of(app))
    for part in ("Model by model", "Model <i>other", TITLE, RANKS_TITLE, NEVER_ACROSS):
        assert part in said
    assert "Too few examples to say whether what is better for <i>other is better for" in said
    assert "&lt;i&gt;other" in drawn
    assert "<i>other" not in drawn
    assert "rel+div0" in drawn, "the earlier model's rows"
    assert "rel+div1" in drawn


def test_with_one_model_there_is_no_such_part(open_compared):
    said = words(open_compared(None))
    assert "Model by model" not in said
    assert NEVER_ACROSS not in said
