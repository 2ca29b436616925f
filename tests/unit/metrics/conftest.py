import numpy as np
import pytest

from core.metrics import AnswerScores


def from_probabilities(correct, incorrect, correct_alone, incorrect_alone, best=0):
    logs = (np.log(p) for p in (correct, incorrect, correct_alone, incorrect_alone))
    return AnswerScores(*logs, best=best)


@pytest.fixture
def hand_worked():
    """Three examples whose probabilities are powers of 1/2; the tests work their metrics out."""
    return [
        from_probabilities([1 / 2, 1 / 4], [1 / 8], [1 / 4, 1 / 4], [1 / 4]),
        from_probabilities([1 / 8], [1 / 4, 1 / 16], [1 / 4], [1 / 4, 1 / 8]),
        from_probabilities(
            [1 / 4, 1 / 4, 1 / 2], [1 / 4, 1 / 8], [1 / 2, 1 / 4, 1 / 8], [1 / 8, 1 / 8]
        ),
    ]


@pytest.fixture
def without_incorrect():
    """An example without incorrect answers: the context doubles one answer, quarters another."""
    return from_probabilities([1 / 4, 1 / 16], [], [1 / 8, 1 / 4], [])
