"""The structured call that answers a request.

`book_table { Thai as kitchen_style, Lima as town_name, five as party_size }`: the function, then
each value with the field it goes into, in any order. The value comes first because the query has
it: which field comes next is then no guess about order, only about names. The closing brace is part
of the answer, so that a call without one of its fields never begins the full one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random

from .dialects import Dialect
from .requests import Request, Worded


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its (value, field) arguments in the order written."""

    function: str
    arguments: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        written = ", ".join(f"{value} as {field}" for value, field in self.arguments)
        return f"{self.function} {{ {written} }}"


def call_of(dialect: Dialect, request: Request, order: Sequence[str] | None = None) -> Call:
    """The call that answers the request in a dialect.

    Args:
        dialect: Names of the functions and fields.
        request: What is asked for.
        order: Slots in the order of the arguments; None for the intent's order.
    """
    names = dialect.fields[request.intent]
    arguments = tuple((request.values[slot], names[slot]) for slot in order or request.values)
    return Call(dialect.functions[request.intent], arguments)


def draw_order(rng: Random, request: Request, worded: Worded, at_random: float) -> list[str]:
    """An order of arguments: at random with that chance, else the intent's or the query's."""
    if rng.random() < at_random:
        return rng.sample(list(request.values), len(request.values))
    return list(request.values if rng.random() < 0.7 else worded.mentioned)


def some_orders(rng: Random, request: Request, worded: Worded, count: int) -> list[list[str]]:
    """Up to `count` distinct orders: the intent's first, then the query's, then others."""
    others = [list(order) for order in permutations(request.values)]
    rng.shuffle(others)
    orders: list[list[str]] = []
    for order in [list(request.values), list(worded.mentioned), *others]:
        if order not in orders:
            orders.append(order)
    return orders[:count]
