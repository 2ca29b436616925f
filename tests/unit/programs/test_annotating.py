"""Demonstrations that worked, rejects with reason and trace, and how an attempt may fail."""

import json

import pytest

from core.errors import Cancelled, InvalidInput, NotComputed
from core.programs import Example, Passage, Run
from core.programs.primitives import Annotations, annotate, generate
from core.programs.prompting.templates import QA
from core.programs.run import Reason, Rejection
from core.watcher import Watcher
from tests.support.scripted_model import ScriptedModel

TRAIN = tuple(Example(f"question {number}?", (f"answer {number}",)) for number in range(5))


def run_of(**others):
    return Run(ScriptedModel(lambda prompt: [" right"]), **others)


def odd_fails(example):
    number = int(example.question[-2])
    return None if number % 2 else example.copy(rationale=f"because {number}", demos=TRAIN)


def numbers(examples):
    return [int(each.question[-2]) for each in examples]


def test_what_works_is_kept_in_order_with_all_its_fields():
    found = annotate(run_of(), TRAIN, odd_fails)
    assert numbers(found.augmented) == [0, 2, 4]
    assert [each.rationale for each in found.augmented] == ["because 0", "because 2", "because 4"]
    assert all(each.augmented and each.demos == () for each in found.augmented)
    assert found.raw == (TRAIN[1], TRAIN[3])
    assert found.demos == (*found.augmented, *found.raw)
    assert [each.reason for each in found.attempts if not each.kept] == [Reason.REJECTED] * 2
    assert not any(each.augmented or each.texts for each in TRAIN)


@pytest.mark.parametrize(
    ("k", "called", "kept", "raw"),
    [
        (0, [], [], [0, 1, 2, 3, 4]),
        (1, [0], [0], [1, 2, 3, 4]),
        (2, [0, 1, 2], [0, 2], [1, 3, 4]),
        (3, [0, 1, 2, 3, 4], [0, 2, 4], [1, 3]),
        (6, [0, 1, 2, 3, 4], [0, 2, 4], [1, 3]),
    ],
)
def test_nothing_is_tried_once_there_are_k(k, called, kept, raw):
    tried, done = [], []

    def fn(example):
        tried.append(example)
        return odd_fails(example)

    found = annotate(
        run_of(), TRAIN, fn, k, watcher=Watcher(on_progress=lambda *at: done.append(at))
    )
    assert (numbers(tried), numbers(found.augmented), numbers(found.raw)) == (called, kept, raw)
    assert done == [(number + 1, 5) for number in range(len(called))]
    bare = annotate(run_of(), TRAIN, odd_fails, k, keep_raw=False)
    assert (bare.augmented, bare.raw) == (found.augmented, ())


def test_of_no_training_examples_and_of_a_negative_k():
    assert annotate(run_of(), (), odd_fails) == Annotations(())
    with pytest.raises(InvalidInput, match="k is -2"):
        annotate(run_of(), TRAIN, odd_fails, -2)


def test_what_predicts_nothing_is_counted_apart_from_what_is_wrong():
    predictions = iter(["", "wrong"])

    def fn(example):
        return Rejection(Reason.ANSWER_WRONG, example.copy(pred=next(predictions)))

    found = annotate(run_of(), TRAIN[:2], fn)
    assert [each.reason for each in found.attempts] == [Reason.NO_ANSWER, Reason.ANSWER_WRONG]
    assert [each.step.note for each in found.attempts] == ["no answer", "answer wrong"]


def test_every_reject_has_its_reason_its_trace_and_how_far_it_came():
    run = run_of()

    def fn(example):
        number = int(example.question[-2])
        if number == 1:
            raise InvalidInput("It does not fit.")
        if number == 2:
            raise ZeroDivisionError("division by zero")
        (written,) = generate(run, QA, example.without("answers"))
        example = example.copy(pred=written.last)
        if number == 3:
            return Rejection(Reason.ANSWER_WRONG, example)
        return example if number == 0 else Rejection(Reason.SEARCH_FAILED)

    found = annotate(run, TRAIN, fn)
    assert [each.reason for each in found.attempts] == [
        None, Reason.ERROR, Reason.ERROR, Reason.ANSWER_WRONG, Reason.SEARCH_FAILED,
    ]  # fmt: skip
    assert [each.message for each in found.attempts] == [
        "", "InvalidInput: It does not fit.", "ZeroDivisionError: division by zero", "", "",
    ]  # fmt: skip
    assert [each.example for each in found.attempts] == list(TRAIN)
    assert [each.result and each.result.pred for each in found.attempts] == [
        "right", None, None, "right", None,
    ]  # fmt: skip
    notes = [
        "kept",
        *(each.message for each in found.attempts[1:3]),
        "answer wrong",
        "search failed",
    ]
    assert [each.step.note for each in found.attempts] == notes
    assert run.trace.steps == tuple(each.step for each in found.attempts)
    assert [len(each.step.children) for each in found.attempts] == [1, 0, 0, 1, 1]
    assert found.attempts[3].step.children[0].completions[0].last == "right"
    assert Annotations.from_json(json.loads(json.dumps(found.to_json()))) == found


@pytest.mark.parametrize(
    "error", [Cancelled("stopped"), NotComputed("unknown"), KeyboardInterrupt()]
)
def test_what_ends_a_run_is_no_reject(error):
    run = run_of()

    def fn(example):
        if example == TRAIN[1]:
            raise error
        return example

    with pytest.raises(type(error)):
        annotate(run, TRAIN, fn)
    assert [step.note for step in run.trace.steps] == ["kept", f"{type(error).__name__}: {error}"]


def test_a_run_can_be_stopped_between_attempts():
    tried = []
    run = run_of(watcher=Watcher(cancelled=lambda: len(tried) == 2))
    with pytest.raises(Cancelled, match="its steps so far are in the trace"):
        annotate(run, TRAIN, lambda example: tried.append(example))
    assert len(run.trace.steps) == 2


def test_no_prompt_of_an_attempt_shows_the_answer():
    run = run_of()
    passage = Passage(1, "It is answer 2, they say.")

    def fn(example):
        generate(run, QA, example.copy(passages=(passage,), pred=example.answers[0]))
        return example

    annotate(run, TRAIN, fn)
    for example, prompt in zip(TRAIN, run.model.prompts, strict=True):
        assert example.question in prompt
        assert example.answers[0] not in prompt
