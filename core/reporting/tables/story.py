"""The tables of one example of a comparison: its methods, answers and contexts."""

from ...evaluation.results.verdict import CORRECT_ONLY, PER_TRIPLE
from ...metrics.registry import METRICS
from ..results.story import AnswerLine, MethodLine, Story
from ..words.own_answers import short_verdict_of_answer
from ..words.rows import breakable
from ..words.verdict import short_verdict
from .table import Column, Table

_COMPARED = {"delta": "delta", PER_TRIPLE: METRICS[PER_TRIPLE].label}
_CORRECT_ONLY = {"gain_per_answer": "gain per answer", CORRECT_ONLY: METRICS[CORRECT_ONLY].label}
"""The metrics of one example, and the names of their columns."""


def methods_in(story: Story) -> Table:
    """One line per row: its metrics for this example, their verdict, and the ids it chose."""
    metrics = _COMPARED if story.has_triples else _CORRECT_ONLY
    judged = story.has_triples
    numbers = (Column(words, 3) for words in metrics.values())
    return Table(
        (
            *(
                Column(story.row_word),
                *numbers,
                *[Column("effect")] * judged,
                Column("sameness", 3),
            ),
            *(Column("left out"), Column("demonstrations")),
        ),
        tuple(
            (
                *(breakable(line.method), *(getattr(line, name) for name in metrics)),
                *[short_verdict(line)] * judged,
                *(line.diversity, line.left_out),
                ", ".join(map(str, line.ids)) or "none",
            )
            for line in story.methods
        ),
    )


def answers_in(story: Story) -> Table:
    """One line per answer: its log-probability alone and under each row's context."""
    methods = [line.method for line in story.methods]
    numbers = (Column(name, 2) for name in ("alone", *methods))
    return Table(
        (Column("answer"), Column("kind"), *numbers),
        tuple(
            (line.text, _kind(line), line.alone, *(line.by_method[name] for name in methods))
            for line in story.answers
        ),
    )


def generated_in(story: Story) -> Table:
    """One line per row: what the model itself answered after its context, and what that is."""
    return Table(
        tuple(Column(name) for name in (story.row_word, "answer", "is", "ended by")),
        tuple(
            (breakable(line.method), own.text, short_verdict_of_answer(own), own.ended_by.value)
            for line in story.methods
            if (own := line.answer) is not None
        ),
    )


def _kind(line: AnswerLine) -> str:
    if line.correct:
        return "correct"
    return f"incorrect: {line.kind}" if line.kind else "incorrect"


def context_in(line: MethodLine) -> Table:
    """One row per demonstration of the method's context, in the order chosen."""
    return Table(
        tuple(Column(name) for name in ("rank", "id", "query", "answer")),
        tuple(
            (rank, each.id, each.query, each.answer)
            for rank, each in enumerate(line.demonstrations, start=1)
        ),
    )
