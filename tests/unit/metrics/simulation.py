"""Draws from populations whose truth is known, and how often claims about them are wrong."""

import math
from dataclasses import dataclass

import numpy as np
import service_desk_outcomes

IDLE = -math.log(2)
"""DPO per triple where the context changes nothing."""


@dataclass(frozen=True)
class Population:
    """Numerators of several methods or cells, shape (m, N), and denominators, shape (N,)."""

    numerators: np.ndarray
    denominators: np.ndarray
    share: bool

    @property
    def idle(self):
        return None if self.share else IDLE

    @property
    def truth(self):
        return self.numerators.sum(axis=1) / self.denominators.sum()

    def draw(self, random, n):
        drawn = random.integers(0, len(self.denominators), n)
        return self.numerators[:, drawn], self.denominators[drawn]


def service_desk(rows="method", metric="dpo"):
    """The outcomes of the 480 examples: of 8 methods, or of 21 values of lambda_d."""
    outcomes = service_desk_outcomes.load()
    numerators = outcomes[f"{rows}_{metric}"].astype(float)
    share = metric != "dpo"
    weights = np.ones(480) if share else outcomes["triples"].astype(float)
    return Population(numerators, weights, share)


def permuted(random, numerators):
    """Every example's outcomes in a random order of the methods: they serve exactly alike."""
    return random.permuted(numerators, axis=0)


def flipped(random, numerators):
    """Every example's outcomes mirrored at their mean or not: alike, and correlated as before."""
    middle = numerators.mean(axis=0)
    return middle + random.choice([-1.0, 1.0], numerators.shape[1]) * (numerators - middle)


def allowed(rate, runs):
    """What a rate shows at most in so many runs, with three standard errors of the simulation."""
    return rate + 3 * math.sqrt(rate * (1 - rate) / runs)


def at_least(rate, runs):
    """What a rate shows at least in so many runs, with three standard errors of the simulation."""
    return rate - 3 * math.sqrt(rate * (1 - rate) / runs)
