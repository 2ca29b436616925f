"""Whether what the model answers is right: by the normalised text, of four kinds."""

import pytest

from core.demonstration.incorrect import incorrect_answers
from core.evaluation.results.own_answer import AnswerVerdict, own_answer
from core.generation import EndedBy, Generation


def judged(text, correct=("Paris", "the city of Paris"), incorrect=("Rome",)):
    generation = Generation(text, (1,), (-0.5,), EndedBy.STOP)
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
