"""Label consistency: of one context's labels, and as a metric of runs, one number per example."""

import math
from collections.abc import Sequence

from .metric import Counted, Group, MetricInfo
from .scores import per_example


def label_consistency(kept: Sequence[str], label: str) -> float:
    """The share of the kept demonstrations that have the query's label, in [0, 1]; NaN for none.

    These are true labels. The paper's consistency score counts pseudo-labels, which a fine-tuned
    model gave to unlabelled texts: a different quantity.

    Source: PGRA, section 4.3.
    """
    return sum(each == label for each in kept) / len(kept) if len(kept) else math.nan


consistency_numerators = per_example(
    lambda one: 0.0 if math.isnan(one.label_consistency) else one.label_consistency
)
consistency_denominators = per_example(lambda one: not math.isnan(one.label_consistency))

chance_numerators = per_example(
    lambda one: 0.0 if math.isnan(one.label_chance) else one.label_chance
)
chance_denominators = per_example(lambda one: not math.isnan(one.label_chance))


LABEL_CONSISTENCY = MetricInfo(
    name="label_consistency",
    label="Label consistency (true labels)",
    explanation=(
        "The share of a context's demonstrations that have the query's own label, averaged "
        "over queries: 1 where all have it. It is shown with chance, the share in contexts "
        "drawn at random. The labels are true ones; the paper's consistency score counts "
        "pseudo-labels, another quantity."
    ),
    unit="share",
    higher_is_better=True,
    source="PGRA, Guo et al. 2023, section 4.3, with true labels",
    numerators=consistency_numerators,
    denominators=consistency_denominators,
    spread="share",
    highest=1.0,
    counts=Counted.LABELLED,
    group=Group.CONTEXT,
)
