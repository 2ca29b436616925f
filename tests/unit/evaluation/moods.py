"""A pool of two moods and a model that is planted on it: every figure can be counted by hand."""

import numpy as np

from core.demonstration.demonstration import Draft, incorrect_answers
from core.engines import LocalEngine
from core.evaluation.plan.examples import examples_of
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.language_model import TEMPLATES
from core.language_model.task import LabelWord, Task
from core.retrieval.pool_view import load_pool_view
from core.retrieval.task_prompt import choose_task
from core.types import LogProb
from core.watcher import NOBODY
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

MOODS = Task("moods", "{x}", (LabelWord("sad", ("0",)), LabelWord("glad")), ending="Mood:")
OTHER = {"sad": "glad", "glad": "sad"}


def mood_of(number):
    """Two of three texts are sad."""
    return "glad" if number % 3 == 2 else "sad"


def drafts(n=30):
    moods = [mood_of(number) for number in range(n)]
    return [
        Draft(f"text number {number}", mood, incorrect_answers((OTHER[mood],)))
        for number, mood in enumerate(moods)
    ]


class Planted(FakeLanguageModel):
    """A model whose state is the one-hot of a text's mood, and which follows its demonstrations.

    An answer's log-probability is the number of demonstrations that have it, less a hundred; at a
    tie the sad one wins. With `blind` every state is the same.
    """

    def __init__(self, *, blind=False, **given):
        super().__init__(fingerprint=f"planted {blind}", **given)
        self.blind = blind
        self.read = 0

    def states(self, prefix, texts, *, watcher=NOBODY):
        self.read += len(texts)
        rows = [self._state(text) for text in texts]
        watcher.on_progress(len(rows), len(rows))
        return np.array(rows, dtype=np.float32).reshape(-1, 2)

    def _state(self, text):
        if self.blind or not text.startswith("text number"):
            return [1.0, 1.0]
        sad = mood_of(int(text.split()[2])) == "sad"
        return [float(sad), float(not sad)]

    def log_prob(self, prompt, answer):
        total = prompt.count(f"A:{answer}\n") - 100.0 + (0.5 if answer == " sad" else 0.0)
        return LogProb(total, 1, (total,))


def mood_pool(store, n=30, task=MOODS):
    """The pool `moods` in the store, with its task."""
    pool = store.pools.create("moods")
    store.demonstrations.add(pool.id, drafts(n))
    if task is not None:
        choose_task(store, pool, task)
    return pool


def engine_of(store, model=None):
    return LocalEngine(store, model or Planted(), TEMPLATES["qa"])


def evaluated(store, requests, model=None, **options):
    """The comparison of the requests on all texts of the pool `moods`."""
    encoder = HashingEncoder(16)
    pool = store.pools.get("moods")
    return evaluate(
        store,
        load_pool_view(store, "moods", encoder),
        engine_of(store, model),
        examples_of(store.demonstrations.all(pool.id)),
        encoder,
        requests,
        options=EvaluationOptions(**options),
    )
