"""A pool in two parts: which queries are held out, and what is left to retrieve."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.demonstration.demonstration import EvaluationExample
from core.evaluation.plan.examples import is_held_out, sample
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs
from core.settings import Embed
from tests.contracts.test_method_contract import pool, query_vector

TEXTS = [f"question {n}?" for n in range(40)]


def examples(texts):
    return [EvaluationExample(text, ("yes",), ()) for text in texts]


def held_out(texts, share=0.3, seed=0):
    return [text for text in texts if is_held_out(text, share, seed)]


@given(st.text(), st.integers(0, 100))
def test_a_share_of_zero_holds_nothing_out_and_one_everything(text, seed):
    assert not is_held_out(text, 0.0, seed)
    assert is_held_out(text, 1.0, seed)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(0, 100))
def test_a_larger_share_holds_the_same_out_and_more(one, other, seed):
    small, large = sorted([one, other])
    assert set(held_out(TEXTS, small, seed)) <= set(held_out(TEXTS, large, seed))


@given(st.sets(st.text(min_size=1), min_size=1), st.text(min_size=1), st.integers(0, 100))
def test_an_added_query_moves_no_other(texts, added, seed):
    before = held_out(sorted(texts), seed=seed)
    after = held_out([*sorted(texts), added], seed=seed)
    assert after[: len(before)] == before


def test_what_is_held_out_stands_in_front_of_the_seeds_order():
    order = [example.query for example in sample(examples(TEXTS), seed=4)]
    out = held_out(TEXTS, seed=4)
    assert sorted(order[: len(out)]) == sorted(out)


def test_about_the_share_is_held_out_and_seeds_differ():
    texts = [f"text {n}" for n in range(20_000)]
    parts = [set(held_out(texts, 0.2, seed)) for seed in range(3)]
    for part in parts:
        assert len(part) / len(texts) == pytest.approx(0.2, abs=0.012)  # four standard errors
    assert parts[0] != parts[1]
    assert len(parts[0] & parts[1]) / len(texts) == pytest.approx(0.04, abs=0.006)


def test_spellings_of_one_query_share_a_part():
    for text in TEXTS:
        alike = [is_held_out(each, 0.5) for each in (text, text.upper(), f"  {text}")]
        assert len(set(alike)) == 1


@given(st.integers(0, 500), st.sampled_from(["vrsd", "rel+div", "rel"]))
def test_more_candidates_never_change_the_first_pick(seed, method):
    view, vector = pool(TEXTS, seed), query_vector(seed + 1)
    first = {
        choose_context(
            view, "new", vector, Knobs(method, 3, 0.5, candidates=n), leave_out=False
        ).ids[0]
        for n in (1, 3, 7, 40, 0)
    }
    assert len(first) == 1
    assert view.embed is Embed.QUERY
