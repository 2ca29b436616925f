"""How far a context raises the log-probability of correct answers, incorrect ones aside.

The gain of an answer is log p(answer | q, C) - log p(answer | q), in nats. Every example has one,
whether or not it has incorrect answers, so the two metrics here do not measure a preference for
the correct answers: a context may raise the incorrect ones just as far.
"""

from collections.abc import Sequence
from functools import partial

from .metric import RAGSYS, MetricInfo
from .scores import AnswerScores, per_example, ratio


def _gain(example: AnswerScores) -> float:
    return float((example.correct - example.correct_alone).sum())


gain_numerators = per_example(_gain)
answer_denominators = per_example(lambda example: len(example.correct))
token_gain_numerators = per_example(lambda one: _gain(one) if len(one.correct_tokens) else 0.0)
token_denominators = per_example(lambda example: int(example.correct_tokens.sum()))
gain_without_effect = per_example(lambda example: 0.0)


def gain_per_answer(examples: Sequence[AnswerScores]) -> float:
    """The mean gain of a correct answer, nats: positive when the context raises it, 0 = no effect.

    NaN without examples.
    """
    return ratio(gain_numerators(examples), answer_denominators(examples))


def gain_per_token(examples: Sequence[AnswerScores]) -> float:
    """The gain of all correct answers over the number of their tokens, nats; 0 = no effect.

    Long answers do not outweigh short ones by their length, as they do in the gain per answer.
    NaN where no answer's tokens were counted.
    """
    return ratio(token_gain_numerators(examples), token_denominators(examples))


_gained = partial(
    MetricInfo,
    higher_is_better=True,
    source=f"{RAGSYS}, the term of the correct answer before the log sigmoid",
    without_effect=gain_without_effect,
)
METRICS = (
    _gained(
        name="gain_per_token",
        label="Gain per token",
        explanation=(
            "By how many nats the context raises the log-probability of a correct answer, for "
            "each of its tokens: above 0 the answer becomes more probable, 0 means that "
            "nothing changes. Incorrect answers may gain as much."
        ),
        unit="nats per token",
        numerators=token_gain_numerators,
        denominators=token_denominators,
    ),
    _gained(
        name="gain_per_answer",
        label="Gain per answer",
        explanation=(
            "The same as the gain per token, but over the whole of an answer: the longer it "
            "is, the more it can gain."
        ),
        unit="nats per answer",
        numerators=gain_numerators,
        denominators=answer_denominators,
    ),
)
