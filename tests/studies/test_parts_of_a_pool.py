"""A pool in two parts: what is held out is in no context, and what is kept is a pool of its own."""

import numpy as np
import pytest

from core.demonstration.demonstration import EvaluationExample
from core.errors import InvalidInput
from core.evaluation.plan.examples import is_held_out, sample
from core.retrieval.choosing import METHODS, choose_context
from core.retrieval.knobs import Knobs
from core.retrieval.methods.bm25 import bm25_scores
from studies.split import Split, part_of
from tests.contracts.test_method_contract import pool, query_vector

TEXTS = [f"question {n}?" for n in range(40)]


def examples(texts):
    return [EvaluationExample(text, ("yes",), ()) for text in texts]


def held_out(texts, share=0.3, seed=0):
    return [text for text in texts if is_held_out(text, share, seed)]


def test_the_parts_of_a_pool():
    view = pool(TEXTS)
    split = Split.of(view, examples(TEXTS), 0.3, 2)
    out = held_out(TEXTS, 0.3, 2)
    assert split.seed == 2
    assert [each.query for each in split.held_out] == [
        each.query for each in sample(examples(out), seed=2)
    ]
    assert list(split.view.queries) == [text for text in TEXTS if text not in out]
    assert len(out) + len(split.view) == 40


@pytest.mark.parametrize("method", [each.name for each in METHODS.values() if not each.needs_model])
def test_what_is_held_out_is_in_no_context(method):
    split = Split.of(pool(TEXTS), examples(TEXTS), 0.3)
    out = {each.query for each in split.held_out}
    for example in split.held_out:
        context = choose_context(
            split.view, example.query, query_vector(), Knobs(method, 40), leave_out=True
        )
        chosen = {split.view.queries[i] for i in context.indices}
        assert not chosen & out
        assert method in ("none", "fix") or len(chosen) == len(split.view)


def test_a_part_has_the_rows_of_what_is_kept():
    view = pool()  # two of its demonstrations share a text, and a row
    kept = np.array([False, True, False, True, True, False, True, True])
    part = part_of(view, kept)
    assert part.ids.tolist() == view.ids[kept].tolist()
    np.testing.assert_array_equal(part.matrix, view.matrix[kept])
    assert len(part.embeddings) == 4
    np.testing.assert_array_equal(part.quality_bias, view.quality_bias[kept])
    assert part.ids[part.fixed].tolist() == [14, 16]  # of 10, 12, 14, 16
    np.testing.assert_array_equal(
        part.relevance(query_vector()), view.relevance(query_vector())[kept]
    )
    assert part.same_query("ALPHA?").tolist() == view.same_query("ALPHA?")[kept].tolist()


def test_everything_kept_is_the_pool_and_nothing_kept_an_empty_one():
    view = pool()
    same = part_of(view, np.ones(len(view), dtype=bool))
    np.testing.assert_array_equal(same.matrix, view.matrix)
    assert same.fixed.tolist() == view.fixed.tolist()
    assert len(part_of(view, np.zeros(len(view), dtype=bool))) == 0


def test_words_that_are_held_out_count_for_nothing():
    view = pool(["red fox", "red hen", "blue fox", "blue hen", "green cat"])
    kept = np.array([True, False, True, False, True])
    np.testing.assert_allclose(
        bm25_scores(part_of(view, kept).texts, "red fox"),
        bm25_scores(("red fox", "blue fox", "green cat"), "red fox"),
    )
    all_kept = bm25_scores(view.texts, "red fox")[kept]
    assert bm25_scores(part_of(view, kept).texts, "red fox")[0] != all_kept[0]


def test_what_stands_beside_a_pool_is_split_with_it():
    view = pool(TEXTS)
    both = view.beside(pool(TEXTS, seed=1))
    kept = np.arange(40) < 7
    (beside,) = part_of(both, kept).siblings
    assert beside.ids.tolist() == view.ids[:7].tolist()


@pytest.mark.parametrize(
    ("texts", "share", "message"),
    [(TEXTS[:1], 0.5, "Of the 1 queries"), ([], 0.5, "holds out 0"), (TEXTS, 1.0, "holds out 40")],
)
def test_too_few_queries_or_nothing_to_retrieve_are_refused(texts, share, message):
    with pytest.raises(InvalidInput, match=message):
        Split.of(pool(texts), examples(texts), share)
