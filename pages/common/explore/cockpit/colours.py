"""What the colours of the cells show: the visitor's choice, kept and in the link."""

from enum import StrEnum

from core.studio.explore.exploration import ExploreRequest
from pages.common.state.address import Link
from pages.common.state.readers import one_of
from pages.common.state.state import remember, remembered


class Measure(StrEnum):
    """What a cell's colour can show of its context."""

    DPO = "dpo"
    DELTA = "delta"
    PROBABILITY = "probability"
    SAMENESS = "sameness"
    TOKENS = "tokens"


LABELS = {
    Measure.DPO: "DPO",
    Measure.DELTA: "delta",
    Measure.PROBABILITY: "right answer",
    Measure.SAMENESS: "sameness",
    Measure.TOKENS: "tokens",
}
_PAGE, _NAME = "explore", "cell_colour"


def offered(request: ExploreRequest) -> list[Measure]:
    """What can be shown for this query: the effect on its answers only where it has some."""
    if not request.answers:
        return [Measure.SAMENESS]
    compared = [Measure.DPO, Measure.DELTA] if request.incorrect else []
    return [*compared, Measure.PROBABILITY, Measure.SAMENESS, Measure.TOKENS]


def chosen_measure(request: ExploreRequest) -> Measure:
    """The visitor's choice where it can be shown, else the first that can."""
    can = offered(request)
    wanted = Measure(remembered(_PAGE, _NAME, can[0], one_of(*Measure)))
    return wanted if wanted in can else can[0]


def remember_measure(name: str) -> None:
    """Keep the visitor's choice."""
    remember(_PAGE, _NAME, Measure(name))


def measure_link() -> Link:
    """The choice for the address, once one was made."""
    kept = remembered(_PAGE, _NAME, "", one_of(*Measure))
    return {_NAME: str(kept)} if kept else {}
