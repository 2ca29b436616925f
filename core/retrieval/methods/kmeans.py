"""The most similar demonstration of each of k clusters of the candidates."""

import numpy as np

from ...selection.baselines.kmeans import one_per_cluster
from ...types import BoolArray, FloatArray, IntArray
from ..context import Context
from ..knobs import Knobs
from ..method import Method
from ..pool_contexts import context_of
from ..pool_view import PoolView


def choose(
    view: PoolView,
    query: str,
    query_vector: FloatArray,
    knobs: Knobs,
    excluded: BoolArray,
) -> Context:
    """The picks of `one_per_cluster` among the candidates, in as many clusters as are chosen."""
    selection = one_per_cluster(
        view.relevance(query_vector),
        view.matrix,
        knobs.k,
        clusters=_clusters(view, knobs, excluded),
        excluded=excluded,
        groups=view.groups if knobs.one_per_query else None,
    )
    return context_of(view, selection)


def _clusters(view: PoolView, knobs: Knobs, excluded: BoolArray) -> IntArray:
    """The number of each candidate's cluster, shape (n,), 0 for all others.

    There are k clusters, or as many as there are different embeddings; those that differ by the
    rounding of float32 only are the same. The candidates are taken in the order of their ids, so
    that the pool's order does not matter.
    """
    clusters = np.zeros(len(view), dtype=np.int64)
    candidates = np.flatnonzero(~excluded)
    candidates = candidates[np.argsort(view.ids[candidates], kind="stable")]
    rows = view.matrix[candidates].astype(np.float64)
    place_of: dict[bytes, int] = {}
    distinct = [place_of.setdefault(row.tobytes(), len(place_of)) for row in rows.round(6) + 0.0]
    if knobs.k >= len(place_of):
        clusters[candidates] = distinct
    elif knobs.k:
        from sklearn.cluster import KMeans

        clusters[candidates] = KMeans(knobs.k, random_state=knobs.seed).fit_predict(rows)
    return clusters


METHOD = Method(
    "kmeans",
    "One of each cluster",
    "The candidates are put into k clusters, and the one most similar to the query is taken from "
    "each (k-means).",
    "Zhang et al. 2022, Auto-CoT",
    choose,
    candidates=50,
    by_embedding=True,
    uses_seed=True,
    value="Relevance",
    value_note="the highest of its cluster is picked",
)
