"""A Fusion-in-Decoder reader over a pool: its nearest demonstrations as the evidence of a query."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.demonstration.demonstration import EvaluationExample, Status
from core.errors import InvalidInput
from core.evaluation.plan.examples import examples_of, is_held_out
from core.retrieval.choosing import choose_context
from core.retrieval.context import Context
from core.retrieval.embedded_texts import embed_texts
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import LivePool, PoolView
from core.settings import K
from core.studio.session.studio import Setup, Studio
from core.types import BoolArray, FloatArray
from core.watcher import EMBEDDING, NOBODY, Watcher

from .episode import Episode
from .reader import FusionReader
from .training import FineTuning, FineTuningReport, train

VALIDATION_SHARE = 0.1
"""The share of a pool's queries used for validation; none of them is trained on."""

MOST_LABELS = 50
"""A pool with more different answers has no list of labels to choose from."""

TRAINING = "training"
"""The phase of a watcher that counts the optimiser's steps."""


@dataclass(frozen=True)
class EvidenceRequest:
    """Which pool gives the evidence, and how much of it.

    Attributes:
        pool: The pool's name.
        encoder: What compares queries; None is the bundled one.
        k: How many of the nearest demonstrations (method `rel`) are shown; 0 shows none.
    """

    pool: str
    encoder: str | None = None
    k: int = K


@dataclass(frozen=True)
class ReaderTraining:
    """What a training over a pool did.

    Attributes:
        pool: The pool's name.
        k: Pieces of evidence an episode, at most.
        labels: How many labels the pool has; 0 where its answers are not labels.
        report: What the training did.
    """

    pool: str
    k: int
    labels: int
    report: FineTuningReport


@dataclass(frozen=True)
class Reply:
    """What a reader answers to a query.

    Attributes:
        answer: The label of highest log-probability; where there are none, the text it writes.
        ids: The demonstrations that were its evidence, the most relevant first.
        evidence: Their texts.
        ranked: Every label with its log-probability, the highest first.
    """

    answer: str
    ids: tuple[int, ...]
    evidence: tuple[str, ...]
    ranked: tuple[tuple[str, float], ...]


def train_on_pool(
    studio: Studio,
    reader: FusionReader,
    request: EvidenceRequest,
    plan: FineTuning,
    folder: Path,
    watcher: Watcher,
) -> ReaderTraining:
    """Fine-tune a reader on a pool's queries, each with its nearest demonstrations as evidence.

    What gives a query's answer away is never its evidence: demonstrations with the same normalised
    query, and those with a correct answer of it that is no label. A seeded tenth of the queries is
    held out for validation.

    Raises:
        InvalidInput: An unknown pool, too few queries, a text that does not fit, or what `train`
            refuses.
        Cancelled: The watcher requested a stop; the same call continues from the checkpoint.
    """
    view = _view(studio, request, watcher)
    pool = studio.store.pools.get(request.pool)
    examples = examples_of(studio.store.demonstrations.all(pool.id, status=Status.INCLUDED))
    labels = labels_of(view)
    episodes = _episodes(studio, view, request, examples, labels)
    held_out = [is_held_out(each.query, VALIDATION_SHARE, plan.seed) for each in examples]
    if not any(held_out) or all(held_out):
        raise InvalidInput(
            f"Pool {request.pool!r} has {len(examples):,} queries, too few to train on most and "
            "check on the others; give a pool of at least 20 queries."
        )
    watcher.on_phase(TRAINING)
    report = train(
        reader,
        [each for each, left_out in zip(episodes, held_out, strict=True) if not left_out],
        plan,
        folder=folder,
        validation=[each for each, left_out in zip(episodes, held_out, strict=True) if left_out],
        watcher=watcher,
    )
    return ReaderTraining(request.pool, request.k, len(labels), report)


def answer_query(
    studio: Studio,
    reader: FusionReader,
    request: EvidenceRequest,
    query: str,
    labels: Sequence[str] = (),
    watcher: Watcher = NOBODY,
) -> Reply:
    """What the reader answers to a query with the pool's nearest demonstrations as evidence.

    Args:
        studio: The open workspace.
        reader: The reader.
        request: Which evidence.
        query: Typed by hand, so that nothing is left out.
        labels: What it may answer; empty takes the pool's labels. If the pool has none either, the
            reader writes its answer.
        watcher: Called with the progress of embedding.

    Raises:
        InvalidInput: The query is empty, the pool unknown, or a text does not fit.
    """
    if not query.strip():
        raise InvalidInput("The query is empty; give the text to answer.")
    view = _view(studio, request, watcher)
    vector = studio.query_vector(request.encoder, query)
    context = _nearest(view, request, query, vector)
    evidence = _evidence(view, context)
    ids = tuple(context.ids.tolist()) if context is not None else ()
    offered = tuple(labels) or labels_of(view)
    if not offered:
        return Reply(reader.write(query, evidence), ids, evidence, ())
    scored = reader.log_probs(query, evidence, offered)
    totals = {label: each.total for label, each in zip(offered, scored, strict=True)}
    ranked = tuple(sorted(totals.items(), key=lambda item: -item[1]))
    return Reply(ranked[0][0], ids, evidence, ranked)


def labels_of(view: PoolView) -> tuple[str, ...]:
    """The pool's different answers in order of first appearance; none if they are not labels.

    They are labels where many queries share each of them (`answer_index.LABEL_RULE`) and they are
    at most `MOST_LABELS`.
    """
    answers = tuple(dict.fromkeys(view.answers))
    every = bool(view.answer_index.labels.all()) and len(answers) <= MOST_LABELS
    return answers if every else ()


def _view(studio: Studio, request: EvidenceRequest, watcher: Watcher) -> LivePool:
    watcher.on_phase(EMBEDDING)
    return studio.view(Setup(request.pool, request.encoder), watcher=watcher)


def _episodes(
    studio: Studio,
    view: LivePool,
    request: EvidenceRequest,
    examples: Sequence[EvaluationExample],
    labels: tuple[str, ...],
) -> list[Episode]:
    """One a query, with the answer marked as best, else the first."""
    encoder = studio.encoder(request.encoder)
    vectors, _ = embed_texts(studio.store, encoder, [each.query for each in examples])
    found = []
    for example, vector in zip(examples, vectors, strict=True):
        leaks = view.leaks(example.query, example.answers, vector)
        context = _nearest(view, request, example.query, vector, leaks)
        answer = example.answers[example.best]
        found.append(Episode(example.query, _evidence(view, context), answer, labels))
    return found


def _nearest(
    view: LivePool,
    request: EvidenceRequest,
    query: str,
    vector: FloatArray,
    leaks: BoolArray | None = None,
) -> Context | None:
    """The nearest demonstrations, the most relevant first; with `leaks` for an example."""
    if not request.k:
        return None
    return choose_context(
        view, query, vector, Knobs("rel", request.k), leave_out=leaks is not None,
        also_excluded=leaks,
    )  # fmt: skip


def _evidence(view: PoolView, context: Context | None) -> tuple[str, ...]:
    """Each demonstration as its query, a space, its answer."""
    if context is None:
        return ()
    return tuple(f"{view.queries[place]} {view.answers[place]}" for place in context.indices)
