"""Rows of a comparison as lines of text: what comes back, what they are called, what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow, check_rows, rows_of_methods
from core.retrieval.choosing import METHODS, find_method
from core.retrieval.knobs import BiasScale, Knobs
from core.settings import Embed

SHARED = Knobs(k=5, lambda_d=0.4, seed=3)
NAMES = st.text(min_size=1, max_size=20).filter(lambda text: not text.isspace())


@given(
    name=NAMES,
    model=st.none() | NAMES,
    method=st.sampled_from(list(METHODS)),
    k=st.integers(1, 60),
    lambda_d=st.floats(0, 1),
    candidates=st.integers(0, 1000),
    embed=st.sampled_from(Embed),
    one_per_query=st.booleans(),
)
def test_a_written_row_is_read_as_the_same(name, model, method, **values):
    knobs = Knobs(method, lambda_b=SHARED.lambda_b, seed=SHARED.seed)
    for knob in METHODS[method].knobs:
        value = values.get(knob, getattr(SHARED, knob) if hasattr(SHARED, knob) else None)
        if value is not None:
            knobs = METHODS[method].with_value(knobs, knob, value)
    row = ComparisonRow(name, knobs, model)
    read = ComparisonRow.parse(row.line(SHARED), SHARED)
    assert (read.name, read.model, read.setting) == (row.name, row.model, row.setting)


def test_a_row_without_a_name_is_called_by_what_differs():
    assert ComparisonRow.parse("rel", SHARED) == ComparisonRow("rel", Knobs("rel", 5, 0.4, seed=3))
    found = ComparisonRow.parse("rel+div@lambda_d=0.5,k=5,candidates=20 embed=query+answer", SHARED)
    assert found.name == "rel+div@candidates=20,embed=query+answer,lambda_d=0.5"
    assert find_method("rel+div").nearest(found.knobs) == 20
    assert ComparisonRow.parse(found.name, SHARED) == found
    assert (
        ComparisonRow.parse("rel+bias bias-scale=rank", SHARED).knobs.bias_scale is BiasScale.RANK
    )


@pytest.mark.parametrize("model", ["/models/tiny", "someone/tiny", "tiny"])
def test_a_model_is_called_by_the_last_part_of_its_name(model):
    assert ComparisonRow("", Knobs("rel"), model).usual_name(Knobs()) == "rel@model=tiny"
    found = ComparisonRow.parse(f"rel model={model}", Knobs())
    assert (found.name, found.model) == ("rel@model=tiny", model)


def test_knobs_that_a_method_does_not_depend_on_make_no_other_setting():
    one, other = (ComparisonRow(str(k), Knobs("none", k, candidates=k)) for k in (1, 2))
    assert one.setting == other.setting
    with pytest.raises(InvalidInput, match="The settings '1' and '2' are the same"):
        check_rows((one, other))
    rel = [ComparisonRow(str(weight), Knobs("rel", lambda_d=weight)) for weight in (0.1, 0.2)]
    with pytest.raises(InvalidInput, match="are the same; change a knob of one of them"):
        check_rows(rel)
    check_rows(
        [ComparisonRow("a", Knobs("rel"), "one"), ComparisonRow("b", Knobs("rel"), "another")]
    )
    check_rows(rows_of_methods(tuple(METHODS), Knobs()))


def test_rows_of_one_name_and_no_rows_are_refused():
    with pytest.raises(InvalidInput, match="Two settings have the name 'a'; give each a name"):
        check_rows([ComparisonRow("a", Knobs("rel")), ComparisonRow("a", Knobs("bm25"))])
    with pytest.raises(InvalidInput, match="The setting 'a' is named twice; change a knob"):
        check_rows([ComparisonRow("a", Knobs("rel")), ComparisonRow("a", Knobs("rel"))])
    with pytest.raises(InvalidInput, match="No setting to compare was given"):
        check_rows([])
