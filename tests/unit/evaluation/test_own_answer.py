"""Whether what the model answers is right: by the normalised text, of four kinds."""

import pytest

from core.demonstration.demonstration import incorrect_answers
from core.evaluation.results.own_answer import AnswerCounts, AnswerVerdict, OwnAnswer, own_answer
from core.generation import Disagreement, EndedBy, Generation, ServerDoubt


def judged(text, correct=("Paris", "the city of Paris"), incorrect=("Rome",)):
    generation = Generation(text, (1,), (-0.5,), ended_by=EndedBy.STOP)
    return own_answer(generation, correct, incorrect_answers(incorrect))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (" Paris", AnswerVerdict.CORRECT),
        (" A city of paris.\n", AnswerVerdict.CORRECT),
        (" rome!", AnswerVerdict.INCORRECT),
        (" It is Paris", AnswerVerdict.OTHER),
        ("", AnswerVerdict.OTHER),
    ],
)
def test_the_verdict_is_by_the_normalised_text(text, verdict):
    found = judged(text)
    assert found.verdict is verdict
    assert found.text == text.strip()


def test_without_correct_answers_nothing_is_judged():
    assert judged(" Rome", correct=()).verdict is AnswerVerdict.UNJUDGED
    assert judged(" Rome", incorrect=()).verdict is AnswerVerdict.OTHER


def test_what_is_among_both_is_correct():
    assert judged(" Rome", correct=("Rome.",)).verdict is AnswerVerdict.CORRECT


@pytest.mark.parametrize("ended_by", [each for each in EndedBy if not each.is_answer])
def test_what_is_no_answer_has_no_verdict_and_no_figure(ended_by):
    doubt = ServerDoubt(Disagreement.MODEL, "a", "b")
    generation = Generation(
        "", (), (), ended_by=ended_by, thoughts="thoughts", instead="instead", doubts=(doubt,)
    )
    for correct in (("Paris",), ()):
        found = own_answer(generation, correct, ())
        assert found.verdict is AnswerVerdict.NO_ANSWER
        assert (found.text, found.thoughts, found.instead) == ("", "thoughts", "instead")
        assert (found.log_prob, found.log_prob_per_token, found.doubts) == (None, None, (doubt,))
        assert OwnAnswer.from_json(found.to_json()) == found


def test_counts_have_what_is_no_answer_apart():
    texts = (
        Generation(" Paris", (1,), (-0.5,), ended_by=EndedBy.LENGTH),
        Generation("", (), (), ended_by=EndedBy.REFUSED),
        Generation("", (), (), ended_by=EndedBy.REFUSED),
        Generation("", (), (), ended_by=EndedBy.THOUGHTS, thoughts="hm"),
        Generation(
            " Oslo",
            (),
            (),
            ended_by=EndedBy.END,
            doubts=(ServerDoubt(Disagreement.MODEL, "a", "b"),),
        ),
    )
    found = AnswerCounts.of(own_answer(each, ("Paris",), ()) for each in texts)
    assert found == AnswerCounts(
        1,
        0,
        1,
        1,
        no_answers={EndedBy.REFUSED: 2, EndedBy.THOUGHTS: 1},
        doubted={Disagreement.MODEL: 1},
    )
    assert AnswerCounts.from_json(found.to_json()) == found


def test_counts_without_any_are_written_as_before():
    assert AnswerCounts(1, 2, 3, 0).to_json() == {
        "correct": 1, "incorrect": 2, "other": 3, "cut_off": 0,
    }  # fmt: skip
    assert AnswerCounts.from_json({"correct": 1, "incorrect": 2, "other": 3, "cut_off": 0}) == (
        AnswerCounts(1, 2, 3, 0)
    )
