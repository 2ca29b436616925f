"""The results of the study of VRSD: a row per method, where its cosine falls, the greedy gap."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from core.interval import Interval
from core.recorded import write
from core.reporting.tables.table import Column, Table, Value
from core.settings import Embed
from core.text import three_decimals

from ..over_seeds import Against


@dataclass(frozen=True)
class StudyRow:
    """One method with one encoder, over the held-out queries of all seeds.

    `lambda_d` is None for a method without one, `candidates` 0 where it chooses from the whole
    pool. `mean` is the mean cosine of the context's sum with the query. `against` is VRSD
    against this row, None for VRSD itself. `relevance` is the mean cosine of a context's
    demonstrations with the query, `least_relevance` that of the least similar one. `accuracy` and
    `dpo_per_triple` are None without a language model. `seconds_a_query` is the median, so
    that work done once, at the first query, does not count.
    """

    method: str
    lambda_d: float | None
    candidates: int
    against: Against | None
    mean: Interval
    sameness: Interval
    relevance: float | None
    least_relevance: float | None
    accuracy: Interval | None
    dpo_per_triple: Interval | None
    seconds_a_query: float

    @property
    def name(self) -> str:
        """The method, with its lambda_d where it has one."""
        return self.method if self.lambda_d is None else f"{self.method}@{self.lambda_d:g}"

    def to_json(self, encoder: str) -> dict[str, Any]:
        """The row for JSON; VRSD against itself is None."""
        row = write(self)
        against = row.pop("against") or dict.fromkeys(each.name for each in fields(Against))
        first = {"encoder": encoder, "method": row.pop("method"), "lambda": row.pop("lambda_d")}
        return {**first, "candidates": row.pop("candidates"), **against, **row}


@dataclass(frozen=True)
class Steps:
    """Where a pick of VRSD lowers the cosine of the sum.

    `falls` are the shares of queries on which it falls at the second pick, the third, and so on;
    `shorter` is the share on which the first few of the k would have a larger cosine than all k.
    """

    falls: tuple[float, ...]
    shorter: float


@dataclass(frozen=True)
class GreedyGap:
    """VRSD against the best set of k among the same candidates, found by trying all of them.

    `queries` were tried. `mean` and `largest` are by how much greedy falls short; `same_set` and
    `nearest_in_best` are the shares of queries on which the two sets are the same, and on which the
    best one contains the most similar demonstration, with which greedy begins.
    """

    queries: int
    mean: float
    largest: float
    same_set: float
    nearest_in_best: float


@dataclass(frozen=True)
class EncoderFigures:
    """All figures with one encoder; `greedy` is None where there are too many sets to try."""

    encoder: str
    rows: tuple[StudyRow, ...]
    steps: Steps
    greedy: GreedyGap | None


@dataclass(frozen=True)
class VrsdStudy:
    """The study, and the data it was made on.

    `queries` counts the distinct held-out queries, `held_out` those of each seed and `retrieved`
    the demonstrations that were left to each. `skipped` counts the queries that the language model
    could not score, over all seeds and encoders. `candidates` 0 is the whole pool.
    """

    pool: str
    pool_version: int
    k: int
    candidates: int
    share: float
    embed: Embed
    limit: int | None
    queries: int
    held_out: tuple[int, ...]
    retrieved: tuple[int, ...]
    model: str | None
    template: str | None
    caution: str
    skipped: int
    encoders: tuple[EncoderFigures, ...]

    def to_json(self) -> dict[str, Any]:
        """The same for JSON: `rows` of all encoders, then the other figures of each encoder."""
        basis = {name: value for name, value in vars(self).items() if name != "encoders"}
        return {
            **basis,
            "rows": [row.to_json(each.encoder) for each in self.encoders for row in each.rows],
            "steps": [{"encoder": each.encoder, **asdict(each.steps)} for each in self.encoders],
            "greedy": [
                {"encoder": each.encoder, **asdict(each.greedy)}
                for each in self.encoders
                if each.greedy is not None
            ],
        }

    @property
    def tables(self) -> tuple[tuple[str, Table], ...]:
        """A table an encoder."""
        return tuple(
            (
                f"{self.pool}, {each.encoder}",
                Table(self._columns, tuple(map(self._cells, each.rows))),
            )
            for each in self.encoders
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figures are based on, and what else was found, in sentences."""
        texts = "query and answer" if self.embed is Embed.QUERY_AND_ANSWER else "query"
        held_out, retrieved = (
            ", ".join(f"{n:,}" for n in counts) for counts in (self.held_out, self.retrieved)
        )
        one = len(self.held_out) == 1
        splits = "One split holds" if one else f"{len(self.held_out)} splits hold"
        limit = "" if self.limit is None else f" (at most {self.limit:,} a seed)"
        lines = [
            f"{splits} {held_out} queries out{limit}, {self.queries:,} different ones, and "
            f"{'leaves' if one else 'leave'} {retrieved} demonstrations to retrieve; each query "
            f"counts once, with its mean over the seeds. Embedded: {texts}.",
            "Wins, ties, losses and the differences are VRSD's against the row. VRSD is ahead on "
            "its own objective by construction, so a win rate alone proves nothing.",
        ]
        for each in self.encoders:
            lines += _sentences(each, self.k)
        return (*lines, self.caution) if self.caution else tuple(lines)

    @property
    def _columns(self) -> tuple[Column, ...]:
        names = (
            "method", "lambda_d", "candidates", "win", "95 %", "ties", "losses", "max diff",
            "reverse", "gap", "mean", "95 %", "sameness", "relevance", "least",
            *(("accuracy", "95 %", "dpo_per_triple", "95 %") if self.model else ()),
            "ms a query",
        )  # fmt: skip
        whole = ("method", "candidates", "95 %")
        return tuple(Column(name, None if name in whole else 3) for name in names)

    def _cells(self, row: StudyRow) -> tuple[Value, ...]:
        against = row.against
        first: tuple[Value, ...] = (None,) * 7
        if against is not None:
            first = (
                *_with_ends(against.win), against.ties, against.losses, against.max_diff,
                against.max_diff_reverse, against.gap.mean,
            )  # fmt: skip
        answers = (row.accuracy, row.dpo_per_triple) if self.model else ()
        return (
            row.method,
            row.lambda_d,
            row.candidates or "all",
            *first,
            *_with_ends(row.mean),
            row.sameness.mean,
            row.relevance,
            row.least_relevance,
            *(cell for each in answers for cell in _with_ends(each)),
            1000 * row.seconds_a_query,
        )


def _with_ends(value: Interval | None) -> tuple[float | None, str | None]:
    if value is None or value.low is None or value.high is None:
        return None if value is None else value.mean, None
    return value.mean, f"[{value.low:.3f}, {value.high:.3f}]"


def _sentences(figures: EncoderFigures, k: int) -> list[str]:
    """The order of the means, where the cosine falls, and how far greedy is from the best set."""
    by_mean = sorted(figures.rows, key=lambda row: -(row.mean.mean or 0.0))
    order = " > ".join(f"{row.name} {three_decimals(row.mean.mean or 0.0)}" for row in by_mean)
    falls = ", ".join(f"{share:.0%}" for share in figures.steps.falls)
    picks = f"picks 2 to {len(figures.steps.falls) + 1}" if falls else "no pick"
    found = [
        f"{figures.encoder}: by the mean {order}.",
        f"{figures.encoder}: the cosine of VRSD's sum falls at {picks} for "
        f"{falls or 'none'} of the queries; for {figures.steps.shorter:.0%} a context of fewer "
        f"than {k} has the larger one.",
    ]
    if (greedy := figures.greedy) is not None:
        found.append(
            f"{figures.encoder}: over {greedy.queries:,} queries the best set of all is ahead of "
            f"VRSD by {greedy.mean:.4f} on average and {greedy.largest:.4f} at most; it is the "
            f"same set for {greedy.same_set:.0%} and contains the most similar demonstration for "
            f"{greedy.nearest_in_best:.0%}."
        )
    return found
