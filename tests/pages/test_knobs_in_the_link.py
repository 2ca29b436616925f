"""A view of Explore is a link: every knob that was changed is in it, and comes back from it."""

from core.retrieval.knobs import KNOBS, BiasScale, Knobs, PromptOrder
from core.settings import Embed
from core.text import lambda_text
from pages.common.state.knobs import link_of

TURNED = Knobs(
    "rel+div", 4, 0.3, lambda_b=0.6, bias_scale=BiasScale.RANK,
    order=PromptOrder.AS_CHOSEN, index="flat", candidates=30, seed=7,
    embed=Embed.QUERY_AND_ANSWER, one_per_query=True,
)  # fmt: skip


def test_what_nothing_was_done_with_is_left_out():
    assert link_of(Knobs()) == {
        "method": "rel+div+bias", "k": 6, "lambda_d": 0.75, "lambda_b": 0.95,
    }  # fmt: skip
    assert link_of(Knobs(candidates=30))["candidates"] == 30
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


def test_a_methods_own_knob_comes_back(open_page, finish, visited_pool, language_model):
    assert link_of(Knobs("mdl")).keys() == link_of(Knobs()).keys()
    usual = Knobs("mdl", own_values=(("sets", 10), ("neighbours", 3)))  # the other is of vote-k
    assert link_of(usual) == link_of(Knobs("mdl"))
    link = link_of(Knobs("mdl", own_values=(("sets", 1),)))
    assert link["sets"] == 1
    app = finish(open_page("explore", **{name: str(value) for name, value in link.items()}))
    assert not app.exception
    assert app.number_input(key="explore_sets").value == 1
    assert app.query_params["sets"] in ("1", ["1"])
