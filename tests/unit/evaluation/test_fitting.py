"""Prompts, and contexts shortened to fit."""

import numpy as np
import pytest

from core.evaluation.plan.engine import fitted, prompt_of
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs, PromptOrder


@pytest.fixture
def chosen(bench):
    view = bench.view()
    query = "Is water wet?"
    vector = bench.encoder.encode([query])[0]
    context = choose_context(view, query, vector, Knobs("rel+div", 4), leave_out=True)
    return view, query, context


def blocks(view, indices, query):
    shown = [f"Q: {view.queries[i]}\nA: {view.answers[i]}" for i in indices]
    return "\n\n".join([*shown, f"Q: {query}\nA:"])


def test_the_two_orders(bench, chosen):
    view, query, context = chosen
    as_chosen = prompt_of(view, context, query, bench.template, PromptOrder.AS_CHOSEN)
    assert as_chosen == blocks(view, context.indices.tolist(), query)
    relevance_first = sorted(
        range(4), key=lambda place: (context.relevance[place], context.ids[place])
    )
    by_relevance = context.indices[relevance_first].tolist()
    assert prompt_of(view, context, query, bench.template) == blocks(view, by_relevance, query)


@pytest.mark.parametrize("room", [0, 1, 2, 3, 4])
def test_the_least_relevant_go_first_and_the_chosen_order_stays(bench, chosen, room):
    view, query, context = chosen

    def fits(prompt):
        return prompt.count("\nA: ") <= room

    for order in PromptOrder:
        short, prompt = fitted(view, context, query, bench.template, fits, order)
        assert (len(short), short.left_out) == (room, 4 - room)
        places = [context.ids.tolist().index(id) for id in short.ids]
        assert places == sorted(places)
        if room:
            gone = np.setdiff1d(context.relevance, short.relevance)
            assert (gone <= short.relevance.min()).all()
        assert prompt == prompt_of(view, short, query, bench.template, order)


def test_none_when_even_the_query_alone_is_too_long(bench, chosen):
    view, query, context = chosen
    assert fitted(view, context, query, bench.template, lambda prompt: False) is None
