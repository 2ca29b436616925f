"""Pools that make a selection hard: the relevance, unit rows and quality bias of each."""

import numpy as np
from selection_oracle import (
    duplicated_pool,
    lattice_pool,
    random_pool,
    relevance_of,
    tied_pool,
    unit,
)


def few_biases(seed, n):
    return -np.random.default_rng(seed).integers(1, 9, size=n) / 4


def many_biases(seed, n):
    return -5 * np.random.default_rng(seed).random(n)


def random_case(seed, n, d=8):
    relevance, rows, _ = random_pool(seed, n, d)
    return relevance, rows, many_biases(seed, n)


def duplicated_case(seed, n, d=8):
    relevance, rows, _ = duplicated_pool(seed, n, d)
    return relevance, rows, many_biases(seed, n)


def lattice_case(seed, n):
    relevance, rows, _ = lattice_pool(seed, n)
    return relevance, rows, few_biases(seed, n)


def tied_case(seed, n):
    relevance, rows, _ = tied_pool(seed, n)
    return relevance, rows, few_biases(seed, n)


def pencil_case(seed, n):
    """After the query's own row is picked, or with the bias, all lines meet at one half."""
    _, rows, _ = random_pool(seed, n, 8, np.float64)
    relevance = relevance_of(rows[0], rows)
    return relevance, rows, -relevance - 1


def equal_slopes_case(seed, n):
    """Value and redundancy after the first pick add up to the same for all: parallel lines."""
    _, rows, _ = random_pool(seed, n, 8, np.float64)
    relevance = 0.5 - relevance_of(rows[0], rows)
    relevance[0] = 2.0
    return relevance, rows, many_biases(seed, n)


def almost_tied_case(seed, n):
    """Duplicates moved by less than a millionth, and such biases: lines that almost coincide."""
    generator = np.random.default_rng(seed)
    _, rows, query = duplicated_pool(seed, n, 8, np.float64)
    size = 10.0 ** generator.integers(-12, -6)
    rows = unit(rows + size * generator.standard_normal(rows.shape))
    return relevance_of(query, rows), rows, -1 + size * generator.standard_normal(n)


def constant_case(seed, n):
    """The bias is constant: lambda_b only weighs relevance against redundancy."""
    relevance, rows, _ = random_pool(seed, n, 8)
    return relevance, rows, np.full(n, -1.5)


def orthogonal_case(seed, n):
    """Nothing is redundant: every choice at lambda_d = 0 is a tie."""
    relevance = np.random.default_rng(seed).integers(0, 4, size=n) / 4
    return relevance, np.eye(n), few_biases(seed, n)


def irrelevant_case(seed, n):
    """Nothing is relevant: without bias only redundancy decides, and the first pick is a tie."""
    _, rows, _ = duplicated_pool(seed, n, 6, np.float64)
    return np.zeros(n), rows, many_biases(seed, n)


def collinear_case(seed, n):
    """Rows near one arc of a circle: lines that nearly run through one another."""
    generator = np.random.default_rng(seed)
    angles = np.sort(generator.random(n)) * 10.0 ** generator.integers(-6, 1)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return relevance_of(rows[generator.integers(n)], rows), rows, many_biases(seed, n)


POOLS = {
    "random": random_case,
    "duplicated": duplicated_case,
    "lattice": lattice_case,
    "tied": tied_case,
    "pencil": pencil_case,
    "equal slopes": equal_slopes_case,
    "almost tied": almost_tied_case,
    "constant": constant_case,
    "orthogonal": orthogonal_case,
    "irrelevant": irrelevant_case,
    "collinear": collinear_case,
}
