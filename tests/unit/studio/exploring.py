"""A pool to explore, a model that notes what it is asked, and how a test waits for the worker."""

import threading
import time

from core.demonstration.demonstration import Draft, incorrect_answers

ROWS = (
    ("Is the moon made of cheese?", ("No, it is rock", "It is rock"), ("Yes", "Of cheese")),
    ("Is the sun made of fire?", ("No, of plasma",), ("Yes, of fire",)),
    ("Do bats see well?", ("They do", "Yes"), ("No, they are blind",)),
    ("Do bulls hate the colour red?", ("No, they hardly see it",), ("Yes", "They do")),
    ("Does sugar make children wild?", ("No", "There is no sign of it"), ("Yes",)),
    ("Does the moon make people mad?", ("No",), ("Yes, at full moon",)),
    ("Where is the red house?", ("Nobody knows",), ()),
)
QUERY = ROWS[0][0]


def drafts():
    return [
        Draft(q, answer, incorrect_answers(incorrect))
        for q, answers, incorrect in ROWS
        for answer in answers
    ]


def wait_for(ready, seconds=60.0):
    """Ask until the answer is true; returns it."""
    until = time.monotonic() + seconds
    while not (answer := ready()):
        assert time.monotonic() < until, "nothing came"
        time.sleep(0.01)
    return answer


class Asked:
    """A language model that notes its prompts, and which answers it is asked for under which.

    It says nothing until `may_answer` is set.
    """

    def __init__(self, model):
        self._model = model
        self.pairs, self.prompts = [], []
        self.may_answer = threading.Event()
        self.may_answer.set()

    def __getattr__(self, name):
        return getattr(self._model, name)

    def log_probs(self, requests, **callbacks):
        assert self.may_answer.wait(60)
        self.prompts.extend(request.prompt for request in requests)
        self.pairs.extend((r.prompt, answer) for r in requests for answer in r.answers)
        return self._model.log_probs(requests, **callbacks)
