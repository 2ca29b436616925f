"""A scoring engine from one file evaluates, calibrates and scores quality; no model is near."""

import math

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, EvaluationExample, incorrect_answers
from core.errors import Cancelled
from core.evaluation.results.run_figures import SkippedExample, SkipReason
from core.evaluation.runs.calibrate import CalibrationOptions, calibrate
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.scoring.quality_bias import score_quality
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import load_pool_view
from core.types import LogProb
from core.watcher import NOBODY, Watcher
from tests.support.cells import cell_of

ALONE = {"right": -2.0, "wrong": -1.5, "good": -3.0, "bad": -4.0}
HELP = ("red green grey", "Ask me twice.")
POOL = [
    Draft("red green white", "One."),
    Draft("red green black", "Two."),
    Draft("blue", "Three."),
    Draft(*HELP),
]
EXAMPLES = [
    EvaluationExample("red green blue", ("right",), incorrect_answers(["wrong"])),
    EvaluationExample("grey", ("good",), incorrect_answers(["bad"])),
    EvaluationExample("white", ("right",), incorrect_answers(["wrong"])),
]


class Words:
    """An encoder with an axis per word: the cosine is the share of words in common."""

    name = fingerprint = "words"
    axes = ("red", "green", "blue", "grey", "white", "black")
    dimensions = len(axes)

    def encode(self, texts, *, watcher=NOBODY):
        rows = np.array([[axis in text.split() for axis in self.axes] for text in texts], float)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def cut(self, texts):
        return np.zeros(len(texts), dtype=bool)


class Lines:
    """A template: a line for each part."""

    name, fingerprint = "lines", "one line each"

    def prompt(self, pairs, query):
        return "\n".join([*(f"{q}? {a}" for q, a in pairs), f"{query}?"])

    def answer(self, text):
        return f" {text}"


class Rules:
    """An engine without a model: what an answer gains from each line before the query is a rule.

    A correct answer gains 1 nat from the line "blue? Three." and loses half a nat from any other;
    incorrect ones stay as they are. `asked` lists what it was given to compute, call by call.
    """

    name, fingerprint, device, dtype = "rules", "rules 1", "a cluster", "decimal"
    template = Lines()
    examples_at_once = 2

    def __init__(self, longest=100):
        self.calls, self.asked, self.known, self.longest = 0, [], {}, longest

    def log_probs(self, requests, *, watcher=NOBODY):
        watcher.checkpoint("stopped")
        pairs = [(each.prompt, answer) for each in requests for answer in each.answers]
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self.known]
        self.known |= {pair: self._log_prob(*pair) for pair in new}
        self.calls += len(new)
        self.asked.append(len(new))
        return [[self.known[each.prompt, answer] for answer in each.answers] for each in requests]

    def fits(self, prompt, answers):
        return max(len(f"{prompt}{answer}".split()) for answer in answers) <= self.longest

    def without_tokens(self, prompt, answers):
        return tuple(answer for answer in answers if not answer.strip(" ."))

    def _log_prob(self, prompt, answer):
        *lines, _ = prompt.split("\n")
        gain = sum(1.0 if line == "blue? Three." else -0.5 for line in lines)
        total = ALONE.get(answer[1:], -6.0) + (gain if answer[1:] in ("right", "good") else 0.0)
        n_tokens = len(answer.split())
        return LogProb(total, n_tokens, (total / n_tokens,) * n_tokens)


def log_sigmoid(x):
    return -math.log1p(math.exp(-x))


@pytest.fixture
def pool(store):
    pool = store.pools.create("colours")
    store.demonstrations.add(pool.id, POOL)
    return pool


@pytest.fixture
def run(store, pool):
    def call(what, engine, *arguments, examples=EXAMPLES, **options):
        encoder = Words()
        view = load_pool_view(store, "colours", encoder)
        return what(store, view, engine, examples, encoder, *arguments, **options)

    return call


def test_it_evaluates(run):
    engine, requests = Rules(), {"none": Knobs("none"), "rel": Knobs("rel", 1)}
    found = run(evaluate, engine, requests)
    # The nearest are: of "red green blue" the first of three that share two words with it, of
    # "grey" and "white" the one that has the word. Each makes a correct answer lose half a nat.
    assert found.methods["rel"].metrics["delta"].mean == -0.5
    expected = pytest.approx(log_sigmoid(-0.5), abs=1e-12)
    assert found.methods["rel"].metrics["dpo_per_triple"].mean == expected
    assert found.methods["none"].metrics["dpo_per_triple"].mean == pytest.approx(-math.log(2))
    assert found.methods["none"].metrics["mc1"].mean == pytest.approx(1 / 3)  # only "grey"
    settings = found.figures.settings
    assert (settings.model, settings.model_fingerprint) == ("rules", "rules 1")
    assert (settings.device, settings.dtype, settings.template) == ("a cluster", "decimal", "lines")
    # Two examples together, then the third: two prompts of two answers each.
    assert engine.asked == [8, 4]
    assert found.figures.language_model_calls == 12
    again = run(evaluate, engine, requests)
    assert again.figures.language_model_calls == 0
    assert repr(again.methods) == repr(found.methods)


def test_it_calibrates(run):
    engine = Rules()
    options = CalibrationOptions(ks=(2,), lambda_bs=(1.0,))
    found = run(calibrate, engine, examples=EXAMPLES[:1], options=options)
    # "red green white" comes first. Then "blue" (cosine 0.577 with the query, none with the
    # first) is chosen while 0.577 x > 0.667 x - 0.667 (1 - x), else another of two words.
    corner = (2 / 3) / (4 / 3 - 1 / math.sqrt(3))
    steps = found.steps("dpo_per_triple")
    assert steps.lows == pytest.approx([0.0, corner], abs=1e-6)
    # Gains of -0.5 + 1 and of -0.5 - 0.5.
    assert steps.values == pytest.approx([log_sigmoid(0.5), log_sigmoid(-1.0)], abs=1e-12)
    assert found.best.lambda_d == 0.85
    assert cell_of(found, 0.9, 1.0, 2).metric("delta").mean == pytest.approx(-1.0)


def test_it_scores_quality(store, pool):
    report = score_quality(store, pool.id, Rules())
    assert (report.scored, report.too_long) == (4, ())
    view = load_pool_view(store, "colours", Words())
    values = store.quality.get("rules 1", "one line each", view.pair_hashes)
    assert values.tolist() == [-6.0, -6.0, -6.0, -2.0]  # three tokens: "Ask me twice."


def test_what_it_cannot_be_asked_is_passed_over(run):
    odd = EvaluationExample("black", ("good",), incorrect_answers(["..."]))
    long = EvaluationExample("grey or white or black", ("right",), incorrect_answers(["wrong"]))
    engine = Rules(longest=5)
    asked = [EXAMPLES[1], odd, long]
    found = run(evaluate, engine, {"rel": Knobs("rel", 1)}, examples=asked)
    assert set(found.figures.skipped) == {
        SkippedExample("black", SkipReason.WITHOUT_TOKENS, "..."),
        SkippedExample("grey or white or black", SkipReason.TOO_LONG),
    }
    assert found.examples == (EXAMPLES[1],)
    # "red green grey? Ask me twice." leaves no room for "grey? good": it was left out.
    assert found.methods["rel"].left_out == 1
    assert found.methods["rel"].metrics["delta"].mean == 0.0


def test_it_is_stopped_between_two_batches(run):
    engine = Rules()
    watcher = Watcher(cancelled=lambda: len(engine.asked) == 1)
    requests, options = {"rel": Knobs("rel", 1)}, EvaluationOptions()
    with pytest.raises(Cancelled):
        run(evaluate, engine, requests, options=options, watcher=watcher)
    assert engine.asked == [8]
