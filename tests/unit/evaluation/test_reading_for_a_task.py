"""Reading a pool for its task: what fits the window, what is kept, what a run does with it."""

from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft
from core.engines import LocalEngine, StoredEngine
from core.errors import Cancelled, InvalidInput, NotComputed
from core.evaluation.plan.examples import examples_of
from core.evaluation.results.run_figures import End, SkippedExample, SkipReason
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.scoring.task_states import KeptStates, StateReader
from core.language_model import TEMPLATES
from core.language_model.local.rows import PairEncoder
from core.language_model.task import LabelWord, Task
from core.retrieval.choosing import settled
from core.retrieval.knobs import Knobs
from core.retrieval.methods.pgra import prompt_of
from core.retrieval.pool_view import load_pool_view
from core.retrieval.task_prompt import PoolStates, TaskPrompt, choose_task
from core.watcher import NOBODY, Watcher
from tests.support.hashing_encoder import HashingEncoder
from tests.support.tiny_language_model import build_tokenizer
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

MOODS = Task("moods", "{x}", (LabelWord("sad"), LabelWord("glad")), ending="Mood:")
PAIRS = (("one two", "sad"), ("three", "glad"), ("four five six", "sad"))
PROMPT = TaskPrompt(MOODS, (0, 1, 2), PAIRS)
# Words: "Follow the demonstrations:" has 3, an exemplar its text, "Mood:" and the label.
SIZES = [3 + 4 + 3 + 5, 3 + 3 + 5, 3 + 5, 0]


class Reads(FakeLanguageModel):
    """A model whose state is (words of the prefix, words of the text); `read` is what it read."""

    def __init__(self, **given):
        super().__init__(**given)
        self.read = []

    def states(self, prefix, texts, *, watcher=NOBODY):
        self.read += [(prefix, text) for text in texts]
        return np.array(
            [[self.count_tokens(prefix), self.count_tokens(text)] for text in texts],
            dtype=np.float32,
        ).reshape(-1, 2)


def engine_of(store, window=1000, model=None):
    return LocalEngine(store, model or Reads(window=window), TEMPLATES["qa"])


def text_of(words):
    return " ".join(["word"] * words)


def test_the_words_of_the_prefixes():
    assert [len(PROMPT.prefix(dropped).split()) for dropped in range(4)] == SIZES


def test_where_all_fit_every_exemplar_stands_before_every_text(store):
    found = StateReader(engine_of(store)).of_pool(PROMPT, [text_of(3), text_of(1), text_of(3)])
    assert found.states.tolist() == [[15, 4], [15, 2], [15, 4]]
    assert (found.exemplars, found.shortened, found.skipped) == (3, 0, ())
    assert found.read.all()


def test_exemplars_fall_away_from_the_front_until_nearly_all_fit(store):
    # With "Mood:" a text of 3 words has 4: after all exemplars 19. A window of 15 leaves out the
    # first for all (11 + 4), and of 40 texts one longer one loses another: 8 + 7 is 15.
    texts = [text_of(3)] * 39 + [text_of(6)]
    reader = StateReader(engine_of(store, window=15))
    found = reader.of_pool(PROMPT, [f"{text} {i}" for i, text in enumerate(texts)])
    assert found.exemplars == 1
    found = reader.of_pool(PROMPT, [f"{i}-{text}" for i, text in enumerate(texts)])
    assert (found.exemplars, found.shortened, found.skipped) == (2, 1, ())
    assert found.states[0].tolist() == [11, 4]
    assert found.states[-1].tolist() == [8, 7]
    assert reader.of_query(PROMPT, found, text_of(3)).tolist() == [11, 4]
    assert reader.of_query(PROMPT, found, text_of(1)).tolist() == [11, 2]
    assert reader.of_query(PROMPT, found, text_of(7)).tolist() == [0, 8]
    asked, seen = [text_of(n) for n in (7, 3, 1, 3, 15)], []
    states = reader.of_queries(
        PROMPT, found, asked, watcher=Watcher(on_progress=lambda *at: seen.append(at))
    )
    assert {query: state.tolist() for query, state in states.items()} == {
        text_of(3): [11, 4],
        text_of(1): [11, 2],
        text_of(7): [0, 8],
    }
    assert seen == []  # all three are in the store
    assert reader.of_queries(PROMPT, found, []) == {}
    reader.of_queries(
        PROMPT,
        found,
        [text_of(2), text_of(7)],
        watcher=Watcher(on_progress=lambda *at: seen.append(at)),
    )
    assert seen == [(1, 2)]


def test_a_text_that_does_not_even_fit_alone_is_passed_over_and_a_query_is_refused(store):
    texts = [text_of(2), text_of(40), text_of(2)]
    reader = StateReader(engine_of(store, window=20))
    found = reader.of_pool(PROMPT, texts)
    assert found.skipped == (1,)
    assert found.read.tolist() == [True, False, True]
    assert np.isnan(found.states[1]).all()
    assert found.states[2].tolist() == [15, 3]
    assert found.mean.tolist() == [15, 3]
    with pytest.raises(InvalidInput, match="'word word.* 20 tokens that fake reads"):
        reader.of_query(PROMPT, found, texts[1])
    none = reader.of_pool(PROMPT, [text_of(40)])
    assert none.skipped == (0,)
    assert none.states.shape == (1, 0)
    assert none.mean.shape == (0,)
    assert reader.of_pool(PROMPT, []).states.shape == (0, 0)


def test_nothing_is_read_twice_by_any_reader_of_the_store(store):
    texts = [text_of(n) for n in range(1, 6)]
    first, second, seen = Reads(), Reads(), []
    reader = StateReader(engine_of(store, model=first))
    reader.of_pool(PROMPT, texts, watcher=Watcher(on_progress=lambda *at: seen.append(at)))
    assert seen == [(5, 5)]
    assert len(first.read) == 5
    again = StateReader(engine_of(store, model=second)).of_pool(PROMPT, [*texts, text_of(9)])
    assert [text for _, text in second.read] == [MOODS.text(text_of(9))]
    stored = StateReader(StoredEngine(store, second.fingerprint, TEMPLATES["qa"], second))
    np.testing.assert_array_equal(stored.of_pool(PROMPT, texts).states, again.states[:5])
    with pytest.raises(NotComputed):
        stored.of_pool(PROMPT, [*texts, "new"])
    with pytest.raises(NotComputed):
        stored.of_query(PROMPT, again, "new")


def test_a_few_pools_stay_in_memory_by_what_was_read(store):
    kept, engine = KeptStates(2), engine_of(store)
    reader = StateReader(engine, kept)
    first, second = (reader.of_pool(PROMPT, [text_of(n)]) for n in (1, 2))
    assert reader.of_pool(PROMPT, [text_of(1)]) is first  # the second is now the longest unused
    third = reader.of_pool(PROMPT, [text_of(3)])
    assert len(kept) == 2
    assert reader.of_pool(PROMPT, [text_of(1)]) is first
    assert reader.of_pool(PROMPT, [text_of(3)]) is third
    assert reader.of_pool(PROMPT, [text_of(2)]) is not second
    other = TaskPrompt(MOODS, (1,), PAIRS[1:2])
    assert reader.of_pool(other, [text_of(2)]).states.tolist() == [[6, 3]]


def test_pools_in_memory_take_so_many_bytes_but_the_last_one_stays(store):
    kept = KeptStates(None, 40)  # a state is two numbers of four bytes
    reader = StateReader(engine_of(store), kept)
    texts = [[text_of(n), text_of(n + 10)] for n in range(1, 4)]
    found = [reader.of_pool(PROMPT, each) for each in texts]
    assert len(kept) == 2
    assert reader.of_pool(PROMPT, texts[1]) is found[1]
    large = reader.of_pool(PROMPT, [text_of(n) for n in range(1, 10)])
    assert len(kept) == 1
    assert reader.of_pool(PROMPT, [text_of(n) for n in range(1, 10)]) is large


def test_a_reader_of_its_own_keeps_all_pools(store):
    reader = StateReader(engine_of(store))
    found = [reader.of_pool(PROMPT, [text_of(n)]) for n in range(1, 8)]
    assert all(reader.of_pool(PROMPT, [text_of(n)]) is found[n - 1] for n in range(1, 8))


@pytest.mark.parametrize("adds_bos", [False, True])
def test_as_many_exemplars_stand_as_fit_counted_without_reading_all_of_them_again(store, adds_bos):
    encoder = PairEncoder(build_tokenizer(adds_bos=adds_bos))
    longest = 0

    class Counts(Reads):
        def count_tokens(self, prompt, answer=""):
            nonlocal longest
            longest = max(longest, len(prompt) if answer else 0)
            opening, (own,) = encoder.encode_pair(prompt, [answer])
            return len(opening) + len(own)

    queries = [text_of(1), "a spider, is it?", text_of(9)]
    for prompt in (PROMPT, TaskPrompt(MOODS, (1,), PAIRS[1:2]), TaskPrompt(MOODS)):
        m, fewest = len(prompt.pairs), []
        for window in range(20, 120):
            model = Counts(window=window)
            reader = StateReader(engine_of(store, model=model))
            everything = PoolStates(np.empty((0, 2), dtype=np.float32), exemplars=m)
            for query in queries:
                text = MOODS.text(query)
                fitting = [
                    shown
                    for shown in range(m + 1)
                    if encoder_size(encoder, prompt.prefix(m - shown), text) <= window
                ]
                if not fitting:
                    with pytest.raises(InvalidInput, match="does not fit"):
                        reader.before_query(prompt, everything, query)
                    continue
                assert reader.before_query(prompt, everything, query) == max(fitting)
                fewest.append(max(fitting))
        assert set(fewest) == set(range(m + 1))
        assert longest <= len(prompt.prefix(max(0, m - 1)))
        longest = 0


def encoder_size(encoder, prefix, text):
    opening, (own,) = encoder.encode_pair(prefix, [text])
    return len(opening) + len(own)


def test_what_was_read_before_it_was_stopped_is_kept(store):
    engine = engine_of(store)
    texts = [f"{text_of(2)} {n}" for n in range(150)]

    def stop():
        return store.task_states.count("fake model") > 0

    with pytest.raises(Cancelled):
        StateReader(engine).of_pool(PROMPT, texts, watcher=Watcher(cancelled=stop))
    assert store.task_states.count("fake model") == 8
    seen = []
    StateReader(engine).of_pool(
        PROMPT, texts, watcher=Watcher(on_progress=lambda *at: seen.append(at))
    )
    assert [total for _, total in seen] == [150] * len(seen)
    assert seen[0][0] > 8
    assert seen[-1] == (150, 150)
    with pytest.raises(Cancelled):
        StateReader(engine).of_pool(PROMPT, [text_of(1)], watcher=Watcher(cancelled=lambda: True))


def test_a_run_reads_the_pool_once_and_passes_over_exemplars(store):
    pool = store.pools.create("moods")
    drafts = [Draft(f"text number {n}", ("sad", "glad")[n % 2]) for n in range(12)]
    store.demonstrations.add(pool.id, drafts)
    choose_task(store, pool, MOODS)
    view, encoder = load_pool_view(store, "moods", HashingEncoder(8)), HashingEncoder(8)
    model = Reads()
    engine = engine_of(store, model=model)
    knobs = Knobs("pgra", 3, own_values=(("exemplars", 4),))
    examples = examples_of(store.demonstrations.all(pool.id))
    found = evaluate(store, view, engine, examples, encoder, {"pgra": knobs})
    exemplars = prompt_of(view, settled(knobs)).indices
    assert len(exemplars) == 4
    assert set(found.figures.skipped) == {
        SkippedExample(view.queries[index], SkipReason.EXEMPLAR) for index in exemplars
    }
    assert len(found.examples) == 8
    texts = [text for _, text in model.read]
    assert sorted(texts) == sorted(MOODS.text(draft.query) for draft in drafts)
    kept = {id for outcome in found.methods["pgra"].outcomes for id in outcome.ids}
    assert not kept & set(view.ids[list(exemplars)].tolist())


def test_another_pools_examples_are_passed_over_by_the_queries_of_every_rows_exemplars(store):
    pool, others = store.pools.create("moods"), store.pools.create("others")
    drafts = [Draft(f"text number {n}", ("sad", "glad")[n % 2]) for n in range(12)]
    store.demonstrations.add(pool.id, drafts)
    choose_task(store, pool, MOODS)
    view, encoder = load_pool_view(store, "moods", HashingEncoder(8)), HashingEncoder(8)
    rows = {
        f"seed {seed}": Knobs("pgra", 3, seed=seed, own_values=(("exemplars", 2),))
        for seed in (0, 1)
    }
    drawn = {
        view.queries[at] for row in rows.values() for at in prompt_of(view, settled(row)).indices
    }
    assert len(drawn) > 2, "the seeds draw different exemplars"
    asked = [f"  {draft.query.upper()} " for draft in drafts] + ["a new text"]
    store.demonstrations.add(others.id, [Draft(query, "sad") for query in asked])
    examples = examples_of(store.demonstrations.all(others.id))
    options = EvaluationOptions(examples_from="others")
    found = evaluate(store, view, engine_of(store), examples, encoder, rows, options=options)
    assert {each.query.strip().lower() for each in found.figures.skipped} == drawn
    assert {each.reason for each in found.figures.skipped} == {SkipReason.EXEMPLAR}
    assert len(found.examples) == len(asked) - len(drawn)
    for name, row in rows.items():
        closed = set(view.ids[list(prompt_of(view, settled(row)).indices)].tolist())
        for example, outcome in zip(found.examples, found.methods[name].outcomes, strict=True):
            own = set(view.ids[view.same_query(example.query)].tolist())
            assert not set(outcome.ids) & (closed | own)


def test_a_query_that_is_too_long_for_its_task_is_passed_over_and_the_run_goes_on(store):
    pool, others = store.pools.create("moods"), store.pools.create("others")
    drafts = [Draft(f"text number {n}", ("sad", "glad")[n % 2]) for n in range(12)]
    store.demonstrations.add(pool.id, drafts)
    choose_task(store, pool, replace(MOODS, question=f"{text_of(30)} {{x}}"))
    view, encoder = load_pool_view(store, "moods", HashingEncoder(8)), HashingEncoder(8)
    # With its template alone the long query fits, after the task's question it does not.
    drafts = [Draft(text_of(20), "sad"), Draft("a short text", "glad")]
    store.demonstrations.add(others.id, drafts)
    examples = examples_of(store.demonstrations.all(others.id))
    engine = engine_of(store, window=40)
    rows = {"pgra": Knobs("pgra", 1), "rel": Knobs("rel", 1)}
    found = evaluate(store, view, engine, examples, encoder, rows)
    assert found.figures.skipped == (SkippedExample(text_of(20), SkipReason.TOO_LONG),)
    assert [example.query for example in found.examples] == ["a short text"]
    assert found.figures.end is End.ALL
