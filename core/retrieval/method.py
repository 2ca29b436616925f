"""What a method is: how it chooses, what it needs, and what can be proven about its choice."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from .asked import Asked
from .context import Context
from .knobs import KNOBS, LAMBDAS, Knob, Knobs
from .pool_view import PoolView
from .tasks.prompt import TaskPrompt

PAPER = "RAGSys, section 4.2"


Choose: TypeAlias = Callable[[Asked], Context]
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
    Functions here that take knobs get them as `settle` returns them.

    `asks` returns about how many contexts of a query the choice asks the language model
    (`PoolView.ask`); None if it asks nothing. `reads` returns the prefix of every text whose task
    state the choice compares (`PoolView.states`), None if it compares none: the pool's states are
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
    lambda_d: float | None = 1.0
    lambda_b: float | None = 1.0
    candidates: int = 0
    first_stage: Callable[[Knobs], bool] | None = None
    own: tuple[Knob, ...] = ()
    asks: Callable[[Knobs], int] | None = None
    reads: Callable[[PoolView, Knobs], TaskPrompt] | None = None
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

    def settle(self, knobs: Knobs) -> Knobs:
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
        return replace(knobs, own_values=own, **fixed)

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

    def nearest(self, knobs: Knobs) -> int:
        """How many demonstrations of highest relevance are chosen from; 0 is the whole pool.

        0 also where the candidates come from an index (only for a method that chooses by `mmr`) or
        from the method's own first stage.
        """
        fetched = self._asks_index(knobs) or self.first_stage is not None
        return 0 if fetched else self.n_candidates(knobs)

    def _asks_index(self, knobs: Knobs) -> bool:
        return knobs.index is not None and self.chooses_by_mmr

    def n_candidates(self, knobs: Knobs) -> int:
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

    def among(self, knobs: Knobs) -> int:
        """How many demonstrations are chosen from, whoever fetches them; 0 is the whole pool."""
        return self.nearest(knobs) if self.first_stage is None else self.n_candidates(knobs)

    def has_path(self, over: str) -> bool:
        """Whether every context over the whole of that lambda is known exactly."""
        return self.chooses_by_mmr and getattr(self, over) is None
