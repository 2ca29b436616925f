"""The method `pgra`: exemplars, the first stage, and the task's own order of the candidates."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import InvalidInput
from core.language_model.task import TASKS, LabelWord, Task
from core.retrieval.choosing import choose_context, settled
from core.retrieval.exemplars import Draw, among_exemplars, task_prompt
from core.retrieval.knobs import Knobs
from core.retrieval.methods.bm25 import bm25_scores
from core.retrieval.methods.pgra import METHOD, prompt_of
from core.retrieval.near_queries import nothing_cut
from core.retrieval.pool_view import LivePool, Services
from core.retrieval.task_prompt import PoolStates
from core.text import normalised
from core.watcher import NOBODY

MOODS = Task(
    "moods", "Is it sad or glad? {x}", (LabelWord("sad", ("0",)), LabelWord("glad", ("1",)))
)
D = 6


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def view_of(answers, queries=None, task=MOODS, states=None):
    n = len(answers)
    queries = tuple(queries or (f"text {i}" for i in range(n)))
    group_of = {}
    for query in queries:
        group_of.setdefault(normalised(query), len(group_of))
    return LivePool(
        name="moods",
        version=1,
        seed=0,
        encoder="none",
        ids=np.arange(100, 100 + n, dtype=np.int64),
        queries=queries,
        answers=tuple(answers),
        groups=np.array([group_of[normalised(each)] for each in queries], dtype=np.int64),
        group_of=group_of,
        rows=np.arange(n, dtype=np.int64),
        embeddings=unit(np.random.default_rng(5).normal(size=(n, D)).reshape(-1, D)),
        quality_bias=np.full(n, np.nan),
        fixed=np.empty(0, dtype=np.int64),
        chosen_task=task,
        services=Services(tokens=list, is_cut=nothing_cut, states=states),
    )


class OneHot:
    """A planted model: the state of a text is the one-hot of its label; `asked` are its prompts."""

    def __init__(self, label_of, skipped=()):
        self.label_of, self.skipped, self.asked = label_of, skipped, []

    def row(self, text):
        return np.eye(2, dtype=np.float32)[self.label_of[text]] + 1e-3

    def of_pool(self, prompt, texts, *, watcher=NOBODY):
        self.asked.append(prompt)
        states = np.array([self.row(text) for text in texts], dtype=np.float32).reshape(-1, 2)
        states[list(self.skipped)] = np.nan
        return PoolStates(states, len(prompt.pairs), skipped=tuple(self.skipped))

    def of_query(self, prompt, pool, query):
        return self.row(query)


def planted(n=40, **given):
    """A pool whose labels nothing but the model knows, and a query of the second label."""
    answers = [str(each) for each in np.random.default_rng(2).integers(0, 2, size=n)]
    label_of = {f"text {i}": int(answer) for i, answer in enumerate(answers)}
    model = OneHot({**label_of, "how glad": 1}, **given)
    return view_of(answers, states=model), model


VECTOR = unit(np.ones(D))


def choose(view, k=6, query="how glad", **own):
    shared = {
        name: own.pop(name) for name in ("seed", "candidates", "one_per_query") if name in own
    }
    knobs = METHOD.settle(Knobs("pgra", k, own_values=tuple(own.items()), **shared))
    return choose_context(view, query, VECTOR, knobs, leave_out=True), knobs


def test_a_model_that_knows_the_labels_keeps_the_querys_label_only():
    view, _ = planted()
    for k in (1, 6, 12):
        context, _ = choose(view, k)
        assert {context.reranking.words[id] for id in context.ids.tolist()} == {"glad"}
        assert [view.answers[index] for index in context.indices] == ["1"] * k


def test_of_equal_states_the_lowest_ids_come_first_and_values_are_shares_of_all_candidates():
    view, _ = planted()
    context, knobs = choose(view, 40, candidates=10)
    relevance = view.relevance(VECTOR)
    closed = among_exemplars(view, prompt_of(view, knobs))
    allowed = np.setdiff1d(np.arange(40), closed)
    nearest = sorted(allowed[np.argsort(-relevance[allowed], kind="stable")][:10].tolist())
    expected = sorted(nearest, key=lambda index: (view.answers[index] != "1", index))
    assert context.indices.tolist() == expected
    assert context.values.sum() == pytest.approx(1.0, abs=1e-12)
    ranks = {index: place for place, index in enumerate(np.argsort(-relevance[nearest]).tolist())}
    assert context.reranking.first_ranks == {
        int(view.ids[nearest[index]]): place + 1 for index, place in ranks.items()
    }
    np.testing.assert_allclose(context.relevance, relevance[context.indices])


@pytest.mark.parametrize("k", [0, 1, 31, 32, 33, 100])
def test_exemplars_and_the_querys_own_texts_are_never_kept(k):
    view, _ = planted()
    own = view.queries[int(np.flatnonzero(np.array(view.answers) == "1")[0])]
    context, knobs = choose(view, k, query=own, stage_1="all", draw="random")
    exemplars = prompt_of(view, knobs).indices
    assert len(exemplars) == 8
    kept = set(context.indices.tolist())
    closed = set(exemplars) | {view.queries.index(own)}
    assert not kept & closed
    assert len(kept) == min(k, 40 - len(closed))


def test_with_as_many_candidates_as_are_kept_the_second_stage_only_orders():
    view, _ = planted()
    context, _ = choose(view, 7, candidates=7)
    first = sorted(context.reranking.first_ranks.values())
    assert first == list(range(1, 8))
    assert [view.answers[index] for index in context.indices] == sorted(
        (view.answers[index] for index in context.indices), reverse=True
    )


def test_the_first_stage_by_words_and_by_nothing():
    view, _ = planted()
    texts = tuple(f"{text} {'moon' if i % 5 == 0 else ''}" for i, text in enumerate(view.queries))
    label_of = {text: int(view.answers[i]) for i, text in enumerate(texts)} | {"moon": 1}
    view = view_of(view.answers, texts, states=OneHot(label_of))
    context, knobs = choose(view, 40, query="moon", stage_1="bm25", candidates=5)
    allowed = np.setdiff1d(np.arange(40), prompt_of(view, knobs).indices)
    scores = bm25_scores(view.queries, "moon")
    best = allowed[np.lexsort((allowed, -scores[allowed]))][:5]
    assert set(context.indices.tolist()) == set(best.tolist())
    everything, _ = choose(view, 40, query="moon", stage_1="all", candidates=5)
    assert set(everything.indices.tolist()) == set(allowed.tolist())


def test_what_the_model_could_not_read_is_no_candidate_and_is_named():
    view, _ = planted(skipped=(3, 4))
    context, knobs = choose(view, 40, stage_1="all")
    assert not {3, 4} & set(context.indices.tolist())
    assert context.reranking.skipped == (103, 104)
    exemplars = prompt_of(view, knobs).indices
    assert context.reranking.exemplars == tuple(view.ids[list(exemplars)].tolist())
    assert (context.reranking.task, context.reranking.shown) == ("moods", len(exemplars))


def test_the_task_is_the_pools_or_the_one_that_is_named():
    view, model = planted()
    choose(view)
    choose(view, task="subjectivity")
    assert [prompt.task.name for prompt in model.asked] == ["moods", "subjectivity"]
    by_labels = replace(view, chosen_task=None)
    choose(by_labels)
    assert model.asked[-1].task.name == "plain"
    assert model.asked[-1].task.words == ("0", "1")


def test_without_a_task_or_a_model_it_says_what_to_do():
    view, _ = planted()
    with pytest.raises(InvalidInput, match="pool 'moods' are not labels"):
        choose(view_of([f"answer {i}" for i in range(5)], task=None, states=view.services.states))
    with pytest.raises(InvalidInput, match="asks the language model"):
        choose(view.with_services(states=None))
    assert len(choose(view_of([]))[0]) == 0


SIX = TASKS["question-type"]


def labelled(counts):
    answers = [word for word, count in counts.items() for _ in range(count)]
    order = np.random.default_rng(1).permutation(len(answers))
    return view_of([answers[i] for i in order], task=SIX)


def test_balanced_exemplars_have_every_label_and_at_most_m_over_l_plus_one_of_each():
    # 6 labels, m = 8: at most 8 // 6 + 1 = 2 of each; it walks on until every label is there.
    view = labelled({"DESC": 60, "ENTY": 60, "ABBR": 2, "HUM": 40, "LOC": 30, "NUM": 30})
    for seed in range(10):
        prompt = task_prompt(view, SIX, 8, Draw.BALANCED, seed)
        words = [word for _, word in prompt.pairs]
        assert set(words) == set(SIX.words)
        assert max(map(words.count, words)) <= 2
        assert 8 <= len(words) <= 12


def test_a_seed_gives_the_same_prefix_and_another_one_another():
    view = labelled({"DESC": 30, "HUM": 30})
    prompts = [task_prompt(view, SIX, 8, Draw.BALANCED, seed) for seed in (0, 0, 1)]
    assert prompts[0].prefix() == prompts[1].prefix() != prompts[2].prefix()
    assert prompts[0].fingerprint == prompts[1].fingerprint != prompts[2].fingerprint
    shuffled = np.random.default_rng(9).permutation(60)
    again = replace(
        view,
        ids=view.ids[shuffled],
        queries=tuple(view.queries[i] for i in shuffled),
        answers=tuple(view.answers[i] for i in shuffled),
        groups=view.groups[shuffled],
    )
    assert task_prompt(again, SIX, 8, Draw.BALANCED, 0).prefix() == prompts[0].prefix()


def test_two_labels_give_eight_and_a_pool_with_few_labels_all_it_has():
    for seed in range(5):
        view = labelled({"DESC": 30, "HUM": 30})
        assert len(task_prompt(view, SIX, 8, Draw.BALANCED, seed).pairs) in (8, 9)
        few = labelled({"DESC": 3, "nothing": 30})
        assert [word for _, word in task_prompt(few, SIX, 8, Draw.BALANCED, seed).pairs] == [
            "Description"
        ] * 3
        assert task_prompt(few, SIX, 0, Draw.BALANCED, seed).prefix() == ""
        assert len(task_prompt(view, SIX, 100, Draw.RANDOM, seed).pairs) == 60


def test_one_exemplar_a_query():
    view = view_of(["0", "1", "0", "1"], ["a", "A ", "b", "c"])
    prompt = task_prompt(view, MOODS, 4, Draw.RANDOM, 0)
    assert sorted(pair[0] for pair in prompt.pairs) == ["a", "b", "c"]
    assert among_exemplars(view, prompt).tolist() == [0, 1, 2, 3]


def test_its_knobs_are_its_own():
    assert METHOD.candidates == 150
    assert METHOD.nearest(settled(Knobs("pgra", 6))) == 0
    assert METHOD.n_candidates(settled(Knobs("pgra", 6))) == 150
    assert METHOD.n_candidates(settled(Knobs("pgra", 200))) == 200
    assert METHOD.n_candidates(settled(Knobs("pgra", 6, candidates=20))) == 20
    with pytest.raises(InvalidInput, match="exemplars"):
        settled(Knobs("pgra", own_values=(("exemplars", -1),)))
    with pytest.raises(InvalidInput, match="task is 'moods'"):
        settled(Knobs("pgra", own_values=(("task", "moods"),)))


def test_a_task_none_of_whose_labels_the_pool_has_is_refused():
    view, other = planted()[0], Task("other", "{x}", (LabelWord("yes"), LabelWord("no")))
    with pytest.raises(InvalidInput, match=r"label of the task 'other' \(yes, no\)"):
        task_prompt(view, other, 8, Draw.RANDOM, 0)
    assert task_prompt(view, other, 0, Draw.BALANCED, 0).pairs == ()


def test_where_everything_is_left_to_the_second_stage_there_are_no_candidates():
    everything = settled(Knobs("pgra", 6, candidates=20, own_values=(("stage_1", "all"),)))
    counts = (METHOD.nearest, METHOD.n_candidates, METHOD.among)
    assert [count(everything) for count in counts] == [0, 0, 0]
