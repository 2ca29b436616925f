"""Whether what is best for one model is best for another, in words."""

from collections.abc import Sequence
from itertools import combinations

from ...evaluation.results.comparison import Comparison
from ...evaluation.results.orders import LEAST_ROWS, Order
from ...interval import Sign
from ...metrics.registry import METRICS
from ...text import listed
from .basis import MEANINGLESS
from .provenance import counted
from .rows import row_name

NEVER_ACROSS = (
    "DPO itself is never compared across models: it is measured against what each model thinks "
    "without a context, in nats of its own tokens. The orders of the settings are compared."
)


def order_sentences(comparison: Comparison, metric: str | None = None) -> tuple[str, ...]:
    """Whether the models agree on the order, a sentence for each pair; none for one model.

    Args:
        comparison: Its figures are those of the last model.
        metric: What the settings are ordered by, the one that leads if None.
    """
    if not comparison.earlier:
        return ()
    metric = metric or comparison.metric
    orders = {order.models: order for order in comparison.orders.of(metric)}
    found = []
    named = zip(comparison.model_names, comparison.models, strict=True)
    toys = {name for name, each in named if each.settings.by_a_toy}
    for first, second in combinations(comparison.model_names, 2):
        order = orders.get((first, second))
        if toys & {first, second}:
            found.append(
                f"{MEANINGLESS}, so there is no order by which {first} and {second} compare."
            )
        elif order is None:
            found.append(
                f"{first} and {second} have no setting in common with a {METRICS[metric].label}, "
                "so there is no order to compare."
            )
        else:
            found.append(_sentence(comparison, order))
    return (*found, NEVER_ACROSS)


def _sentence(comparison: Comparison, order: Order) -> str:
    first, second = order.models
    label, settings = METRICS[order.metric].label, counted(len(order.rows), "setting")
    if len(order.rows) < LEAST_ROWS:
        return (
            f"{first} and {second} have {settings} in common; it takes {LEAST_ROWS} to compare "
            "their orders."
        )
    if order.correlation.sign is Sign.UNDEFINED:
        return (
            f"By {label}, {settings} are all equal for {first} or for {second}, so there is no "
            "order to compare."
        )
    both = zip(order.best, order.models, strict=True)
    best = " and ".join(_best(comparison, rows, model) for rows, model in both)
    return (
        f"{_verdict(order)}: by {label} the best of {settings} is {best}; the rank "
        f"correlation is {order.correlation} over {counted(order.correlation.n, 'example')}."
    )


def _best(comparison: Comparison, rows: Sequence[str], model: str) -> str:
    """What is best for the model, which is left out where a row is already named after it."""
    names = [_row_name(comparison, row) for row in rows]
    named_after_it = any(f"({model})" in name for name in names)
    return listed(names) if named_after_it else f"{listed(names)} for {model}"


def _row_name(comparison: Comparison, row: str) -> str:
    """The row's name in a sentence, whichever model it is of."""
    owner = next((each for each in comparison.models if row in each.methods), comparison)
    return row_name(owner, row)


def _verdict(order: Order) -> str:
    """The verdict by the interval of the correlation."""
    first, second = order.models
    return {
        Sign.TOO_FEW: (
            f"Too few examples to say whether what is better for {first} is better for {second} "
            f"(it takes about {order.correlation.needed:,})"
        ),
        Sign.UNBOUNDED: f"There is no interval for how far {first} and {second} agree",
        Sign.POSITIVE: f"What is better for {first} tends to be better for {second}",
        Sign.NEGATIVE: f"What is better for {first} tends to be worse for {second}",
        Sign.UNCLEAR: f"What is better for {first} is not clearly better for {second}",
    }[order.correlation.sign]
