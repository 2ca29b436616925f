"""The registry of methods: command line, pages, README and tests read it here."""

from dataclasses import dataclass

from ..settings import LAMBDA_B, LAMBDA_D


@dataclass(frozen=True)
class Parameter:
    """A knob of a method with its range and what each end does."""

    name: str
    label: str
    explanation: str
    low: float
    high: float
    default: float
    at_low: str
    at_high: str


LAMBDA_D_PARAMETER = Parameter(
    "lambda_d",
    "lambda_d",
    "Towards 1 only likeness to the query counts, towards 0 only being unlike the demonstrations "
    "chosen before. The first pick does not depend on it.",
    0.0,
    1.0,
    LAMBDA_D,
    "diversity only",
    "relevance only",
)
LAMBDA_B_PARAMETER = Parameter(
    "lambda_b",
    "lambda_b",
    "Towards 1 only likeness to the query counts, towards 0 only the quality bias: how likely the "
    "model finds a demonstration's answer without any context.",
    0.0,
    1.0,
    LAMBDA_B,
    "quality bias only",
    "no quality bias",
)
_SOURCE = "RAGSys, section 4.2"


@dataclass(frozen=True)
class MethodInfo:
    """A named way of choosing the context.

    `lambda_d` and `lambda_b` are the weights that the method holds fast; None where the caller
    sets them. Methods that do not select by `mmr` have `by_value` False.
    """

    name: str
    label: str
    explanation: str
    source: str
    lambda_d: float | None = 1.0
    lambda_b: float | None = 1.0
    by_value: bool = True

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The knobs that the caller sets, besides k."""
        free = []
        if self.lambda_d is None:
            free.append(LAMBDA_D_PARAMETER)
        if self.lambda_b is None:
            free.append(LAMBDA_B_PARAMETER)
        return tuple(free)

    @property
    def uses_bias(self) -> bool:
        """Whether the method may need the pool's quality bias."""
        return self.by_value and self.lambda_b != 1.0


METHODS: dict[str, MethodInfo] = {
    method.name: method
    for method in (
        MethodInfo(
            "none",
            "No demonstrations",
            "The model sees the query alone.",
            _SOURCE,
            by_value=False,
        ),
        MethodInfo(
            "random",
            "Random",
            "k demonstrations drawn at random for each query, the same ones for the same seed.",
            "a common baseline",
            by_value=False,
        ),
        MethodInfo(
            "fix",
            "Fixed",
            "The same demonstrations for every query: the six that the pool names.",
            _SOURCE,
            by_value=False,
        ),
        MethodInfo(
            "bias",
            "Quality bias",
            "The k demonstrations whose answers the model finds most likely, whatever the query.",
            _SOURCE,
            lambda_b=0.0,
        ),
        MethodInfo(
            "rel",
            "Relevance",
            "The k demonstrations whose queries are most similar to the query.",
            _SOURCE,
        ),
        MethodInfo(
            "rel+bias",
            "Relevance and quality bias",
            "The most similar demonstrations, with a bonus for answers the model finds likely.",
            _SOURCE,
            lambda_b=None,
        ),
        MethodInfo(
            "rel+div",
            "Relevance and diversity",
            "Similar to the query, yet unlike those chosen before (maximal marginal relevance).",
            _SOURCE,
            lambda_d=None,
        ),
        MethodInfo(
            "rel+div+bias",
            "Relevance, diversity and quality bias",
            "All three: similar to the query, unlike each other, and likely for the model.",
            "RAGSys, Algorithm 1",
            lambda_d=None,
            lambda_b=None,
        ),
    )
}
