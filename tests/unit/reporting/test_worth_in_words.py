"""What demonstrations are worth: the counts in a sentence, the table, where figures come from."""

from dataclasses import replace

import pytest

from core.demonstration.demonstration import Demonstration
from core.evaluation.results.run_figures import RecordedRequest
from core.evaluation.runs.worth import ContextSettings, DemonstrationWorth, Worth
from core.interval import Interval
from core.reporting.tables.worth import worth_counts, worth_origin, worth_table
from core.retrieval.knobs import Knobs
from tests.unit.reporting.summaries import SETTINGS
from tests.unit.reporting.summaries import figures as run_figures

HELPS = Interval(0.3, 0.1, 0.5, 40)
HARMS = Interval(-0.3, -0.5, -0.1, 30)
UNCLEAR = Interval(0.1, -0.1, 0.3, 30)
FEW = Interval(-0.1, None, None, 2, 20)
NONE = Interval(None, None, None)


def summary(*figures, unused=0, knobs=None):
    return Worth(
        **run_figures(),
        settings=ContextSettings(**SETTINGS, request=RecordedRequest.of(knobs or Knobs())),
        metric="dpo_per_triple",
        demonstrations=tuple(DemonstrationWorth(id, each) for id, each in enumerate(figures, 1)),
        unused=unused,
    )


@pytest.mark.parametrize(
    ("figures", "unused", "words"),
    [
        ((), 3, "Of 3 included demonstrations 0 help and 0 harm beyond chance; 3 are in none"),
        (
            (HELPS, HARMS, HARMS, UNCLEAR, FEW, NONE),
            1_000,
            "Of 1,006 included demonstrations 1 help and 2 harm beyond chance; of 1 it is not "
            "clear, 2 are in too few contexts to say and 1,000 are in none. If none of the 4 with "
            "an interval mattered, about 0.1 would seem to help, and as many to harm.",
        ),
    ],
)
def test_counts(figures, unused, words):
    assert worth_counts(summary(*figures, unused=unused)).startswith(words)


def test_the_table_has_the_texts_of_those_that_are_there():
    row = Demonstration("Q?", "A", id=2, revision=1)
    table = worth_table(summary(HELPS, FEW).demonstrations, {2: row})
    assert table.names == ("id", "worth", "low", "high", "contexts", "query", "answer")
    assert table.rows == ((1, 0.3, 0.1, 0.5, 40, "", ""), (2, -0.1, None, None, 2, "Q?", "A"))


@pytest.mark.parametrize(
    ("knobs", "words"),
    [
        (Knobs("rel", 3), "rel, k 3;"),
        (Knobs(), "rel+div+bias, k 6, lambda_d 0.75, lambda_b 0.95;"),
        (Knobs("none", 3), "none;"),
        (Knobs("rel", 3, candidates=9), "rel, k 3, among the 9 most similar;"),
        (Knobs("rel", 3, one_per_query=True), "rel, k 3, at most one answer per query;"),
    ],
)
def test_where_the_figures_come_from(knobs, words):
    found = summary(HELPS, knobs=knobs)
    assert f"DPO per triple (nats per triple); {words}" in worth_origin(found)
    assert "pool version 3" in worth_origin(found)
    leaks = replace(found, settings=replace(found.settings, leave_out_leaks=True))
    assert ", leaks left out" in worth_origin(leaks)
