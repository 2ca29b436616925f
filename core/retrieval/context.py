"""Choosing one query's context by a named method, and the order in which it is shown."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..errors import InvalidInput
from ..metrics.diversity import diversity
from ..selection.mmr import mmr
from ..selection.selection import Selection
from ..settings import LAMBDA_B, LAMBDA_D, SEED, K
from ..text import content_hash, normalised
from ..types import BoolArray, FloatArray, IntArray
from .bias import BiasScale, scaled
from .methods import METHODS, MethodInfo
from .pool_view import PoolView


@dataclass(frozen=True)
class ContextRequest:
    """What to choose: a method and its knobs.

    `lambda_d`: 1 is relevance only, 0 diversity only. `lambda_b`: 1 is no bias, 0 bias only.
    Methods that hold a lambda fast ignore the value given here.
    """

    method: str = "rel+div+bias"
    k: int = K
    lambda_d: float = LAMBDA_D
    lambda_b: float = LAMBDA_B
    seed: int = SEED
    bias_scale: BiasScale = BiasScale.RAW

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise InvalidInput(
                f"There is no method {self.method!r}; the methods are {', '.join(METHODS)}."
            )
        if self.k < 0:
            raise InvalidInput(f"k is {self.k}; it must be 0 or more.")
        for name, value in (("lambda_d", self.lambda_d), ("lambda_b", self.lambda_b)):
            if not 0.0 <= value <= 1.0:
                raise InvalidInput(f"{name} is {value}; it must be a number from 0 to 1.")

    @property
    def info(self) -> MethodInfo:
        """The method's entry in the registry."""
        return METHODS[self.method]

    @property
    def lambdas(self) -> tuple[float, float]:
        """(lambda_d, lambda_b) as the method uses them."""
        info = self.info
        return (
            self.lambda_d if info.lambda_d is None else info.lambda_d,
            self.lambda_b if info.lambda_b is None else info.lambda_b,
        )

    @property
    def needs_bias(self) -> bool:
        """Whether the quality bias enters the values with these knobs."""
        return self.info.by_value and self.lambdas[1] < 1.0


@dataclass(frozen=True)
class Certainty:
    """Whether a context is the whole pool's, and how that is known.

    `kind` is `exact` (chosen from the whole pool), `certified` (chosen among candidates, proven
    equal to the whole pool's choice) or `approximate` (an index that may have missed some).
    `recall` is the mean share of the best candidates that such an index finds, over `sampled`
    queries.
    """

    kind: Literal["exact", "certified", "approximate"] = "exact"
    index: str | None = None
    candidates: int | None = None
    recall: float | None = None
    sampled: int = 0


@dataclass(frozen=True)
class Context:
    """The chosen demonstrations of one query, in the order chosen.

    `indices` are positions in the pool view. The parts are those of `Selection`: NaN where a part
    is undefined (redundancy of the first, quality bias that is not scored). `left_out` counts the
    demonstrations that were taken away because the prompt would not have fitted the window.
    """

    indices: IntArray  # (k,)
    ids: IntArray  # (k,)
    values: FloatArray  # (k,)
    relevance: FloatArray  # (k,)
    quality_bias: FloatArray  # (k,)
    redundancy: FloatArray  # (k,)
    embeddings: FloatArray  # (k, d)
    left_out: int = 0
    certainty: Certainty = Certainty()

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def diversity(self) -> float:
        """Mean cosine over the pairs of the context, lower is more diverse; NaN below two."""
        return diversity(self.embeddings)

    def in_prompt_order(self) -> list[int]:
        """Places 0..k-1 in the order of the prompt: most relevant last, ties by id."""
        return [int(place) for place in np.lexsort((self.ids, self.relevance))]

    def without_least_relevant(self) -> "Context":
        """The context with the demonstration that stands first in the prompt left out."""
        kept = np.ones(len(self), dtype=bool)
        kept[self.in_prompt_order()[0]] = False
        return replace(
            self,
            indices=self.indices[kept],
            ids=self.ids[kept],
            values=self.values[kept],
            relevance=self.relevance[kept],
            quality_bias=self.quality_bias[kept],
            redundancy=self.redundancy[kept],
            embeddings=self.embeddings[kept],
            left_out=self.left_out + 1,
        )


def choose_context(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    request: ContextRequest,
    *,
    leave_out: bool,
    also_excluded: BoolArray | None = None,
) -> Context:
    """The context that the method chooses for a query.

    Args:
        view: The pool as arrays.
        query: The query's text; with `leave_out` its own demonstrations are not chosen.
        query_vector: The query's unit vector, shape (d,).
        request: Method, k, lambdas, seed.
        leave_out: True for an evaluation example, False for a query typed by hand.
        also_excluded: Mask (n,) of what else may not be chosen, such as `PoolView.leaks`.

    Raises:
        InvalidInput: The method needs quality bias and some demonstrations are not scored.
    """
    excluded = view.same_query(query) if leave_out else np.zeros(len(view), dtype=bool)
    if also_excluded is not None:
        excluded = excluded | also_excluded
    relevance = view.relevance(query_vector)
    if request.info.by_value:
        return context_of(view, _by_value(view, relevance, query_vector, request, excluded))
    return context_of_indices(view, relevance, _by_name(view, query, request, excluded))


def bias_for(view: PoolView, request: ContextRequest) -> FloatArray | None:
    """The scaled quality bias (n,) that the request needs, or None when it needs none.

    Demonstrations that the model can never score have the lowest bias of the others;
    `never_shown` keeps them from being chosen.

    Raises:
        InvalidInput: Some demonstrations have no quality bias yet.
    """
    if not request.needs_bias:
        return None
    if view.unscored:
        raise InvalidInput(
            f"{view.unscored:,} of {len(view):,} demonstrations of pool {view.name!r} have no "
            f"quality bias yet; score the pool's quality, or set lambda_b to 1."
        )
    finite = np.isfinite(view.quality_bias)
    lowest = view.quality_bias[finite].min() if finite.any() else 0.0
    return scaled(np.where(finite, view.quality_bias, lowest), request.bias_scale)


def never_shown(view: PoolView, request: ContextRequest) -> BoolArray:
    """Mask (n,) of what a request by value may not choose: its model can never score it."""
    return view.unscorable if request.needs_bias else np.zeros(len(view), dtype=bool)


def context_of(view: PoolView, selection: Selection) -> Context:
    """A selection over the whole view as a context."""
    return Context(
        indices=selection.indices,
        ids=view.ids[selection.indices],
        values=selection.values,
        relevance=selection.relevance,
        quality_bias=view.quality_bias[selection.indices],
        redundancy=selection.redundancy,
        embeddings=view.embeddings[view.rows[selection.indices]],
    )


def context_of_indices(view: PoolView, relevance: FloatArray, indices: IntArray) -> Context:
    """Demonstrations that were not chosen by value, as a context: its values are undefined."""
    rows = view.embeddings[view.rows[indices]]
    similarity = np.tril(rows @ rows.T, -1) + np.triu(np.full((len(rows),) * 2, -np.inf))
    redundancy = similarity.max(axis=1, initial=-np.inf).astype(np.float64)
    redundancy[:1] = np.nan
    return Context(
        indices=indices,
        ids=view.ids[indices],
        values=np.full(len(indices), np.nan),
        relevance=relevance[indices].astype(np.float64),
        quality_bias=view.quality_bias[indices],
        redundancy=redundancy,
        embeddings=rows,
    )


def _by_value(
    view: PoolView,
    relevance: FloatArray,
    query_vector: FloatArray,
    request: ContextRequest,
    excluded: BoolArray,
) -> Selection:
    lambda_d, lambda_b = request.lambdas
    return mmr(
        relevance,
        view.matrix,
        request.k,
        lambda_d=lambda_d,
        lambda_b=lambda_b,
        quality_bias=bias_for(view, request),
        excluded=excluded | never_shown(view, request),
        query=query_vector,
    )


def _by_name(view: PoolView, query: str, request: ContextRequest, excluded: BoolArray) -> IntArray:
    if request.method == "none":
        return np.empty(0, dtype=np.int64)
    if request.method == "fix":
        return view.fixed[~excluded[view.fixed]][: request.k]
    allowed = np.flatnonzero(~excluded)
    allowed = allowed[np.argsort(view.ids[allowed], kind="stable")]
    seed = [request.seed, int(content_hash(normalised(query))[:8], 16)]
    drawn = np.random.default_rng(seed).permutation(len(allowed))[: request.k]
    return allowed[drawn].astype(np.int64)
