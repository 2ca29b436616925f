"""Pools of the service desk: as its log has them, and the same after curation."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from core.demonstration.demonstration import IncorrectAnswer, to_columns
from core.text import normalised

from .calls import call_of, some_orders
from .dialects import BUNDLED_DIALECT, Dialect
from .intents import INTENTS
from .mistakes import draw_mistakes
from .requests import Request, draw_request, vary, word

QUERIES = 480
POOL_SEED = 7
LEAST, MOST = 3, 4
"""Fields of a request."""

NEAR_DOUBLES = 0.3
"""Share of the requests that are near doubles of an earlier one."""


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One query of a pool with its answers; `best` is the first of them."""

    request: Request
    query: str
    answers: tuple[str, ...]
    incorrect: tuple[IncorrectAnswer, ...]

    def to_json(self) -> dict[str, Any]:
        """The row as an import reads it."""
        return {
            "query": self.query,
            "answers": list(self.answers),
            "best": self.answers[0],
            **to_columns(self.incorrect),
            "tags": [self.request.intent],
        }


def build_pool(
    seed: int = POOL_SEED, queries: int = QUERIES, dialect: Dialect = BUNDLED_DIALECT
) -> list[PoolRow]:
    """A pool as a log would have it: many doubles, popular fields, rare ones.

    No request occurs twice and no answer of a query, correct or incorrect, is a correct one of
    another, so a near double gives nothing away but names. Every query has two to five
    correct answers, which differ in the order of the arguments, and so is in the pool two to five
    times: that is what makes it redundant.

    Args:
        seed: Of every choice.
        queries: How many.
        dialect: Names of functions and fields.
    """
    rng = Random(f"pool {seed}")
    popular_slots = {intent: _popularity(rng, list(INTENTS[intent].slots)) for intent in INTENTS}
    popular_intents = _popularity(rng, list(INTENTS), flatness=3)
    rows: list[PoolRow] = []
    texts: set[str] = set()
    correct: set[str] = set()
    incorrect: set[str] = set()
    while len(rows) < queries:
        intent = rng.choices(list(popular_intents), list(popular_intents.values()))[0]
        weights = popular_slots[intent]
        if rows and rng.random() < NEAR_DOUBLES:
            request = vary(rng, rng.choice(rows).request, least=LEAST, most=MOST)
        else:
            request = draw_request(rng, intent, least=LEAST, most=MOST, weights=weights)
        row = _row(rng, dialect, request)
        wrong = {each.text for each in row.incorrect}
        leaks = not (incorrect | correct).isdisjoint(row.answers) or not correct.isdisjoint(wrong)
        if not leaks and normalised(row.query) not in texts:
            rows.append(row)
            texts.add(normalised(row.query))
            correct.update(row.answers)
            incorrect.update(wrong)
    return rows


def curate(rows: Sequence[PoolRow]) -> list[PoolRow]:
    """The pool without what repeats: one answer per query, and no near doubles.

    The best answer stays, and of requests that are near doubles the first.
    """
    kept: list[PoolRow] = []
    for row in rows:
        if not any(are_near_doubles(row.request, other.request) for other in kept):
            best = row.answers[:1]
            kept.append(PoolRow(row.request, row.query, best, row.incorrect))
    return kept


def are_near_doubles(one: Request, other: Request) -> bool:
    """Whether one change makes one request of the other: a value, or a slot more, less or else."""
    if one.intent != other.intent:
        return False
    only_one = one.values.items() - other.values.items()
    only_other = other.values.items() - one.values.items()
    return len(only_one) <= 1 and len(only_other) <= 1


def write_pool(path: Path, rows: Sequence[PoolRow]) -> None:
    """Write the rows as JSON lines in UTF-8."""
    lines = [json.dumps(row.to_json(), ensure_ascii=False) + "\n" for row in rows]
    path.write_text("".join(lines), encoding="utf-8")


def _row(rng: Random, dialect: Dialect, request: Request) -> PoolRow:
    worded = word(rng, request)
    orders = some_orders(rng, request, worded, rng.randint(2, 5))
    mistakes = draw_mistakes(rng, dialect, request)
    return PoolRow(
        request,
        worded.query,
        tuple(str(call_of(dialect, request, order)) for order in orders),
        tuple(IncorrectAnswer(text, kind.value) for text, kind in mistakes),
    )


def _popularity(rng: Random, names: list[str], flatness: int = 1) -> dict[str, float]:
    """Weights 1 / rank in a random order; a larger flatness makes them more equal."""
    ranked = rng.sample(names, len(names))
    weights = {name: 1 / (rank + flatness) for rank, name in enumerate(ranked)}
    return {name: weights[name] for name in names}
