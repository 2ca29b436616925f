"""Asking a scripted model: requests, fields, what is dropped, what is continued, the budget."""

import pytest

from core.errors import Cancelled, InvalidInput
from core.generation import EndedBy, Generation, GenerationRequest
from core.programs import Example, Passage, Run
from core.programs.primitives import branch, generate
from core.programs.prompting import LeftOut, ProgramTemplate, TemplateField
from core.programs.prompting.templates import QA, QA_COT
from core.programs.run import Reason, Rejection
from core.watcher import Watcher
from tests.support.scripted_model import ScriptedModel, text_of

ASKED = Example("How tall?", passages=(Passage(1, "It has five storeys."),))
COT_PROMPT = QA_COT.prompt(ASKED).text


def run_of(*said, **others):
    return Run(ScriptedModel({"step by step.": list(said)}), **others)


def test_the_request_and_the_fields():
    run = run_of(" It says so.\n\nAnswer: five", seed=7, max_new_tokens=30)
    (found,) = generate(run, QA_COT, ASKED)
    assert run.model.asked == [
        GenerationRequest(
            COT_PROMPT, stop=("\n---", "\nContext:", "\nQuestion:"), max_new_tokens=30, seed=7
        )
    ]
    assert found.fields == {"rationale": "It says so.", "answer": "five"}
    assert (found["answer"], found.last, found["summary"]) == ("five", "five", "")
    assert (found.mean_log_prob, found.log_prob, found.n_tokens) == (-1.0, -5.0, 5)


@pytest.mark.parametrize(
    ("n", "asked", "of_run", "temperature"),
    [
        (1, None, None, 0.0), (20, None, None, 0.7), (20, 0.2, None, 0.2), (1, 0.5, None, 0.5),
        (1, None, 0.9, 0.9), (20, 0.2, 0.9, 0.9), (1, 0.5, 0.0, 0.0),
    ],
)  # fmt: skip
def test_one_text_is_greedy_and_several_are_drawn(n, asked, of_run, temperature):
    run = run_of(" a\nAnswer: b", temperature=of_run)
    assert len(generate(run, QA_COT, ASKED, n=n, temperature=asked)) == n
    assert [(each.n, each.temperature) for each in run.model.asked] == [(n, temperature)]


def test_completions_that_lack_what_another_has_are_dropped():
    run = run_of(" only a rationale", " a\nAnswer: b", "", " c\nAnswer: d")
    found = generate(run, QA_COT, ASKED, n=4)
    assert [(each.sample, each.last) for each in found] == [(1, "b"), (3, "d")]
    (step,) = run.trace.steps
    assert step.completions == found
    assert [each.sample for each in step.dropped] == [0, 2]


def test_completions_that_ended_by_length_are_dropped_where_another_ended_by_itself():
    cut = text_of(" a\nAnswer: cut", ended_by=EndedBy.LENGTH)
    window = text_of(" a\nAnswer: full", ended_by=EndedBy.WINDOW)
    ended = text_of(" a\nAnswer: b", ended_by=EndedBy.END)
    found = generate(run_of(cut, ended, window), QA_COT, ASKED, n=3)
    assert [each.last for each in found] == ["b"]
    found = generate(run_of(cut, window), QA_COT, ASKED, n=2)
    assert [each.last for each in found] == ["cut", "full"]


def test_what_lacks_the_last_field_is_continued_greedily_from_the_first_that_came_farthest():
    model = ScriptedModel(
        lambda prompt: [" five"] if prompt.endswith("Answer:") else ["", " first.\n", " second."]
    )
    run = Run(model, max_new_tokens=200)
    (found,) = generate(run, QA_COT, ASKED, n=3)
    assert model.prompts == [COT_PROMPT, COT_PROMPT + " first.\n\nAnswer:"]
    again = model.asked[1]
    assert (again.n, again.temperature, again.max_new_tokens) == (1, 0.0, 100)
    assert (found.fields, found.sample) == ({"rationale": "first.", "answer": "five"}, 1)
    assert (found.n_tokens, found.mean_log_prob) == (2, -1.0)
    (step,) = run.trace.steps
    assert [len(call.generations) for call in step.calls] == [3, 1]
    assert step.prompt == COT_PROMPT
    assert [each.sample for each in step.dropped] == [0, 2]
    assert step.tokens_written == 3
    assert step.tokens_read == 2 * len(COT_PROMPT.split()) + 2


def test_it_is_continued_twice_at_most_each_time_from_the_field_that_is_missing():
    model = ScriptedModel(lambda prompt: ["", " Answer: x"] if "word" in prompt else [""])
    run = Run(model, max_new_tokens=64)
    (found,) = generate(run, QA_COT, ASKED)
    assert model.prompts == [COT_PROMPT] * 3
    assert [each.max_new_tokens for each in model.asked] == [64, 75, 75]
    assert (found.fields, found.last, found.mean_log_prob) == ({}, "", None)


def test_a_completion_with_a_gap_goes_on_where_the_gap_is():
    texts = iter([["\nAnswer:"], [" so."], [" five"]])
    model = ScriptedModel(lambda prompt: next(texts))
    (found,) = generate(Run(model), QA_COT, ASKED)
    assert model.prompts == [COT_PROMPT, COT_PROMPT, COT_PROMPT + " so.\n\nAnswer:"]
    assert found.fields == {"rationale": "so.", "answer": "five"}


def test_what_comes_after_a_gap_is_written_again():
    three = ProgramTemplate(
        "three",
        "",
        (
            TemplateField("question", "Q:", ""),
            *(TemplateField(name, f"{name.upper()}:", "", generated=True) for name in "abc"),
        ),
        describes=False,
    )
    texts = iter([["\nB: old"], [" one\nB: two"], [" three"]])
    model = ScriptedModel(lambda prompt: next(texts))
    (found,) = generate(Run(model), three, Example("Why?"))
    assert model.prompts == ["Q: Why?\n\nA:"] * 2 + ["Q: Why?\n\nA: one\n\nB: two\n\nC:"]
    assert found.fields == {"a": "one", "b": "two", "c": "three"}


def test_a_continuation_without_room_is_not_asked_for():
    tokens = len(COT_PROMPT.split())
    run = Run(ScriptedModel(lambda prompt: [" a b c"], window=tokens + 4), max_new_tokens=4)
    (found,) = generate(run, QA_COT, ASKED)
    assert (len(run.model.asked), found.fields) == (1, {"rationale": "a b c"})


def test_a_prompt_over_the_window_says_what_it_left_out():
    demos = tuple(Example(f"question {number}?", ("answer",)) for number in range(3))
    asked = ASKED.copy(demos=demos)
    whole = len(QA.prompt(ASKED, demos).text.split())
    model = ScriptedModel(lambda prompt: [" five"], window=whole + 9)
    run = Run(model, max_new_tokens=10)
    (found,) = generate(run, QA, asked)
    (step,) = run.trace.steps
    assert (found.last, step.left_out) == ("five", LeftOut(("question 0?",)))
    assert model.prompts == [QA.prompt(ASKED, demos[1:]).text]
    assert step.calls[0].tokens == len(model.prompts[0].split())
    enough = Run(ScriptedModel(lambda prompt: [" five"], window=whole + 10), max_new_tokens=10)
    generate(enough, QA, asked)
    assert not enough.trace.steps[0].left_out
    with pytest.raises(InvalidInput, match="The prompt of stage 'qa'"):
        generate(Run(ScriptedModel(lambda prompt: [""], window=20), max_new_tokens=10), QA, asked)


def test_a_stopped_run_asks_for_nothing():
    run = run_of(" a", watcher=Watcher(cancelled=lambda: True))
    with pytest.raises(Cancelled):
        generate(run, QA_COT, ASKED)
    assert run.model.asked == []


def answering(run, example):
    assert run.seed == 3
    (found,) = generate(run, QA, example)
    return example.completed("qa", found.fields).copy(pred=found.last)


def generating(run, example):
    generate(run, QA, example)
    return example


def test_branches_are_whole_runs_with_seeds_of_their_own():
    model = ScriptedModel(lambda prompt: [" five"])
    run = Run(model, seed=3)
    found = branch(run, answering, ASKED, n=3)
    assert [(each.pred, each.stages[0].texts) for each in found] == [
        ("five", {"answer": "five"})
    ] * 3
    seeds = [each.seed for each in model.asked]
    assert len(set(seeds)) == 3
    assert {each.temperature for each in model.asked} == {0.7}
    assert [step.stage for step in run.trace.steps] == ["branch 1", "branch 2", "branch 3"]
    other = Run(ScriptedModel(lambda prompt: [" five"]), seed=4)
    branch(other, generating, ASKED, n=3)
    assert not {each.seed for each in other.model.asked} & set(seeds)
    more = Run(ScriptedModel(lambda prompt: [" five"]), seed=3)
    assert len(branch(more, answering, ASKED, temperature=0.0)) == 5
    assert [each.seed for each in more.model.asked][:3] == seeds
    assert {each.temperature for each in more.model.asked} == {0.0}


def test_a_branch_without_an_example_is_left_out_and_one_at_least_is_needed():
    outcomes = iter([None, ASKED, Rejection(Reason.SEARCH_FAILED)])
    run = run_of(" a")
    assert branch(run, lambda run, example: next(outcomes), ASKED, n=3) == (ASKED,)
    assert [step.note for step in run.trace.steps] == ["rejected", "", "search failed"]
    with pytest.raises(InvalidInput, match="To branch, n is 0"):
        branch(run, answering, ASKED, n=0)


@pytest.mark.parametrize("ended_by", [each for each in EndedBy if not each.is_answer])
def test_what_is_no_answer_is_dropped_where_another_is_and_never_continued(ended_by):
    nothing = Generation("", (), (), ended_by=ended_by, instead="I cannot say.")
    answer = text_of(" a\nAnswer: b", ended_by=EndedBy.END)
    run = run_of(nothing, answer)
    assert [each.last for each in generate(run, QA_COT, ASKED, n=2)] == ["b"]
    run = run_of(nothing)
    (alone,) = generate(run, QA_COT, ASKED)
    assert (alone.fields, alone.ended_by, len(run.model.asked)) == ({}, ended_by, 1)
