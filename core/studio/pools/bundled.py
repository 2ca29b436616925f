"""What was computed for the bundled pools and comes along, and the queries to show them by.

Every number is keyed by what it was computed from: the hashes of the texts and the fingerprints
of encoder, language model and template. With other ones it is never found, and
everything is computed as for any other pool. `commands/computed.py` makes the files.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...reporting.results.idea import Chosen, Opening
from ...retrieval.pool_view import PoolView
from ...settings import data_folder
from ...text import content_hash
from ...types import LogProb
from ..map.pool_map import LAYOUT, map_key
from ..session.studio import Setup, Studio

FOLDER = "computed"
EMBEDDINGS, QUALITY, MAPS, LOG_PROBS, EFFECTS = (
    f"{name}.npz" for name in ("embeddings", "quality", "maps", "log-probs", "effects")
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Effects:
    """What the mix and similarity alone do to every query of a pool, in the pool's order.

    `mix` is the method rel+div+bias with the paper's defaults, `similar` the method `rel`, both
    with the default k. Margins are log-probabilities in nats: of the best answer less that of the
    likeliest incorrect one, so the right answer wins where they are positive.

    Attributes:
        pool: The pool's name.
        model: The language model's fingerprint.
        encoder: The encoder's fingerprint.
        template: The template's fingerprint.
        content: The hash of the pool's included demonstrations, texts and order (`content_of`).
        queries: The content hash of each query, q of them.
        similar_dpo: DPO per triple with `similar`, nats, shape (q,).
        mix_dpo: DPO per triple with the mix, nats, shape (q,).
        similar_sameness: Mean cosine of the pairs of the context of `similar`, shape (q,).
        none_margin: Margin without demonstrations, shape (q,).
        similar_margin: Margin with `similar`, shape (q,).
        mix_margin: Margin with the mix, shape (q,).
    """

    pool: str
    model: str
    encoder: str
    template: str
    content: str
    queries: tuple[str, ...]
    similar_dpo: NDArray[np.float64]
    mix_dpo: NDArray[np.float64]
    similar_sameness: NDArray[np.float64]
    none_margin: NDArray[np.float64]
    similar_margin: NDArray[np.float64]
    mix_margin: NDArray[np.float64]


def load_computed(studio: Studio) -> None:
    """Put what comes with the project into a store that has its pools.

    What the store has already stays; a workspace without the bundled pools gets nothing.
    """
    folder = data_folder() / FOLDER
    effects = bundled_effects()
    if effects is None or all(each.name != effects.pool for each in studio.store.pools.all()):
        return
    rows = _read(folder / EMBEDDINGS)
    encoder, texts = str(rows["encoder"]), texts_of(rows["texts"])
    quality = _read(folder / QUALITY)
    studio.store.embeddings.put(encoder, texts, rows["rows"])
    studio.store.quality.put(
        str(quality["model"]), str(quality["template"]), texts_of(quality["pairs"]),
        quality["values"].tolist(),
    )  # fmt: skip
    _load_log_probs(studio, _read(folder / LOG_PROBS))
    _load_maps(studio, _read(folder / MAPS))


@lru_cache(maxsize=1)
def bundled_effects() -> Effects | None:
    """The effects that come with the project; None where its folder lacks them."""
    path = data_folder() / FOLDER / EFFECTS
    if not path.is_file():
        return None
    found = _read(path)
    return Effects(
        pool=str(found["pool"]),
        model=str(found["model"]),
        encoder=str(found["encoder"]),
        template=str(found["template"]),
        content=str(found["content"]),
        queries=tuple(texts_of(found["queries"])),
        similar_dpo=found["similar_dpo"],
        mix_dpo=found["mix_dpo"],
        similar_sameness=found["similar_sameness"],
        none_margin=found["none_margin"],
        similar_margin=found["similar_margin"],
        mix_margin=found["mix_margin"],
    )


def content_of(view: PoolView) -> str:
    """The hash of a pool's included demonstrations, whatever its name and version."""
    return content_hash(*view.pair_hashes)


def texts_of(cells: NDArray[np.bytes_]) -> list[str]:
    """Hashes as the files keep them, as text."""
    return [cell.decode("ascii") for cell in cells.tolist()]


def _load_log_probs(studio: Studio, found: dict[str, NDArray[Any]]) -> None:
    tokens = np.split(found["tokens"], np.cumsum(found["n_tokens"])[:-1])
    pairs = zip(texts_of(found["prompts"]), texts_of(found["answers"]), strict=True)
    rows = {
        pair: LogProb(total, len(row), tuple(row.tolist()))
        for pair, total, row in zip(pairs, found["totals"].tolist(), tokens, strict=True)
    }
    studio.store.log_probs.put(str(found["model"]), rows)


def _load_maps(studio: Studio, found: dict[str, NDArray[Any]]) -> None:
    if str(found["layout"]) != LAYOUT:
        return
    there = {summary.name for summary in studio.store.pools.all()}
    for pool in map(studio.store.pools.get, there.intersection(found["pools"].tolist())):
        if pool.seed != int(found["seed"]):
            continue
        key = map_key(pool.id, str(found["encoder"]), pool.seed)
        if studio.store.coordinates.get(key) is None:
            texts, points = found[f"texts {pool.name}"], found[f"points {pool.name}"]
            studio.store.coordinates.put(key, texts, points)


def _read(path: Path) -> dict[str, NDArray[Any]]:
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


RULE = (
    "Of all queries whose demonstrations by similarity alone repeat themselves at least as much "
    "as the middle query's (by sameness), and whose right answer loses with these and wins with "
    "the mix, the one that gains most DPO per triple by the mix; among equals the first of the "
    "pool. The typical query is the one whose gain is nearest to the median over all queries."
)


def choose(effects: Effects) -> Chosen | None:
    """The queries' content hashes by `RULE`; None where no query shows the effect."""
    gain = effects.mix_dpo - effects.similar_dpo
    similar_right, mix_right = effects.similar_margin > 0, effects.mix_margin > 0
    won = ~similar_right & mix_right
    repeats = effects.similar_sameness >= np.median(effects.similar_sameness)
    showing = np.flatnonzero(won & repeats)
    if not len(showing):
        return None
    example = int(showing[np.argmax(gain[showing])])  # the first of the largest
    median = float(np.median(gain))
    typical = int(np.argmin(np.abs(gain - median)))
    return Chosen(
        example=effects.queries[example],
        gain=float(gain[example]),
        typical=effects.queries[typical],
        typical_gain=float(gain[typical]),
        median_gain=median,
        queries=len(gain),
        showing=len(showing),
        won=int(won.sum()),
        lost=int((similar_right & ~mix_right).sum()),
        right=(
            int((effects.none_margin > 0).sum()),
            int(similar_right.sum()),
            int(mix_right.sum()),
        ),
    )


@lru_cache(maxsize=1)
def bundled_choice() -> Chosen | None:
    """The choice among the queries of the bundled example pool; None where there is none."""
    effects = bundled_effects()
    return None if effects is None else choose(effects)


def opening(studio: Studio, setup: Setup, view: PoolView) -> Opening | None:
    """The query to open with: the chosen one of the example pool, else the pool's first.

    The figures of the choice (`chosen`) are for one encoder, model and template and for the pool
    as it was delivered; they are left out with others and once the pool was edited. None if the
    pool has no query.
    """
    if not view.distinct_queries:
        return None
    effects, chosen = bundled_effects(), bundled_choice()
    if effects is None or chosen is None or view.name != effects.pool:
        return Opening(view.distinct_queries[0])
    texts = {content_hash(query): query for query in view.distinct_queries}
    query = texts.get(chosen.example, view.distinct_queries[0])
    quality = studio.quality_key(setup)
    at_hand = (view.encoder, quality and quality.model, quality and quality.template)
    if at_hand != (effects.encoder, effects.model, effects.template):
        return Opening(query)
    if content_of(view) != effects.content:
        return Opening(query)
    return Opening(query, texts[chosen.typical], chosen)
