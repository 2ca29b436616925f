"""The knobs of a choice: their values, and all that is told of each wherever it can be turned.

Command line, widgets, links and recorded runs derive what they need from the fields of `Knobs`. The
methods and indexes themselves are looked up when one is needed, so that the list of commands needs
no numpy.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from ..errors import InvalidInput
from ..settings import LAMBDA_B, LAMBDA_D, N_CANDIDATES, SEED, K

if TYPE_CHECKING:
    from .method import Method


class BiasScale(StrEnum):
    """How quality bias is scaled before lambda_b weighs it against relevance.

    `raw` is the paper's: mean log-probability, around -5 to -0.5 against cosines in [-1, 1].
    `z-score` has mean 0 and deviation 1 over the pool, `rank` runs from 0 (lowest) to 1 (highest),
    `surprise` is -b, so that what the model finds unlikely is preferred.
    """

    RAW = "raw"
    Z_SCORE = "z-score"
    RANK = "rank"
    SURPRISE = "surprise"


class PromptOrder(StrEnum):
    """In which order the demonstrations stand in the prompt.

    With the most relevant last (ties by id) a context is a function of the chosen set, so a set
    is scored once whatever the order of its choice.
    """

    MOST_RELEVANT_LAST = "most relevant last"
    AS_CHOSEN = "as chosen"


def method_names() -> tuple[str, ...]:
    """The names of the registered methods, in the order in which they are offered."""
    from .registry import METHODS

    return tuple(METHODS)


def _index_names() -> tuple[str, ...]:
    from ..index import INDEXES

    return tuple(INDEXES)


@dataclass(frozen=True)
class Knob:
    """What is told of a knob, besides its value.

    `low` and `high` are the ends of what is offered, `at_low` and `at_high` what a weight does
    there. `choices` names what may be chosen, None for a number. `link` is the name in the address.
    A `rare` knob stands in the address only where it is turned, one `only_with` another knob only
    where that one is set. One without a `flag` is not offered by the command line.
    """

    label: str
    explanation: str
    low: float = 0.0
    high: float = 1e6
    at_low: str = ""
    at_high: str = ""
    choices: Callable[[], Sequence[str]] | None = None
    link: str = ""
    rare: bool = False
    only_with: str = ""
    flag: bool = True
    name: str = ""
    default: Any = None

    @property
    def is_weight(self) -> bool:
        """Whether it weighs one thing against another, from 0 to 1."""
        return bool(self.at_low)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off; off, it is recorded nowhere."""
        return isinstance(self.default, bool)

    @property
    def ends(self) -> str:
        """What a weight does at its ends."""
        return f"{self.low:.0f} = {self.at_low}, {self.high:.0f} = {self.at_high}"

    @property
    def names(self) -> tuple[str, ...]:
        """What may be chosen; empty for a number."""
        return () if self.choices is None else tuple(self.choices())

    @property
    def read(self) -> Callable[[Any], Any]:
        """Makes the knob's value of what JSON or a widget has for it."""
        return str if self.default is None else type(self.default)


def _knob(default: Any, told: Knob) -> Any:
    return field(default=default, metadata={"knob": told})


@dataclass(frozen=True)
class Knobs:
    """How a context is chosen and shown: the method and everything that can be turned.

    A method that holds a lambda fixed ignores the value given here (`lambdas`). Without an `index`
    the method chooses from the whole pool, with one among so many `candidates` of it; an exact
    index (flat) starts there and fetches more until the choice is proven to be the whole pool's.
    """

    method: str = _knob(
        "rel+div+bias", Knob("Method", "The way of choosing.", choices=method_names)
    )
    k: int = _knob(
        K, Knob("k", "How many demonstrations are put before the query.", low=1, high=50)
    )
    lambda_d: float = _knob(
        LAMBDA_D,
        Knob(
            "lambda_d",
            "At 1 only similarity to the query counts, at 0 only difference from the "
            "demonstrations chosen before. The first pick does not depend on it.",
            high=1.0,
            at_low="diversity only",
            at_high="relevance only",
        ),
    )
    lambda_b: float = _knob(
        LAMBDA_B,
        Knob(
            "lambda_b",
            "At 1 only similarity to the query counts, at 0 only the quality bias: how "
            "likely the model finds a demonstration's answer without any context.",
            high=1.0,
            at_low="quality bias only",
            at_high="no quality bias",
        ),
    )
    bias_scale: BiasScale = _knob(
        BiasScale.RAW,
        Knob(
            "Quality bias scale",
            "How the quality bias is scaled before lambda_b weighs it against relevance.",
            choices=lambda: [scale.value for scale in BiasScale],
            link="scale",
            rare=True,
        ),
    )
    order: PromptOrder = _knob(
        PromptOrder.MOST_RELEVANT_LAST,
        Knob(
            "Order in the prompt",
            "How the demonstrations stand before the query.",
            choices=lambda: [order.value for order in PromptOrder],
            rare=True,
            flag=False,
        ),
    )
    index: str | None = _knob(
        None,
        Knob(
            "Choose from",
            "Choose among candidates of an index instead of the whole pool, which is exact.",
            choices=_index_names,
            rare=True,
        ),
    )
    candidates: int = _knob(
        N_CANDIDATES,
        Knob(
            "Candidates",
            "How many candidates the index is asked for.",
            low=1,
            rare=True,
            only_with="index",
        ),
    )
    seed: int = _knob(
        SEED, Knob("Seed of the method Random", "The seed of everything random.", rare=True)
    )
    one_per_query: bool = _knob(
        False,
        Knob(
            "One answer per query",
            "At most one answer per query is chosen, however many the pool has. The paper has no "
            "such limit.",
            rare=True,
        ),
    )

    def __post_init__(self) -> None:
        from .registry import find_method

        find_method(self.method)
        if self.k < 0:
            raise InvalidInput(f"k is {self.k}; it must be 0 or more.")
        for name in LAMBDAS:
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise InvalidInput(f"{name} is {value}; it must be a number from 0 to 1.")

    @property
    def info(self) -> "Method":
        """The method itself."""
        from .registry import METHODS

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
        return self.lambdas[1] < 1.0

    def to_json(self) -> dict[str, Any]:
        """Every knob by its name, the lambdas as the method uses them; no switch that is off."""
        lambdas = dict(zip(LAMBDAS, self.lambdas, strict=True))
        return {
            name: lambdas.get(name, _plain(getattr(self, name)))
            for name, knob in KNOBS.items()
            if getattr(self, name) or not knob.is_switch
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The knobs of a row; what it does not tell, as in a run of before, is at its default."""
        told = {
            name: knob.read(row[name]) for name, knob in KNOBS.items() if row.get(name) is not None
        }
        return cls(**told)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, StrEnum) else value


KNOBS: dict[str, Knob] = {
    each.name: replace(
        each.metadata["knob"],
        name=each.name,
        default=each.default,
        link=each.metadata["knob"].link or each.name,
    )
    for each in fields(Knobs)
}
"""What is told of each knob, by the name of its field."""

LAMBDAS = tuple(name for name, knob in KNOBS.items() if knob.is_weight)
"""The weights that a method may hold fixed."""
