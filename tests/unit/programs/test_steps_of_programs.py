"""The tree of what a program did: recorded, kept, shown, and run again from."""

import json
from dataclasses import replace

import pytest

from core.errors import InvalidInput, NotComputed
from core.programs import Example, Passage, Run, Step, Trace
from core.programs.primitives import fused_retrieval, generate, rank, retrieve
from core.programs.prompting import LeftOut
from core.programs.prompting.templates import QA, QA_CONTEXT
from core.programs.steps import Replay
from tests.support.scripted_model import ScriptedModel, TableRetriever, text_of

TABLE = {
    "How tall?": [(1, "It has five storeys.", 0.9), (2, "It leans.", 0.2)],
    "tower": [(2, "It leans.", 0.5)],
}
DEMOS = tuple(Example(f"question {number}?", ("answer",)) for number in range(3))


def ticking():
    ticks = iter(range(1_000))
    return lambda: float(next(ticks))


def run_of(window=10_000):
    model = ScriptedModel(
        lambda prompt: [text_of(" five", -0.5), text_of(" six", -2.0)], window=window
    )
    return Run(model, TableRetriever(TABLE), max_new_tokens=5, trace=Trace(ticking()))


def program(run, example):
    with run.trace.step("search"):
        found = fused_retrieval(run, ["tower", example.question], 2)
        rank(run, example.question, [each.passage for each in found])
    example = example.copy(passages=tuple(each.passage for each in found))
    written = generate(run, QA_CONTEXT, example, n=2)
    retrieve(run, "tower", 1)
    return example.copy(pred=written[0].last)


def test_the_tree_has_what_happened_in_its_order():
    run = run_of()
    assert program(run, Example("How tall?")).pred == "five"
    steps = run.trace.steps
    assert [step.stage for step in steps] == ["search", "qa_context", "retrieve"]
    assert [step.stage for step in steps[0].walk()] == [
        "search", "fuse", "retrieve", "retrieve", "rank",
    ]  # fmt: skip
    assert (steps[0].prompt, steps[1].prompt) == ("", run.model.prompts[0])
    tokens = len(run.model.prompts[0].split())
    assert [(step.tokens_read, step.tokens_written) for step in steps] == [
        (0, 0), (tokens, 2), (0, 0),
    ]  # fmt: skip
    assert steps[0].seconds > sum(child.seconds for child in steps[0].children) > 0


def without_times(step):
    return replace(step, seconds=0.0, children=tuple(map(without_times, step.children)))


def test_equal_runs_are_equal_whatever_their_times_and_come_back_from_json():
    first, second = run_of(), run_of()
    second.trace.now()
    for run in (first, second):
        with run.trace.step("all"):
            program(run, Example("How tall?"))
            run.trace.now()
    (one,), (other,) = first.trace.steps, second.trace.steps
    assert one == other
    assert without_times(one).to_json() == without_times(other).to_json()
    back = Step.from_json(json.loads(json.dumps(one.to_json())))
    assert back == one
    assert back.seconds == one.seconds > 0


def test_a_step_that_fails_is_kept_with_what_it_did():
    trace = Trace()

    def fail():
        with trace.step("outer"):
            trace.add(Step("inner"))
            raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong"):
        fail()
    assert trace.steps == (Step("outer", note="ValueError: wrong", children=(Step("inner"),)),)
    assert trace.last is trace.steps[0]
    with trace.step("next") as opened:
        opened.note = "why"
        with pytest.raises(IndexError):
            _ = trace.last
    assert trace.last == Step("next", note="why")


def test_the_tree_as_text():
    run = run_of()
    program(run, Example("How tall?"))
    tokens = len(run.model.prompts[0].split())
    assert "\n".join(step.outline() for step in run.trace.steps[:2]) == (
        "search\n"
        "  fuse\n"
        "    query: tower\n"
        "    query: How tall?\n"
        "    1.000 It leans.\n"
        "    1.000 It has five storeys.\n"
        "    retrieve\n"
        "      query: tower\n"
        "      0.500 It leans.\n"
        "    retrieve\n"
        "      query: How tall?\n"
        "      0.900 It has five storeys.\n"
        "      0.200 It leans.\n"
        "  rank\n"
        "    query: How tall?\n"
        "    0.200 It leans.\n"
        "    0.900 It has five storeys.\n"
        "qa_context\n"
        f"  prompt, {tokens} tokens: ...{run.model.prompts[0][-40:]!r}\n"
        "  answer: five\n"
        "  answer: six"
    )
    left = Step("qa", left_out=LeftOut(("a",)), note="why")
    assert left.outline() == "qa: why\n  left out: 1 raw demonstration"


@pytest.mark.parametrize("window", [10_000, 62])
def test_a_run_is_repeated_from_its_steps_alone(window):
    run = run_of(window)
    example = Example("How tall?", demos=DEMOS)
    found = program(run, example)
    assert bool(run.trace.steps[1].left_out) is (window == 62)
    kept = [Step.from_json(json.loads(json.dumps(step.to_json()))) for step in run.trace.steps]
    replay = Replay(kept)
    again = Run(replay, replay, max_new_tokens=5)
    assert program(again, example) == found
    assert again.trace.steps == run.trace.steps


def test_what_was_not_recorded_is_not_made_up():
    run = run_of()
    program(run, Example("How tall?"))
    replay = Replay(run.trace.steps)
    again = Run(replay, replay, max_new_tokens=5)
    for call, sentence in (
        (lambda: generate(again, QA, Example("Why?")), "No recorded step has the prompt"),
        (lambda: retrieve(again, "tower", 2), "searched for 2 passages for 'tower'"),
        (lambda: rank(again, "tower", [Passage(1, "")]), "scored passage 1 for 'tower'"),
    ):
        with pytest.raises(NotComputed, match=sentence):
            call()
    longer = Run(replay, replay, max_new_tokens=6)
    with pytest.raises(NotComputed, match="was asked to continue"):
        program(longer, Example("How tall?"))


def test_a_replay_that_left_something_out_knows_the_recorded_prompts_only():
    run = run_of(62)
    program(run, Example("How tall?", demos=DEMOS))
    replay = Replay(run.trace.steps)
    with pytest.raises(InvalidInput, match="The prompt of stage 'qa'"):
        generate(Run(replay, replay), QA, Example("Why?"))
