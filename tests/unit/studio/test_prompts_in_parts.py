"""A prompt in its parts: the texts are the prompt, and each part is what it is."""

from core.demonstration.demonstration import EvaluationExample
from core.programs import Example, Run
from core.programs.paper import multi_hop, open_domain, self_ask, vanilla
from core.programs.primitives import annotate
from core.reporting.tables.explore import prompt_parts
from core.studio.programs.attempts import Tried
from core.studio.programs.prompts import evidence, parts_of, shown_steps
from tests.support.scripted_model import ScriptedModel, TableRetriever
from tests.unit.programs.test_programs_with_a_store import ASKED, TABLE, TRAIN, Answering


def tried(run, program, example=ASKED):
    (attempt,) = annotate(run, [example], lambda one: program(run, one)).attempts
    return Tried(0, EvaluationExample(example.question, ("Eelsmith",), ()), attempt)


def asked_steps(each):
    return tuple(one.step for one in shown_steps((each.attempt.step,)) if one.step.prompt)


def parts_in(each, step):
    return parts_of(step, evidence((each.attempt.step,), each.passages))


def kinds(parts):
    return [(part.kind, part.number) for part in parts if part.kind]


def test_raw_demonstrations_and_the_query():
    each = tried(Run(ScriptedModel(lambda prompt: ["Eelsmith"])), vanilla)
    (step,) = asked_steps(each)
    parts = parts_in(each, step)
    assert "".join(part.text for part in parts) == step.prompt == each.prompt
    assert kinds(parts) == [
        ("instruction", 0), ("raw", 1), ("raw", 2), ("raw", 3), ("raw", 4), ("format", 0),
        ("query", 0),
    ]  # fmt: skip
    assert parts[-1].text == "Question: Who made Eel?\nAnswer:"


def test_augmented_demonstrations_and_passages():
    each = tried(Run(Answering(), TableRetriever(TABLE)), open_domain)
    *_, last = asked_steps(each)
    parts = parts_in(each, last)
    assert "".join(part.text for part in parts) == last.prompt
    assert kinds(parts) == [
        ("instruction", 0), ("raw", 1), ("format", 0), ("augmented", 1), ("augmented", 2),
        ("augmented", 3), ("query", 0), ("passage", 1), ("query", 0),
    ]  # fmt: skip
    (passage,) = [part.text for part in parts if part.kind == "passage"]
    assert passage == "«Eel was made by Eelsmith.»"
    assert each.passages == ("Eel was made by Eelsmith.",)


def test_a_prompt_that_its_program_does_not_divide_is_one_text():
    model = ScriptedModel(lambda prompt: [" No.\nSo the final answer is: Eelsmith"])
    each = tried(Run(model, TableRetriever(TABLE)), self_ask)
    (step,) = asked_steps(each)
    (part,) = parts_in(each, step)
    assert (part.kind, part.text) == ("", step.prompt)


def test_an_attempt_that_asked_nothing_has_no_prompt():
    each = tried(Run(ScriptedModel({})), lambda run, one: None)
    assert (asked_steps(each), each.prompt, each.predicted) == ((), "", "")


def test_texts_of_a_prompt_are_shown_and_never_interpreted():
    example = Example("Is <b>it</b>?", train=TRAIN[:1])
    each = tried(Run(ScriptedModel(lambda prompt: ["x"])), vanilla, example)
    (step,) = asked_steps(each)
    html = prompt_parts(parts_in(each, step))
    assert '<span class="raw"><small>raw 1</small>Question: Who made Ax?' in html
    assert '<span class="query"><small>query</small>Question: Is &lt;b&gt;it&lt;/b&gt;?' in html
    assert html.count("<small>") == 4


def test_steps_are_shown_where_they_asked_or_searched_and_those_below_one_are_deeper():
    each = tried(Run(Answering(), TableRetriever(TABLE)), multi_hop)
    shown = shown_steps((each.attempt.step,))
    assert all(one.step.prompt or one.step.search for one in shown)
    fused = [place for place, one in enumerate(shown) if one.step.stage == "fuse"]
    assert fused
    for place in fused:
        below = shown[place + 1 : place + 1 + len(shown[place].step.children)]
        assert [one.step.stage for one in below] == ["retrieve"] * len(below)
        assert {one.depth for one in below} == {shown[place].depth + 1}
    assert {one.depth for one in shown if one.step.prompt} == {0}
    assert shown_steps(()) == ()
