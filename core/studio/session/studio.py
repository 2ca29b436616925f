"""What all services share: the store, the encoders and models in memory, the workers."""

import gc
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeAlias

from ...background import Presence, Worker
from ...curation.findings.near import NearTexts
from ...embedding import DeferredEncoder, Encoder, load_encoder
from ...engines import LocalEngine
from ...evaluation.runs.scores_of_neighbours import RunModel, ScoresOfRuns
from ...evaluation.scoring.task_states import KeptStates
from ...language_model import (
    LanguageModel,
    Template,
    find_template,
    known_fingerprint,
    known_template,
    load,
    served_by,
)
from ...language_model.offers import SMOLLM2, is_at_hand
from ...passages.search import PassageArrays, load_collected
from ...recent import Recent
from ...retrieval.doubts import PoolReading, how_read
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.pool_view import LivePool, QualityKey, load_pool_view, with_quality
from ...retrieval.retrieved import RetrievalCounts
from ...settings import DEFAULT_TEMPLATE, PRACTICE, SCRIPTED, Embed, chosen_model, workspace_folder
from ...store import Store
from ...types import FloatArray
from ...watcher import NOBODY, Watcher
from ...writing import whole_file

LoadEncoder: TypeAlias = Callable[[str | None], Encoder]
LoadModel: TypeAlias = Callable[[str], LanguageModel]

LOADED = 2
"""Encoders, models and pools kept in memory, each."""
RUNS = 8
"""Recorded runs that are kept in memory as they were read."""
LARGE = 50_000_000
"""The parameters from which a model's products are large enough for all cores."""
_OWN_MODEL = "model.txt"
QUERY_VECTORS = 32
"""Queries whose vectors are kept in memory: a slider needs the same one at every move."""


@dataclass(frozen=True)
class Setup:
    """The pool, encoder, language model and prompt template that a view works with.

    `encoder` None is the bundled one; `model` None is what SHOTLIST_MODEL names, else the
    practice model.
    """

    pool: str
    encoder: str | None = None
    model: str | None = None
    template: str = DEFAULT_TEMPLATE

    @property
    def model_name(self) -> str:
        """The name of the chosen language model."""
        return chosen_model(self.model)


@dataclass(frozen=True)
class ModelNow:
    """What is known of a setup's language model; `model` is None before it is in memory.

    `fingerprint` is None if only loading the model reveals it. With it, what the model computed
    before can be read from the store. `template` is in the model's chat format once that is known.
    """

    model: LanguageModel | None
    fingerprint: str | None
    template: Template

    @property
    def quality(self) -> QualityKey | None:
        """The key of the stored quality bias; None before it is known."""
        if self.fingerprint is None or (self.template.chat and self.model is None):
            return None  # a chat format comes with the model
        return QualityKey(self.fingerprint, self.template.fingerprint)


def load_beside_the_pages(name: str) -> LanguageModel:
    """Load a model and give it cores: all of them to a large one, half of them to a small one.

    The threads of a small model wait for each other more than they compute, and pages need the
    other cores to stay quick; a large one gives way to them between two batches. One behind a
    server takes none, nor does the scripted one.
    """
    model = load(name)
    if served_by(name) is not None or name == SCRIPTED:
        return model
    import torch

    cores = os.cpu_count() or 2
    large = (model.parameters or 0) >= LARGE
    torch.set_num_threads(cores if large else max(1, cores // 2))
    return model


def let_threads_sleep() -> None:
    """Have threads of OpenMP sleep while they wait for each other; called before torch is imported.

    They would spin. Where another program wants a core as well, two spinning threads take 12 times
    as long as one for the contexts of a model of 135 million parameters, sleeping ones 1.1 times;
    on an idle machine either takes 0.7 times as long (two cores).
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


class Studio:
    """An open workspace. Safe to use from many threads.

    `model_worker` is the one thread that runs language models, `pool_worker` embeds and projects,
    `fetch_worker` fetches models. The first two give way while a page is being drawn for a person
    (`presence`).
    `recorded` keeps what services have read of recorded runs, by their ids, each with what
    distinguishes it from the same run later.
    `near` keeps which queries of a pool were much the same when it was checked last, by pool and
    encoder, and `retrieved` how often its demonstrations are retrieved, by a key that names all
    that this depends on.

    Args:
        store: The workspace's store, which the studio closes.
        load_encoder: Makes the encoder of a name; None is the bundled one.
        load_model: Loads the language model of a name.
        presence: Knows whether a page is being drawn for a person; None is a new one.
    """

    def __init__(
        self,
        store: Store,
        *,
        load_encoder: LoadEncoder = load_encoder,
        load_model: LoadModel = load_beside_the_pages,
        presence: Presence | None = None,
    ) -> None:
        self.store = store
        self.presence = presence or Presence()
        self._load_encoder = load_encoder
        self._load_model = load_model
        self.model_worker = Worker("language model", self.presence)
        self.pool_worker = Worker("pool", self.presence)
        self.fetch_worker = Worker("fetching", self.presence)
        self._encoders = Recent[Encoder](LOADED)
        self._models = Recent[LanguageModel](LOADED)
        self._views = Recent[LivePool](LOADED)
        self._scored_views = Recent[LivePool](LOADED)
        self._collections = Recent[PassageArrays](LOADED)
        self._readings = Recent[PoolReading](LOADED)
        self.pool_states = KeptStates()
        self.recorded = Recent[tuple[object, Any]](RUNS)
        self.near = Recent[NearTexts](LOADED)
        self.retrieved = Recent[RetrievalCounts](LOADED)
        self._query_vectors = Recent[FloatArray](QUERY_VECTORS)

    @classmethod
    def open(
        cls,
        workspace: str | Path | None = None,
        *,
        load_encoder: LoadEncoder = load_encoder,
        load_model: LoadModel = load_beside_the_pages,
        presence: Presence | None = None,
    ) -> Self:
        """Open the workspace, creating it if there is none; the arguments are those of the class.

        Raises:
            WorkspaceBusy: Another process has it open.
        """
        return cls(
            Store.open(workspace_folder(workspace)),
            load_encoder=load_encoder,
            load_model=load_model,
            presence=presence,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers and close the workspace."""
        self.stop()
        self.store.close()

    def stop(self) -> None:
        """Stop the workers; the store stays open."""
        self.model_worker.close()
        self.pool_worker.close()
        self.fetch_worker.close()

    @property
    def workspace(self) -> Path:
        """The folder of all that is stored."""
        return self.store.folder

    def copied_workspace(self) -> Path:
        """The folder of a new copy of it."""
        return self.store.copied()

    @property
    def index_folder(self) -> Path:
        """The folder of the pools' indexes."""
        return self.store.folder / "indexes"

    @property
    def default_model(self) -> str:
        """The model while none is chosen: SHOTLIST_MODEL's, else the workspace's, else practice."""
        chosen = chosen_model()
        return (self.own_model or PRACTICE) if chosen == PRACTICE else chosen

    @property
    def own_model(self) -> str | None:
        """The model that was fetched for this workspace; None if none was, or it is gone."""
        file = self.store.folder / _OWN_MODEL
        name = file.read_text(encoding="utf-8") if file.is_file() else ""
        return name if name and (name != SMOLLM2.name or is_at_hand(SMOLLM2)) else None

    def choose_model(self, name: str) -> None:
        """Make a model the workspace's own, for everyone who opens it from now on."""
        with whole_file(self.store.folder / _OWN_MODEL) as unfinished:
            unfinished.write_text(name, encoding="utf-8")

    def model_now(self, setup: Setup) -> ModelNow:
        """The setup's language model as far as it is in memory; never loads it.

        Raises:
            InvalidInput: There is no such template, or it needs a chat format that the model has
                not.
        """
        model = self.loaded_model(setup.model)
        if model is None:
            template = known_template(setup.template)
            return ModelNow(None, known_fingerprint(setup.model_name), template)
        template = find_template(setup.template, model.name, model.chat_format)
        return ModelNow(model, model.fingerprint, template)

    def template(self, setup: Setup) -> Template:
        """The template of `model_now`."""
        return self.model_now(setup).template

    def encoder(self, name: str | None = None) -> Encoder:
        """The encoder of that name, made once; None is the bundled one, which loads when needed."""
        return self._encoders.get(name, lambda: self._load_encoder(name))

    def query_vector(self, encoder: str | None, query: str) -> FloatArray:
        """The query's unit vector, shape (d,), from memory, the store or the encoder."""
        loaded = self.encoder(encoder)
        key = (loaded.fingerprint, query)
        return self._query_vectors.get(key, lambda: embed_texts(self.store, loaded, [query])[0][0])

    def reading(self, setup: Setup, view: LivePool) -> PoolReading:
        """How far the setup's encoder serves the pool's queries."""
        encoder = self.encoder(setup.encoder)
        key = (view.name, view.version, encoder.fingerprint)
        return self._readings.get(key, lambda: how_read(encoder, view.distinct_queries))

    def language_model(self, name: str | None) -> LanguageModel:
        """The language model of that name, loaded once; None is the chosen one.

        Raises:
            InvalidInput: It cannot be loaded.
        """
        chosen = chosen_model(name)
        return self._models.get(chosen, lambda: self._load_model(chosen))

    def keep_only_model(self, name: str | None) -> None:
        """Let go of every language model but that one: work that needs them one by one calls it.

        Two that fill the memory need not fit together. A page's chosen model is let go of as well;
        what needs it loads it again. Work that is under way on the model's thread keeps its own.
        """
        kept = self.loaded_model(name)
        self._models.drop(lambda model: model is not kept)
        gc.collect()  # a network refers to itself, and would wait for that

    def engine(self, setup: Setup) -> LocalEngine:
        """The engine of the setup's language model, which is loaded once, and its template.

        Raises:
            InvalidInput: The model cannot be loaded, or there is no such template for it.
        """
        model = self.language_model(setup.model)
        return LocalEngine(self.store, model, self.template(setup))

    def quality_key(self, setup: Setup) -> QualityKey | None:
        """The quality key of `model_now`."""
        return self.model_now(setup).quality

    def loaded_model(self, name: str | None) -> LanguageModel | None:
        """The language model if it is in memory already; never loads it."""
        return self._models.peek(chosen_model(name))

    def view(
        self, setup: Setup, *, embed: Embed = Embed.QUERY, watcher: Watcher = NOBODY
    ) -> LivePool:
        """The pool as arrays at its present version, with the quality bias scored so far.

        `embed` names the text of a demonstration that is embedded. The quality bias is in the view
        once the model's fingerprint is known (`quality_key`). Its `scores` are those of the runs
        with the setup's model and template.
        """
        key, encoder = self._view_key(setup, embed)
        self._let_go_of_other_versions(key)
        view = self._views.get(
            key,
            lambda: load_pool_view(self.store, setup.pool, encoder, embed=embed, watcher=watcher),
        )
        if view.version != key[2]:
            # The pool changed before it was read.
            key = (*key[:2], view.version, *key[3:])
            view = self._views.get(key, lambda: view)
        quality = self.quality_key(setup)
        of_model = RunModel(setup.model_name, setup.template, quality)
        scored = self.store.quality.count(quality.model, quality.template) if quality else 0

        def with_scores() -> LivePool:
            known = view if quality is None else with_quality(self.store, view, quality)
            return known.with_services(scores=ScoresOfRuns(self.store, encoder, of_model))

        return self._scored_views.get((*key, of_model, scored), with_scores)

    def collected(
        self, name: str, encoder: Encoder | None, *, watcher: Watcher = NOBODY
    ) -> PassageArrays:
        """A collection of passages at its present version; see `load_collected`."""
        collection = self.store.passages.get(name)
        key = (collection.version, encoder.fingerprint if encoder is not None else None)
        self._collections.drop(
            lambda each: each.name == collection.name and each.version != collection.version
        )
        return self._collections.get(
            key, lambda: load_collected(self.store, name, encoder, watcher=watcher)
        )

    def has_encoder(self, name: str | None) -> bool:
        """Whether the encoder of that name can encode at once; never loads it."""
        encoder = self._encoders.peek(name)
        return encoder.ready if isinstance(encoder, DeferredEncoder) else encoder is not None

    def has_view(self, setup: Setup, embed: Embed = Embed.QUERY) -> bool:
        """Whether the pool's arrays are in memory at its present version; never loads them."""
        if self._encoders.peek(setup.encoder) is None:
            return False
        return self._views.peek(self._view_key(setup, embed)[0]) is not None

    def _let_go_of_other_versions(self, key: tuple[int, str, int, str, Embed]) -> None:
        """A large pool's arrays take half a gigabyte: there is room for those of one version."""
        _, name, version, encoder, _ = key

        def stale(view: LivePool) -> bool:
            return (view.name, view.encoder) == (name, encoder) and view.version != version

        self._views.drop(stale)
        self._scored_views.drop(stale)

    def _view_key(
        self, setup: Setup, embed: Embed
    ) -> tuple[tuple[int, str, int, str, Embed], Encoder]:
        pool = self.store.pools.get(setup.pool)
        encoder = self.encoder(setup.encoder)
        return (pool.id, pool.name, pool.version, encoder.fingerprint, embed), encoder
