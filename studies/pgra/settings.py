"""The request of the study of PGRA, the settings that are varied, and the rows."""

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.retrieval.choosing import settled
from core.retrieval.exemplars import Draw
from core.retrieval.knobs import Knobs, SettledKnobs
from core.retrieval.methods.pgra import DRAW, OF_POOL, SIMILARITY, FirstStage
from core.retrieval.methods.pgra import EXEMPLARS as N_EXEMPLARS
from core.retrieval.methods.pgra import STAGE_1 as BY
from core.selection.task_states import Similarity
from core.settings import PGRA_CANDIDATES, PGRA_EXEMPLARS

from ..defaults import HELD_OUT, PGRA_KEPT, SEEDS
from ..readers.registry import READERS
from .paper import DEFAULTS


@dataclass(frozen=True)
class Arm:
    """A row of the study: a way to keep texts for a query.

    `stage` is the one after which the texts are kept, None for a baseline; `similarity` is stage
    2's. With `keeps` it keeps texts for each query, which can vote and be consistent.
    """

    name: str
    stage: int | None = None
    similarity: str | None = None
    keeps: bool = True

    def __str__(self) -> str:
        return self.name if self.similarity is None else f"{self.name}, {self.similarity}"


NONE = Arm("none", keeps=False)
"""No text is kept: the task's question alone."""
RANDOM = Arm("random")
"""As many as are kept, drawn at random for each query."""
EXEMPLARS = Arm("exemplars", keeps=False)
"""The task's exemplars, the same for every query: the paper's ICL."""
STAGE_1 = Arm("stage 1", stage=1)
"""The first of the candidates, without stage 2: what the paper's FiD reads."""


def stage_2(similarity: str) -> Arm:
    """The texts whose task states are most like the query's."""
    return Arm("stage 2", stage=2, similarity=similarity)


@dataclass(frozen=True)
class Variant:
    """One setting of what can be varied; `model` None is the chosen one.

    `candidates` are fetched by `stage_1`, of which `kept` remain; `exemplars` precede every text.
    """

    model: str | None
    candidates: int = PGRA_CANDIDATES
    kept: int = PGRA_KEPT
    exemplars: int = PGRA_EXEMPLARS
    stage_1: str = FirstStage.COSINE.value
    draw: str = Draw.BALANCED.value

    def knobs(self, seed: int, similarity: str | None = None) -> SettledKnobs:
        """The knobs as the method `pgra` uses them with these values.

        Raises:
            InvalidInput: One of them is out of its range.
        """
        own = ((N_EXEMPLARS, self.exemplars), (DRAW, self.draw), (BY, self.stage_1))
        with_similarity = () if similarity is None else ((SIMILARITY, similarity),)
        return settled(
            Knobs(
                "pgra",
                self.kept,
                candidates=self.candidates,
                seed=seed,
                own_values=(*own, *with_similarity),
            )
        )


class Sweep(StrEnum):
    """What a study varies; everything else is fixed."""

    CANDIDATES = "candidates"
    KEPT = "kept"
    EXEMPLARS = "exemplars"
    MODEL = "model"
    STAGE_1 = "stage-1"

    @property
    def field(self) -> str:
        """Its field of `Variant`."""
        return self.value.replace("-", "_")


@dataclass(frozen=True)
class PgraRequest:
    """What the study is made on.

    Attributes:
        pool: The pool that is split; its answers are labels.
        base: The setting, except for what a sweep varies.
        task: The task's name; `pool` is the pool's own.
        encoder: Of stage 1; None is the bundled one.
        similarities: Of stage 2, a row each; none are all three, in a sweep `cosine`.
        readers: What names a label from what is kept.
        share: How much of the pool is held out, above 0 and below 1.
        seeds: How many draws of exemplars, >= 1; the split is the same for all.
        limit: At most so many held-out queries, the first of their random order; None is all.
        sweep: What is varied; None varies nothing.
        values: The values of the sweep; none are the paper's.

    Raises:
        InvalidInput: One of them is out of its range.
    """

    pool: str
    base: Variant
    task: str = OF_POOL
    encoder: str | None = None
    similarities: tuple[str, ...] = ()
    readers: tuple[str, ...] = tuple(READERS)
    share: float = HELD_OUT
    seeds: int = SEEDS
    limit: int | None = None
    sweep: Sweep | None = None
    values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 < self.share < 1.0:
            raise InvalidInput(
                f"The share to hold out is {self.share:g}; give a number above 0 and below 1."
            )
        for name in ("seeds", "limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(f"{name} is {value}; it must be 1 or more.")
        if self.sweep is None and self.values:
            raise InvalidInput(
                f"The values {', '.join(self.values)} were given without what they are of; name "
                f"it with --sweep: {', '.join(Sweep)}."
            )
        _check_names("similarities", self.similarities, [each.value for each in Similarity])
        _check_names("readers", self.readers, list(READERS))
        for variant in self.variants:
            for name in ("candidates", "kept"):
                if getattr(variant, name) < 1:
                    raise InvalidInput(f"{name} is {getattr(variant, name)}; it must be 1 or more.")
            variant.knobs(0)  # refuses the others

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The settings, in the order of the sweep's values.

        Raises:
            InvalidInput: A value cannot be read, is given twice, or there are none.
        """
        if self.sweep is None:
            return (self.base,)
        values = self.values or DEFAULTS.get(self.sweep.value, ())
        if not values or len(set(values)) < len(values):
            raise InvalidInput(
                f"The values of the sweep over {self.sweep} are {', '.join(values) or 'none'}; "
                "name each once, as --values A,B."
            )
        return tuple(
            replace(self.base, **{self.sweep.field: _read(self.sweep, value)}) for value in values
        )

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The rows of each setting: baselines and both stages, in a sweep only the stages."""
        usual = [Similarity.COSINE.value] if self.sweep else [each.value for each in Similarity]
        second = tuple(map(stage_2, self.similarities or usual))
        if self.sweep is not None:
            return (STAGE_1, *second)
        asks = any(READERS[name].asks for name in self.readers)
        without_texts = (NONE,) if asks else ()
        exemplars = (EXEMPLARS,) if asks and self.base.exemplars else ()
        return (*without_texts, RANDOM, *exemplars, STAGE_1, *second)

    def label(self, variant: Variant) -> str:
        """The setting's name: what is varied and its value; empty where nothing is."""
        if self.sweep is None:
            return ""
        value = getattr(variant, self.sweep.field)
        if self.sweep is not Sweep.MODEL:
            return f"{self.sweep} {value}"
        last = Counter(Path(each.model or "").name for each in self.variants)
        name = Path(value).name
        return name if last[name] == 1 else str(value)


def _check_names(what: str, given: tuple[str, ...], allowed: list[str]) -> None:
    if not set(given) <= set(allowed) or len(set(given)) < len(given):
        raise InvalidInput(
            f"The {what} given are {', '.join(given)}; name each once, of {', '.join(allowed)}."
        )


def _read(sweep: Sweep, value: str) -> Any:
    """A sweep's value as its field has it."""
    if sweep is Sweep.MODEL:
        return value
    if sweep is Sweep.STAGE_1:
        _check_names("values of stage-1", (value,), [each.value for each in FirstStage])
        return value
    if not value.isdecimal():
        raise InvalidInput(
            f"The value {value!r} of the sweep over {sweep} was given; it must be a whole number."
        )
    return int(value)
