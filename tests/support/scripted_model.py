"""A language model that says what a script says, and a retriever that finds what a table says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.generation import EndedBy, Generation, GenerationRequest
from core.programs import Passage, ScoredPassage
from core.watcher import NOBODY


def text_of(text, log_prob=-1.0, ended_by=EndedBy.STOP):
    """A generation with one token a word, each of that log-probability."""
    words = text.split()
    return Generation(text, tuple(range(len(words))), (log_prob,) * len(words), ended_by=ended_by)


@dataclass
class ScriptedModel:
    """Continues prompts by a script; a token is a word.

    `script` is a function of the prompt, or for each prompt or end of a prompt the completions:
    texts or generations, of which sample i is number i, the last one for all further.
    """

    script: Callable[[str], Sequence] | dict
    window: int = 10_000
    asked: list[GenerationRequest] = field(default_factory=list)

    def count_tokens(self, prompt, answer=""):
        return len((prompt + answer).split())

    def generate(self, requests, *, on_text=None, watcher=NOBODY):
        watcher.checkpoint("stopped")
        self.asked += requests
        return [self._texts(request) for request in requests]

    def _texts(self, request):
        said = list(self._said(request.prompt))
        said += said[-1:] * (request.n - len(said))
        return [each if isinstance(each, Generation) else text_of(each) for each in said][
            : request.n
        ]

    def _said(self, prompt):
        if callable(self.script):
            return self.script(prompt)
        (found,) = [said for end, said in self.script.items() if prompt.endswith(end)]
        return [found] if isinstance(found, str | Generation) else found

    @property
    def prompts(self):
        return [request.prompt for request in self.asked]


@dataclass
class TableRetriever:
    """Finds for each query the passages (id, text, score) of a table; none for an unknown query."""

    table: dict
    asked: list = field(default_factory=list)

    def search(self, query, k):
        self.asked.append((query, k))
        return [ScoredPassage(Passage(*row[:2]), *row[2:]) for row in self.table.get(query, ())][:k]

    def scores(self, query, passages):
        scores = {row[0]: row[2] for row in self.table[query]}
        return [scores.get(passage.id, 0.0) for passage in passages]
