"""Selection over candidates fetched from an index, for pools too large to be read whole."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..index import load_or_build
from ..selection.mmr import mmr
from ..text import content_hash
from ..types import BoolArray, FloatArray
from .context import Context, ContextRequest, bias_for, context_of, never_shown
from .pool_view import PoolView

N_CANDIDATES = 1_000


@dataclass(frozen=True)
class CandidateSearch:
    """Fetch `n_candidates` from an index of the given kind before the selection.

    More candidates come closer to the selection over the whole pool; with all of them it is equal.
    """

    kind: str
    n_candidates: int = N_CANDIDATES


def choose_from_candidates(
    view: PoolView,
    query_vector: FloatArray,
    request: ContextRequest,
    search: CandidateSearch,
    folder: Path,
    *,
    excluded: BoolArray | None = None,
) -> Context:
    """The context chosen among candidates; it may differ from the whole pool's for low lambda_d.

    The index is kept in `folder` and built anew when the pool changed. A flat index fetches by
    value (the quality bias is one of its columns), HNSW and IVF by relevance alone.

    Source: RAGSys, section 5.3.
    """
    bias = bias_for(view, request)
    in_index = bias if search.kind == "flat" else None
    key = content_hash(
        view.name,
        str(view.version),
        view.encoder,
        "" if in_index is None else content_hash(in_index.tobytes().hex()),
    )
    index = load_or_build(folder, search.kind, key, view.matrix, in_index)
    lambda_d, lambda_b = request.lambdas
    fetched, _ = index.search(
        query_vector, search.n_candidates, lambda_b=lambda_b if in_index is not None else 1.0
    )
    fetched = np.sort(fetched)
    hidden = never_shown(view, request)
    if excluded is not None:
        hidden = hidden | excluded
    fetched = fetched[~hidden[fetched]]
    selection = mmr(
        view.relevance(query_vector)[fetched],
        view.matrix[fetched],
        request.k,
        lambda_d=lambda_d,
        lambda_b=lambda_b,
        quality_bias=None if bias is None else bias[fetched],
    )
    return context_of(view, replace(selection, indices=fetched[selection.indices]))
