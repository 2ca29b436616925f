"""Examples that give each other away, as groups and as folds of them."""

from collections.abc import Sequence

import numpy as np

from ...demonstration.demonstration import EvaluationExample
from ...retrieval.comparing.answer_index import AnswerIndex
from ...text import normalised
from ...types import IntArray
from ..plan.examples import random_place

FOLDS = 10
"""Parts of a cross-validation."""


def groups_of(examples: Sequence[EvaluationExample]) -> IntArray:
    """The number of each example's group, shape (e,), from 0 in the order of their first example.

    Examples are of one group where their normalised query is the same, where they have a correct
    answer in common that is no label (`answer_index.LABEL_RULE`, over these examples), and where a
    chain of such examples connects them.
    """
    pairs = [(at, answer) for at, each in enumerate(examples) for answer in each.answers]
    owners = np.array([at for at, _ in pairs], dtype=np.int64)
    index = AnswerIndex.of_texts(
        [answer for _, answer in pairs], [examples[at].query for at, _ in pairs]
    )
    labels = index.labels if len(pairs) else np.zeros(0, dtype=bool)
    parents = list(range(len(examples)))
    first: dict[tuple[str, str], int] = {}

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    def join(key: tuple[str, str], place: int) -> None:
        one, other = root(first.setdefault(key, place)), root(place)
        parents[max(one, other)] = min(one, other)

    for place, example in enumerate(examples):
        join(("query", normalised(example.query)), place)
    for owner, (_, answer), is_label in zip(owners.tolist(), pairs, labels.tolist(), strict=True):
        if not is_label:
            join(("answer", normalised(answer)), owner)
    roots = [root(place) for place in range(len(examples))]
    number_of = {each: number for number, each in enumerate(dict.fromkeys(roots))}
    return np.array([number_of[each] for each in roots], dtype=np.int64)


def folds_of(examples: Sequence[EvaluationExample], groups: IntArray, seed: int) -> IntArray:
    """The fold of each example, shape (e,): at most `FOLDS`, whole groups, nearly equal in size.

    Groups are dealt out in the seed's random order of their first example, each to the smallest
    fold so far. With fewer groups than folds each group is a fold of its own.
    """
    firsts = [
        int(np.flatnonzero(groups == group)[0]) for group in range(groups.max(initial=-1) + 1)
    ]
    order = sorted(
        range(len(firsts)), key=lambda group: random_place(examples[firsts[group]].query, seed)
    )
    fold_of, sizes = np.zeros(len(firsts), dtype=np.int64), [0] * min(FOLDS, len(firsts))
    for group in order:
        fold_of[group] = smallest = sizes.index(min(sizes))
        sizes[smallest] += int((groups == group).sum())
    return fold_of[groups]
