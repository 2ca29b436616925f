"""The method mdl: the set of candidates after which the model is least undecided."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from core.errors import InvalidInput
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs
from core.retrieval.methods.mdl import MOST_LABELS, entropies, labels
from tests.contracts.test_method_contract import pool, query_vector

VIEW = pool([f"query {number}" for number in range(8)])


def chosen(view, k=2, **knobs):
    request = Knobs("mdl", k, **knobs)
    return choose_context(view, "x", query_vector(), request, leave_out=False)


def test_entropies_by_hand():
    found = entropies(np.log([[0.5, 0.5], [0.2, 0.2], [0.9, 0.1], [1e-300, 1.0]]))
    by_hand = [np.log(2), np.log(2), -(0.9 * np.log(0.9) + 0.1 * np.log(0.1)), 0.0]
    np.testing.assert_allclose(found, by_hand, atol=1e-12)
    assert entropies([[-3.0]]).tolist() == [0.0]
    for wrong in ([-1.0], [[]], [[np.nan]]):
        with pytest.raises(ValueError, match="log_probs"):
            entropies(wrong)


def test_the_set_of_least_entropy_among_those_asked_about_is_chosen():
    asked = []

    def ask(contexts, query, answers):
        asked.extend(tuple(context.ids.tolist()) for context in contexts)
        assert (query, list(answers)) == ("x", sorted(VIEW.answers))
        return np.array([[-1.0, -1.0 - abs(context.ids.sum() - 30)] for context in contexts])

    context = chosen(VIEW.with_services(ask=ask), own_values=(("sets", 40),))
    relevance = VIEW.relevance(query_vector())
    nearest = VIEW.ids[np.argsort(-relevance, kind="stable")].tolist()
    assert len(asked) == 40
    assert asked[0] == tuple(nearest[:2]), "the most similar ones are among them"
    assert {frozenset(each) for each in asked} <= {
        frozenset(pair) for pair in combinations(nearest, 2)
    }
    assert len(set(asked)) > 14, "forty draws of 28 pairs"
    assert abs(sum(context.ids) - 30) == max(abs(sum(each) - 30) for each in asked)
    assert list(context.relevance) == sorted(context.relevance, reverse=True)


def test_candidates_bound_what_is_drawn():
    seen = set()

    def ask(contexts, query, answers):
        seen.update(id for context in contexts for id in context.ids.tolist())
        return np.zeros((len(contexts), len(answers)))

    first = chosen(VIEW.with_services(ask=ask), candidates=4, own_values=(("sets", 50),))
    nearest = VIEW.ids[np.argsort(-VIEW.relevance(query_vector()), kind="stable")].tolist()
    assert seen == set(nearest[:4])
    assert first.ids.tolist() == nearest[:2], "of equal ones the first"


@pytest.mark.parametrize("unscored", [[1], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6], range(8)])
def test_answers_that_the_model_cannot_score_are_none_of_the_labels(unscored):
    places = list(unscored)

    def ask(contexts, query, answers, *, without=places):
        spread = np.array([[abs(context.ids.sum() - 30)] for context in contexts])
        scores = -1.0 - spread * np.arange(len(answers))
        scores[:, without] = -np.inf
        return scores

    found = chosen(VIEW.with_services(ask=ask), own_values=(("sets", 40),))
    every = sorted(VIEW.answers)
    assert found.labels_left_out == tuple(every[place] for place in places)
    if len(places) < 7:
        left = [place for place in range(8) if place not in places]
        by_hand = chosen(
            VIEW.with_services(ask=lambda *asked: ask(*asked, without=[])[:, left]),
            own_values=(("sets", 40),),
        )
        assert found.ids.tolist() == by_hand.ids.tolist()
    else:  # between one label, or none, nothing hesitates: of equal ones the first
        nearest = VIEW.ids[np.argsort(-VIEW.relevance(query_vector()), kind="stable")]
        assert found.ids.tolist() == nearest[:2].tolist()


@pytest.mark.parametrize(("k", "sets"), [(0, 10), (8, 10), (9, 10), (3, 1)])
def test_without_a_choice_between_sets_no_model_is_asked(k, sets):
    alone = VIEW.with_services(ask=None)
    most_similar = choose_context(alone, "x", query_vector(), Knobs("rel", k), leave_out=False)
    context = chosen(alone, k, own_values=(("sets", sets),))
    assert context.ids.tolist() == most_similar.ids.tolist()


def test_without_a_model_it_says_where_it_can_be_used():
    with pytest.raises(InvalidInput, match="asks the language model about 10 contexts"):
        chosen(VIEW.with_services(ask=None))


def test_labels_are_the_pools_few_answers_or_those_of_the_nearest():
    few = replace(VIEW, answers=("yes", "no", "Yes", "no", "maybe", "no", "yes", "no"))
    assert labels(few, np.arange(8)) == ["Yes", "maybe", "no"]
    many = pool([f"query {number}" for number in range(MOST_LABELS + 5)])
    by_place = labels(many, np.arange(len(many))[::-1])
    assert by_place == [f"answer {place}" for place in range(MOST_LABELS + 4, 4, -1)]
