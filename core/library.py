"""What the library offers where several parts must come together: pool, encoder, model and run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from .embedding import Encoder, load_encoder
from .evaluation.plan.comparison_rows import ComparisonRow
from .evaluation.runs.calibrate import CalibrationOptions, ScoredCalibration
from .evaluation.runs.evaluate import ScoredComparison
from .evaluation.runs.scores_of_neighbours import RunModel, ScoresOfRuns
from .evaluation.scoring.example_scores import Setting, with_model
from .evaluation.scoring.quality_bias import score_quality
from .language_model import LanguageModel, load
from .retrieval import pool_view
from .retrieval.knobs import KNOBS, Knobs
from .retrieval.pool_view import LivePool, QualityKey, with_quality
from .settings import DEFAULT_TEMPLATE, PRACTICE, Embed
from .store import Store
from .studio.runs import calibrate as calibrating
from .studio.runs import compare as comparing
from .studio.session.studio import Setup, Studio
from .watcher import Watcher


def load_pool_view(
    store: Store,
    pool: str,
    encoder: Encoder,
    *,
    embed: str = Embed.QUERY,
    model: str | LanguageModel | None = None,
    template: str = DEFAULT_TEMPLATE,
) -> LivePool:
    """The pool as arrays; texts that are not embedded yet are embedded first.

    Args:
        store: The workspace.
        pool: The pool's name.
        encoder: What embeds the demonstrations; a query's vector must come from the same one.
        embed: The text of a demonstration that is compared with a query, `query` or `query+answer`.
        model: A folder, a GGUF file, a hub name, `practice`, or a loaded language model. Methods
            that use the quality bias, the scores of the pool's runs, or a model's answers need one;
            the quality bias that is missing is scored.
        template: How demonstrations and query become a prompt of that model.

    Raises:
        InvalidInput: There is no such pool, model, template or text to embed.
    """
    by = Embed(KNOBS["embed"].checked(embed))
    view = pool_view.load_pool_view(store, pool, encoder, embed=by)
    if model is None:
        return view
    with _studio(store, encoder, model) as studio:
        engine = studio.engine(_setup(pool, model, template))
    score_quality(store, store.pools.get(pool).id, engine)
    key = QualityKey(engine.fingerprint, engine.template.fingerprint)
    scores = ScoresOfRuns(store, encoder, RunModel(engine.name, engine.template.name, key))
    scored = with_quality(store, view, key).with_services(scores=scores)
    return with_model(Setting(scored, engine, Knobs().order))


def evaluate(  # noqa: PLR0913 (each has a default but the first three, and people name them)
    store: Store,
    pool: str,
    settings: Sequence[str],
    knobs: Knobs | None = None,
    *,
    model: str | LanguageModel = PRACTICE,
    encoder: Encoder | None = None,
    template: str = DEFAULT_TEMPLATE,
    limit: int | None = None,
    generate: bool = False,
) -> ScoredComparison:
    """Compare methods by what a language model answers to the pool's own queries.

    Each query is an evaluation example, which never sees the demonstrations of its own query. What
    is missing is embedded and scored first; nothing is computed twice, also after an interruption.

    Args:
        store: The workspace, where the run is recorded.
        pool: The pool's name.
        settings: What is compared: `rel`, `rel+div lambda_d=0.9` or `close: rel+div k=4`, where
            `close` is the setting's name. The first is the reference.
        knobs: What the settings leave open, and the seed that draws the examples; None takes the
            defaults.
        model: A folder, a GGUF file, a hub name, `practice`, or a loaded language model.
        encoder: What embeds the texts; None is the bundled one.
        template: How demonstrations and query become a prompt.
        limit: How many examples, >= 1; None takes all.
        generate: Whether the model also answers each example itself, greedily, once after every
            setting's context; False leaves out the metrics of generated answers.

    Returns:
        Every example's outcomes; `summary()` has each metric with its interval, by setting.

    Raises:
        InvalidInput: There is no such pool, method, knob, model or template, no query, or the
            limit is below 1; or the model generates no answers.

    Source: RAGSys, section 4.
    """
    shared = knobs or Knobs()
    request = comparing.CompareRequest(
        setup=_setup(pool, model, template),
        rows=tuple(ComparisonRow.parse(setting, shared) for setting in settings),
        seed=shared.seed,
        limit=limit,
        generate=generate,
    )
    with _studio(store, encoder, model) as studio:
        return comparing.run(studio, request, Watcher())


def calibrate(
    store: Store,
    pool: str,
    knobs: Knobs | None = None,
    *,
    model: str | LanguageModel = PRACTICE,
    encoder: Encoder | None = None,
    template: str = DEFAULT_TEMPLATE,
    limit: int | None = None,
    until_settled: bool = False,
) -> ScoredCalibration:
    """Find the `lambda_d` that serves a pool and a language model best, by the pool's own queries.

    Every context that `lambda_d` can choose is scored once, so that the curve is exact.

    Args:
        store: The workspace, where the run is recorded.
        pool: The pool's name.
        knobs: k, `lambda_b` and all else but `lambda_d`, and the seed that draws the examples; None
            takes the defaults.
        model: A folder, a GGUF file, a hub name, `practice`, or a loaded language model.
        encoder: What embeds the texts; None is the bundled one.
        template: How demonstrations and query become a prompt.
        limit: How many examples, >= 1; None takes all.
        until_settled: End before the limit, once no value can be better than the best by more than
            the margin of indifference.

    Returns:
        The outcomes at every value; `recommendation` has the knobs to use, `steps()` the curve.

    Raises:
        InvalidInput: There is no such pool, model or template, no query, or the limit is below 1.

    Source: RAGSys, Figure 1.
    """
    request = calibrating.CalibrateRequest(
        setup=_setup(pool, model, template),
        options=replace(
            CalibrationOptions.of(knobs or Knobs()), limit=limit, until_settled=until_settled
        ),
    )
    with _studio(store, encoder, model) as studio:
        return calibrating.run(studio, request, Watcher())


def _setup(pool: str, model: str | LanguageModel, template: str) -> Setup:
    return Setup(pool, model=model if isinstance(model, str) else model.name, template=template)


@contextmanager
def _studio(store: Store, encoder: Encoder | None, model: str | LanguageModel) -> Iterator[Studio]:
    """The services over a store that stays open, with what was loaded before."""
    studio = Studio(
        store,
        load_encoder=load_encoder if encoder is None else lambda name: encoder,
        load_model=lambda name: (
            load(name) if isinstance(model, str) or name != model.name else model
        ),
    )
    try:
        yield studio
    finally:
        studio.stop()
