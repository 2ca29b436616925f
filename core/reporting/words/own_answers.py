"""The answers of the model itself, in sentences: whether they are right, and why they end."""

from collections.abc import Mapping

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.own_answer import AnswerCounts, AnswerVerdict, OwnAnswer
from ...generation import MAX_NEW_TOKENS, Disagreement, EndedBy, ServerDoubt
from ...text import counted

_OF_AN_ANSWER = {
    AnswerVerdict.CORRECT: "Right: one of the correct answers, apart from capitals, punctuation "
    "and articles.",
    AnswerVerdict.INCORRECT: "Wrong: one of the incorrect answers, apart from capitals, "
    "punctuation and articles.",
    AnswerVerdict.OTHER: "In other words than the query's correct and incorrect answers: judge it "
    "yourself.",
    AnswerVerdict.UNJUDGED: "Not judged: the query has no correct answers.",
    AnswerVerdict.NO_ANSWER: "No answer, so no figure counts it.",
}
_OF_AN_ANSWER_IN_SHORT = {
    AnswerVerdict.CORRECT: "a correct answer",
    AnswerVerdict.INCORRECT: "an incorrect answer",
    AnswerVerdict.OTHER: "neither",
    AnswerVerdict.UNJUDGED: "not judged",
    AnswerVerdict.NO_ANSWER: "no answer",
}
_ENDED = {
    EndedBy.END: "the model ended it",
    EndedBy.STOP: "ended where it began another demonstration",
    EndedBy.LENGTH: "cut off: it has as many tokens as are allowed",
    EndedBy.WINDOW: "cut off at the end of the model's window",
    EndedBy.THOUGHTS: "the model was still thinking when it had as many tokens as are allowed",
    EndedBy.FILTERED: "a filter of the server's held it back",
    EndedBy.REFUSED: "the model declined to answer",
    EndedBy.TOOL_CALL: "the model called a tool in its place",
    EndedBy.ERROR: "it broke off",
}
_NO_ANSWERS = {
    EndedBy.THOUGHTS: "still thinking",
    EndedBy.FILTERED: "filtered",
    EndedBy.REFUSED: "declined",
    EndedBy.TOOL_CALL: "called a tool",
}
"""What the model did in place of an answer, after a number."""
_AT_MOST = 4
"""Rows whose right answers are counted in one sentence."""
_DOUBTED = {
    Disagreement.MODEL: "Answers of another model than the one asked for, as the server says",
    Disagreement.PROMPT: "Answers after far fewer tokens than their prompts have, as the server "
    "says (give its model a larger context)",
}


def verdict_of_answer(answer: OwnAnswer) -> str:
    """Whether the model's own answer is right, and by what that was decided."""
    return _OF_AN_ANSWER[answer.verdict]


def short_verdict_of_answer(answer: OwnAnswer) -> str:
    """The same in a few words."""
    return _OF_AN_ANSWER_IN_SHORT[answer.verdict]


def answer_facts(answer: OwnAnswer) -> str:
    """How long the model's own answer is, how probable it was, and why it ends."""
    mean, count = answer.log_prob_per_token, answer.tokens
    ended = _ENDED[answer.ended_by]
    if not answer.ended_by.is_answer:
        return f"{ended[0].upper()}{ended[1:]}."
    if count is None:
        return f"Its probability is not known: the server gives none; {ended}."
    if mean is None:
        return f"Nothing was written: {ended}."
    tokens = counted(count, "token")
    return f"{tokens}, {mean:.2f} nats per token on average; {ended}."


def ending(ended_by: EndedBy) -> str:
    """Why a text ends, as the end of a sentence."""
    return _ENDED[ended_by]


def right_answers(comparison: Comparison) -> str:
    """How many of each row's generated answers are right; of many rows the first and the best."""
    counts = _counts(comparison)
    if len(counts) > _AT_MOST:
        best = max(counts, key=lambda name: counts[name].correct)
        counts = {name: counts[name] for name in dict.fromkeys((next(iter(counts)), best))}
    of = {name: each.correct + each.incorrect + each.other for name, each in counts.items()}
    each_row = [f"{name} {found.correct:,} of {of[name]:,}" for name, found in counts.items()]
    return f"The model's own answers that are right: {', '.join(each_row)}." if counts else ""


def own_answer_sentences(comparison: Comparison) -> list[str]:
    """How many of each row's generated answers are right, and cut off; none without any."""
    counts = _counts(comparison)
    each_row = (
        f"{name} {found.correct:,}, {found.incorrect:,} and {found.other:,}"
        for name, found in counts.items()
    )
    cut_off = ", ".join(f"{name} {of.cut_off:,}" for name, of in counts.items() if of.cut_off)
    none = "; ".join(
        f"{name} {no_answers(of.no_answers)}" for name, of in counts.items() if of.no_answers
    )
    found = {
        "The model's own answers that are a correct one, an incorrect one, and neither (which "
        "counts as wrong)": "; ".join(each_row),
        f"Cut off after {MAX_NEW_TOKENS} tokens or at the end of the model's window": cut_off,
        "No answers, which neither these counts nor the figures of generated answers have": none,
    }
    for about, words in _DOUBTED.items():
        doubted = (f"{name} {n:,}" for name, of in counts.items() if (n := of.doubted.get(about)))
        found[words] = ", ".join(doubted)
    return [f"{words}: {rows}." for words, rows in found.items() if rows]


def _counts(comparison: Comparison) -> dict[str, AnswerCounts]:
    methods = comparison.methods.items()
    return {name: each.generated for name, each in methods if each.generated is not None}


def no_answers(counts: Mapping[EndedBy, int]) -> str:
    """How many texts are no answers, by what the model did instead: "2 declined, 1 filtered"."""
    return ", ".join(f"{count:,} {did_instead(end)}" for end, count in counts.items())


def did_instead(ended_by: EndedBy) -> str:
    """What the model did in place of an answer, in a word or two: "declined"."""
    return _NO_ANSWERS[ended_by]


def doubt_sentence(doubt: ServerDoubt) -> str:
    """What a server says of an answer that does not go with what it was asked."""
    if doubt.about is Disagreement.MODEL:
        return f"The server says that {doubt.answered} answered, and not {doubt.asked}."
    return (
        f"The server says that it read {doubt.answered} tokens, and the prompt has at least "
        f"{doubt.asked}: it may have cut it off; give its model a larger context."
    )
