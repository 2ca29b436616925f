"""Engines generate: nothing twice, committed chunk by chunk, or only what the store has."""

import pytest

from core.engines import LocalEngine, StoredEngine
from core.errors import Cancelled, NotComputed
from core.generation import GenerationRequest
from core.language_model import TEMPLATES
from core.store import Store
from core.watcher import Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

QA = TEMPLATES["qa"]
PROMPTS = [QA.prompt([("When?", f"At {i}.")], f"And {i}?") for i in range(40)]


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path) as opened:
        yield opened


def texts(found):
    return [[each.text for each in row] for row in found]


def test_what_was_generated_is_not_generated_again(store):
    model = FakeLanguageModel()
    engine = LocalEngine(store, model, QA)
    requests = [GenerationRequest(prompt) for prompt in (*PROMPTS[:3], PROMPTS[0])]
    first = engine.generate(requests)
    assert texts(first) == [[" At 0."], [" At 1."], [" At 2."], [" At 0."]]
    assert model.generated == [(prompt, 0) for prompt in PROMPTS[:3]]
    again = LocalEngine(store, model, QA).generate(requests[::-1])[::-1]
    assert again == first
    assert len(model.generated) == 3


def test_fewer_samples_are_those_of_more(store):
    model = FakeLanguageModel()
    engine = LocalEngine(store, model, QA)

    def drawn(n, seed=0):
        return engine.generate([GenerationRequest(PROMPTS[0], n, temperature=1.0, seed=seed)])[0]

    three = drawn(3)
    assert drawn(2) == three[:2]
    assert len(model.generated) == 3
    assert drawn(5)[:3] == three
    assert store.generations.count(model.fingerprint) == 5
    drawn(1, seed=1)
    assert store.generations.count(model.fingerprint) == 6


def test_a_greedy_text_is_kept_once_however_many_are_asked_for(store):
    model = FakeLanguageModel()
    engine = LocalEngine(store, model, QA)
    assert texts(engine.generate([GenerationRequest(PROMPTS[0], 3)])) == [[" At 0."] * 3]
    assert texts(engine.generate([GenerationRequest(PROMPTS[0], seed=4)])) == [[" At 0."]]
    assert model.generated == [(PROMPTS[0], 0)]


def test_progress_counts_tokens_over_all_chunks_and_cancelling_keeps_those_before(store):
    model = FakeLanguageModel()
    engine = LocalEngine(store, model, QA)
    requests = [GenerationRequest(prompt, max_new_tokens=10) for prompt in PROMPTS]
    seen, asked = [], []

    def cancelled():
        asked.append(None)
        return len(asked) > 20

    with pytest.raises(Cancelled):
        engine.generate(
            requests,
            watcher=Watcher(on_progress=lambda *done: seen.append(done), cancelled=cancelled),
        )
    assert seen[-1] == (200, 400)
    assert store.generations.count(model.fingerprint) == 16
    seen.clear()
    engine.generate(requests, watcher=Watcher(on_progress=lambda *done: seen.append(done)))
    assert (seen[0], seen[-1]) == ((10, 240), (240, 240))


def test_what_is_not_stored_is_not_computed_where_it_may_not_be(store):
    model = FakeLanguageModel()
    LocalEngine(store, model, QA).generate([GenerationRequest(PROMPTS[0])])
    stored = StoredEngine(store, model.fingerprint, QA)
    assert texts(stored.generate([GenerationRequest(PROMPTS[0])])) == [[" At 0."]]
    with pytest.raises(NotComputed):
        stored.generate([GenerationRequest(prompt) for prompt in PROMPTS[:2]])
    with pytest.raises(NotComputed):
        StoredEngine(store, "another", QA).generate([GenerationRequest(PROMPTS[0])])
