"""The programs' numbers as arguments: both ends of each."""

import pytest

from core.programs import Example, Run, Turn
from core.programs.paper import comparing, conversational, multi_hop, open_domain
from core.programs.paper.multi_hop import demonstrate
from core.programs.primitives import sample
from tests.support.scripted_model import ScriptedModel, TableRetriever

TRAIN = tuple(
    Example(f"Who made {name}?", (f"{name}smith",)) for name in ("Ax", "Box", "Cup", "Dot", "Eel")
)
ASKED = Example("Who made Fox?", train=TRAIN)
ROWS = {
    f"Who made {name}?": [
        (10 * place + number, f"{name} was made by {name}smith.", 1 - number / 10)
        for number in range(9)
    ]
    for place, name in enumerate(("Ax", "Box", "Cup", "Dot", "Eel", "Fox"))
}


def answering(prompt):
    name = prompt.rsplit("Who made ", 1)[1].split("?")[0]
    if prompt.startswith("Answer"):
        return [f" So.\n\nAnswer: {name}smith"]
    return [f" Known.\n\nSearch Query: Who made {name}?"]


def run_of(**options):
    return Run(ScriptedModel(answering), TableRetriever(ROWS), **options)


@pytest.mark.parametrize("program", [open_domain, multi_hop])
@pytest.mark.parametrize(("shots", "augmented", "kept"), [
    (0, 3, 0), (1, 3, 1), (5, 0, 0), (5, 1, 1), (5, 5, 5), (16, 6, 5),
])  # fmt: skip
def test_how_many_are_drawn_and_shown_with_their_steps(program, shots, augmented, kept):
    run = run_of(seed=2)
    found = program(run, ASKED, shots=shots, augmented=augmented)
    drawn = [each.question for each in sample(TRAIN, shots, 2)]
    assert [each.question for each in found.demos] == drawn
    assert [each.augmented for each in found.demos] == [True] * kept + [False] * (len(drawn) - kept)
    assert found.pred == "Foxsmith"


def test_how_many_passages_and_votes_there_are():
    for k, few in ((0, 0), (1, 1), (7, 2)):
        run = run_of()
        found = open_domain(run, ASKED, shots=2, k=k, samples=1)
        assert len(found.passages) == k
        assert {asked for query, asked in run.retriever.asked if "Fox" not in query} <= {few}
        assert all(each.greedy for each in run.model.asked)
        assert len(run.model.asked) == (3 if k else 1)
    assert open_domain(run_of(), ASKED, samples=5).pred == "Foxsmith"


def test_one_sample_has_nothing_to_compare():
    run = run_of()
    found = comparing(run, ASKED, shots=0, k=3, samples=1)
    assert (found.pred, len(found.passages), len(run.model.asked)) == ("Foxsmith", 3, 1)


def test_one_query_is_searched_for_alone():
    run = run_of()
    found = multi_hop(run, ASKED, shots=0, queries=1, samples=2, k=3)
    assert run.retriever.asked == [("Who made Fox?", 3)] * 2
    assert [step.stage for step in run.trace.steps[1:]] == [
        "hop 1", "retrieve", "hop 2", "retrieve", "qa_cot",
    ]  # fmt: skip
    assert [each.n for each in run.model.asked] == [1, 1, 2]
    assert len(found.passages) == 3
    fused = run_of()
    multi_hop(fused, ASKED, shots=0, queries=2, k=3)
    assert fused.retriever.asked == [("Who made Fox?", 9)] * 2
    assert [each.n for each in fused.model.asked] == [2, 2, 20]


def test_no_hops_and_no_passages():
    run = run_of()
    found = multi_hop(run, ASKED, max_hops=0, shots=3, samples=1)
    assert (run.retriever.asked, found.passages, len(run.model.asked)) == ([], (), 1)
    assert [each.note for each in run.trace.steps[0].children] == ["search failed"] * 3
    assert multi_hop(run_of(), ASKED, shots=0, k=0, samples=1).passages == ()


def test_a_demonstration_searches_with_its_one_query():
    run = run_of()
    made = demonstrate(run, ASKED, 1, shots=1, k=4)
    (kept,) = made.augmented
    assert run.retriever.asked == [(kept.question, 4)]


def test_the_temperature_of_several_texts():
    run = run_of(sampling=0.2)
    multi_hop(run, ASKED, shots=1)
    assert {(each.n, each.temperature) for each in run.model.asked} == {
        (1, 0.0), (10, 0.2), (20, 0.2),
    }  # fmt: skip


def test_the_numbers_of_conversations():
    def talking(prompt):
        rewriting = prompt.startswith("Rewrite")
        return [" Who made Ax?"] if rewriting else [" Axsmith made it."]

    turn = Example("Who made it?", ("Axsmith made it.",), (Turn("What is Ax?", "A tower."),))
    asked = Example("Who?", (), (Turn("What is Fox?", "A ship."),), train=(turn,))
    for augmented, queries, wanted in (
        (0, 1, [("Who made Ax?", 3)]),
        (4, 1, [("Who made Ax?", 2), ("Who made Ax?", 3)]),
        (0, 2, [("Who made Ax?", 9), ("What is Fox? Who?", 9)]),
    ):
        run = Run(ScriptedModel(talking), TableRetriever(ROWS))
        conversational(run, asked, augmented=augmented, queries=queries, k=3)
        assert run.retriever.asked == wanted
    run = Run(ScriptedModel(talking), TableRetriever(ROWS))
    assert conversational(run, asked, shots=0, k=0).passages == ()
