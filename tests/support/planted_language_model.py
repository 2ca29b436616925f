"""A language model that knows the label of every text: its states are one-hot labels."""

import re

import numpy as np

from core.errors import InvalidInput
from core.language_model import Abilities
from core.types import LogProb
from core.watcher import NOBODY

ITEM = re.compile(r"item (\d+)")


class PlantedLanguageModel:
    """Texts are "item N"; the state of one is the one-hot of `labels[N]` and a little noise.

    Its answer repeats the label word that stands last in the prompt. Tokens are words. `read` lists
    the texts whose state was computed, `asked` the prompts that were scored.
    """

    name = "planted"
    device = "cpu"
    dtype = "float32"
    parameters = 0
    chat_format = None
    abilities = Abilities()

    def __init__(self, labels, *, window=10_000, noise=1e-3, fingerprint="planted"):
        self.labels, self.window, self.noise, self.fingerprint = labels, window, noise, fingerprint
        self.names = sorted(set(labels))
        self.read, self.asked = [], []

    def states(self, prefix, texts, *, watcher=NOBODY):
        watcher.checkpoint("stopped")
        self.read += [(prefix, text) for text in texts]
        return np.array([self.state(text) for text in texts], dtype=np.float32)

    def state(self, text):
        number = int(ITEM.findall(text)[-1])
        noise = self.noise * np.random.default_rng(number).normal(size=len(self.names))
        return np.eye(len(self.names))[self.names.index(self.labels[number])] + noise

    def log_probs(self, requests, *, watcher=NOBODY):
        watcher.checkpoint("stopped")
        self.asked += [each.prompt for each in requests]
        return [[self.log_prob(each.prompt, a) for a in each.answers] for each in requests]

    def log_prob(self, prompt, answer):
        places = {name: prompt.rfind(f" is {name}") for name in self.names}
        last = max(places, key=places.get)
        right = places[last] >= 0 and answer.strip() == last
        return LogProb(-1.0 if right else -2.0, 1, (-1.0 if right else -2.0,))

    def count_tokens(self, prompt, answer=""):
        return len(prompt.split()) + len(answer.split())

    def fits(self, prompt, answers):
        return max(self.count_tokens(prompt, answer) for answer in answers) <= self.window

    def without_tokens(self, prompt, answers):
        return tuple(answer for answer in answers if not answer.strip())

    def pieces(self, prompt, answer):
        return (answer,)


class StatelessLanguageModel(PlantedLanguageModel):
    """One that scores answers and gives no states, as a server's does."""

    abilities = Abilities(states=False)

    def states(self, prefix, texts, *, watcher=NOBODY):
        raise InvalidInput(f"The model {self.name} gives no hidden states; name a local model.")
