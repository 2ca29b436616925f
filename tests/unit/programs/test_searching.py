"""Retrieval, fusion and ranking: the spec's vector, and laws of fusion."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Cancelled, InvalidInput
from core.programs import Passage, Run, ScoredPassage
from core.programs.primitives import comb_sum, fused_retrieval, rank, reciprocal_rank, retrieve
from core.watcher import Watcher
from tests.support.scripted_model import ScriptedModel, TableRetriever


def row(id, score, probability=None):
    return (id, f"passage {id}", score, probability)


A = [row(1, 9.0, 0.5), row(2, 8.0, 0.3), row(3, 7.0, 0.2)]
B = [row(2, 3.0, 0.6), row(4, 2.0, 0.3), row(1, 1.0, 0.1)]
TABLE = {"a": A, "b": B, "c": [row(5, 0.9), row(6, 0.8), row(5, 0.7)]}


def run_of(**others):
    return Run(ScriptedModel({}), TableRetriever(TABLE), **others)


def listed(rows):
    return [
        ScoredPassage(Passage(id, text), score, probability)
        for id, text, score, probability in rows
    ]


def scores_of(found):
    return {each.passage.id: pytest.approx(each.score) for each in found}


def ids_of(found):
    return [each.passage.id for each in found]


def test_the_sum_of_probabilities_is_that_of_the_paper():
    found = comb_sum([listed(A), listed(B)])
    assert scores_of(found) == {2: 0.9, 1: 0.6, 4: 0.3, 3: 0.2}
    assert ids_of(found) == [2, 1, 4, 3]


def test_scores_without_probabilities_become_those_of_a_softmax():
    found = comb_sum([listed([row(1, 0.9), row(2, 0.85)])], temperature=0.05)
    assert scores_of(found) == {1: 0.731058578630, 2: 0.268941421370}
    mixed = comb_sum([listed([row(1, 0.9, 0.5), row(2, 0.85)])])
    assert mixed == found


def test_both_ends_of_the_temperature():
    lists = [listed([row(1, 0.9), row(2, 0.8)]), listed([row(2, 0.9), row(3, 0.1)])]
    assert scores_of(comb_sum(lists, 1e-9)) == {1: 1.0, 2: 1.0, 3: 0.0}
    assert scores_of(comb_sum(lists, 1e9)) == {1: 0.5, 2: 1.0, 3: 0.5}
    for temperature in (0.0, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="To fuse, the temperature is"):
            comb_sum(lists, temperature)


def test_reciprocal_rank_counts_places_only():
    found = reciprocal_rank([listed(A), listed(B)])
    expected = {2: 1 / 62 + 1 / 61, 1: 1 / 61 + 1 / 63, 4: 1 / 62, 3: 1 / 63}
    assert scores_of(found) == expected
    assert ids_of(found) == [2, 1, 4, 3]
    assert scores_of(reciprocal_rank([listed(A)], 0)) == {1: 1.0, 2: 0.5, 3: 1 / 3}
    with pytest.raises(InvalidInput, match="offset is -1"):
        reciprocal_rank([], -1)


def test_a_passage_that_is_twice_in_a_list_counts_once_at_its_first_place():
    twice = listed([row(7, 0.9), row(8, 0.8), row(7, 0.1)])
    assert comb_sum([twice]) == comb_sum([twice[:2]])
    assert ids_of(reciprocal_rank([twice])) == [7, 8]


def test_equal_sums_are_in_the_order_of_ids():
    lists = [listed([row(id, 1.0)]) for id in (9, 3, 5)]
    assert ids_of(comb_sum(lists)) == ids_of(reciprocal_rank(lists)) == [3, 5, 9]


SCORES = st.sampled_from([0.1, 0.2, 0.25, 0.7, 0.9])
LISTS = st.lists(
    st.lists(st.tuples(st.integers(1, 6), SCORES), max_size=5).map(
        lambda rows: listed([row(id, score) for id, score in sorted(rows, key=lambda r: -r[1])])
    ),
    max_size=5,
)


@given(LISTS, st.randoms(), st.sampled_from([comb_sum, reciprocal_rank]))
def test_the_order_of_lists_does_not_matter(lists, random, fuse):
    found = fuse(lists)
    shuffled = list(lists)
    random.shuffle(shuffled)
    assert fuse(shuffled) == found
    assert {each.passage.id for each in found} == {each.passage.id for one in lists for each in one}


@given(LISTS)
def test_the_sums_of_probabilities_add_up_to_the_number_of_lists(lists):
    total = sum(each.score for each in comb_sum(lists))
    assert total == pytest.approx(sum(bool(each) for each in lists))


@pytest.mark.parametrize(("k", "ids"), [(0, []), (1, [1]), (3, [1, 2, 3]), (4, [1, 2, 3])])
def test_retrieval_gives_the_best_and_a_step(k, ids):
    run = run_of()
    found = retrieve(run, "a", k)
    assert ids_of(found) == ids
    (step,) = run.trace.steps
    assert (step.stage, step.search.queries, step.search.k) == ("retrieve", ("a",), k)
    assert step.search.found == found


def test_several_queries_fetch_three_times_as_many_and_an_equal_one_once():
    run = run_of()
    found = fused_retrieval(run, ["b", "a", " ", "b", ""], 2)
    assert run.retriever.asked == [("b", 6), ("a", 6)]
    assert scores_of(found) == {2: 0.3 + 1.2, 1: 0.5 + 0.2}
    (step,) = run.trace.steps
    assert [child.search.queries for child in step.children] == [("b",), ("a",)]
    assert (step.stage, step.search.queries, step.search.found) == ("fuse", ("b", "a", "b"), found)


def test_one_query_is_its_own_list_and_none_gives_none():
    assert ids_of(fused_retrieval(run_of(), ["a"], 9)) == [1, 2, 3]
    assert fused_retrieval(run_of(), ["", " "], 3) == fused_retrieval(run_of(), [], 3) == ()
    assert fused_retrieval(run_of(), ["a"], 0) == ()


def test_another_fusion_can_be_chosen():
    found = fused_retrieval(run_of(), ["a", "b"], 4, fuse=reciprocal_rank)
    assert found == reciprocal_rank([listed(A), listed(B)])


def test_ranks_are_scores_in_the_order_given():
    run = run_of()
    passages = [Passage(3, "passage 3"), Passage(8, "other"), Passage(1, "passage 1")]
    assert rank(run, "a", passages) == (7.0, 0.0, 9.0)
    assert rank(run, "a", []) == ()
    assert [each.passage.id for each in run.trace.steps[0].search.found] == [3, 8, 1]


def test_without_a_retriever_or_with_a_negative_k_it_is_the_users_mistake():
    bare = Run(ScriptedModel({}))
    for call in (
        lambda: retrieve(bare, "a", 1),
        lambda: fused_retrieval(bare, ["a"], 1),
        lambda: rank(bare, "a", []),
    ):
        with pytest.raises(InvalidInput, match="searches for passages and has none"):
            call()
    for call in (retrieve, lambda run, query, k: fused_retrieval(run, [query], k)):
        with pytest.raises(InvalidInput, match="k is -1"):
            call(run_of(), "a", -1)


def test_a_retriever_that_gives_another_number_of_scores_is_caught():
    class Short(TableRetriever):
        def scores(self, query, passages):
            return [1.0]

    with pytest.raises(ValueError, match="zip"):
        rank(Run(ScriptedModel({}), Short({})), "a", [Passage(1, ""), Passage(2, "")])


def test_a_stopped_run_searches_for_nothing():
    run = run_of(watcher=Watcher(cancelled=lambda: True))
    for call in (
        lambda: retrieve(run, "a", 1),
        lambda: fused_retrieval(run, ["a"], 1),
        lambda: rank(run, "a", [Passage(1, "")]),
    ):
        with pytest.raises(Cancelled):
            call()
    assert run.retriever.asked == []
