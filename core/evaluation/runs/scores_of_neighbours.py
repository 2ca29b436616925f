"""What the method `neighbours` chooses by: the scores of a run of the pool, read from the store."""

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from ...embedding import Encoder
from ...errors import InvalidInput
from ...retrieval.choosing import METHODS, choose_context
from ...retrieval.context import Context
from ...retrieval.embedded_texts import embed_texts
from ...retrieval.knobs import Knobs
from ...retrieval.methods.neighbours import LATEST
from ...retrieval.methods.neighbours import METHOD as NEIGHBOURS
from ...retrieval.pool_view import LivePool, QualityKey
from ...retrieval.setting_scores import ScoredSettings
from ...selection.best_on_neighbours import ScoreTable
from ...settings import Embed
from ...store import Store
from ...types import BoolArray, FloatArray
from ..results.run_figures import RunSettings
from .recorded_scores import LEAST, RecordedScores, find_run


@dataclass(frozen=True)
class RunModel:
    """The language model and template whose runs are wanted.

    `key` has their fingerprints, None while only loading the model reveals its own: then the names
    decide.
    """

    model: str
    template: str
    key: QualityKey | None = None

    def made(self, settings: RunSettings) -> bool:
        """Whether a run with these recorded settings is of this model and template."""
        if self.key is None:
            names = (self.model, Path(self.model).name)  # runs know a folder by its last part
            return settings.model in names and settings.template == self.template
        fingerprints = settings.model_fingerprint, settings.template_fingerprint
        return fingerprints == (self.key.model, self.key.template)


@dataclass(eq=False)
class ScoresOfRuns:
    """Reads the scores of a pool's runs for its view: `Services.scores`.

    A run that is over is read once. The queries of its examples are embedded where they are not.
    """

    store: Store
    encoder: Encoder
    of_model: RunModel
    _known: dict[tuple[str, int, Embed], ScoredSettings] = field(default_factory=dict, repr=False)

    def __call__(self, view: LivePool, run: int) -> ScoredSettings:
        """The scores of that run, or of the latest one by this model where it is `LATEST`.

        Raises:
            InvalidInput: There is no such run, or fewer than two of its settings can be used.
        """
        found = self._known.get((view.name, run, view.embed))
        if found is None:
            stored = find_run(
                self.store, view.name, None if run == LATEST else run, self.of_model.made
            )
            found = self._known.get((view.name, stored.id, view.embed))
            if found is None:
                recorded = RecordedScores.read(self.store, stored)
                found = scored_settings(self.store, self.encoder, view, recorded)
                if stored.state != "running":
                    self._known[view.name, stored.id, view.embed] = found
        return replace(found, choose=partial(_choose, view))


def scored_settings(
    store: Store, encoder: Encoder, view: LivePool, recorded: RecordedScores
) -> ScoredSettings:
    """Those of a run's settings that queries of this view can get, with their scores.

    Raises:
        InvalidInput: There are fewer than two, or no example has a score.
    """
    usable, left_out = usable_settings(recorded, view.embed)
    if len(usable) < LEAST:
        raise InvalidInput(
            f"Run {recorded.run} has {len(usable)} of the settings that a query can get by its "
            f"scores, and {LEAST} are needed: compare methods that ask no language model when "
            f"they choose, with the embeddings of {view.embed}."
        )
    scores, weights = recorded.table(list(usable))
    queries = tuple(example.query for example in recorded.examples)
    embeddings, _ = embed_texts(store, encoder, queries)
    table = ScoreTable.of(scores, embeddings, weights)
    if not table.usable.any():
        raise InvalidInput(
            f"Run {recorded.run} has no example with a score; compare settings on examples whose "
            "answers the model can judge."
        )
    return ScoredSettings(
        run=recorded.run,
        metric=recorded.metric,
        names=tuple(usable),
        knobs=tuple(usable.values()),
        left_out=left_out,
        queries=queries,
        groups=recorded.groups,
        table=table,
        choose=partial(_choose, view),
    )


def usable_settings(
    recorded: RecordedScores, embed: Embed
) -> tuple[dict[str, Knobs], tuple[str, ...]]:
    """The settings that can be chosen for a query, and the names of those that cannot.

    A method must be registered and not be `neighbours` itself, ask the language model for nothing,
    and compare the embeddings of that text.
    """
    usable: dict[str, Knobs] = {}
    for name, request in recorded.requests.items():
        method = METHODS.get(request.method)
        if method is None or method.needs_model or method.name == NEIGHBOURS.name:
            continue
        if request.embed is embed:
            usable[name] = recorded.settings.knobs_of(request)
    return usable, tuple(name for name in recorded.requests if name not in usable)


def _choose(
    view: LivePool, knobs: Knobs, query: str, vector: FloatArray, excluded: BoolArray
) -> Context:
    return choose_context(view, query, vector, knobs, leave_out=False, also_excluded=excluded)
