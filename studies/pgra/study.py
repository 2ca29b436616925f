"""The study of PGRA: what is kept after each of its stages, and what readers make of it."""

from core.demonstration.demonstration import Status
from core.errors import InvalidInput
from core.evaluation.plan.examples import examples_of
from core.evaluation.scoring.task_states import StateReader
from core.language_model.hub import refuse_no_folder
from core.retrieval.pool_view import LivePool
from core.settings import SEED
from core.studio.session.models import caution
from core.studio.session.studio import Setup, Studio
from core.watcher import EMBEDDING, Watcher

from ..readers.registry import READERS
from ..split import Split, held_out_of
from .contexts import WithModel
from .evidence import Evidence, evidence_of, task_named
from .found import PgraStudy
from .results import PgraRow, rows_of
from .settings import PgraRequest, Sweep, Variant


def pgra(studio: Studio, request: PgraRequest, watcher: Watcher) -> PgraStudy:
    """Keep texts for every held-out query by each row, for each setting and seed of exemplars.

    Nothing is recorded as a run; task states and log-probabilities in the store are not
    computed again.

    Raises:
        InvalidInput: An unknown pool, task, encoder or model, a model without states, or too
            little that is labelled.
        Cancelled: The watcher requested a stop; what was read and scored is kept.

    Source: Guo et al. 2023, PGRA, sections 2 to 4.
    """
    for variant in request.variants:  # a slip in the last name shows before the first one's work
        if variant.model is not None:
            refuse_no_folder(variant.model)
    view, evidence = _parts(studio, request, watcher)
    watcher.on_note(
        f"task {evidence.task.name}: {len(evidence.queries):,} queries held out, "
        f"{len(evidence.view):,} demonstrations left"
    )
    rows: list[PgraRow] = []
    for number, variant in enumerate(request.variants, 1):
        if label := request.label(variant):
            watcher.on_part(f"{request.sweep} {label}, {number} of {len(request.variants)}")
        if request.sweep is Sweep.MODEL:
            studio.keep_only_model(variant.model)
        rows += _of_variant(studio, request, variant, evidence, watcher)
    models = dict.fromkeys(variant.model for variant in request.variants)
    names = (Setup(request.pool, model=model).model_name for model in models)
    cautions = dict.fromkeys(caution(name, view.answers) for name in names)
    return PgraStudy(
        pool=view.name,
        pool_version=view.version,
        task=evidence.task.name,
        encoder=studio.encoder(request.encoder).name,
        share=request.share,
        limit=request.limit,
        seeds=tuple(range(request.seeds)),
        sweep=None if request.sweep is None else request.sweep.value,
        queries=len(evidence.queries),
        evidence=len(evidence.view),
        unlabelled=evidence.unlabelled,
        unclear=evidence.unclear,
        chance=evidence.chance,
        caution=" ".join(filter(None, cautions)),
        rows=tuple(rows),
    )


def _parts(studio: Studio, request: PgraRequest, watcher: Watcher) -> tuple[LivePool, Evidence]:
    """The whole pool, and its labelled part: the evidence and the held-out queries."""
    pool = studio.store.pools.get(request.pool)
    demonstrations = studio.store.demonstrations.all(pool.id, status=Status.INCLUDED)
    examples = examples_of(demonstrations)
    held_out_of(examples, request.share, SEED, request.pool)  # refuses before any work
    task = task_named(studio.store, pool, demonstrations, request.task)  # so does this
    watcher.on_phase(EMBEDDING)
    view = studio.view(Setup(request.pool, request.encoder, request.base.model), watcher=watcher)
    split = Split.of(view, examples, request.share, SEED)
    embed = (studio.store, studio.encoder(request.encoder))
    return view, evidence_of(task, split, request.limit, embed, watcher)


def _of_variant(
    studio: Studio, request: PgraRequest, variant: Variant, evidence: Evidence, watcher: Watcher
) -> tuple[PgraRow, ...]:
    """The rows of one setting, over all seeds."""
    if variant.exemplars >= (labelled := len(evidence.view)):
        raise InvalidInput(
            f"Of {labelled:,} labelled demonstrations {variant.exemplars:,} were asked for as "
            "exemplars, which are never kept, so that none would remain; ask for fewer."
        )
    engine = studio.engine(Setup(request.pool, request.encoder, variant.model))
    states = StateReader(engine, studio.pool_states)
    one = WithModel(evidence, engine, states, [READERS[name] for name in request.readers])
    found = []
    for seed in range(request.seeds):
        watcher.on_part(f"exemplars of seed {seed}, {seed + 1} of {request.seeds}")
        found.append(one.of_seed(variant, request.arms, seed, watcher))
    return rows_of(evidence, variant, (request.label(variant), engine.name), found)
