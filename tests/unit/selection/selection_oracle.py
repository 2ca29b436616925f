"""What the selection tests compare with: brute force, and the pools that make it hard."""

from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import numpy as np


def brute_force(relevance, embeddings, k, lambda_d, lambda_b=1.0, bias=None, excluded=None):
    """Algorithm 1 as the paper writes it: every cosine one at a time, in float64."""
    rows = np.asarray(embeddings, dtype=np.float64)
    values = np.asarray(relevance, dtype=np.float64)
    if bias is not None:
        values = lambda_b * values + (1 - lambda_b) * np.asarray(bias, dtype=np.float64)
    open_to_picks = np.ones(len(rows), dtype=bool) if excluded is None else ~np.asarray(excluded)
    redundancy = np.full(len(rows), -np.inf)
    picked: list[int] = []
    while open_to_picks.any() and len(picked) < k:
        weights = lambda_d * values - (1 - lambda_d) * redundancy if picked else values
        best = int(np.where(open_to_picks, weights, -np.inf).argmax())  # the first of equals
        picked.append(best)
        open_to_picks[best] = False
        cosines = [np.dot(row, rows[best]) for row in rows]
        redundancy = np.maximum(redundancy, cosines)
    return picked


def rational_path(relevance, bias, cosines, k: int, lambdas):
    """The path in exact arithmetic: [(low, high, picks)], without the single points of ties.

    `lambdas(at)` gives lambda_d and lambda_b there, of which one is fixed. Whatever was
    picked, a demonstration's redundancy is one of its cosines, so every breakpoint is a crossing of
    two of the lines that a demonstration and a cosine make. Between two neighbouring crossings
    nothing changes, and the middle shows what is picked there.
    """

    def values(at):
        share = lambdas(at)[1]
        return [share * r + (1 - share) * b for r, b in zip(relevance, bias, strict=True)]

    def weighs(i, cosine, at):
        lambda_d = lambdas(at)[0]
        return lambda_d * values(at)[i] - (1 - lambda_d) * cosine

    zero, one = Fraction(0), Fraction(1)
    lines = set(zip(values(zero), values(one), strict=True))  # those of the first pick
    for i, row in enumerate(cosines):
        lines |= {(weighs(i, cosine, zero), weighs(i, cosine, one)) for cosine in row}
    marks = {zero, one}
    for (left, right), (other_left, other_right) in combinations(lines, 2):
        if left - right != other_left - other_right:
            marks.add((left - other_left) / (left - right - other_left + other_right))
    pieces: list[Any] = []
    for low, high in pairwise(sorted(x for x in marks if 0 <= x <= 1)):
        middle = (low + high) / 2
        picks = rational_picks(values(middle), cosines, k, lambdas(middle)[0])
        if pieces and pieces[-1][2] == picks:
            pieces[-1] = (pieces[-1][0], high, picks)
        else:
            pieces.append((low, high, picks))
    return pieces


def rational_picks(values, cosines, k, lambda_d):
    picked: list[int] = []

    def weight(i):
        if not picked:
            return values[i]
        return lambda_d * values[i] - (1 - lambda_d) * max(cosines[i][j] for j in picked)

    while len(picked) < min(k, len(values)):
        picked.append(max((i for i in range(len(values)) if i not in picked), key=weight))
    return picked


def exhaustive_path(at_0, at_1, k):
    """A path in float64 from every crossing of every two lines: [(low, high, picks)].

    `at_0(picked)` and `at_1(picked)` give all weighed values after those picks at the knob's ends.
    """

    def grow(picked, low, high):
        if len(picked) == k:
            return [(low, high, picked)]
        left, right = at_0(picked), at_1(picked)
        unpicked = np.setdiff1d(np.arange(len(left)), picked)
        one, other = np.triu_indices(len(unpicked), 1)
        start = (left[unpicked[one]] - left[unpicked[other]]).astype(np.float64)
        end = right[unpicked[one]] - right[unpicked[other]]
        crossed = start * end < 0
        marks = start[crossed] / (start[crossed] - end[crossed])
        marks = [low, *np.unique(marks[(marks > low) & (marks < high)]).tolist(), high]
        found: list[Any] = []
        for a, b in pairwise(marks):
            middle = (a + b) / 2
            heights = (1 - middle) * left[unpicked] + middle * right[unpicked]
            winner = int(unpicked[heights.argmax()])
            if found and found[-1][2][-1] == winner:
                found[-1] = (found[-1][0], b, found[-1][2])
            else:
                found.append((a, b, [*picked, winner]))
        return [piece for a, b, longer in found for piece in grow(longer, a, b)]

    return grow([], 0.0, 1.0)


def redundancies(rows, picked):
    """The largest cosine of every row with the picked ones; 0 before the first pick."""
    rows = np.asarray(rows, dtype=np.float64)
    if not picked:
        return np.zeros(len(rows))
    return np.array([max(np.dot(row, rows[j]) for j in picked) for row in rows])


def lattice_pool(seed, n, d=4):
    """Directions of a lattice in float64: many true ties that rounding separates by an ulp."""
    generator = np.random.default_rng(seed)
    rows = generator.integers(-1, 2, size=(n + 1, d)).astype(np.float64)
    rows[~rows.any(axis=1), 0] = 1.0
    rows = unit(rows)
    return relevance_of(rows[-1], rows[:-1]), rows[:-1], rows[-1]


def random_pool(seed, n, d=24, dtype=np.float32):
    """Unit rows in loose clusters, and a query among them."""
    generator = np.random.default_rng(seed)
    centres = generator.standard_normal((max(2, n // 8), d))
    rows = centres[generator.integers(len(centres), size=n)] + generator.standard_normal((n, d))
    rows = unit(rows).astype(dtype)
    query = unit(centres[:1] + 0.3 * generator.standard_normal((1, d)))[0].astype(dtype)
    return relevance_of(query, rows), rows, query


def duplicated_pool(seed, n, d=24, dtype=np.float32):
    """Like `random_pool`, but every row appears about four times, as answers of one query do."""
    generator = np.random.default_rng(seed)
    _, rows, query = random_pool(seed, max(1, n // 4), d, dtype)
    rows = rows[generator.integers(len(rows), size=n)]
    return relevance_of(query, rows), rows, query


def tied_pool(seed, n, d=6):
    """Rows of four entries +-1/2: cosines are quarters, sums are exact, and most values tie."""
    generator = np.random.default_rng(seed)
    rows = np.zeros((n, d), dtype=np.float32)
    for row in rows:
        row[generator.permutation(d)[:4]] = generator.choice([-0.5, 0.5], size=4)
    query = rows[generator.integers(n)]
    return relevance_of(query, rows), rows, query


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def relevance_of(query, rows):
    """One dot product a row, so that equal rows are equally relevant to the last bit."""
    return np.array([np.dot(row, query) for row in rows.astype(np.float64)])


def weight_of(relevance, embeddings, prefix, index, lambda_d):
    """The weighed value of `index` after the picks of `prefix`; its value where there are none."""
    if not prefix:
        return relevance[index]
    rows = np.asarray(embeddings, dtype=np.float64)
    redundancy = max(np.dot(rows[index], rows[j]) for j in prefix)
    return lambda_d * relevance[index] - (1 - lambda_d) * redundancy


def tie_gap(relevance, embeddings, some, others, lambda_d):
    """How far apart two lists of picks are in value where they first differ; 0 if they agree."""
    for step, (i, j) in enumerate(zip(some, others, strict=True)):
        if i != j:
            a = weight_of(relevance, embeddings, some[:step], i, lambda_d)
            b = weight_of(relevance, embeddings, some[:step], j, lambda_d)
            return abs(a - b)
    return 0.0
