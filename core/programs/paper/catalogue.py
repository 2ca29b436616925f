"""The programs as they are offered by name: what can be set of each, and what it can do without."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...errors import InvalidInput
from ...text import listed
from ..primitives import Annotations
from ..primitives.demonstrate import SHOTS
from ..run import Outcome
from .conversational import PASSAGES as PASSAGES_OF_A_TURN
from .conversational import QUERIES as QUERIES_OF_A_TURN
from .conversational import TURNS_SHOWN as TURNS
from .conversational import conversational, retrieve_then_read, vanilla
from .conversational import demonstrate as demonstrate_turns
from .multi_hop import HOPS, QUERIES, multi_hop
from .multi_hop import PASSAGES as PASSAGES_OF_HOPS
from .multi_hop import demonstrate as demonstrate_hops
from .open_domain import AUGMENTED, PASSAGES, SAMPLES, comparing, demonstrate, open_domain
from .self_ask import refined_self_ask, self_ask

WITHOUT_ANNOTATE = {"augmented": 0}
WITHOUT_SELF_CONSISTENCY = {"samples": 1}
WITHOUT_FUSION = {"queries": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """A program with what can be set of it.

    Attributes:
        name: By which it is asked for.
        explanation: What it does, in a sentence.
        run: The program, with its knobs as keyword arguments.
        knobs: The knobs by name, with the paper's values.
        demonstrate: Makes its demonstrations; None where it shows training examples as they are.
        demonstrating: The knobs that `demonstrate` takes.
        without: What an ablation leaves out: the knobs' values, by the name of the part.
        searches: Whether it searches for passages.
        converses: Whether its questions have earlier turns.
    """

    name: str
    explanation: str
    run: Callable[..., Outcome]
    knobs: Mapping[str, int]
    demonstrate: Callable[..., Annotations] | None = None
    demonstrating: tuple[str, ...] = ()
    without: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    searches: bool = True
    converses: bool = False


_SEARCHING_ONCE = {"shots": SHOTS, "augmented": AUGMENTED, "k": PASSAGES, "samples": SAMPLES}
_WITHOUT = {
    "annotate": WITHOUT_ANNOTATE,
    "self-consistency": WITHOUT_SELF_CONSISTENCY,
    "passages": {"k": 0},
}

CATALOGUE: Mapping[str, CatalogueEntry] = {
    each.name: each
    for each in (
        CatalogueEntry(
            name="vanilla",
            explanation="The question after raw demonstrations.",
            run=vanilla,
            knobs={"shots": SHOTS},
            searches=False,
        ),
        CatalogueEntry(
            name="retrieve-then-read",
            explanation="The same with the passages that are found for the question.",
            run=retrieve_then_read,
            knobs={"shots": SHOTS, "k": 1},
            without={"passages": {"k": 0}},
        ),
        CatalogueEntry(
            name="self-ask",
            explanation="The model asks itself further questions, and passages answer them.",
            run=self_ask,
            knobs={},
        ),
        CatalogueEntry(
            name="self-ask-refined",
            explanation=(
                "Self-ask with training examples in front, search queries and short answers."
            ),
            run=refined_self_ask,
            knobs={"shots": SHOTS},
        ),
        CatalogueEntry(
            name="open-domain",
            explanation="Demonstrations that worked, one search, chains of thought and a vote.",
            run=open_domain,
            knobs=_SEARCHING_ONCE,
            demonstrate=demonstrate,
            demonstrating=("shots", "augmented", "k"),
            without=_WITHOUT,
        ),
        CatalogueEntry(
            name="open-domain-comparing",
            explanation=(
                "The same, and the most frequent answers are compared by what is found for each."
            ),
            run=comparing,
            knobs=_SEARCHING_ONCE,
            demonstrate=demonstrate,
            demonstrating=("shots", "augmented", "k"),
            without=_WITHOUT,
        ),
        CatalogueEntry(
            name="multi-hop",
            explanation=(
                "Demonstrations that worked, a search at each hop with fused queries, and a vote."
            ),
            run=multi_hop,
            knobs={
                "shots": SHOTS,
                "augmented": AUGMENTED,
                "k": PASSAGES_OF_HOPS,
                "samples": SAMPLES,
                "max_hops": HOPS,
                "queries": QUERIES,
            },
            demonstrate=demonstrate_hops,
            demonstrating=("shots", "augmented", "k", "max_hops"),
            without={
                "annotate": WITHOUT_ANNOTATE,
                "fusion": WITHOUT_FUSION,
                "self-consistency": WITHOUT_SELF_CONSISTENCY,
                "passages": {"max_hops": 0},
            },
        ),
        CatalogueEntry(
            name="conversational",
            explanation=(
                "The last question of a conversation, rewritten, searched for with fused queries."
            ),
            run=conversational,
            knobs={
                "shots": TURNS,
                "augmented": TURNS,
                "k": PASSAGES_OF_A_TURN,
                "queries": QUERIES_OF_A_TURN,
            },
            demonstrate=demonstrate_turns,
            demonstrating=("shots", "augmented", "k"),
            without={"annotate": WITHOUT_ANNOTATE, "fusion": WITHOUT_FUSION, "passages": {"k": 0}},
            converses=True,
        ),
    )
}
"""Every program by its name, with the numbers of sections 3.3 and 3.4 of the paper."""


def offered(name: str) -> CatalogueEntry:
    """The program of that name.

    Raises:
        InvalidInput: There is none.
    """
    if name not in CATALOGUE:
        raise InvalidInput(f"There is no program {name!r}: choose {listed(list(CATALOGUE), 'or')}.")
    return CATALOGUE[name]
