"""What a method is, its input with the quality bias on its scale, and its choice as a context."""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from ..errors import InvalidInput
from ..selection.pool_arrays import Selection
from ..types import BoolArray, FloatArray, IntArray
from .context import Context
from .knobs import KNOBS, LAMBDAS, BiasScale, Knob, Knobs, SettledKnobs
from .pool_view import LivePool, PoolView
from .task_prompt import TaskPrompt


@dataclass(frozen=True, eq=False, kw_only=True)
class MethodInput:
    """A query whose context a method is to choose, with all that the choice depends on.

    `view` has the embeddings that the knobs ask for, `vector` is the query's unit vector, shape
    (d,), and `relevance` the cosine of each demonstration with it, shape (n,). `excluded` is the
    mask (n,) of what may not be chosen; where the knobs set candidates, it includes all others but
    the pinned ones.
    """

    view: LivePool
    query: str
    vector: FloatArray
    relevance: FloatArray
    knobs: SettledKnobs
    excluded: BoolArray

    @property
    def groups(self) -> IntArray | None:
        """The number of each demonstration's query, shape (n,), if only one of each may be chosen.

        None if any number may be.
        """
        return self.view.groups if self.knobs.one_per_query else None

    @property
    def pinned(self) -> IntArray:
        """The positions that begin the context, in the order of their ids; at most k."""
        return self.first_k(self.view.pinned[~self.excluded[self.view.pinned]])

    def first_k(self, ranked: IntArray) -> IntArray:
        """The k that are chosen of positions in some order: the first, or those of k queries."""
        ranked = self.view.first_of_each_query(ranked) if self.knobs.one_per_query else ranked
        return ranked[: self.knobs.k]

    def context(self, chosen: Selection | IntArray) -> Context:
        """What was chosen as a context; without the values of a selection these are undefined."""
        if isinstance(chosen, Selection):
            return context_of(self.view, chosen)
        return context_of_indices(self.view, self.relevance, chosen)


def context_of(view: PoolView, selection: Selection) -> Context:
    """A selection over the whole view as a context."""
    return Context(
        indices=selection.indices,
        ids=view.ids[selection.indices],
        values=selection.values,
        relevance=selection.relevance,
        quality_bias=view.quality_bias[selection.indices],
        redundancy=selection.redundancy.clip(-1.0, 1.0),  # rounding may exceed 1; NaN stays NaN
        embeddings=view.embeddings[view.rows[selection.indices]],
        pinned=int(np.isin(selection.indices, view.pinned).sum()),
    )


def context_of_indices(view: PoolView, relevance: FloatArray, indices: IntArray) -> Context:
    """Demonstrations chosen in any way, as a context whose values are undefined."""
    rows = view.embeddings[view.rows[indices]]
    similarity = np.tril(rows @ rows.T, -1) + np.triu(np.full((len(rows),) * 2, -np.inf))
    redundancy = similarity.max(axis=1, initial=-np.inf).clip(-1.0, 1.0).astype(np.float64)
    redundancy[:1] = np.nan
    return Context(
        indices=indices,
        ids=view.ids[indices],
        values=np.full(len(indices), np.nan),
        relevance=relevance[indices].astype(np.float64),
        quality_bias=view.quality_bias[indices],
        redundancy=redundancy,
        embeddings=rows,
        pinned=int(np.isin(indices, view.pinned).sum()),
    )


PAPER = "RAGSys, section 4.2"


Choose: TypeAlias = Callable[[MethodInput], Context]
"""How a method chooses: at most k distinct demonstrations, in the order chosen."""


@dataclass(frozen=True)
class Method:
    """A named way of choosing the context.

    `lambda_d` and `lambda_b` are the values at which the method fixes them; None where the caller
    sets them. A lambda_b in use below 1 needs the pool's quality bias: it is scored first.

    `candidates` is how many demonstrations of highest relevance it chooses among if the knob is 0;
    0 is the whole pool; the knob counts only where `takes_candidates`. With a `first_stage` it
    fetches its candidates itself, and that returns whether it fetches only some.
    `own` are the knobs that no other method needs; the choice reads their values by `Knobs.own`.

    `asks` returns about how many contexts of a query the choice asks the language model
    (`Services.ask`); None if it asks nothing. `reads` returns the prefix of every text whose task
    state the choice compares (`Services.states`), None if it compares none: the pool's states are
    read once, before the first query.

    `chooses` is False where no demonstration is ever chosen, whatever the knobs are.
    `chooses_by_mmr` says that the choice is that of `mmr` with the lambdas in use. It then has
    values, an exact path over each lambda, and a choice among an index's candidates can be proven
    equal to the whole pool's. `by_embedding` says that embeddings are compared for the choice,
    `takes_candidates` that the most similar demonstrations can be its candidates: among a few of
    these the fixed, the random or the likeliest would be others. `uses_seed` says that it depends
    on the seed. `pins` says that the choice itself begins with the pinned demonstrations; for all
    others they are put before it. `value` is what a pick's value is called, and `value_note` how it
    is read; empty where it has none.
    """

    name: str
    label: str
    explanation: str
    source: str
    choose: Choose
    _: KW_ONLY
    lambda_d: float | None = 1.0
    lambda_b: float | None = 1.0
    candidates: int = 0
    first_stage: Callable[[SettledKnobs], bool] | None = None
    own: tuple[Knob, ...] = ()
    asks: Callable[[SettledKnobs], int] | None = None
    reads: Callable[[PoolView, SettledKnobs], TaskPrompt] | None = None
    chooses: bool = True
    chooses_by_mmr: bool = False
    by_embedding: bool = False
    takes_candidates: bool = True
    uses_seed: bool = False
    pins: bool = False
    value: str = ""
    value_note: str = ""

    @property
    def needs_model(self) -> bool:
        """Whether the choice itself needs a language model."""
        return self.asks is not None or self.reads is not None

    @property
    def parameters(self) -> tuple[Knob, ...]:
        """The lambdas that the caller sets."""
        return tuple(KNOBS[name] for name in LAMBDAS if getattr(self, name) is None)

    @property
    def knobs(self) -> tuple[str, ...]:
        """The names of all knobs that its choice depends on."""
        if not self.chooses:
            return ()
        biased = self.lambda_b is None or self.lambda_b < 1.0
        depends = {
            "bias_scale": biased,
            "candidates": self.takes_candidates,
            "seed": self.uses_seed,
            "index": False,
            "order": False,
        }
        shared = (
            name for name in KNOBS if name not in ("method", *LAMBDAS) and depends.get(name, True)
        )
        own = (knob.name for knob in (*self.parameters, *self.own))
        return (*shared, *own)

    def settle(self, knobs: Knobs) -> SettledKnobs:
        """The knobs as this method uses them; settled ones stay as they are.

        A weight that the method fixes is at its value whatever was given, and `own_values` has
        each of the method's own knobs in their order, at its default where it was not given.

        Raises:
            InvalidInput: A value of one of its own knobs is not allowed.
        """
        fixed = {name: getattr(self, name) for name in LAMBDAS if getattr(self, name) is not None}
        given = dict(knobs.own_values)
        own = tuple(
            (knob.name, knob.checked(given.get(knob.name, knob.default))) for knob in self.own
        )
        return SettledKnobs(replace(knobs, own_values=own, **fixed))

    def knobs_from_json(self, row: Mapping[str, Any]) -> Knobs:
        """The knobs of a row, with this method; what the row lacks is at its default.

        Raises:
            InvalidInput: A value is not allowed.
        """
        given = {name: value for name, value in row.items() if value is not None}
        values = {name: knob.read(given[name]) for name, knob in KNOBS.items() if name in given}
        own = tuple(
            (knob.name, knob.checked(given[knob.name])) for knob in self.own if knob.name in given
        )
        return Knobs(**(values | {"method": self.name}), own_values=own)

    def knob(self, name: str) -> Knob:
        """The metadata of one of `knobs`."""
        own = {knob.name: knob for knob in self.own}
        return own[name] if name in own else KNOBS[name]

    def value_of(self, knobs: Knobs, name: str) -> Any:
        """The value of a knob that all methods share, or of one of this method's own."""
        return getattr(knobs, name) if name in KNOBS else self.settle(knobs).own(name)

    def with_value(self, knobs: Knobs, name: str, value: Any) -> Knobs:
        """The knobs with one of `knobs` changed; the value may be a text.

        Raises:
            InvalidInput: The value is not allowed.
        """
        found = self.knob(name).checked(value)
        if name in KNOBS:
            return replace(knobs, **{name: found})
        knobs = replace(knobs, own_values=(*dict(knobs.own_values, **{name: found}).items(),))
        return replace(knobs, own_values=self.own_changes(knobs))

    def own_changes(self, knobs: Knobs) -> tuple[tuple[str, Any], ...]:
        """The method's own knobs that are not at their defaults, in their order, with values."""
        given = dict(knobs.own_values)
        values = ((knob, given.get(knob.name, knob.default)) for knob in self.own)
        return tuple((knob.name, value) for knob, value in values if value != knob.default)

    def nearest(self, knobs: SettledKnobs) -> int:
        """How many demonstrations of highest relevance are chosen from; 0 is the whole pool.

        0 also where the candidates come from an index (only for a method that chooses by `mmr`) or
        from the method's own first stage.
        """
        fetched = self._asks_index(knobs) or self.first_stage is not None
        return 0 if fetched else self.n_candidates(knobs)

    def _asks_index(self, knobs: Knobs) -> bool:
        return knobs.index is not None and self.chooses_by_mmr

    def n_candidates(self, knobs: SettledKnobs) -> int:
        """How many candidates are fetched, 0 for the whole pool.

        Where the method decides, there are at least k.
        """
        if not self.takes_candidates:
            return 0
        if self.first_stage is not None and not self.first_stage(knobs):
            return 0
        return knobs.candidates or (max(self.candidates, knobs.k) if self.candidates else 0)

    def unused_candidates(self, knobs: Knobs) -> int:
        """How many candidates were asked for although it takes none; else 0."""
        unused = self.chooses and not self.takes_candidates and not self._asks_index(knobs)
        return knobs.candidates if unused else 0

    def among(self, knobs: SettledKnobs) -> int:
        """How many demonstrations are chosen from, whoever fetches them; 0 is the whole pool."""
        return self.nearest(knobs) if self.first_stage is None else self.n_candidates(knobs)

    def has_path(self, over: str) -> bool:
        """Whether every context over the whole of that lambda is known exactly."""
        return self.chooses_by_mmr and getattr(self, over) is None


def scaled(quality_bias: FloatArray, scale: BiasScale) -> FloatArray:
    """The quality bias on the chosen scale, shape (n,), float64; equal values stay equal."""
    bias = np.asarray(quality_bias, dtype=np.float64)
    if scale is BiasScale.RAW or not len(bias):
        return bias
    if scale is BiasScale.SURPRISE:
        return -bias
    if scale is BiasScale.Z_SCORE:
        deviation = bias.std()
        return (bias - bias.mean()) / deviation if deviation > 0 else np.zeros_like(bias)
    distinct, position = np.unique(bias, return_inverse=True)
    return position / max(len(distinct) - 1, 1)


def bias_for(view: PoolView, knobs: SettledKnobs) -> FloatArray | None:
    """The scaled quality bias (n,) that the knobs need, or None if they need none.

    Demonstrations that the model can never score get the lowest bias of the others;
    `never_shown` keeps them from being chosen.

    Raises:
        InvalidInput: Some demonstrations have no quality bias yet.
    """
    if not knobs.needs_bias:
        return None
    if view.unscored:
        raise InvalidInput(
            f"{view.unscored:,} of {len(view):,} demonstrations of pool {view.name!r} have no "
            f"quality bias yet; score the pool's quality, or set lambda_b to 1."
        )
    finite = np.isfinite(view.quality_bias)
    lowest = view.quality_bias[finite].min() if finite.any() else 0.0
    return scaled(np.where(finite, view.quality_bias, lowest), knobs.bias_scale)


def never_shown(view: PoolView, knobs: SettledKnobs) -> BoolArray:
    """Mask (n,) of what may not be chosen where the bias counts: its model can never score it."""
    return view.unscorable if knobs.needs_bias else np.zeros(len(view), dtype=bool)
