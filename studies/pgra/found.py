"""The study of PGRA as tables, sentences and JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.interval import Interval, Sign
from core.reporting.tables.table import Column, Table, Value
from core.text import three_decimals

from ..readers.registry import READERS
from .paper import CARE, counterpart, paper_tables, paper_to_json
from .results import OverSeeds, PgraRow, mean_of, spread

CONSISTENCY = "consistency (true labels)"
"""Named to differ from the paper's, which counts pseudo-labels."""
PASSAGES = (
    "Only labelled demonstrations are kept. The paper's evidence is unlabelled passages, whose "
    "consistency it counts by pseudo-labels of a fine-tuned T5; that is not repeated here."
)


@dataclass(frozen=True)
class PgraStudy:
    """The study, and the data it was made on.

    `queries` were held out and have one label, `evidence` labelled demonstrations are left.
    `unlabelled` demonstrations and `unclear` queries were passed over. `chance` is the consistency
    of demonstrations drawn blindly.
    """

    pool: str
    pool_version: int
    task: str
    encoder: str
    share: float
    limit: int | None
    seeds: tuple[int, ...]
    sweep: str | None
    queries: int
    evidence: int
    unlabelled: int
    unclear: int
    chance: float
    caution: str
    rows: tuple[PgraRow, ...]

    def to_json(self) -> dict[str, Any]:
        """The same for JSON: `rows`, one a row and seed, then each row over all seeds."""
        basis = {name: value for name, value in vars(self).items() if name != "rows"}
        return {
            **basis,
            "too_long": self.too_long,
            "readers": {name: READERS[name].label for name in self._readers},
            "rows": [each for row in self.rows for each in row.to_json(self.seeds, self.chance)],
            "over_seeds": [row.over_seeds_to_json() for row in self.rows],
            "paper": paper_to_json(),
            "notes": list(self.notes),
        }

    @property
    def too_long(self) -> int:
        """How many queries do not fit a model's window, at most."""
        return max((row.too_long for row in self.rows), default=0)

    @property
    def tables(self) -> tuple[tuple[str, Table], ...]:
        """Consistency, answers by reader, Figure 2, the cost, and the paper's own figures."""
        models = ", ".join(dict.fromkeys(row.model for row in self.rows))
        by = "" if self.sweep is None else f", by {self.sweep}"
        basis = f"{self.pool}, task {self.task}, {models}{by}"
        return (
            (f"{basis}: {CONSISTENCY} of the kept texts", self._consistency),
            *((f"Answers by {READERS[name].label}", self._answers(name)) for name in self._readers),
            *self._figure_2,
            (
                "Cost: passes of the model, seconds of reading, ms of a choice by each stage",
                self._cost,
            ),
            *paper_tables(self.sweep),
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What the figures are based on, what they show about stage 2, how to read the paper's."""
        seeds = len(self.seeds)
        limit = "" if self.limit is None else f" (at most {self.limit:,})"
        lines = [
            f"One split holds {self.queries:,} queries out{limit} and leaves {self.evidence:,} "
            f"labelled demonstrations. {seeds} {'draw' if seeds == 1 else 'draws'} of exemplars; "
            "each query counts once, with its mean over the draws, and intervals are over queries. "
            "SD is that of the draws' means.",
            *self._passed_over,
            *self._against_stage_1,
            *self._window,
        ]
        if self.caution:
            lines.append(self.caution)
        return (*lines, PASSAGES, *(f"The paper: {each}" for each in CARE))

    @property
    def _readers(self) -> tuple[str, ...]:
        named = {name for row in self.rows for name in row.answers}
        return tuple(name for name in READERS if name in named)

    @property
    def _consistency(self) -> Table:
        names = ("consistency", "95 %", "SD", "less stage 1", "95 %", "best texts")
        rows = []
        for row in self.rows:
            if row.consistency is None:
                continue
            best = mean_of([float(each) for each in row.best_texts])
            rows.append((row.name, *_with_spread(row.consistency), *_with_ends(row.gap), best))
        rows.append(("chance", self.chance, None, None, None, None, None))
        return Table(_columns("row", *names, one_decimal=("best texts",)), tuple(rows))

    def _answers(self, reader: str) -> Table:
        names = ("accuracy", "95 %", "SD", "Matthews", "SD", "left out", "the paper, per cent")
        rows = []
        for row in self.rows:
            if reader not in row.answers:
                continue
            answers = row.answers[reader]
            beside = None if row.label else counterpart(row.arm.name, reader, self.task)
            rows.append(
                (
                    row.name,
                    *_with_spread(answers.accuracy),
                    mean_of(answers.mcc),
                    spread(answers.mcc),
                    answers.left_out,
                    beside,
                )
            )
        return Table(_columns("row", *names, one_decimal=("left out",)), tuple(rows))

    @property
    def _figure_2(self) -> list[tuple[str, Table]]:
        """Queries of all draws, and their accuracy, by the number of consistent texts."""
        if self.sweep is not None:
            return []
        (shown,) = self._stages
        names = [name for row in shown for name in (row.name, "accuracy")]
        found = []
        for reader in self._readers:
            counted = [_joined(row, reader) for row in shown]
            rows = [
                (count, *(value for each in of_count for value in each))
                for count, of_count in enumerate(zip(*counted, strict=True))
                if any(queries for queries, _ in of_count)
            ]
            title = f"Figure 2 by {READERS[reader].label}: queries by their consistent texts"
            found.append((title, Table(_columns("consistent", *names), tuple(rows))))
        return found

    @property
    def _cost(self) -> Table:
        names = (
            "exemplars", "shown", "shortened", "skipped", "texts", "prefix tokens", "s reading",
            "ms 1", "ms 2",
        )  # fmt: skip
        rows = []
        for first, second in self._stages:
            costs = second.costs
            rows.append(
                (
                    second.label or second.model,
                    _least_to_most([each.drawn for each in costs]),
                    _least_to_most([each.shown for each in costs]),
                    max(each.shortened for each in costs),
                    max(each.skipped for each in costs),
                    max(each.texts_encoded for each in costs),
                    max(each.prefix_tokens for each in costs),
                    mean_of([each.reading_seconds for each in costs]),
                    1000 * first.seconds_a_query,
                    1000 * second.seconds_a_query,
                )
            )
        columns = _columns("setting", *names, one_decimal=("s reading", "ms 1", "ms 2"))
        return Table(columns, tuple(rows))

    @property
    def _stages(self) -> list[tuple[PgraRow, PgraRow]]:
        """For each setting the row of stage 1 and the first one of stage 2."""
        first = [row for row in self.rows if row.arm.stage == 1]
        seconds: dict[str, PgraRow] = {}
        for row in self.rows:
            if row.arm.stage == 2:
                seconds.setdefault(row.label, row)
        return [(row, seconds[row.label]) for row in first]

    @property
    def _passed_over(self) -> list[str]:
        found = []
        if self.unlabelled or self.unclear:
            found.append(
                f"Passed over: {self.unlabelled:,} demonstrations whose answer is no label of the "
                f"task, and {self.unclear:,} queries without one label."
            )
        if self.too_long:
            one = self.too_long == 1
            found.append(
                f"{self.too_long:,} {'query does' if one else 'queries do'} not fit the model's "
                "window and count for no row."
            )
        return found

    @property
    def _against_stage_1(self) -> list[str]:
        """Whether each row of stage 2 is above or below stage 1."""
        found = []
        for row in self.rows:
            if row.arm.stage != 2 or row.gap is None or row.gap.mean is None:
                continue
            gap, sign = _text(row.gap), row.gap.sign
            if sign in (Sign.TOO_FEW, Sign.UNBOUNDED):
                found.append(
                    f"{row.name}: {gap} against stage 1, without an interval: the queries are too "
                    "few for one, or all the same."
                )
            elif sign is Sign.POSITIVE:
                found.append(f"{row.name}: more consistent than stage 1, by {gap}.")
            elif sign is Sign.NEGATIVE:
                found.append(
                    f"{row.name}: less consistent than stage 1, by {gap}. With this model stage 2 "
                    "makes the choice worse."
                )
            else:
                found.append(f"{row.name}: no difference from stage 1 can be seen ({gap}).")
        return found

    @property
    def _window(self) -> list[str]:
        """How many exemplars had to be dropped because of the window."""
        found = []
        for _, row in self._stages:
            drawn = [each.drawn for each in row.costs]
            shown = [each.shown for each in row.costs]
            if drawn != shown:
                found.append(
                    f"{row.label or row.model}: {_least_to_most(shown)} of {_least_to_most(drawn)} "
                    "exemplars precede most texts; its window has no room for the others."
                )
        return found


def _columns(key: str, *names: str, one_decimal: Sequence[str] = ()) -> tuple[Column, ...]:
    return (Column(key), *(Column(name, 1 if name in one_decimal else 3) for name in names))


def _with_ends(value: Interval | None) -> tuple[float | None, str | None]:
    if value is None or value.low is None or value.high is None:
        return None if value is None else value.mean, None
    return value.mean, f"[{value.low:.3f}, {value.high:.3f}]"


def _with_spread(value: OverSeeds) -> tuple[Value, ...]:
    return (*_with_ends(value.over_all), value.sd)


def _text(value: Interval) -> str:
    """The mean with its interval, both with their signs."""
    ends = ""
    if value.low is not None and value.high is not None:
        ends = f" [{three_decimals(value.low, sign='+')}, {three_decimals(value.high, sign='+')}]"
    return three_decimals(value.mean or 0.0, sign="+") + ends


def _joined(row: PgraRow, reader: str) -> list[tuple[int, float | None]]:
    """Figure 2 of all seeds together."""
    found = []
    for of_count in zip(*row.answers[reader].figure_2, strict=True):
        queries = sum(of_seed for of_seed, _ in of_count)
        hits = sum(of_seed * (accuracy or 0.0) for of_seed, accuracy in of_count)
        found.append((queries, hits / queries if queries else None))
    return found


def _least_to_most(values: Sequence[int]) -> str:
    least, most = min(values), max(values)
    return str(least) if least == most else f"{least} to {most}"
