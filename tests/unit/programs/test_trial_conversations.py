"""Sets of conversations: which count, and turns that see the program's own earlier answers."""

import pytest

from core.errors import InvalidInput
from core.programs import Example, Run, Turn
from core.programs.trial import Answer, draw, row_of, run_trial
from core.programs.trial.drawing import counts_in_qrecc, questions_of
from tests.support.scripted_model import ScriptedModel, TableRetriever

TALK = (Turn("What is Ax?", "A tower."), Turn("How tall?", "9 m"), Turn("Who built it?", "Bo"))


@pytest.mark.parametrize(
    ("turns", "counts"),
    [
        (TALK, True),
        (TALK[:2], False),
        ((), False),
        ((*TALK, Turn("And when?", " ")), False),
        ((*TALK, Turn("What Other Interesting facts are there?", "none")), False),
        ((*TALK, Turn("Anything else?", "no")), False),
        ((*TALK, Turn("Is it found elsewhere?", "no")), True),
        ((*TALK, Turn("Are other, interesting towers near?", "no")), True),
    ],
)
def test_which_conversations_of_qrecc_count(turns, counts):
    assert counts_in_qrecc(turns) is counts


def test_a_question_for_each_turn_that_has_an_answer():
    found = questions_of((TALK[0], Turn("Hm?"), TALK[2]))
    assert [(each.question, each.answers, each.history) for each in found] == [
        ("What is Ax?", ("A tower.",), ()),
        ("Who built it?", ("Bo",), (TALK[0], Turn("Hm?"))),
    ]


def test_each_turn_sees_what_the_program_itself_answered_before():
    model = ScriptedModel(lambda prompt: [f" own {prompt.rsplit('Question: ', 1)[1].split()[0]}."])
    (share,) = draw(questions_of(TALK), (), shots=0, seeds=1)
    row = row_of("vanilla", {"shots": 0})
    records = run_trial([row], [share], Run(model))
    assert [each.pred for each in records] == ["own What.", "own How.", "own Who."]
    last = records[2]
    assert last.history == (Turn("What is Ax?", "own What."), Turn("How tall?", "own How."))
    assert "System: own What.\nUser: How tall?\nSystem: own How.\n" in last.steps[0].prompt
    assert "9 m" not in "".join(model.prompts)
    known = dict(enumerate(records[:2]))
    again = run_trial([row], [share], Run(ScriptedModel({"Answer:": " own Who."})), known=known)
    assert again == records, "what is known already is history too"


def test_a_turn_that_is_not_asked_keeps_its_reference_answer():
    (share,) = draw(questions_of(TALK)[2:], (), shots=0, seeds=1)
    (record,) = run_trial([row_of("vanilla", {"shots": 0})], [share], Run(ScriptedModel({"": "x"})))
    assert isinstance(record, Answer)
    assert record.history == TALK[:2]


def test_the_conversational_program_needs_turns():
    run = Run(ScriptedModel({"": " x"}), TableRetriever({}))
    (share,) = draw([Example("What is Ax?", ("x",))], (), shots=0, seeds=1)
    with pytest.raises(
        InvalidInput, match="conversational answers questions of conversations, and"
    ):
        run_trial([row_of("conversational")], [share], run)
    (share,) = draw(questions_of(TALK), (), shots=0, seeds=1)
    knobs = {"shots": 0, "queries": 1}
    records = run_trial([row_of("conversational", knobs)], [share], run)
    assert [each.error for each in records[1:]] == ["", "", ""]
    assert run.retriever.asked == [("x", 5)] * 3
