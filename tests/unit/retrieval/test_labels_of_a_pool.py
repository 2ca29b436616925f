"""Whether a pool's answers are labels, and which."""

import numpy as np
import pytest

from core.retrieval.near_queries import AnswerIndex, labels_of


def labels(answers, queries=None):
    numbers = np.arange(len(answers)) if queries is None else np.array(queries)
    return labels_of(answers, AnswerIndex(answers, numbers.astype(np.int64)))


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        ([], ()),
        (["a"] * 20, ()),  # one label is no classification
        (["1", "0"] * 3, ("0", "1")),
        (["1", "0"] * 2, ()),  # two queries each
        (["No", "no", "no", "yes", "Yes", "Yes"], ("no", "Yes")),  # as most write it
        (["a", "b"] * 10 + ["Oslo"], ("a", "b")),  # 20 of 21
        (["a", "b"] * 9 + ["Oslo"], ()),  # 18 of 19
        (["a", "b"] * 60 + ["rare"] * 3, ("a", "b", "rare")),  # no label by itself
        (["a", "b"] * 60 + ["rare"] * 2, ("a", "b")),
        ([f"{n:03}" for n in range(100)] * 10, tuple(f"{n:03}" for n in range(100))),
        ([f"{n:03}" for n in range(101)] * 10, ()),  # too many
    ],
)
def test_labels(answers, found):
    assert labels(answers) == found


def test_answers_of_one_query_make_no_label():
    assert labels(["a", "b"] * 10, queries=[0] * 20) == ()


def test_queries_that_read_alike_count_once():
    answers = ["a", "b"] * 10
    alike = AnswerIndex.of_texts(answers, ["One text", " one  TEXT "] * 10)
    assert labels_of(answers, alike) == ()
    apart = AnswerIndex.of_texts(answers, [f"text {n}" for n in range(20)])
    assert labels_of(answers, apart) == ("a", "b")
