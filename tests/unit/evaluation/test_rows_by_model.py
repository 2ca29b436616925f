"""The rows of several models: their groups, and which row is a reference for each."""

import pytest

from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow, RowsOfModel, by_model
from core.evaluation.results.comparison import distinct_names
from core.retrieval.knobs import Knobs
from tests.unit.reporting.summaries import comparison_settings

REL, MIX = Knobs("rel"), Knobs(lambda_d=0.5)


def test_models_come_in_the_order_in_which_they_first_appear():
    rows = [
        ComparisonRow("b", REL, "B"),
        ComparisonRow("a", REL),
        ComparisonRow("b mix", MIX, "B"),
        ComparisonRow("a mix", MIX, "A"),
    ]
    assert by_model(rows, (), "A") == (
        RowsOfModel("B", (ComparisonRow("b", REL, "B"), ComparisonRow("b mix", MIX, "B"))),
        RowsOfModel("A", (ComparisonRow("a", REL, "A"), ComparisonRow("a mix", MIX, "A"))),
    )


def test_a_reference_is_the_same_setting_under_another_model_or_nothing():
    rows = [
        ComparisonRow("a", REL),
        ComparisonRow("a mix", MIX),
        ComparisonRow("b mix", MIX, "B"),
        ComparisonRow("b", REL, "B"),
        ComparisonRow("c", Knobs("rel", 2), "C"),
    ]
    found = by_model(rows, ("a", "b mix"), "A")
    assert [part.references for part in found] == [("a", "a mix"), ("b", "b mix"), ()]
    assert [part.references for part in by_model(rows, ("gone",), "A")] == [("gone",)] * 3


def test_the_models_of_one_row_is_the_chosen_one_under_its_name():
    rows = [ComparisonRow("a", REL), ComparisonRow("other", REL, "A")]
    with pytest.raises(InvalidInput, match="'a' and 'other' are the same"):
        by_model(rows, (), "A")
    assert len(by_model(rows, (), "B")) == 2
    with pytest.raises(InvalidInput, match="Two settings have the name 'a'"):
        by_model([ComparisonRow("a", REL), ComparisonRow("a", REL, "B")], (), "A")
    with pytest.raises(InvalidInput, match="No setting to compare"):
        by_model([], (), "A")


def test_no_two_models_are_called_alike():
    def names(*models):
        return distinct_names(
            [
                comparison_settings(model=name, model_fingerprint=fingerprint)
                for name, fingerprint in models
            ]
        )

    one, other = "1" * 32, "2" * 32
    assert names(("a", one), ("b", other)) == ("a", "b")
    assert names(("a", one), ("a", other)) == ("a 11111111", "a 22222222")
    assert names(("a", one), ("a", one)) == ("a 11111111", "a 11111111 (2)")
    assert names() == ()
