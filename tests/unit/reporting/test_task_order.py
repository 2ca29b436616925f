"""A context that a task ordered: its table and its sentences."""

from dataclasses import replace

import pytest

from core.reporting.results.query import Pick, TaskOrder
from core.reporting.tables.explore import context_table
from core.reporting.words.cautions import (
    IF_IT_KNOWS,
    order_cautions,
    order_sentence,
    order_sentences,
)
from core.retrieval.choosing import METHODS
from tests.unit.reporting.test_explore_tables import EVIL, Cells

ORDER = TaskOrder(
    task="subjectivity",
    text="Is it subjective? x\nThe answer is",
    candidates=150,
    exemplars=tuple(range(8)),
    shown=8,
    own=False,
    words=("subjective",),
    kept=6,
    consistent=5,
    consistent_first=4,
    chance=0.5,
    shortened=0,
    skipped=(),
    skipped_texts=(),
)


def pick(rank, stage_1, label, query="First?", value=0.00712):
    return Pick(
        rank=rank,
        id=rank,
        query=query,
        answer="1",
        relevance=0.5,
        quality_bias=None,
        redundancy=None,
        value=value,
        stage_1=stage_1,
        label=label,
    )


def test_both_ranks_stand_beside_each_other_with_the_label_and_whether_it_is_the_querys():
    picks = [pick(1, 17, "subjective"), pick(2, 2, "objective"), pick(3, 1, "")]
    drawn = context_table(picks, (), 1.0, METHODS["pgra"], ORDER)
    assert "Stage 1<small>of 150, by text</small>" in drawn
    assert "Stage 2<small>by the task</small>" in drawn
    assert "Redundancy" not in drawn
    assert Cells(drawn).rows[1:] == [
        ["1", "First?1subjective: the query's label", "17", "1up 16", "0.50", "0.0071"],
        ["2", "First?1objective: another label", "2", "2as before", "0.50", "0.0071"],
        ["3", "First?1no label of the task", "1", "3down 2", "0.50", "0.0071"],
    ]


def test_without_a_label_of_the_query_only_the_word_is_shown():
    drawn = context_table(
        [pick(1, 1, "subjective")], (), 1.0, METHODS["pgra"], replace(ORDER, words=())
    )
    assert Cells(drawn).rows[1][1] == "First?1subjective"
    assert "the query's label" not in drawn


def test_an_answer_that_is_the_label_word_itself_stands_there_once():
    alike = replace(pick(1, 1, "subjective"), answer="subjective")
    drawn = context_table([alike], (), 1.0, METHODS["pgra"], ORDER)
    assert Cells(drawn).rows[1][1] == "First?subjective: the query's label"


def test_label_words_stay_text():
    drawn = context_table(
        [pick(1, 1, EVIL, EVIL)], (), 1.0, METHODS["pgra"], replace(ORDER, words=(EVIL,))
    )
    assert not {"script", "b"} & Cells(drawn).tags
    assert f"{EVIL}: the query's label" in Cells(drawn).rows[1][1]


def test_the_sentence_compares_with_the_first_stage_and_with_chance():
    assert order_sentence(ORDER) == (
        "Task subjectivity: 6 of 150 candidates are kept, those that the model finds most like the "
        "query when it is about to answer; 8 exemplars precede the query. 5 of 6 kept have "
        "the query's label (subjective); stage 1's first 6: 4; by chance 3.0."
    )
    one = order_sentence(replace(ORDER, kept=1, consistent=1, consistent_first=0))
    assert "1 of 150 candidates is kept, the one that the model finds most like" in one
    assert "1 of 1 kept has the query's label" in one
    two = replace(ORDER, words=("a", "b"), shown=1, exemplars=(3,))
    assert "; 1 exemplar precedes the query." in order_sentence(two)
    none = replace(ORDER, shown=0, exemplars=())
    assert "; no exemplar precedes the query." in order_sentence(none)
    assert "label (a or b);" in order_sentence(two)


@pytest.mark.parametrize("less", [{"words": ()}, {"kept": 0, "consistent": 0}])
def test_without_a_known_label_or_anything_kept_nothing_is_compared(less):
    assert "label" not in order_sentence(replace(ORDER, **less))


def test_what_the_window_did_not_hold_is_counted_and_named():
    less = order_sentence(replace(ORDER, shown=3))
    assert "3 of 8 exemplars precede the query, as many as fit the model's window." in less
    found = replace(
        ORDER, own=True, shortened=2, skipped=(1, 2, 3, 4), skipped_texts=("a", "b", "c", "d")
    )
    own, shortened, skipped, last = order_cautions(found)
    assert own.startswith("The query is one of the exemplars")
    assert shortened.startswith("Before 2 of the pool's texts there is room for fewer exemplars")
    assert skipped == (
        "4 texts are longer than the model's window even without exemplars and never kept: "
        "'a'; 'b'; 'c'; and 1 more."
    )
    assert last == IF_IT_KNOWS
    assert order_cautions(ORDER) == [IF_IT_KNOWS]


def test_all_of_it_or_nothing():
    assert order_sentences(None) == []
    assert order_sentences(ORDER) == [order_sentence(ORDER), IF_IT_KNOWS]
