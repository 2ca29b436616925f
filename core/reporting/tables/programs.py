"""Tables of a trial and of a step: what each program reached, and what was searched and written."""

from collections import Counter
from collections.abc import Sequence

from ...programs.steps import Search, Step
from ...programs.trial import Answer, Trial
from ...programs.trial.records import MEASURES
from ..words.own_answers import did_instead, no_answers
from .table import Column, Table, Value


def scores_table(trial: Trial) -> Table:
    """One row per row of the trial: its scores, what it cost, and how many examples worked out.

    Questions that failed, and those without an answer, have a column only where there are any.
    """
    failures = any(row.errors for row in trial.rows)
    none = any(row.no_answers for row in trial.rows)
    names = (
        *("program", "em", "95 % of em", "f1", "nf1", "calls", "tokens", "worked out"),
        *(("failed",) if failures else ()),
        *(("no answer",) if none else ()),
    )
    rows: list[tuple[Value, ...]] = [
        (
            *(row.name, row.em.mean, row.em.ends, row.f1.mean, row.nf1.mean),
            *(row.cost.calls, row.cost.tokens_read + row.cost.tokens_written),
            f"{row.augmented:,} of {row.attempts:,}" if row.attempts else "-",
            *((row.errors,) if failures else ()),
            *((no_answers(row.no_answers) or "-",) if none else ()),
        )
        for row in trial.rows
    ]
    return Table(tuple(Column(name, 3) for name in names), tuple(rows))


def differences_table(trial: Trial) -> Table:
    """Each other row less the first one, with paired intervals that hold together."""
    names = (f"paired, less {trial.rows[0].name}", *MEASURES)
    rows: list[tuple[Value, ...]] = [
        (each.row, *(str(getattr(each, name)) for name in MEASURES)) for each in trial.differences
    ]
    return Table(tuple(map(Column, names)), tuple(rows))


def seeds_table(trial: Trial) -> Table:
    """The share of exact matches in each seed's questions: how much training examples matter."""
    seeds = (Column(f"{each.seed} (n {each.n})", 3) for each in trial.rows[0].by_seed)
    rows: list[tuple[Value, ...]] = [
        (row.name, *(each.scores.em for each in row.by_seed)) for row in trial.rows
    ]
    return Table((Column("em by seed"), *seeds), tuple(rows))


def so_far_table(answers: Sequence[Answer]) -> Table:
    """How many questions each row has answered so far, and how many of them right."""
    rows: dict[str, list[Answer]] = {}
    for each in answers:
        rows.setdefault(each.row, []).append(each)
    return Table(
        tuple(map(Column, ("program", "answered", "right"))),
        tuple((name, len(own), sum(a.correct for a in own)) for name, own in rows.items()),
    )


def answers_table(answers: Sequence[Answer]) -> Table:
    """What each row answered to one question, whether that is right, and what it took.

    Whether it is right is left out where the accepted answers are not known. Where the model gave
    none, it says what the model did instead.
    """
    judged = all(each.answers for each in answers)
    rows: list[tuple[Value, ...]] = [
        (
            *(each.row, each.pred or "-"),
            *((_outcome(each), each.scores.f1) if judged else ()),
            *(each.cost.calls, each.cost.tokens_read + each.cost.tokens_written, each.seconds),
        )
        for each in answers
    ]
    outcome = (Column("outcome"), Column("f1", 3)) if judged else ()
    took = (Column("calls"), Column("tokens"), Column("seconds", 1))
    return Table((Column("program"), Column("answer"), *outcome, *took), tuple(rows))


def _outcome(answer: Answer) -> str:
    if answer.no_answer is not None:
        return f"wrong: {did_instead(answer.no_answer)}"
    return "right" if answer.correct else "wrong"


def found_table(search: Search) -> Table:
    """The passages of a search in their order, with their scores; probabilities where known."""
    likely = all(each.probability is not None for each in search.found)
    columns = (Column("score", 3), *((Column("probability", 3),) if likely else ()))
    rows: list[tuple[Value, ...]] = [
        (each.passage.shown, *(each.score, each.probability)[: len(columns)])
        for each in search.found
    ]
    return Table((Column("passage"), *columns), tuple(rows))


def written_table(step: Step) -> Table:
    """The distinct texts that a step wrote, field by field, the most frequent first.

    `texts` is how many of its completions are equal; `per token` is the mean log-probability of a
    token of the first of them, in nats.
    """
    fields = dict.fromkeys(name for each in step.completions for name in each.fields)
    counts = Counter(tuple(each[name] for name in fields) for each in step.completions)
    firsts = {tuple(each[name] for name in fields): each for each in reversed(step.completions)}
    several = len(step.completions) > 1
    rows: list[tuple[Value, ...]] = [
        (*((count,) if several else ()), *texts, firsts[texts].mean_log_prob)
        for texts, count in counts.most_common()
    ]
    columns = (*((Column("texts"),) if several else ()), *map(Column, fields))
    return Table((*columns, Column("per token", 3)), tuple(rows))
