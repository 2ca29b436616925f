"""RAGSys's Tables 1 and 2, its six methods for several models, on a pool of one's own."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.evaluation.results.comparison import Comparison
from core.interval import Interval
from core.metrics.registry import METRICS
from core.reporting.tables.comparison import TITLE, orders_table
from core.reporting.tables.table import Column, Table
from core.reporting.words.calibration_findings import basis_sentences
from core.reporting.words.cautions import leak_sentence, skipped_sentences
from core.reporting.words.provenance import order_sentences
from core.retrieval.knobs import Knobs
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from core.studio.runs.starts import RAGSYS_METHODS
from core.studio.session.studio import Setup, Studio
from core.watcher import Watcher

FIGURES = ("dpo", "dpo_per_triple", "delta", "mc1", "mc2", "mc3_normalised", "mc3")
"""The paper's DPO, the same per triple, delta, and MC1 to MC3; `mc3` as the paper writes it."""
PAPER_DPO = (-33.6, -12.4)
"""The smallest and the largest DPO in the paper's tables."""
PAPER_QUERIES, PAPER_TRIPLES = 817, 12_485
"""What its tables are based on: TruthfulQA's queries, and their triples."""
PAPER_NOTE = (
    "The paper's own figures are in its section 4.3, twelve rows of DPO and MC1 to MC3; this "
    "version has no copy of them to show beside these. "
    f"Its DPO goes from {PAPER_DPO[0]} to {PAPER_DPO[1]} on "
    f"{PAPER_QUERIES} queries of TruthfulQA with {PAPER_TRIPLES:,} triples, which is "
    f"{PAPER_DPO[0] * PAPER_QUERIES / PAPER_TRIPLES:.2f} to "
    f"{PAPER_DPO[1] * PAPER_QUERIES / PAPER_TRIPLES:.2f} a triple if it is summed over each "
    "query's triples. The paper's models are others and its prompt is not stated, so its DPO "
    "would not compare with this one in any case."
)
MC3_NOTE = (
    "MC3 is sum p(a) / (sum p(a) + sum p(b)), the only one that the paper's values below 1 can be; "
    "MC3 (ratio) is as the paper writes it, unbounded and without an interval."
)


@dataclass(frozen=True)
class RagsysRequest:
    """The models, and the examples they score; the lambdas and k are those of `knobs`.

    `examples` names another pool whose queries are the evaluation examples, `limit` None takes all
    of them. The model of the `setup` is not used unless it is among the `models`.
    """

    setup: Setup
    models: tuple[str, ...]
    knobs: Knobs = Knobs()
    examples: str | None = None
    limit: int | None = None
    leave_out_leaks: bool = False

    def rows(self) -> tuple[ComparisonRow, ...]:
        """Every method for every model.

        Raises:
            InvalidInput: Fewer than two models, or one of them twice.
        """
        if len(set(self.models)) < 2 or len(set(self.models)) < len(self.models):
            raise InvalidInput(
                f"The models given are {', '.join(self.models) or 'none'}; name two or more, each "
                "once, as --models A,B."
            )
        last = Counter(Path(model).name for model in self.models)
        names = {
            model: Path(model).name if last[Path(model).name] == 1 else model
            for model in self.models
        }
        return tuple(
            ComparisonRow(f"{method} ({names[model]})", replace(self.knobs, method=method), model)
            for model in self.models
            for method in RAGSYS_METHODS
        )


@dataclass(frozen=True)
class RagsysRow:
    """A method's figures for a model; `shortened` counts the contexts that the window cut."""

    model: str
    method: str
    figures: Mapping[str, Interval]
    diversity: Interval
    shortened: int

    def to_json(self) -> dict[str, Any]:
        """The same for JSON: the means by their names, and their intervals."""
        figures = {**self.figures, "diversity": self.diversity}
        return {
            "model": self.model,
            "method": self.method,
            **{name: each.mean for name, each in figures.items()},
            "intervals": {name: [each.low, each.high] for name, each in figures.items()},
            "shortened": self.shortened,
        }


@dataclass(frozen=True)
class RagsysStudy:
    """The comparison of the models; its tables, and whether the best method is the same for all."""

    comparison: Comparison

    @property
    def rows(self) -> tuple[RagsysRow, ...]:
        """Every method for every model, model by model."""
        return tuple(
            RagsysRow(
                model=model,
                method=method.request.method,
                figures={metric: each.value(name, metric) for metric in FIGURES},
                diversity=each.value(name, "diversity"),
                shortened=method.shortened,
            )
            for model, each in self._named
            for name, method in each.methods.items()
        )

    @property
    def tables(self) -> tuple[tuple[str, Table], ...]:
        """A table for each model, and that of the orders."""
        each = tuple(
            (
                f"{model}, {found.examples:,} evaluation examples",
                _table([row for row in self.rows if row.model == model]),
            )
            for model, found in self._named
        )
        return (*each, (TITLE, orders_table(self.comparison)))

    @property
    def _named(self) -> list[tuple[str, Comparison]]:
        return list(zip(self.comparison.model_names, self.comparison.models, strict=True))

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether the models agree on the order, cautions, and what is known of the paper's."""
        minded = []
        for each in self.comparison.models:
            minded += [each.settings.caution, *skipped_sentences(each), leak_sentence(each)]
        minded += basis_sentences(self.comparison.basis)
        cautions = dict.fromkeys(sentence for sentence in minded if sentence)
        return (*order_sentences(self.comparison), *cautions, MC3_NOTE, PAPER_NOTE)

    def to_json(self) -> dict[str, Any]:
        """The same for JSON, with what the figures depend on and what is known of the paper's."""
        settings = self.comparison.settings
        *_, last = self.comparison.methods.values()
        knobs = last.request  # of the method that leaves both lambdas free
        return {
            "pool": settings.pool,
            "pool_version": settings.pool_version,
            "examples_from": settings.examples_from,
            "examples": self.comparison.examples,
            "seed": settings.seed,
            "encoder": settings.encoder_name,
            "template": settings.template,
            "k": knobs.k,
            "lambda_d": knobs.lambda_d,
            "lambda_b": knobs.lambda_b,
            "rows": [row.to_json() for row in self.rows],
            "orders": self.comparison.orders.to_json(),
            "paper": {
                "tables": None,
                "dpo": list(PAPER_DPO),
                "queries": PAPER_QUERIES,
                "triples": PAPER_TRIPLES,
            },
            "notes": list(self.notes),
            "runs": [each.run for each in self.comparison.models],
        }


def ragsys(studio: Studio, request: RagsysRequest, watcher: Watcher) -> RagsysStudy:
    """Every method of the paper for every model, one model in memory at a time; resumable.

    Raises:
        InvalidInput: Fewer than two models, an unknown pool or model, or no examples.
        Cancelled: The watcher requested a stop; what was scored is kept.

    Source: RAGSys, section 4, Tables 1 and 2.
    """
    comparison = CompareRequest(
        setup=replace(request.setup, model=request.models[0] if request.models else None),
        rows=request.rows(),
        examples=request.examples,
        seed=request.knobs.seed,
        limit=request.limit,
        leave_out_leaks=request.leave_out_leaks,
    )
    return RagsysStudy(compare.run(studio, comparison, watcher).summary())


def _table(rows: list[RagsysRow]) -> Table:
    labels = [METRICS[name].label for name in FIGURES]
    columns = (Column("method"), *map(Column, labels), Column("sameness", 3), Column("shortened"))
    return Table(
        columns,
        tuple(
            (
                row.method,
                *(str(row.figures[name]) for name in FIGURES),
                row.diversity.mean,
                row.shortened,
            )
            for row in rows
        ),
    )
