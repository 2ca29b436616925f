"""Makes the files of `data/computed/`: what the first screens of the bundled pools show.

Run by `python -m practice computed --out FOLDER`, in a workspace of its own, so that nothing
comes from an earlier store.
"""

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.commands.documents import CommandDocument
from core.evaluation.plan.comparison_rows import rows_of_methods
from core.evaluation.plan.engine import prompt_of
from core.evaluation.results.outcomes import RequestResult
from core.evaluation.scoring.quality_bias import score_quality
from core.metrics.preference import dpo_per_triple
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import PoolView
from core.settings import PRACTICE
from core.studio.explore.exploration import ExploreRequest, example_of, explore, resolve
from core.studio.map.pool_map import LAYOUT, pool_map, text_keys
from core.studio.pools.bundled import (
    EFFECTS,
    EMBEDDINGS,
    LOG_PROBS,
    MAPS,
    QUALITY,
    Effects,
    choose,
    content_of,
)
from core.studio.pools.pools import BUNDLED, import_bundled
from core.studio.runs.compare import CompareRequest
from core.studio.runs.compare import run as compare
from core.studio.session.studio import Setup, Studio
from core.text import content_hash
from core.types import AnswerRequest, LogProb
from core.watcher import Watcher

Report = Callable[[str], None]
Arrays = dict[str, ArrayLike]
METHODS = ("none", "rel", "rel+div+bias")
"""No demonstrations, similarity alone, the mix with the paper's defaults."""


@dataclass(frozen=True)
class Computed(CommandDocument):
    """The files that were written, their sizes in bytes, and each pool's queries that they show."""

    folder: str
    bytes: dict[str, int]
    shown: dict[str, list[str]]


def make_computed(out: Path, report: Report) -> Computed:
    """Compute everything from scratch and write the files; what was written."""
    with tempfile.TemporaryDirectory() as folder, Studio.open(folder) as studio:
        import_bundled(studio)
        views = {name: _ready(studio, Setup(name, model=PRACTICE), report) for name in BUNDLED}
        report(f"comparing {', '.join(METHODS)} on every query of {BUNDLED[0]}")
        effects = _effects(studio, Setup(BUNDLED[0], model=PRACTICE))
        found = choose(effects)
        shown = {name: [view.distinct_queries[0]] for name, view in views.items()}
        if found is not None:
            texts = {content_hash(query): query for query in views[BUNDLED[0]].distinct_queries}
            shown[BUNDLED[0]] = [texts[found.example], texts[found.typical]]
        out.mkdir(parents=True, exist_ok=True)
        files = {
            EMBEDDINGS: _embeddings(views),
            QUALITY: _quality(studio, views),
            MAPS: _maps(studio, views, report),
            LOG_PROBS: _log_probs(studio, views, shown, report),
            EFFECTS: vars(effects) | {"queries": _cells(effects.queries)},
        }
        for name, arrays in files.items():
            np.savez_compressed(out / name, **arrays)
    sizes = {name: (out / name).stat().st_size for name in files}
    return Computed(str(out), sizes, shown)


def _ready(studio: Studio, setup: Setup, report: Report) -> PoolView:
    report(f"embedding and scoring {setup.pool}")
    studio.view(setup)
    score_quality(studio.store, studio.store.pools.get(setup.pool).id, studio.engine(setup))
    return studio.view(setup)


def _embeddings(views: dict[str, PoolView]) -> Arrays:
    rows = {
        content_hash(query): view.embeddings[row]
        for view in views.values()
        for query, row in zip(view.queries, view.rows.tolist(), strict=True)
    }
    encoder = next(iter(views.values())).encoder
    return {"encoder": encoder, "texts": _cells(rows), "rows": np.stack(list(rows.values()))}


def _quality(studio: Studio, views: dict[str, PoolView]) -> Arrays:
    key = studio.quality_key(Setup(BUNDLED[0], model=PRACTICE))
    assert key is not None, "the model is in memory"
    values = {
        pair: value
        for view in views.values()
        for pair, value in zip(view.pair_hashes, view.quality_bias.tolist(), strict=True)
    }
    return {
        "model": key.model,
        "template": key.template,
        "pairs": _cells(values),
        "values": np.array(list(values.values())),
    }


def _maps(studio: Studio, views: dict[str, PoolView], report: Report) -> Arrays:
    first = next(iter(views.values()))
    found: Arrays = {
        "layout": LAYOUT,
        "encoder": first.encoder,
        "seed": first.seed,
        "pools": np.array(list(views)),
    }
    for name, view in views.items():
        report(f"laying out the map of {name}")
        setup = Setup(name, model=PRACTICE)
        made, job = pool_map(studio, setup, view)
        if job is not None:
            job.wait()
            made = job.result
        assert made is not None, "the job that lays out the map has ended without one"
        found[f"texts {name}"] = text_keys(made.layout.queries)
        found[f"points {name}"] = made.layout.points
    return found


def _log_probs(
    studio: Studio, views: dict[str, PoolView], shown: dict[str, list[str]], report: Report
) -> Arrays:
    """The log-probabilities of all that the first screens show of these queries."""
    rows: dict[tuple[str, str], LogProb] = {}
    fingerprint = ""
    for name, queries in shown.items():
        setup = Setup(name, model=PRACTICE)
        engine = studio.engine(setup)
        fingerprint = engine.fingerprint
        for query in queries:
            report(f"scoring the contexts of one query of {name}")
            asked = _asked(studio, setup, views[name], query)
            asked = [each for each in asked if engine.fits(each.prompt, each.answers)]
            for each, found in zip(asked, engine.log_probs(asked), strict=True):
                prompt = content_hash(each.prompt)
                rows |= {
                    (prompt, content_hash(text)): value
                    for text, value in zip(each.answers, found, strict=True)
                }
    return {
        "model": fingerprint,
        "prompts": _cells(prompt for prompt, _ in rows),
        "answers": _cells(answer for _, answer in rows),
        "totals": np.array([row.total for row in rows.values()]),
        "n_tokens": np.array([row.n_tokens for row in rows.values()], dtype=np.int32),
        "tokens": np.array([token for row in rows.values() for token in row.tokens]),
    }


def _asked(studio: Studio, setup: Setup, view: PoolView, query: str) -> list[AnswerRequest]:
    """All answers alone, with every context of the curve, with that of similarity alone."""
    example, template = example_of(studio, view, query), studio.template(setup)
    request = ExploreRequest(
        setup, query, leave_out=True, answers=example.answers, incorrect=example.incorrect
    )
    prompts = [template.prompt([], query)]
    prompts += [
        prompt_of(view, piece.value, query, template, request.knobs.order)
        for piece in resolve(studio, request).path()
    ]
    for method in METHODS:
        asked = ExploreRequest(setup, query, Knobs(method), leave_out=True)
        prompts.append(explore(resolve(studio, asked)).prompt)
    texts = tuple(template.answer(text) for text in example.texts)
    return [AnswerRequest(prompt, texts) for prompt in dict.fromkeys(prompts)]


def _effects(studio: Studio, setup: Setup) -> Effects:
    """What Compare finds about the three methods, query by query in the pool's order."""
    request = CompareRequest(setup=setup, rows=rows_of_methods(METHODS, Knobs()))
    found = compare(studio, request, Watcher())
    view, key = studio.view(setup), studio.quality_key(setup)
    assert key is not None, "the model is in memory"
    place = {query: at for at, query in enumerate(view.distinct_queries)}
    order = np.argsort([place[example.query] for example in found.examples])
    none, similar, mix = (found.methods[name] for name in METHODS)

    def dpo(result: RequestResult) -> NDArray[np.float64]:
        return np.array([dpo_per_triple([each.scores]) for each in result.outcomes])[order]

    def margin(result: RequestResult) -> NDArray[np.float64]:
        scores = [each.scores for each in result.outcomes]
        return np.array([each.correct[each.best] - each.incorrect.max() for each in scores])[order]

    return Effects(
        pool=setup.pool,
        model=key.model,
        encoder=view.encoder,
        template=key.template,
        content=content_of(view),
        queries=tuple(map(content_hash, view.distinct_queries)),
        similar_dpo=dpo(similar),
        mix_dpo=dpo(mix),
        similar_sameness=np.array([each.scores.diversity for each in similar.outcomes])[order],
        none_margin=margin(none),
        similar_margin=margin(similar),
        mix_margin=margin(mix),
    )


def _cells(hashes: Iterable[str]) -> NDArray[np.bytes_]:
    return np.array(list(hashes), dtype="S32")
