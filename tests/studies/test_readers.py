"""The readers: what wins a vote and its ties, and which prompt the language model is asked."""

import pytest

from core.errors import Cancelled
from core.language_model.task import TASKS, LabelWord, Task
from core.types import LogProb
from core.watcher import NOBODY, Watcher
from studies.readers.reader import Case, Reading
from studies.readers.registry import READERS

TASK = Task("moods", "Glad or sad? {x}", (LabelWord("sad"), LabelWord("glad"), LabelWord("odd")))
WATCHER = Watcher()


class Engine:
    """Answers by a planted log-probability of each label word; its window counts characters."""

    def __init__(self, window=10_000, **log_prob_of):
        self.window, self.log_prob_of, self.calls = window, log_prob_of, []

    def fits(self, prompt, answers):
        return len(prompt) + max(map(len, answers)) <= self.window

    def log_probs(self, requests, *, watcher=NOBODY):
        watcher.checkpoint("stopped")
        self.calls.append(list(requests))
        return [
            [LogProb(self.log_prob_of.get(answer.strip(), -9.0), 1, ()) for answer in each.answers]
            for each in requests
        ]


def case(words, shares=None, query="here"):
    kept = tuple((f"text {place}", word) for place, word in enumerate(words))
    return Case(query, kept, tuple(shares or [1 / max(1, len(words))] * len(words)))


def vote(*cases):
    return [each.word for each in READERS["vote"].read(TASK, cases, None, WATCHER)]


def test_the_majority_wins():
    assert vote(case(["glad", "sad", "glad"]), case(["odd"])) == ["glad", "odd"]


def test_of_equally_many_the_larger_sum_of_shares_wins_then_the_first_label():
    assert vote(case(["sad", "glad"], [0.4, 0.6])) == ["glad"]
    assert vote(case(["glad", "sad", "glad", "sad"], [0.3, 0.25, 0.2, 0.25])) == ["sad"]
    assert vote(case(["odd", "glad", "sad"], [0.2, 0.2, 0.2])) == ["sad"]
    # A majority wins against any share.
    assert vote(case(["glad", "sad", "sad"], [0.9, 0.05, 0.05])) == ["sad"]


def test_a_vote_without_votes_names_nothing():
    assert vote(case([])) == [None]


def test_the_most_probable_label_word_wins_and_the_first_of_equals():
    read = READERS["in-context"].read
    assert read(TASK, [case(["sad"])], Engine(glad=-1.0, odd=-2.0), WATCHER) == [Reading("glad")]
    assert read(TASK, [case(["sad"])], Engine(odd=-1.0, glad=-1.0), WATCHER) == [Reading("glad")]
    assert read(TASK, [case([])], Engine(odd=-1.0), WATCHER) == [Reading("odd")]


@pytest.mark.parametrize("task", [TASK, *TASKS.values()], ids=lambda task: task.name)
def test_its_prompt_is_the_tasks_template_with_the_most_alike_last(task):
    engine = Engine()
    words = (task.words[0], task.words[1])
    READERS["in-context"].read(task, [case(words), case([])], engine, WATCHER)
    ((request, alone),) = engine.calls  # one call for all cases together
    pairs = [("text 1", words[1]), ("text 0", words[0])]
    assert request.prompt == task.template.prompt(pairs, "here")
    assert request.answers == tuple(task.template.answer(word) for word in task.words)
    assert alone.prompt == task.text("here")


def test_what_does_not_fit_is_left_out_from_the_front():
    whole = case(["sad", "glad", "odd"])
    prompts = [TASK.prefix(whole.kept[:n][::-1]) + TASK.text("here") for n in range(4)]
    for n, prompt in enumerate(prompts):
        engine = Engine(window=len(prompt) + len(" glad"), sad=-1.0)
        (found,) = READERS["in-context"].read(TASK, [whole], engine, WATCHER)
        assert found == Reading("sad", 3 - n)
        assert engine.calls[0][0].prompt == prompt  # the most alike stay


def test_a_query_that_never_fits_is_not_asked():
    engine = Engine(window=len(TASK.text("")) + len(" glad"), sad=-1.0)
    found = READERS["in-context"].read(
        TASK, [case(["sad"], query="a much longer one"), case([], query="")], engine, WATCHER
    )
    assert found == [Reading(None, 1), Reading("sad")]
    assert len(engine.calls[0]) == 1


def test_a_reader_can_be_stopped():
    with pytest.raises(Cancelled):
        READERS["in-context"].read(TASK, [case([])], Engine(), Watcher(cancelled=lambda: True))


def test_shares_belong_to_what_was_kept():
    with pytest.raises(ValueError, match="2 texts are kept with 1 shares"):
        Case("q", (("a", "sad"), ("b", "sad")), (1.0,))


def test_results_say_what_a_reader_is_not():
    assert [reader.label for reader in READERS.values()] == [
        "vote, not the paper's Fusion-in-Decoder",
        "in-context, not the paper's Fusion-in-Decoder",
    ]
    assert [reader.asks for reader in READERS.values()] == [False, True]
