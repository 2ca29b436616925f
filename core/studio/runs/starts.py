"""Rows that a comparison can start from: those of the papers, and every method."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...retrieval.choosing import METHODS
from ...retrieval.methods import neighbours, pgra
from ...selection.task_states import Similarity
from ...settings import VRSD_CANDIDATES, Embed

BY_BOTH = {"embed": Embed.QUERY_AND_ANSWER}
"""How VRSD's table compares the query: with queries and their answers."""
RAGSYS_METHODS = ("none", "fix", "bias", "rel", "rel+bias", "rel+div", "rel+div+bias")
"""The six methods of RAGSys's paper, and no demonstrations as what they are measured against."""
STANDARD = ("none", "rel", "rel+div+bias")
"""The methods of a first visit. All others are a press away: contexts cost time."""
VRSD_LAMBDAS_D = (0.0, 0.5, 1.0)
"""MMR's in VRSD's table: diversity only, the customary one, relevance only."""
CANDIDATES, KEPT = (16, 50, 100, 150), (4, 8, 16, 24)
"""PGRA's Figures 3 and 4: over the candidates of stage 1, and over how many are kept."""


@dataclass(frozen=True)
class StartRow:
    """A method with the knobs that have values of the row's own; all others are shared."""

    method: str
    knobs: Mapping[str, object]


@dataclass(frozen=True)
class Start:
    """Rows to start from, their name and their explanation."""

    name: str
    about: str
    rows: tuple[StartRow, ...]


def starts(*, has_task: bool) -> tuple[Start, ...]:
    """The rows that a comparison can start from; for a pool that has a task PGRA's as well."""
    needs = "no earlier run" if has_task else "neither a task nor an earlier run"
    every = Start(
        "Every method",
        f"All methods that need {needs}, with the knobs that rows share.",
        _of(
            name
            for name, method in METHODS.items()
            if name != neighbours.METHOD.name and (has_task or method.reads is None)
        ),
    )
    return (_STANDARD, _RAGSYS, _vrsd(), every, *(_pgra() if has_task else ()))


def _of(methods: Iterable[str]) -> tuple[StartRow, ...]:
    return tuple(StartRow(method, {}) for method in methods)


_STANDARD = Start("Three methods", "A first look.", _of(STANDARD))
_RAGSYS = Start(
    "RAGSys's methods", "The six methods of RAGSys, and no demonstrations.", _of(RAGSYS_METHODS)
)


def _vrsd() -> Start:
    nearest = {"candidates": VRSD_CANDIDATES, **BY_BOTH}
    return Start(
        "VRSD's table",
        "Maximal marginal relevance at lambda_d 0, 0.5 and 1 and VRSD, each among the "
        f"{VRSD_CANDIDATES} demonstrations nearest to the query, and BM25 among all; by queries "
        "with their answers.",
        (
            *(StartRow("rel+div", {"lambda_d": weight, **nearest}) for weight in VRSD_LAMBDAS_D),
            StartRow("vrsd", nearest),
            StartRow("bm25", BY_BOTH),
        ),
    )


def _pgra() -> tuple[Start, ...]:
    others = (Similarity.DOT, Similarity.CENTRED)
    return (
        Start(
            "PGRA",
            "No demonstrations, random ones, the most similar ones, and those that the task finds "
            "most similar, with each way of comparing its states.",
            (
                *_of(("none", "random", "rel", "pgra")),
                *(StartRow("pgra", {pgra.SIMILARITY: each.value}) for each in others),
            ),
        ),
        Start(
            f"PGRA: candidates {', '.join(map(str, CANDIDATES))}",
            "PGRA over the candidates of its first stage, with the most similar demonstrations.",
            (*_of(["rel"]), *(StartRow("pgra", {"candidates": each}) for each in CANDIDATES)),
        ),
        Start(
            f"PGRA: kept {', '.join(map(str, KEPT))}",
            "PGRA and the most similar demonstrations, over how many are kept.",
            tuple(StartRow(name, {"k": each}) for name in ("rel", "pgra") for each in KEPT),
        ),
    )
