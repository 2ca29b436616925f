"""Self-ask, refined: training pairs in front, queries, passages as elsewhere, short answers."""

import pytest

from core.errors import InvalidInput
from core.programs import Example, Run
from core.programs.paper import refined_self_ask
from core.programs.paper.self_ask import FINAL, OPENING, REFINED_DEMONSTRATIONS
from core.programs.primitives import sample
from tests.support.scripted_model import ScriptedModel, TableRetriever

TRAIN = tuple(Example(f"Who made\n{name}?", (f"{name}smith",)) for name in ("Ax", "Box", "Cup"))
ASKED = Example("Who leads\nthe town of Ax?", train=TRAIN)
TABLE = {"town of Ax": [(4, "Ax is\nin Bo.", 1.0), (5, "no", 0.5)]}
SCRIPT = {
    OPENING: " Yes.\nFollow up: Where is Ax?\nSearch query: town of Ax\n",
    "«Ax is in Bo.»\nIntermediate answer:": " Bo\nFollow up: Who leads Bo?",
    "Passage: N/A\nIntermediate answer:": " Cy\nSo the final answer is: Cy\n",
}


def test_its_prompt_to_the_byte():
    model = ScriptedModel(SCRIPT)
    run = Run(model, TableRetriever(TABLE), seed=3)
    found = refined_self_ask(run, ASKED)
    assert (found.pred, [each.id for each in found.passages]) == ("Cy", [4])
    assert run.retriever.asked == [("town of Ax", 1), ("Who leads Bo?", 1)]
    pairs = "\n\n".join(
        f"Question: {' '.join(each.question.split())}\nAnswer: {each.answers[0]}"
        for each in sample(TRAIN, 16, 3)
    )
    start = f"{pairs}\n\n{REFINED_DEMONSTRATIONS}\n\nQuestion: Who leads the town of Ax?\n{OPENING}"
    second = (
        f"{start} Yes.\nFollow up: Where is Ax?\nSearch query: town of Ax\n"
        "Passage: «Ax is in Bo.»\nIntermediate answer:"
    )
    third = f"{second} Bo\nFollow up: Who leads Bo?\nPassage: N/A\nIntermediate answer:"
    assert model.prompts == [start, second, third]
    assert {each.stop for each in model.asked} == {("\nPassage:", "\nQuestion:")}
    assert all(each.greedy for each in model.asked)
    refined_self_ask(run, ASKED, shots=0)
    assert model.prompts[3].startswith(REFINED_DEMONSTRATIONS)
    refined_self_ask(run, ASKED.copy(question="Who made Cup?"), shots=1)
    assert "Who made Cup?\nAnswer" not in model.prompts[-1]


@pytest.mark.parametrize(("most", "calls"), [(0, 2), (1, 3)])
def test_it_must_answer_after_so_many_searches(most, calls):
    again = " Bo\nFollow up: Where is Ax?\nSearch query: town of Ax\n"
    model = ScriptedModel(lambda prompt: [" Dy" if prompt.endswith(FINAL) else again])
    run = Run(model, TableRetriever(TABLE))
    assert refined_self_ask(run, ASKED, most_questions=most).pred == "Dy"
    assert len(model.asked) == calls
    assert model.asked[-2].stop == ("\nFollow up:", "\nPassage:", "\nQuestion:")
    assert len(run.retriever.asked) == most


def test_training_pairs_without_room_are_left_out_from_the_front():
    model = ScriptedModel(SCRIPT)
    words = len(f"{REFINED_DEMONSTRATIONS} Question: Who leads the town of Ax? {OPENING}".split())
    model.window = words + 64 + 2 * 6 + 40
    run = Run(model, TableRetriever(TABLE), seed=3)
    refined_self_ask(run, ASKED.copy(train=TRAIN * 3))
    drawn = [each.question for each in sample(TRAIN * 3, 16, 3)]
    steps = [step for step in run.trace.steps if step.calls]
    assert [step.left_out.raw for step in steps] == [
        tuple(drawn[: len(step.left_out.raw)]) for step in steps
    ]
    gone = [len(step.left_out.raw) for step in steps]
    assert gone[0] > 0
    assert gone == sorted(gone)
    for step in steps:
        assert step.calls[0].tokens + 64 <= model.window < step.calls[0].tokens + 64 + 6
    model.window = 100
    with pytest.raises(InvalidInput, match="The prompt of self-ask has .* and 100 is the most"):
        refined_self_ask(run, ASKED)
