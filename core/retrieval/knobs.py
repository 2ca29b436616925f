"""The knobs of a choice: their values, and the metadata of each wherever it can be set.

Command line, widgets, links and recorded runs derive what they need from the fields of `Knobs`.
These are plain values that know no method, so that the list of commands needs no numpy.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, NewType

from ..errors import InvalidInput
from ..settings import LAMBDA_B, LAMBDA_D, N_CANDIDATES, SEED, Embed, K


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
    """The order of the demonstrations in the prompt.

    With the most relevant last (ties by id) a context is a function of the chosen set, so a set
    is scored once whatever the order of choice.
    """

    MOST_RELEVANT_LAST = "most relevant last"
    AS_CHOSEN = "as chosen"


@dataclass(frozen=True)
class Knob:
    """The metadata of a knob: everything but its value.

    `low` and `high` are the ends of what is offered, `at_low` and `at_high` what a weight does
    there. `choices` names what may be chosen, None for a number and for the method, whose names
    its registry has. `link` is the name in the address. A `rare` knob is in the address only
    where it is not at its default. One without a `flag` is not offered by the command line.
    """

    label: str
    explanation: str
    low: float = 0.0
    _: KW_ONLY
    high: float = 1e6
    at_low: str = ""
    at_high: str = ""
    choices: Callable[[], Sequence[str]] | None = None
    link: str = ""
    rare: bool = False
    flag: bool = True
    name: str = ""
    default: Any = None

    @property
    def is_weight(self) -> bool:
        """Whether it weighs one thing against another, from 0 to 1."""
        return bool(self.at_low)

    @property
    def is_choice(self) -> bool:
        """Whether it is one of some names."""
        return self.default is None or isinstance(self.default, str)

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
        """What may be chosen; empty for a number, and for the method."""
        return () if self.choices is None else tuple(self.choices())

    @property
    def read(self) -> Callable[[Any], Any]:
        """Converts what JSON or a widget has for the knob to its value."""
        return str if self.default is None else type(self.default)

    def checked(self, value: Any) -> Any:
        """What JSON, a text or a widget has for the knob, as its value.

        Raises:
            InvalidInput: It is not what may be chosen, or out of range.
        """
        if self.is_switch:
            if str(value).lower() not in ("true", "false"):
                raise InvalidInput(f"{self.name} is {value!r}; it must be true or false.")
            return str(value).lower() == "true"
        if self.choices is not None:
            if str(value) not in self.names:
                raise InvalidInput(
                    f"{self.name} is {str(value)!r}; it must be one of {', '.join(self.names)}."
                )
            return self.read(str(value))
        return self._number(value)

    def _number(self, value: Any) -> int | float:
        whole = isinstance(self.default, int)
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        high = math.inf if whole else self.high  # more may be given than is offered
        if not self.low <= number <= high or (whole and not number.is_integer()):
            allowed = (
                f"a whole number from {self.low:g}"
                if whole
                else (f"a number from {self.low:g} to {self.high:g}")
            )
            raise InvalidInput(f"{self.name} is {str(value)!r}; it must be {allowed}.")
        return int(number) if whole else number


def _indexes() -> list[str]:
    from ..index import INDEXES

    return list(INDEXES)


def _knob(default: Any, metadata: Knob) -> Any:
    return field(default=default, metadata={"knob": metadata})


@dataclass(frozen=True)
class Knobs:
    """How a context is chosen and shown: the method and everything that can be set.

    They are as somebody set them; `SettledKnobs` are as the method uses them. Without an `index`
    the method chooses among the `candidates` that are most similar to the query, or from the whole
    pool. With one it chooses among so many candidates of the index; an exact index (flat) starts
    there and fetches more until the choice is proven to be the whole pool's. `embed` names the
    embeddings to compare, those of a pool view that was loaded for it.
    """

    method: str = _knob("rel+div+bias", Knob("Method", "The way of choosing."))
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
    _: KW_ONLY
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
            "The order of the demonstrations before the query.",
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
            choices=_indexes,
            rare=True,
        ),
    )
    candidates: int = _knob(
        0,
        Knob(
            "Candidates",
            "Choose only among so many demonstrations, those most similar to the query; 0 leaves "
            "it to the method, which for most is the whole pool. Methods that do not go by "
            "similarity (fix, random, bias) take no candidates. An index is asked for so many "
            f"first, at 0 for {N_CANDIDATES:,}.",
            rare=True,
        ),
    )
    embed: Embed = _knob(
        Embed.QUERY,
        Knob(
            "Compare the query with",
            "The text of a demonstration that is compared with the query: its query alone, as "
            "RAGSys does, or its query and its answer, as VRSD does.",
            choices=lambda: [embed.value for embed in Embed],
            link="by",  # Streamlit takes `embed` in an address for itself
            rare=True,
        ),
    )
    seed: int = _knob(SEED, Knob("Seed", "The seed of everything random.", rare=True))
    one_per_query: bool = _knob(
        False,
        Knob(
            "One answer per query",
            "At most one answer per query is chosen, however many the pool has. The paper has no "
            "such limit.",
            rare=True,
        ),
    )

    own_values: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if self.k < 0:
            raise InvalidInput(f"k is {self.k}; it must be 0 or more.")
        if self.candidates < 0:
            raise InvalidInput(
                f"candidates is {self.candidates}; it must be 1 or more, or 0 to leave it to the "
                "method."
            )
        for name in LAMBDAS:
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise InvalidInput(f"{name} is {value}; it must be a number from 0 to 1.")
        for name in ("bias_scale", "order", "embed"):
            if type(value := getattr(self, name)) is str:
                object.__setattr__(self, name, KNOBS[name].checked(value))

    def own(self, name: str) -> Any:
        """The value of one of the method's own knobs; settled knobs have all of them.

        Raises:
            KeyError: It is not among `own_values`.
        """
        return dict(self.own_values)[name]

    @property
    def needs_bias(self) -> bool:
        """Whether the quality bias enters the values of a choice with these knobs."""
        return self.lambda_b < 1.0

    def to_json(self) -> dict[str, Any]:
        """Every knob by its name, the method's own among them; no switch that is off.

        `registry.knobs_from_json` reads it.
        """
        shared = {
            name: _plain(getattr(self, name))
            for name, knob in KNOBS.items()
            if getattr(self, name) or not knob.is_switch
        }
        return shared | dict(self.own_values)


SettledKnobs = NewType("SettledKnobs", Knobs)
"""Knobs as their method uses them, which `Method.settle` returns: all of its own, and no others."""


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
    if each.metadata
}
"""The metadata of each knob that all methods share, by the name of its field."""

LAMBDAS = tuple(name for name, knob in KNOBS.items() if knob.is_weight)
"""The weights that a method may fix."""
