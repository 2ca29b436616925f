"""What is called certified is the whole pool's choice."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index import in_memory
from core.retrieval.candidates import (
    choose_from_candidates,
    index_key,
    prepare_index,
)
from core.retrieval.choosing import choose_context, settled
from core.retrieval.context import Certainty
from core.retrieval.knobs import BiasScale, Knobs
from core.retrieval.near_queries import nothing_cut
from core.retrieval.pool_view import LivePool, Services
from core.selection.cosines import most_weighed


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def made_up_view(seed, n=120, d=8, distinct=80):
    """Rows in a few clusters, about a third of them twice, and a query near one of them."""
    generator = np.random.default_rng(seed)
    centres = generator.standard_normal((6, d))
    rows = centres[generator.integers(6, size=distinct)]
    rows = unit(rows + 0.5 * generator.standard_normal((distinct, d))).astype(np.float32)
    spread = 10.0 ** generator.integers(-3, 1)
    query = unit(rows[:1] + spread * generator.standard_normal((1, d)))[0].astype(np.float32)
    view = LivePool(
        name=f"pool {seed}",
        version=1,
        seed=seed,
        encoder=f"none {seed}",
        ids=np.arange(10, n + 10),
        queries=tuple(map(str, range(n))),
        answers=("a",) * n,
        groups=np.arange(n),
        group_of={str(row): row for row in range(n)},
        rows=np.concatenate([np.arange(distinct), generator.integers(distinct, size=n - distinct)]),
        embeddings=rows,
        quality_bias=-generator.integers(1, 20, size=n) / 4.0,
        fixed=np.arange(3),
        services=Services(tokens=list, is_cut=nothing_cut),
    )
    return view, query


def both(view, query, request, c, folder, excluded=None):
    left_out = None if excluded is None else str(excluded)
    whole = choose_context(view, left_out or "", query, request, leave_out=left_out is not None)
    mask = None if left_out is None else view.same_query(left_out)
    among = replace(request, index="flat", candidates=c)
    fetched = choose_from_candidates(view, query, settled(among), folder, excluded=mask)
    return whole, fetched


@given(
    seed=st.integers(0, 400),
    k=st.integers(0, 6),
    c=st.integers(1, 40),
    lambda_d=st.sampled_from([0.0, 0.3, 0.5, 0.75, 0.9, 1.0]),
    lambda_b=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    scale=st.sampled_from(list(BiasScale)),
    excluded=st.none() | st.integers(0, 5),
)
def test_never_silently_another_choice(
    tmp_path_factory, seed, k, c, lambda_d, lambda_b, scale, excluded
):
    view, query = made_up_view(seed)
    request = Knobs("rel+div+bias", k, lambda_d, lambda_b=lambda_b, bias_scale=scale)
    folder = tmp_path_factory.getbasetemp() / "indexes"
    whole, fetched = both(view, query, request, c, folder, excluded)
    assert fetched.certainty.kind in ("certified", "exact")
    assert fetched.ids.tolist() == whole.ids.tolist()
    np.testing.assert_array_equal(fetched.values, whole.values)
    if fetched.certainty.kind == "certified":
        assert c <= fetched.certainty.candidates < len(view)


def share_certified(tmp_path, lambda_d, c, k=4):
    request = Knobs("rel+div", k, lambda_d)
    kinds = []
    for seed in range(30):
        view, query = made_up_view(seed, n=400, distinct=300)
        _, fetched = both(view, query, request, c, tmp_path / str(seed))
        kinds.append(fetched.certainty.kind)
    return kinds.count("certified") / len(kinds)


def test_a_proof_is_found_often_for_relevance_and_never_for_diversity_alone(tmp_path):
    assert share_certified(tmp_path, 1.0, 60) > 0.9
    assert share_certified(tmp_path, 0.9, 60) > 0.5
    assert share_certified(tmp_path, 0.0, 60) == 0.0


def test_the_search_is_widened_until_the_proof_holds(tmp_path):
    view, query = made_up_view(3, n=400, distinct=300)
    request = Knobs("rel", 6)
    _, fetched = both(view, query, request, 2, tmp_path)
    # 2 and 4 candidates are fewer than k, 8 are enough.
    assert fetched.certainty == Certainty("certified", "flat", 8)


def test_a_tie_at_the_border_is_no_proof(tmp_path):
    view, query = made_up_view(5)
    same = replace(view, rows=np.zeros_like(view.rows))
    whole, fetched = both(same, query, Knobs("rel", 3), 5, tmp_path)
    assert fetched.certainty == Certainty("exact", "flat", len(same))
    assert fetched.ids.tolist() == whole.ids.tolist() == [10, 11, 12]


def test_fewer_than_k_that_may_be_chosen_need_everything(tmp_path):
    view, query = made_up_view(6)
    whole, fetched = both(view, query, Knobs("rel", 500), 5, tmp_path)
    assert fetched.certainty.kind == "exact"
    assert fetched.ids.tolist() == whole.ids.tolist()
    assert len(fetched) == len(view)


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
def test_an_approximate_index_proves_nothing_and_says_its_recall(tmp_path, kind):
    view, query = made_up_view(7)
    knobs = Knobs("rel+div", 4, index=kind, candidates=20)
    first = choose_from_candidates(view, query, settled(knobs), tmp_path)
    assert first.certainty.kind == "approximate"
    assert (first.certainty.index, first.certainty.candidates) == (kind, 20)
    assert first.certainty.sampled == 32
    assert 0.5 < first.certainty.recall <= 1.0
    again = choose_from_candidates(view, query, settled(knobs), tmp_path)
    assert again.certainty == first.certainty


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_one_answer_per_query_reads_the_whole_pool(tmp_path, kind):
    view, query = made_up_view(7)
    same = replace(view, groups=np.arange(len(view)) // 4)
    knobs = Knobs("rel+div", 6, index=kind, candidates=8, one_per_query=True)
    found = choose_from_candidates(same, query, settled(knobs), tmp_path)
    assert found.certainty == Certainty("exact", kind, len(same))
    whole = choose_context(same, "", query, knobs, leave_out=False)
    assert found.ids.tolist() == whole.ids.tolist()
    assert len(set(same.groups[found.indices].tolist())) == 6


@pytest.mark.parametrize("kind", ["hnsw", "ivf"])
@pytest.mark.parametrize("k", [1, 6, 40])
def test_never_fewer_than_k_while_the_pool_has_them(tmp_path, kind, k):
    view, query = made_up_view(7)
    knobs = Knobs("rel", k, index=kind, candidates=2)
    context = choose_from_candidates(view, query, settled(knobs), tmp_path)
    assert len(context) == k
    assert context.certainty.candidates >= max(2, k)
    # All but a few are hidden: whatever is nearest may not be chosen.
    excluded = np.ones(len(view), dtype=bool)
    excluded[[3, 50, 119]] = False
    left = choose_from_candidates(view, query, settled(knobs), tmp_path, excluded=excluded)
    relevance = view.relevance(query)
    best = sorted([3, 50, 119], key=lambda row: (-relevance[row], row))
    assert left.indices.tolist() == best[:k]


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_an_index_is_built_anew_for_other_queries_or_another_bias_only(tmp_path, kind):
    view, query = made_up_view(8)
    biased = Knobs("rel+bias", 4, index=kind, candidates=20)
    prepare_index(view, settled(biased), tmp_path)
    key = index_key(view, settled(biased))
    assert in_memory(tmp_path, kind, key)
    later = replace(view, version=9, name="renamed", answers=("b",) * len(view))
    assert index_key(later, settled(biased)) == key
    assert index_key(view, settled(replace(biased, k=6, lambda_b=0.3))) == key
    asked_anew = replace(view, queries=("other", *view.queries[1:]))
    assert index_key(asked_anew, settled(biased)) != key
    rescored = replace(view, quality_bias=view.quality_bias - 1)
    assert (index_key(rescored, settled(biased)) != key) == (kind == "flat")
    chosen = choose_from_candidates(later, query, settled(biased), tmp_path)
    assert chosen.certainty.index == kind
    assert in_memory(tmp_path, kind, key)


@given(
    seed=st.integers(0, 10_000),
    lambda_d=st.floats(0, 1),
    lambda_b=st.sampled_from([0.0, 0.5, 0.95, 1.0]) | st.floats(0, 1),
)
def test_no_row_weighs_more_than_the_bound(seed, lambda_d, lambda_b):
    generator = np.random.default_rng(seed)
    d = int(generator.integers(2, 5))
    query = unit(generator.standard_normal((1, d)))[0]
    rows = unit(query * generator.uniform(-3, 3) + generator.standard_normal((200, d)))
    relevance, bias = rows @ query, -generator.random(200)
    values = lambda_b * relevance + (1 - lambda_b) * bias
    pick = int(values.argmax())
    highest = float(np.quantile(values, generator.random()))
    bound = most_weighed(
        float(relevance[pick]), highest, lambda_d=lambda_d, lambda_b=lambda_b, bias=0.0
    )
    below = values <= highest
    weights = lambda_d * values - (1 - lambda_d) * (rows @ rows[pick])
    assert weights[below].max() <= bound + 1e-12
    assert bound <= lambda_d * highest + (1 - lambda_d) + 1e-12


def test_the_bound_is_reached_on_a_plane():
    # Pick and row on either side of the query, 40 and 50 degrees away: cos 90 is 0.
    pick, row = np.cos(np.radians(40)), np.cos(np.radians(50))
    bound = most_weighed(float(pick), float(row), lambda_d=0.9)
    assert bound == pytest.approx(0.9 * row, abs=1e-4)
