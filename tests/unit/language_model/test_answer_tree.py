import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.language_model.local.rows import ROOT, AnswerTree

ANSWERS = st.lists(
    st.lists(st.integers(0, 3), min_size=1, max_size=6).map(tuple), min_size=1, max_size=8
)


def test_common_beginnings_are_read_once_and_last_tokens_not_at_all():
    tree = AnswerTree.of([(5, 6, 7), (5, 6, 8), (9,), (5, 6, 7, 1)])
    assert tree.tokens == [5, 6, 7]
    assert tree.parents == [ROOT, 0, 1]
    assert tree.depths == [0, 1, 2]
    assert tree.places == [ROOT, 0, 1, ROOT, 0, 1, ROOT, ROOT, 0, 1, 2]


def test_branches_do_not_see_each_other():
    tree = AnswerTree.of([(5, 6, 0), (5, 7, 0), (8, 6, 0)])
    assert tree.tokens == [5, 6, 7, 8, 6]
    assert tree.seen().astype(int).tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [1, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 1, 1],
    ]


def test_single_tokens_are_only_predicted():
    tree = AnswerTree.of([(5,), (6,)])
    assert tree.tokens == []
    assert tree.places == [ROOT, ROOT]
    assert tree.seen().shape == (0, 0)


def path(tree, node):
    return () if node == ROOT else (*path(tree, tree.parents[node]), tree.tokens[node])


@given(ANSWERS)
def test_every_place_follows_on_what_stands_before_its_token(answers):
    tree = AnswerTree.of(answers)
    places = iter(tree.places)
    for answer in answers:
        for length in range(len(answer)):
            assert path(tree, next(places)) == answer[:length]
    assert next(places, None) is None


@given(ANSWERS)
def test_one_node_a_distinct_beginning_that_sees_its_own_path(answers):
    tree = AnswerTree.of(answers)
    beginnings = {answer[:n] for answer in answers for n in range(1, len(answer))}
    assert sorted(path(tree, node) for node in range(len(tree.tokens))) == sorted(beginnings)
    for node, seen in enumerate(tree.seen()):
        visible = np.flatnonzero(seen)
        assert tuple(tree.tokens[i] for i in visible) == path(tree, node)
        assert tree.depths[node] == len(visible) - 1
