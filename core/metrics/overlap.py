"""What a generated answer has in common with the correct ones; as metrics of runs, too.

Every value is in [0, 1], 1 where nothing differs; of several correct answers the best one counts.
"""

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from .metric import Counted, Group, MetricInfo
from .scores import AnswerScores, PerExample, per_example

SQUAD = "Rajpurkar et al. 2016, SQuAD's evaluation"
DSP = "Khattab et al. 2022, DSP, its evaluation code"
_ARTICLES = re.compile(r"\b(a|an|the)\b(?![\u0300-\u036f])")  # "å" is an "a" with a mark
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_VERDICTS = frozenset(("yes", "no", "noanswer"))
_TOKEN = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+|[^\s]")
_ROUGE_TOKEN = re.compile(r"[a-z0-9]+")
_LITTLE_WORDS = """
i me my myself we our ours ourselves you youre youve youll youd your yours yourself yourselves
he him his himself she shes her hers herself it its itself they them their theirs themselves
what which who whom this that thatll these those am is are was were be been being have has had
having do does did doing but if or because as until while of at by for with about against
between into through during before after above below to from up down in out on off over under
again further then once here there when where why how all any both each few more most other some
such no nor not only own same so than too very s t can will just don dont should shouldve now d
ll m o re ve y ain aren arent couldn couldnt didn didnt doesn doesnt hadn hadnt hasn hasnt haven
havent isn isnt ma mightn mightnt mustn mustnt needn neednt shan shant shouldn shouldnt wasn
wasnt weren werent won wont wouldn wouldnt and
"""
STOP_WORDS = frozenset(_LITTLE_WORDS.split())
"""English words that carry little, as `normalised_answer` writes them (the list of NLTK)."""


def normalised_answer(text: str) -> str:
    """The text without what two spellings of an answer differ in.

    In small letters, without ASCII punctuation, without the articles a, an and the, with single
    spaces; letters with accents are decomposed (NFD).

    Source: SQuAD's evaluation, with the NFD of DSP's code.
    """
    plain = unicodedata.normalize("NFD", text).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def exact_match(predicted: str, correct: Sequence[str]) -> float:
    """1 where the normalised text is that of a correct answer, else 0.

    Raises:
        ValueError: There is no correct answer.
    """
    wanted = normalised_answer(predicted)
    return _best(lambda answer: float(wanted == normalised_answer(answer)), correct)


def f1(predicted: str, correct: Sequence[str]) -> float:
    """The harmonic mean of precision and recall over normalised tokens, as multisets.

    0 where they have no token in common, also where both have none.

    Raises:
        ValueError: There is no correct answer.

    Source: SQuAD's evaluation.
    """
    tokens = normalised_answer(predicted).split()
    return _best(lambda answer: _harmonic(tokens, normalised_answer(answer).split()), correct)


def precision(predicted: str, correct: Sequence[str]) -> float:
    """The share of the answer's normalised tokens that a correct answer has too; 0 without any.

    Raises:
        ValueError: There is no correct answer.
    """
    tokens = normalised_answer(predicted).split()

    def shared(answer: str) -> float:
        return _in_common(tokens, normalised_answer(answer).split()) / max(1, len(tokens))

    return _best(shared, correct)


def hotpot_f1(predicted: str, correct: Sequence[str]) -> float:
    """F1, but 0 where one side is yes, no or noanswer and the other is something else.

    Raises:
        ValueError: There is no correct answer.

    Source: Yang et al. 2018, HotPotQA's evaluation.
    """
    found = normalised_answer(predicted)

    def value(answer: str) -> float:
        wanted = normalised_answer(answer)
        if found != wanted and not _VERDICTS.isdisjoint((found, wanted)):
            return 0.0
        return _harmonic(found.split(), wanted.split())

    return _best(value, correct)


def contains_answer(passage: str, answers: Sequence[str]) -> bool:
    """Whether the tokens of an answer stand in the passage side by side, in their order.

    Tokens are runs of letters and digits, and every other character that is no white space, in
    small letters and decomposed (NFD): "10" is not in "2010", but "1999" is in "(1999-2000)". False
    for an answer without tokens, and without answers.

    Source: the evaluation of DPR, Karpukhin et al. 2020, as DSP's code uses it.
    """
    tokens = _tokens(passage)
    for answer in answers:
        wanted = _tokens(answer)
        starts = range(len(tokens) - len(wanted) + 1)
        if wanted and any(tokens[at : at + len(wanted)] == wanted for at in starts):
            return True
    return False


def novel_f1(predicted: str, correct: Sequence[str], questions: Sequence[str]) -> float:
    """F1 over the tokens that are neither stop words nor in the questions; 0 where none is left.

    Args:
        predicted: The generated answer.
        correct: The correct answers.
        questions: The question and, in a conversation, those before it.

    Raises:
        ValueError: There is no correct answer.

    Source: nF1 of Paranjape et al. 2022, as DSP uses it.
    """
    known = STOP_WORDS.union(*(normalised_answer(question).split() for question in questions))

    def novel(text: str) -> list[str]:
        return [token for token in normalised_answer(text).split() if token not in known]

    tokens = novel(predicted)
    return _best(lambda answer: _harmonic(tokens, novel(answer)), correct)


def rouge_l(predicted: str, correct: Sequence[str]) -> float:
    """F1 of the longest common subsequence of tokens (`[a-z0-9]+`, small letters).

    0 where both have no token.

    Raises:
        ValueError: There is no correct answer.

    Source: Lin 2004, with equal weights of precision and recall.
    """
    tokens = _ROUGE_TOKEN.findall(predicted.lower())

    def value(answer: str) -> float:
        wanted = _ROUGE_TOKEN.findall(answer.lower())
        both = len(tokens) + len(wanted)
        return 2 * _longest_common(tokens, wanted) / both if both else 0.0

    return _best(value, correct)


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFD", text).lower())


def _best(value: Callable[[str], float], correct: Sequence[str]) -> float:
    if not correct:
        raise ValueError("there is no correct answer to compare with")
    return max(map(value, correct))


def _in_common(first: Sequence[str], second: Sequence[str]) -> int:
    return (Counter(first) & Counter(second)).total()


def _harmonic(first: Sequence[str], second: Sequence[str]) -> float:
    both = len(first) + len(second)
    return 2 * _in_common(first, second) / both if both else 0.0


def _longest_common(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence, by rows of the usual table."""
    row = [0] * (len(second) + 1)
    for token in first:
        before = row
        row = [0]
        for place, other in enumerate(second):
            same = before[place] + 1 if token == other else 0
            row.append(max(same, before[place + 1], row[place]))
    return row[-1]


def overlap_numerators(name: str) -> PerExample:
    """One measure of `OfAnswer` for each example; 0 where nothing was generated."""

    def value(example: AnswerScores) -> float:
        measured: float = getattr(example, name)
        return 0.0 if math.isnan(measured) else measured

    return per_example(value)


generated_denominators = per_example(lambda example: not math.isnan(example.exact_match))


def _of_answer(name: str, label: str, explanation: str, source: str, unit: str) -> MetricInfo:
    return MetricInfo(
        name=name,
        label=label,
        explanation=explanation,
        unit=unit,
        higher_is_better=True,
        source=source,
        numerators=overlap_numerators(name),
        denominators=generated_denominators,
        spread="share",
        highest=1.0,
        counts=Counted.GENERATED,
        group=Group.GENERATED,
    )


METRICS = (
    _of_answer(
        name="exact_match",
        label="Exact match",
        explanation=(
            "The share of queries that the model itself answers right: its text is a correct "
            "answer, apart from capitals, punctuation, articles and spaces. A right answer in "
            "other words counts as wrong."
        ),
        unit="share",
        source=SQUAD,
    ),
    _of_answer(
        name="f1",
        label="Answer F1",
        explanation=(
            "How many words the model's own answer has in common with a correct one: the "
            "harmonic mean of the share of its words that the correct answer has and the share "
            "of that answer's words that it has, averaged over queries."
        ),
        unit="mean of shares",
        source=SQUAD,
    ),
    _of_answer(
        name="precision",
        label="Answer precision",
        explanation=(
            "The share of the words of the model's own answer that a correct one has too, "
            "averaged over queries: 1 where it adds nothing, however little it says."
        ),
        unit="mean of shares",
        source=DSP,
    ),
    _of_answer(
        name="rouge_l",
        label="ROUGE-L",
        explanation=(
            "How many words the model's own answer has in common with a correct one in the "
            "same order: F1 of their longest common subsequence, averaged over queries."
        ),
        unit="mean of shares",
        source="Lin 2004, ROUGE-L with equal weights",
    ),
    _of_answer(
        name="nf1",
        label="nF1",
        explanation=(
            "F1 of the words that carry an answer: those of the query, and little words such "
            "as 'the' and 'is', are left out, so that repeating the query earns nothing."
        ),
        unit="mean of shares",
        source="nF1 of Paranjape et al. 2022, as DSP uses it",
    ),
)
