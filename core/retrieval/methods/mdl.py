"""The set of demonstrations after which the language model hesitates least between the labels."""

from dataclasses import replace
from itertools import compress
from operator import not_

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import InvalidInput
from ...text import content_hash, normalised
from ...types import IntArray
from ..context import Context
from ..knobs import Knob
from ..method import Method, MethodInput
from ..pool_view import PoolView


def entropies(log_probs: ArrayLike) -> NDArray[np.float64]:
    """The entropy of the distribution over the answers after each context, in nats.

    0 where one answer has all the probability, log(a) where all are equally probable. The
    probabilities of the a answers are normalised to sum to 1.

    Args:
        log_probs: log p(answer | query, context), shape (c, a), a >= 1, finite.

    Returns:
        Shape (c,), in [0, log a].

    Raises:
        ValueError: Another shape, no answer, or a value that is not finite.

    Source: Wu, Wang, Ye and Kong 2023, Self-Adaptive In-Context Learning (arXiv 2212.10375,
        section 3.2: the expected code length).
    """
    values = np.asarray(log_probs, dtype=np.float64)
    if values.ndim != 2 or not values.shape[1] or not np.isfinite(values).all():
        raise ValueError(f"log_probs of shape {values.shape}; give finite numbers, (c, a), a >= 1")
    normalised = values - np.logaddexp.reduce(values, axis=1, keepdims=True)
    found: NDArray[np.float64] = -(np.exp(normalised) * normalised).sum(axis=1)
    return np.abs(found)  # no -0.0


MOST_LABELS = 20
"""At most this many different answers are the labels that the model is asked about."""
SETS = "sets"


def choose(asked: MethodInput) -> Context:
    """The set of least entropy among the k most similar candidates and random sets of candidates.

    The labels are the pool's different answers where those are few, else the answers of the most
    similar candidates; those that the model cannot score are left out. Sets are drawn by the seed
    and the normalised query; of equal ones the first is taken. The demonstrations come in the order
    of their relevance.

    Raises:
        InvalidInput: No language model is available.
    """
    view, knobs = asked.view, asked.knobs
    candidates = np.flatnonzero(~asked.excluded).astype(np.int64)
    candidates = candidates[np.lexsort((candidates, -asked.relevance[candidates]))]
    nearest = view.first_of_each_query(candidates) if knobs.one_per_query else candidates
    first = asked.context(nearest[: knobs.k])
    if len(nearest) <= knobs.k or not knobs.k or knobs.own(SETS) == 1:
        return first
    ask = view.services.ask
    if ask is None:
        raise InvalidInput(
            f"The method {METHOD.name!r} asks the language model about {knobs.own(SETS)} contexts "
            "of a query, which takes too long for this page; compare it with others on Compare, or "
            "use the commands retrieve and evaluate."
        )
    contexts = [first, *map(asked.context, _drawn(asked, nearest))]
    possible = labels(view, candidates)
    log_probs = ask(contexts, asked.query, possible)
    scored: list[bool] = np.atleast_1d(np.isfinite(log_probs).all(axis=0)).tolist()
    least = int(np.argmin(entropies(log_probs[:, scored]))) if any(scored) else 0
    left_out = tuple(compress(possible, map(not_, scored)))
    return replace(contexts[least], labels_left_out=left_out)


def labels(view: PoolView, candidates: IntArray) -> list[str]:
    """The answers between which the model may hesitate, each as it is first written.

    All of the pool where they are at most `MOST_LABELS`, else so many of the candidates, in their
    order.
    """

    def distinct(answers: list[str]) -> list[str]:
        first: dict[str, str] = {}
        for answer in answers:
            first.setdefault(normalised(answer), answer)
        return list(first.values())

    of_pool = distinct(sorted(view.answers))
    if len(of_pool) <= MOST_LABELS:
        return of_pool
    return distinct([view.answers[place] for place in candidates.tolist()])[:MOST_LABELS]


def _drawn(asked: MethodInput, nearest: IntArray) -> list[IntArray]:
    """Random sets of candidates, each in the order of relevance; all but the first set."""
    knobs, query = asked.knobs, normalised(asked.query)
    generator = np.random.default_rng([knobs.seed, int(content_hash(query)[:8], 16)])
    sets = (
        np.sort(generator.choice(len(nearest), size=knobs.k, replace=False))
        for _ in range(knobs.own(SETS) - 1)
    )
    return [nearest[places] for places in sets]


METHOD = Method(
    "mdl",
    "Least hesitation",
    "Of some sets of similar demonstrations, the one after which the model hesitates least between "
    "the answers.",
    "Wu, Wang, Ye and Kong 2023, Self-Adaptive In-Context Learning, section 3",
    choose,
    candidates=30,
    own=(
        Knob(
            "Sets",
            "How many sets of candidates the model is asked about; 1 is the most similar ones.",
            low=1,
            high=100,
            name=SETS,
            default=10,
        ),
    ),
    asks=lambda knobs: int(knobs.own(SETS)),
    by_embedding=True,
    uses_seed=True,
)
