"""How the metrics behind the figures are called, and what they say where nothing happens."""

from dataclasses import dataclass

from ...metrics.registry import METRICS

NO_EFFECT = -0.6931
"""DPO per triple where the context changes nothing: log sigmoid(0)."""

NO_FIGURE = "No figures yet"


@dataclass(frozen=True)
class MetricFacts:
    """How a metric is called and read; `higher_is_better` None where neither end is better."""

    name: str
    label: str
    unit: str
    explanation: str
    higher_is_better: bool | None

    @property
    def axis(self) -> str:
        """The name of an axis that shows it."""
        return f"{self.label} ({self.unit})"


DIVERSITY = MetricFacts(
    "diversity",
    "Sameness",
    "mean cosine of pairs, lower is more diverse",
    "How alike the demonstrations of a context are: the mean cosine over its pairs, 1 when all ask "
    "the same, near 0 when they have nothing in common.",
    None,
)


def metric_facts(name: str) -> MetricFacts:
    """The facts of a metric of the registry, or of `diversity`."""
    if name == DIVERSITY.name:
        return DIVERSITY
    info = METRICS[name]
    return MetricFacts(name, info.label, info.unit, info.explanation, info.higher_is_better)
