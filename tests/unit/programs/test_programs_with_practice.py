"""The practice model writes demonstrations of service-desk requests, and refuses none it knows."""

import json

import numpy as np
import pytest

from core.language_model import AnswerRequest, load
from core.passages.search import PassageArrays, PassageSearch, SearchBy
from core.programs import Example, Passage, Run
from core.programs.primitives import (
    all_but,
    annotate,
    answer_match,
    generate,
    knn,
)
from core.programs.run import Reason, Rejection
from core.programs.trial import draw, run_trial, summarised
from core.settings import data_folder
from practice.programs.baselines import PAIRS, rows_in_its_own_form
from tests.support.trials import answers_of


@pytest.fixture(scope="module")
def train():
    lines = (data_folder() / "service-desk.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:60]]
    return [Example(row["query"], tuple(row["answers"])) for row in rows]


@pytest.fixture(scope="module")
def model():
    return load("practice", device="cpu")


def by_words(train):
    """Unit rows that count the words of the training examples."""
    known = sorted({word for example in train for word in example.question.lower().split()})

    def encode(texts):
        counts = [[text.lower().split().count(word) for word in known] for text in texts]
        rows = np.array(counts, dtype=np.float64)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    return encode


def attempt(run, train, example, k):
    nearest = knn(all_but(train, example), by_words(train))
    example = example.copy(demos=nearest(example, k)[::-1])
    (written,) = generate(run, PAIRS, example)
    example = example.completed("pairs", written.fields).copy(pred=written.last)
    return example if answer_match(example) else Rejection(Reason.ANSWER_WRONG, example)


def test_requests_whose_neighbours_show_how_become_demonstrations(model, train):
    run = Run(model, max_new_tokens=40)
    found = annotate(run, train, lambda one: attempt(run, train, one, 4), 2)
    assert [each.reason for each in found.attempts] == [None, None]
    assert [each.question for each in found.augmented] == [each.question for each in train[:2]]
    assert found.augmented[0].pred.startswith("get_weather { ")
    assert found.augmented[1].pred.startswith("send_money { ")
    assert found.raw == tuple(train[2:])
    (step,) = found.attempts[0].step.children
    assert step.prompt.count("Q: ") == 5
    assert step.prompt.endswith(f"Q: {train[0].question}\nA:")
    (call,) = step.calls
    assert call.tokens == model.count_tokens(step.prompt)
    assert call.tokens + run.max_new_tokens <= model.window


def test_without_demonstrations_it_knows_nothing(model, train):
    run = Run(model, max_new_tokens=24)
    found = annotate(run, train[:1], lambda one: attempt(run, train, one, 0))
    (reject,) = found.attempts
    assert (reject.reason, found.augmented) == (Reason.ANSWER_WRONG, ())
    assert reject.result.pred
    assert reject.step.note == "answer wrong"


def test_fewer_samples_of_a_seed_are_the_first_of_more(model, train):
    def drawn(n, seed=3):
        run = Run(model, seed=seed, max_new_tokens=8)
        demos = tuple(train[1:4])
        found = generate(run, PAIRS, train[0].copy(demos=demos), n=n, temperature=1.0)
        return [each.last for each in found]

    four = drawn(4)
    assert drawn(2) == four[:2]
    assert drawn(4) == four
    assert drawn(4, seed=4) != four


def test_the_log_probability_of_a_completion_is_that_of_scoring_it(model, train):
    run = Run(model, max_new_tokens=6)
    demos = knn(train[1:], by_words(train))(train[0], 3)
    (written,) = generate(run, PAIRS, train[0].copy(demos=demos))
    (step,) = run.trace.steps
    (text,) = step.calls[0].generations
    ((scored,),) = model.log_probs([AnswerRequest(step.prompt, (text.text,))])
    assert scored.n_tokens == written.n_tokens == 6
    assert written.mean_log_prob == pytest.approx(scored.total / 6, abs=1e-4)


@pytest.mark.thorough
def test_an_answer_in_a_passage_helps_where_it_can_read_it(model, train):
    """`benchmarks/programs.py` measures it on 60 requests with 16 demonstrations."""
    passages = tuple(
        Passage(number, each.answers[0], each.question) for number, each in enumerate(train)
    )
    search = PassageSearch(PassageArrays("service-desk", 1, passages), SearchBy.BM25)
    rows = rows_in_its_own_form(shots=4)[:2]
    shares = draw(train[:24], train, shots=4, seeds=3)
    records = run_trial(rows, shares, Run(model, search, max_new_tokens=40))
    found = summarised(rows, records)
    alone, read = found.rows
    assert all(
        each.steps[0].search.found[0].passage.text == each.answers[0]
        for each in answers_of(found, "retrieve-then-read")
    )
    assert read.errors == alone.errors == 0
    assert read.f1.mean > alone.f1.mean
    assert read.nf1.mean > alone.nf1.mean
