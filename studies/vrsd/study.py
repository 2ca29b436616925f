"""The study of VRSD: its contexts against those of its paper's baselines, on held-out queries."""

from dataclasses import dataclass, replace

from core.demonstration.demonstration import EvaluationExample, Status
from core.engines import LocalEngine
from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.evaluation.plan.examples import examples_of
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import LivePool
from core.settings import VRSD_CANDIDATES, Embed, K
from core.studio.runs.starts import VRSD_LAMBDAS_D
from core.studio.session.models import caution
from core.studio.session.studio import Setup, Studio
from core.watcher import EMBEDDING, Watcher

from ..defaults import HELD_OUT, SEEDS
from ..split import Split, held_out_of
from .contexts import WithEncoder
from .results import VrsdStudy


@dataclass(frozen=True)
class VrsdRequest:
    """What the study is made on.

    Attributes:
        pool: The pool that is split.
        k: How many demonstrations a context has, >= 1.
        candidates: Those of highest relevance that VRSD and MMR choose among; 0 is the whole pool.
            BM25 always ranks the whole pool: its paper's baseline is a search of its own.
        share: How much of the pool is held out, above 0 and below 1.
        seeds: How many splits are made, >= 1.
        embed: The text of a demonstration that is compared with the query.
        encoders: Names of encoders; None is the bundled one.
        model: The language model that scores the answers; None uses none.
        limit: At most so many held-out queries a seed, the first of its random order; None is all.

    Raises:
        InvalidInput: One of them is out of its range, or an encoder is named twice.
    """

    pool: str
    k: int = K
    candidates: int = VRSD_CANDIDATES
    share: float = HELD_OUT
    seeds: int = SEEDS
    embed: Embed = Embed.QUERY_AND_ANSWER
    encoders: tuple[str | None, ...] = (None,)
    model: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.share < 1.0:
            raise InvalidInput(
                f"The share to hold out is {self.share:g}; give a number above 0 and below 1."
            )
        for name in ("k", "seeds", "limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(f"{name} is {value}; it must be 1 or more.")
        if not self.encoders or len(set(self.encoders)) < len(self.encoders):
            raise InvalidInput(
                f"The encoders {', '.join(map(str, self.encoders))} were given; name at least one, "
                "and each once."
            )

    @property
    def rows(self) -> tuple[ComparisonRow, ...]:
        """VRSD first, then what it is compared with."""
        shared = Knobs("vrsd", self.k, candidates=self.candidates, embed=self.embed)
        mmr = (replace(shared, method="rel+div", lambda_d=value) for value in VRSD_LAMBDAS_D)
        return (
            ComparisonRow("vrsd", shared),
            *(ComparisonRow(f"rel+div@lambda_d={knobs.lambda_d:g}", knobs) for knobs in mmr),
            ComparisonRow("bm25", replace(shared, method="bm25", candidates=0)),
        )


def vrsd(studio: Studio, request: VrsdRequest, watcher: Watcher) -> VrsdStudy:
    """Choose every method's context of every held-out query, for each seed and encoder.

    With a language model its log-probabilities of the answers show which option it prefers
    (accuracy: MC1) and what the context does to that (DPO per triple); no answer is generated.
    Nothing is recorded as a run, and log-probabilities in the store are not computed again.

    Raises:
        InvalidInput: An unknown pool, encoder or model, or too few queries to hold out.
        Cancelled: The watcher requested a stop; what was embedded and scored is kept.

    Source: Gao, Deng and Zhang 2024, VRSD (arXiv 2407.04573, section 4).
    """
    pool = studio.store.pools.get(request.pool)
    examples = examples_of(studio.store.demonstrations.all(pool.id, status=Status.INCLUDED))
    for seed in range(request.seeds):
        held_out_of(examples, request.share, seed, request.pool)  # refuses before any work
    encoders = {name: studio.encoder(name) for name in request.encoders}
    engine = None
    if request.model is not None:
        engine = studio.engine(Setup(request.pool, None, request.model))
    figures, skipped = [], 0
    for name, encoder in encoders.items():
        view = _view(studio, request, name, watcher)
        splits = [_split(view, examples, request, seed) for seed in range(request.seeds)]
        counts = ", ".join(f"{len(split.held_out):,}" for split in splits)
        watcher.on_note(f"{encoder.name}: {counts} queries held out")
        one = WithEncoder(studio.store, encoder, request.rows, splits, engine)
        figures.append(one.figures(watcher))
        skipped += one.skipped
    study = _study(view, request, splits, engine)
    return replace(study, encoders=tuple(figures), skipped=skipped)


def _view(studio: Studio, request: VrsdRequest, encoder: str | None, watcher: Watcher) -> LivePool:
    watcher.on_phase(EMBEDDING)
    return studio.view(Setup(request.pool, encoder), embed=request.embed, watcher=watcher)


def _split(
    view: LivePool, examples: list[EvaluationExample], request: VrsdRequest, seed: int
) -> Split:
    split = Split.of(view, examples, request.share, seed)
    return replace(split, held_out=split.held_out[: request.limit])


def _study(
    view: LivePool, request: VrsdRequest, splits: list[Split], engine: LocalEngine | None
) -> VrsdStudy:
    """The study's basis, without figures."""
    return VrsdStudy(
        pool=view.name,
        pool_version=view.version,
        k=request.k,
        candidates=request.candidates,
        share=request.share,
        embed=request.embed,
        limit=request.limit,
        queries=len({each.query for split in splits for each in split.held_out}),
        held_out=tuple(len(split.held_out) for split in splits),
        retrieved=tuple(len(split.view) for split in splits),
        model=None if engine is None else engine.name,
        template=None if engine is None else engine.template.name,
        caution="" if request.model is None else caution(request.model, view.answers),
        skipped=0,
        encoders=(),
    )
