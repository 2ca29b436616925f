"""A view of Explore is a link: every knob that was turned stands in it, and comes back from it."""

from core.retrieval.knobs import KNOBS, BiasScale, Knobs, PromptOrder
from core.text import lambda_text
from pages.common.state.knobs import link_of

TURNED = Knobs(
    "rel+div", 4, 0.3, 0.6, BiasScale.RANK, PromptOrder.AS_CHOSEN, "flat", candidates=30, seed=7,
    one_per_query=True,
)  # fmt: skip


def test_what_nothing_was_done_with_is_left_out():
    assert link_of(Knobs()) == {
        "method": "rel+div+bias", "k": 6, "lambda_d": 0.75, "lambda_b": 0.95,
    }  # fmt: skip
    assert link_of(Knobs(index="hnsw"))["candidates"] == 1000
    assert "candidates" not in link_of(Knobs(candidates=30))
    assert link_of(Knobs(), "k", "bias_scale") == {"k": 6, "scale": "raw"}


def test_every_turned_knob_comes_back(open_page, finish, visited_pool, language_model):
    link = {
        name: lambda_text(value) if isinstance(value, float) else str(value)
        for name, value in link_of(TURNED).items()
    }
    assert set(link) == {knob.link for knob in KNOBS.values()}
    app = finish(open_page("explore", **link))
    assert not app.exception
    for name, value in link.items():
        assert app.query_params[name] in (value, [value])
