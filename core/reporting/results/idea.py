"""What the start page shows: one query, three ways to answer it, and why this query."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The query that was chosen to show the effect, a typical one, and how usual the effect is.

    `showing` counts those among which the example was chosen. Gains are DPO per triple with the mix
    less that with similarity alone, nats. `won` counts the queries whose right answer loses with
    similarity alone and wins with the mix, `lost` those the other way round. `right` counts the
    queries whose right answer wins without demonstrations, with similarity alone and with the mix.
    """

    example: str
    gain: float
    typical: str
    typical_gain: float
    median_gain: float
    queries: int
    showing: int
    won: int
    lost: int
    right: tuple[int, int, int]


@dataclass(frozen=True)
class Opening:
    """The query that a pool's view opens with, and for the bundled example why it was chosen.

    `typical` and `chosen` are None where the query was not chosen by the rule.
    """

    query: str
    typical: str | None = None
    chosen: Chosen | None = None


@dataclass(frozen=True)
class Shown:
    """A chosen demonstration; `again` is the rank of an earlier one that it repeats, or None."""

    rank: int
    query: str
    answer: str
    again: int | None


@dataclass(frozen=True)
class Preference:
    """How probable the right answer is when the model must choose between two.

    `right` is in [0, 1], against the likeliest incorrect answer, `wrong_answer`; the two
    probabilities sum to 1.
    """

    right: float
    wrong_answer: str

    @property
    def wins(self) -> bool:
        """Whether the model prefers the right answer."""
        return self.right > 0.5


@dataclass(frozen=True)
class AnswerWay:
    """One way of choosing demonstrations, and what the model then prefers.

    `sameness` is None below two demonstrations, `preference` until it is scored and where the
    query has no incorrect answer.
    """

    method: str
    shown: tuple[Shown, ...]
    sameness: float | None
    preference: Preference | None

    @property
    def repeated(self) -> int:
        """How many demonstrations repeat an earlier one."""
        return sum(each.again is not None for each in self.shown)


@dataclass(frozen=True, kw_only=True)
class Idea:
    """One query, its right answer, and three ways to answer it: none, similar ones, a mix.

    `chosen` is how the query was chosen and how usual the effect is; None where that is unknown.
    `provenance` names in one line where the figures come from.
    """

    query: str
    right_answer: str
    none: AnswerWay
    similar: AnswerWay
    mix: AnswerWay
    chosen: Chosen | None
    provenance: str

    @property
    def ways(self) -> tuple[AnswerWay, AnswerWay, AnswerWay]:
        """All three, in the order in which they are shown."""
        return self.none, self.similar, self.mix
