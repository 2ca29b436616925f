"""Every metric of an evaluation, by its name: the facts of each stand in its own file."""

from . import gain, multiple_choice, overlap, preference
from .cos_sum import COS_SUM
from .diversity import DIVERSITY
from .labels import LABEL_CONSISTENCY
from .metric import Counted, MetricInfo

METRICS: dict[str, MetricInfo] = {
    metric.name: metric
    for metric in (
        *preference.METRICS,
        *multiple_choice.METRICS,
        preference.CORRECT_ONLY,
        *gain.METRICS,
        DIVERSITY,
        COS_SUM,
        LABEL_CONSISTENCY,
        *overlap.METRICS,
    )
}


def metrics_of(*, generated: bool) -> list[str]:
    """The names of a run's metrics: those of generated answers only where there are any."""
    return [
        name
        for name, metric in METRICS.items()
        if generated or metric.counts is not Counted.GENERATED
    ]
