import numpy as np
import pytest

from core.metrics import AnswerScores


def test_lists_become_float64_vectors():
    scores = AnswerScores([-1, -2], [-3], [-4, -5], [-6], best=1)
    assert scores.correct.dtype == np.float64
    assert scores.incorrect_alone.tolist() == [-6.0]


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        (([-1, -2], [-3], [-4], [-6]), {}, "2 correct answers, 1 alone"),
        (([-1], [-3], [-4], []), {}, "1 incorrect answers, 0 alone"),
        (([], [-3], [], [-6]), {}, "best is 0 of 0"),
        (([-1], [-3], [-4], [-6], 1), {}, "best is 1 of 1"),
        (([-1], [-3], [-4], [-6], -1), {}, "best is -1 of 1"),
        (([np.nan], [-3], [-4], [-6]), {}, "correct is not"),
        (([-1], [-np.inf], [-4], [-6]), {}, "incorrect is not"),
        (([[-1]], [-3], [[-4]], [-6]), {}, "correct is not"),
        (
            ([-1], [-3], [-4], [-6], 0),
            {"correct_tokens": [3, 4]},
            "1 correct answers have",
        ),
        (([-1], [-3], [-4], [-6], 0), {"correct_tokens": [0]}, "1 correct answers have"),
    ],
)
def test_scores_that_cannot_be_are_refused(arguments, named, message):
    with pytest.raises(ValueError, match=message):
        AnswerScores(*arguments, **named)
