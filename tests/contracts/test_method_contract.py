"""What every registered method keeps: distinct demonstrations, at most k, never its own query."""

from dataclasses import replace

import numpy as np
import pytest

from core.language_model.task import LabelWord, Task
from core.retrieval.choosing import METHODS, choose_context, settled
from core.retrieval.exemplars import among_exemplars
from core.retrieval.knobs import Knobs
from core.retrieval.methods.pgra import prompt_of
from core.retrieval.near_queries import nothing_cut
from core.retrieval.pool_view import LivePool, Services
from core.retrieval.setting_scores import ScoredSettings
from core.retrieval.task_prompt import PoolStates
from core.selection.best_on_neighbours import ScoreTable
from core.text import normalised
from core.watcher import NOBODY

QUERIES = ("Alpha?", "alpha ?", "  ALPHA?", "Beta?", "Beta?", "Gamma?", "Delta?", "Epsilon?")
DIMENSIONS = 8
TASK = Task("first or not", "{x}", (LabelWord("answer 2"), LabelWord("answer 5")))
"""Its exemplars are demonstrations of the queries that "answer 2" and "answer 5" belong to."""


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def direction(text, dimensions=DIMENSIONS):
    return np.random.default_rng(list(text.encode())).normal(size=dimensions)


def tokens(texts):
    """A unit row for each word of a text, most of it the word's and a little of it the text's."""
    words = [(text, normalised(text).split()) for text in texts]
    return [
        unit(np.array([direction(word) + 0.1 * direction(text) for word in found]))
        for text, found in words
    ]


def pool(queries=QUERIES, seed=0):
    generator = np.random.default_rng(seed)
    n = len(queries)
    texts = list(dict.fromkeys(queries))
    group_of = {}
    for text in texts:
        group_of.setdefault(normalised(text), len(group_of))
    return LivePool(
        name="pool",
        version=1,
        seed=0,
        encoder="none",
        ids=np.arange(10, 10 + n, dtype=np.int64),
        queries=tuple(queries),
        answers=tuple(f"answer {i}" for i in range(n)),
        groups=np.array([group_of[normalised(query)] for query in queries], dtype=np.int64),
        group_of=group_of,
        rows=np.array([texts.index(query) for query in queries], dtype=np.int64),
        embeddings=unit(generator.normal(size=(len(texts), DIMENSIONS)).reshape(-1, DIMENSIONS)),
        quality_bias=-generator.uniform(0.5, 5.0, size=n),
        fixed=np.arange(0, n, 2, dtype=np.int64),
        chosen_task=TASK,
        services=Services(
            tokens=tokens,
            is_cut=nothing_cut,
            ask=undecided_after_low_ids,
            states=States(),
            scores=two_settings,
        ),
    )


class States:
    """A model to which a text's state is the direction of its letters."""

    def of_pool(self, prompt, texts, *, watcher=NOBODY):
        rows = [direction(text) for text in texts]
        states = np.array(rows, dtype=np.float32).reshape(-1, DIMENSIONS)
        return PoolStates(states, len(prompt.pairs))

    def of_query(self, prompt, pool, query):
        return direction(query).astype(np.float32)


def two_settings(view, run):
    """A run over other queries, on some of which `rel` did better, on the others `rel+div`."""
    queries = tuple(f"asked before {number}" for number in range(6))
    dimensions = view.embeddings.shape[1]
    rows = unit(np.array([direction(query, dimensions) for query in queries]))
    return ScoredSettings(
        run=run or 7,
        metric="dpo_per_triple",
        names=("near", "apart"),
        knobs=(Knobs("rel", 99), Knobs("rel+div", 99, lambda_d=0.3)),
        left_out=(),
        queries=queries,
        groups=np.arange(6),
        table=ScoreTable.of([[-0.1, -0.2], [-0.3, -0.1], [-0.2, -0.2]] * 2, rows),
        choose=lambda knobs, query, vector, excluded: choose_context(
            view, query, vector, knobs, leave_out=False, also_excluded=excluded
        ),
    )


def undecided_after_low_ids(contexts, query, answers):
    """A model that is the surer of the first answer, the higher the ids of its context are."""
    odds = [float(context.ids.sum()) / 100 for context in contexts]
    return np.array([[-1.0, *(-1.0 - each for _ in answers[1:])] for each in odds])


def query_vector(seed=1):
    return unit(np.random.default_rng(seed).normal(size=(1, DIMENSIONS)))[0]


def choose(view, method, k, *, query="Alpha?", leave_out=True, **knobs):
    request = Knobs(method, k, **knobs)
    return choose_context(view, query, query_vector(), request, leave_out=leave_out)


def available(view, method, query):
    """How many demonstrations the method may choose from."""
    if method == "none":
        return 0
    allowed = ~view.same_query(query)
    if method == "pgra":
        allowed[exemplars(view)] = False
    return int(allowed[view.fixed].sum() if method == "fix" else allowed.sum())


def exemplars(view):
    """The positions of what stands before every text, which `pgra` never keeps."""
    return among_exemplars(view, prompt_of(view, settled(Knobs("pgra"))))


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


@pytest.mark.parametrize("k", [0, 1, 3, len(QUERIES), len(QUERIES) + 1])
@pytest.mark.parametrize("query", ["Alpha?", "Zeta?"])
def test_distinct_ids_of_the_pool_as_many_as_asked_and_there_are(method, k, query):
    view = pool()
    context = choose(view, method, k, query=query)
    assert len(context) == min(k, available(view, method, query))
    assert len(set(context.ids.tolist())) == len(context)
    assert context.ids.tolist() == view.ids[context.indices].tolist()
    for part in ("values", "relevance", "quality_bias", "redundancy"):
        assert getattr(context, part).shape == (len(context),)
    assert context.embeddings.shape == (len(context), DIMENSIONS)


def test_the_parts_are_those_of_the_demonstrations_chosen(method):
    view = pool()
    context = choose(view, method, 5)
    vector = query_vector()
    rows = view.embeddings[view.rows[context.indices]].astype(np.float64)
    np.testing.assert_allclose(context.relevance, rows @ vector, atol=1e-6)
    np.testing.assert_array_equal(context.quality_bias, view.quality_bias[context.indices])
    for place in range(len(context)):
        if place == 0:
            assert np.isnan(context.redundancy[0])
        else:
            largest = (rows[:place] @ rows[place]).max()
            assert context.redundancy[place] == pytest.approx(largest, abs=1e-6)


def test_same_seed_same_answer(method):
    view = pool()
    first, second = choose(view, method, 4, seed=7), choose(view, method, 4, seed=7)
    assert first.ids.tolist() == second.ids.tolist()
    if not METHODS[method].uses_seed:
        assert choose(view, method, 4, seed=8).ids.tolist() == first.ids.tolist()


def test_random_differs_by_seed_and_by_query():
    view = pool([f"query {i}" for i in range(40)])
    by_seed = {tuple(choose(view, "random", 4, query="x", seed=s).ids) for s in range(5)}
    by_query = {tuple(choose(view, "random", 4, query=f"x{i}").ids) for i in range(5)}
    assert len(by_seed) == len(by_query) == 5


@pytest.mark.parametrize("query", ["Alpha?", "ALPHA?  ", "beta?"])
def test_the_own_query_is_left_out_only_when_asked(method, query):
    view = pool()
    own = set(view.ids[view.same_query(query)].tolist())
    assert own
    assert not own & set(choose(view, method, 99, query=query).ids.tolist())
    whole = choose(view, method, 99, query=query, leave_out=False)
    reachable = {
        "none": set(),
        "fix": set(view.ids[view.fixed].tolist()),
        "pgra": set(view.ids.tolist()) - own - set(view.ids[exemplars(view)].tolist()),
    }.get(method, set(view.ids.tolist()))
    assert set(whole.ids.tolist()) == reachable


def test_a_shuffled_pool_gives_the_same_demonstrations(method):
    view = pool([f"query {i}" for i in range(12)])
    order = np.random.default_rng(3).permutation(12)
    shuffled = replace(
        view,
        ids=view.ids[order],
        queries=tuple(view.queries[i] for i in order),
        answers=tuple(view.answers[i] for i in order),
        groups=view.groups[order],
        embeddings=view.embeddings[order],
        quality_bias=view.quality_bias[order],
        fixed=np.array([order.tolist().index(i) for i in view.fixed], dtype=np.int64),
    )
    for k in (1, 4, 12):
        expected = choose(view, method, k, query="query 3")
        found = choose(shuffled, method, k, query="query 3")
        assert found.ids.tolist() == expected.ids.tolist()
        np.testing.assert_allclose(found.values, expected.values, atol=1e-6)


@pytest.mark.parametrize("k", [0, 1, 6])
def test_an_empty_pool_gives_an_empty_context(method, k):
    context = choose(pool([]), method, k)
    assert len(context) == 0
    assert np.isnan(context.diversity)


def test_the_fixed_lambdas_are_held(method):
    view, info = pool([f"query {i}" for i in range(12)]), METHODS[method]
    if info.lambda_d is not None:
        low, high = (choose(view, method, 6, lambda_d=value) for value in (0.0, 1.0))
        assert low.ids.tolist() == high.ids.tolist()
    if info.lambda_b is not None:
        low, high = (choose(view, method, 6, lambda_b=value) for value in (0.0, 1.0))
        assert low.ids.tolist() == high.ids.tolist()


def test_the_defaults_of_a_methods_knobs_are_within_their_ranges(method):
    for parameter in METHODS[method].parameters:
        assert parameter.low <= parameter.default <= parameter.high
        assert parameter.at_low
        assert parameter.at_high


def test_both_ends_of_the_knobs():
    view = pool([f"query {i}" for i in range(12)])
    relevance = view.relevance(query_vector())
    by_relevance = view.ids[np.argsort(-relevance, kind="stable")][:5].tolist()
    by_bias = view.ids[np.argsort(-view.quality_bias, kind="stable")][:5].tolist()

    def ids(method, **knobs):
        return choose(view, method, 5, query="another", **knobs).ids.tolist()

    assert ids("rel") == by_relevance
    assert ids("bias") == by_bias
    assert ids("rel+bias", lambda_b=1.0) == by_relevance
    assert ids("rel+bias", lambda_b=0.0) == by_bias
    assert ids("rel+div", lambda_d=1.0) == by_relevance
    assert ids("rel+div+bias", lambda_d=1.0, lambda_b=0.0) == by_bias
    assert ids("rel+div+bias", lambda_b=1.0) == ids("rel+div")
    assert ids("rel+div+bias", lambda_d=1.0) == ids("rel+bias")
    assert ids("rel+div", lambda_d=0.0)[0] == by_relevance[0]
    assert set(ids("rel+div", lambda_d=0.0)) != set(by_relevance)
    assert ids("fix") == view.ids[view.fixed][:5].tolist()


@pytest.mark.parametrize("k", [0, 1, 3, 9])
def test_at_most_one_answer_per_query_where_that_is_asked_for(method, k):
    view = pool()
    whole = choose(view, method, 99, query="Beta?").indices
    context = choose(view, method, k, query="Beta?", one_per_query=True)
    groups = view.groups[context.indices].tolist()
    assert len(set(groups)) == len(groups) == min(k, len(set(view.groups[whole].tolist())))
    free = choose(view, method, 1, query="Beta?")
    assert context.ids[:1].tolist() == free.ids[:k].tolist()
    apart = pool([f"query {i}" for i in range(12)])
    on, off = (choose(apart, method, 5, one_per_query=each) for each in (True, False))
    assert on.ids.tolist() == off.ids.tolist()


@pytest.mark.parametrize("k", [0, 1, 2, 3, 5, 99])
def test_pinned_ones_begin_every_context(method, k):
    view = replace(pool([f"query {i}" for i in range(12)]), pinned=np.array([2, 7]))
    context = choose(view, method, k, query="query 4")
    pinned = [] if method == "none" else [2, 7][:k]
    assert context.indices[: len(pinned)].tolist() == pinned
    assert context.pinned == len(pinned)
    assert len(set(context.indices.tolist())) == len(context) <= k
    others = replace(view, pinned=np.array([], dtype=np.int64))
    free = len(choose(others, method, 99, query="query 4"))
    assert min(k, free) <= len(context) <= free + len(pinned)
    rows = view.embeddings[context.indices].astype(np.float64)
    for place in range(1, len(context)):
        largest = (rows[:place] @ rows[place]).max()
        assert context.redundancy[place] == pytest.approx(largest, abs=1e-6)


def test_a_pinned_one_stays_out_of_the_context_of_its_own_query(method):
    view = replace(pool(), pinned=np.array([3, 6]))  # one of "Beta?", and "Delta?"
    beside = choose(view, method, 3, query="Beta?")
    assert beside.pinned == (method != "none")
    assert 3 not in beside.indices
    typed = choose(view, method, 3, query="Beta?", leave_out=False)
    assert typed.indices[: typed.pinned].tolist() == ([] if method == "none" else [3, 6])


def test_of_two_pinned_answers_of_one_query_one_is_shown_where_that_is_asked_for(method):
    view = replace(pool(), pinned=np.array([3, 4, 6]))  # both of "Beta?", and "Delta?"
    context = choose(view, method, 5, query="Zeta?", one_per_query=True)
    groups = view.groups[context.indices].tolist()
    assert len(set(groups)) == len(groups)
    assert context.indices[: context.pinned].tolist() == ([] if method == "none" else [3, 6])


def test_candidates_leave_the_pinned_ones_in(method):
    view = replace(pool([f"query {i}" for i in range(12)]), pinned=np.array([2, 7]))
    context = choose(view, method, 4, query="x", candidates=3)
    assert context.indices[: context.pinned].tolist() == ([] if method == "none" else [2, 7])


def test_a_window_without_room_loses_pinned_ones_last():
    view = replace(pool([f"query {i}" for i in range(12)]), pinned=np.array([2, 7]))
    context = choose(view, "rel+div+bias", 4, query="x")
    kept = [context]
    while len(kept[-1]):
        kept.append(kept[-1].without_least_relevant())
    assert [each.pinned for each in kept] == [2, 2, 2, 1, 0]
    assert kept[2].indices.tolist() == [2, 7]
    assert kept[1].indices.tolist() == [
        index for index in context.indices.tolist()
        if index in (2, 7) or context.relevance[context.indices.tolist().index(index)]
        > min(context.relevance[2:])
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["rel", "bias", "rel+bias", "bm25", "random", "fix"])
def test_rankings_without_diversity_skip_what_repeats_a_query(method):
    view = pool()
    ranked = choose(view, method, 99, query="Zeta?").indices
    _, first = np.unique(view.groups[ranked], return_index=True)
    found = choose(view, method, 99, query="Zeta?", one_per_query=True)
    assert found.indices.tolist() == ranked[np.sort(first)].tolist()


def test_no_cosine_leaves_its_range(method):
    """Equal rows of float32, of which some have a product above 1 with themselves."""
    view = pool([f"query {i}" for i in range(40)])
    row = max(view.embeddings, key=lambda row: float(np.dot(row, row)))
    assert np.dot(row, row) > 1
    same = replace(view, embeddings=np.tile(row, (40, 1)))
    for vector, end in ((row, 1.0), (-row, -1.0)):
        context = choose_context(same, "x", vector, Knobs(method, 6), leave_out=False)
        assert set(context.relevance.tolist()) <= {end}
        assert set(context.redundancy[1:].tolist()) <= {1.0}
        assert not context.diversity > 1
        if method == "rel":
            assert context.values.tolist() == [end] * 6
