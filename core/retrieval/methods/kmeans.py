"""The most similar demonstration of each of k clusters of the candidates."""

import numpy as np

from ...selection.baselines.kmeans import one_per_cluster
from ...types import IntArray
from ..context import Context
from ..method import Method, MethodInput


def choose(asked: MethodInput) -> Context:
    """The picks of `one_per_cluster` among the candidates, in as many clusters as are chosen."""
    selection = one_per_cluster(
        asked.relevance,
        asked.view.matrix,
        asked.knobs.k,
        clusters=_clusters(asked),
        excluded=asked.excluded,
        groups=asked.groups,
    )
    return asked.context(selection)


def _clusters(asked: MethodInput) -> IntArray:
    """The number of each candidate's cluster, shape (n,), 0 for all others.

    There are k clusters, or as many as there are different embeddings; those that differ by the
    rounding of float32 only are the same. The candidates are taken in the order of their ids, so
    that the pool's order does not matter.
    """
    view, k = asked.view, asked.knobs.k
    clusters = np.zeros(len(view), dtype=np.int64)
    candidates = np.flatnonzero(~asked.excluded)
    candidates = candidates[np.argsort(view.ids[candidates], kind="stable")]
    rows = view.matrix[candidates].astype(np.float64)
    place_of: dict[bytes, int] = {}
    distinct = [place_of.setdefault(row.tobytes(), len(place_of)) for row in rows.round(6) + 0.0]
    if k >= len(place_of):
        clusters[candidates] = distinct
    elif k:
        from sklearn.cluster import KMeans

        clusters[candidates] = KMeans(k, random_state=asked.knobs.seed).fit_predict(rows)
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
