"""A language model whose task states are planted: it knows the label of every text."""

import threading

import numpy as np

from core.demonstration.demonstration import Draft
from core.errors import InvalidInput
from core.watcher import NOBODY
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

LABELS = ("0", "1")
NO_STATES = "The model planted gives no hidden states; choose another model."


def mood(text):
    """The label of a text: whether its last line but the ending speaks of something glad."""
    return int("glad" in text.splitlines()[-2])


def moods(n, start=0):
    """Drafts of n texts with their labels, the two in turn; what they say is like one another."""
    words = ("sad", "glad")
    return [
        Draft(f"Text {number} about a {words[number % 2]} day", LABELS[number % 2])
        for number in range(start, start + n)
    ]


class PlantedModel(FakeLanguageModel):
    """A `LanguageModel` whose state of a text is the one-hot of its mood.

    `read` lists every (prefix, text) that it was given, in order. With `hidden` False it gives no
    states. Before every batch it waits until `go_on` is set; `began` is set when it was asked.
    """

    name = "planted"

    def __init__(self, *, hidden=True, **options):
        super().__init__(**options)
        self.hidden = hidden
        self.read = []
        self.began, self.go_on = threading.Event(), threading.Event()
        self.go_on.set()

    def states(self, prefix, texts, *, watcher=NOBODY):
        if not self.hidden:
            raise InvalidInput(NO_STATES)
        self.began.set()
        assert self.go_on.wait(60)
        watcher.checkpoint("stopped")
        self.read += [(prefix, text) for text in texts]
        return np.array([np.eye(2)[mood(text)] + 1e-3 for text in texts], dtype=np.float32)
