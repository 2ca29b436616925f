"""Distributions by tag: quantiles against numpy, several tags, none, values that are missing."""

import numpy as np
import pytest

from core.curation.coverage import SHARES, by_tag
from core.demonstration.demonstration import Demonstration


def row(id, *tags):
    return Demonstration(f"query {id}", "answer", (), tags, id=id, revision=1)


ROWS = [row(1, "a"), row(2, "a", "b"), row(3, "b"), row(4), row(5, "c"), row(6, "a")]
VALUES = {1: 1.0, 2: 5.0, 3: 9.0, 4: -2.0, 6: 3.0}


def test_each_tag_has_the_quantiles_of_its_values_the_lowest_median_first():
    found = by_tag(ROWS, VALUES)
    assert [(one.tag, one.count) for one in found] == [("", 1), ("a", 3), ("b", 2)]
    for one, values in zip(found, ([-2.0], [1.0, 5.0, 3.0], [5.0, 9.0]), strict=True):
        assert one.quantiles == pytest.approx(np.quantile(values, SHARES))


@pytest.mark.parametrize(("most", "tags"), [(0, [""]), (1, ["", "a"]), (9, ["", "a", "b"])])
def test_the_most_frequent_tags_are_kept_and_those_without(most, tags):
    assert [one.tag for one in by_tag(ROWS, VALUES, most)] == tags


def test_without_rows_or_values_there_is_none():
    assert by_tag([], VALUES) == []
    assert by_tag(ROWS, {}) == []
    assert by_tag([row(1)], {1: 0.0})[0].tag == ""
