"""From demonstrations to evaluation examples, and a seeded random order of them."""

from collections.abc import Sequence

from ...demonstration.demonstration import Demonstration, EvaluationExample
from ...demonstration.incorrect import distinct
from ...errors import InvalidInput
from ...settings import SEED
from ...text import content_hash, normalised, same_text


def examples_of(demonstrations: Sequence[Demonstration]) -> list[EvaluationExample]:
    """One evaluation example per query, in the order in which the queries first appear.

    Answers are joined only where their queries are the same text (`text.same_text`); the first
    text represents all, as it was written. An incorrect answer that is a correct one for the same
    query, in whatever spelling (`text.normalised`), is left out: it would be compared with itself.
    The best answer is the one marked as best, else the first. Of an incorrect answer that several
    demonstrations have, the first kind counts.
    """
    groups: dict[str, list[Demonstration]] = {}
    for demonstration in demonstrations:
        groups.setdefault(same_text(demonstration.query), []).append(demonstration)
    return [_example(group) for group in groups.values()]


def sample(
    examples: Sequence[EvaluationExample], limit: int | None = None, seed: int = SEED
) -> list[EvaluationExample]:
    """The first `limit` examples of the seed's random order; None or a large limit gives all.

    An example's place comes from a hash of the seed and its normalised query, so it does not
    depend on what else is in the pool: adding, removing or moving queries leaves the others in
    their order, and an edited answer changes nothing. A larger limit keeps the smaller one's
    examples in front and adds to them. Examples that stay in the sample are not scored again.

    Raises:
        InvalidInput: limit is below 1.
    """
    if limit is not None and limit < 1:
        raise InvalidInput(
            f"The limit of evaluation examples is {limit}; give 1 or more, or none for all of them."
        )

    def place(example: EvaluationExample) -> tuple[str, str, str]:
        return (
            random_place(example.query, seed),
            normalised(example.query),
            same_text(example.query),
        )

    return sorted(examples, key=place)[:limit]


def random_place(query: str, seed: int) -> str:
    """The query's place in the seed's random order: 32 hex digits, the same in every pool."""
    return content_hash(str(seed), normalised(query))


def _example(group: Sequence[Demonstration]) -> EvaluationExample:
    answers: dict[str, str] = {}
    for each in group:
        answers.setdefault(same_text(each.answer), each.answer)
    correct = {normalised(answer) for answer in answers}
    incorrect = distinct(
        wrong for each in group for wrong in each.incorrect if normalised(wrong.text) not in correct
    )
    best = next((same_text(each.answer) for each in group if each.best), None)
    return EvaluationExample(
        query=group[0].query,
        answers=tuple(answers.values()),
        incorrect=incorrect,
        best=0 if best is None else list(answers).index(best),
    )
