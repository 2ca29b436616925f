"""The rows of a comparison: written and read, named, distinguished, refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow, check_rows, rows_of_methods
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, BiasScale, Knobs
from core.settings import Embed

SHARED = Knobs()


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("rel", ComparisonRow("rel", Knobs("rel"))),
        ("close: rel+div lambda_d=0.9 k=4", ComparisonRow("close", Knobs("rel+div", 4, 0.9))),
        (
            "rel+div@lambda_d=0.5",
            ComparisonRow("rel+div@lambda_d=0.5", Knobs("rel+div", lambda_d=0.5)),
        ),
        (
            "rel+div+bias@lambda_b=0.8,k=4",
            ComparisonRow("rel+div+bias@k=4,lambda_b=0.8", Knobs("rel+div+bias", 4, lambda_b=0.8)),
        ),
        ("vrsd@candidates=20", ComparisonRow("vrsd@candidates=20", Knobs("vrsd", candidates=20))),
        (
            "vrsd embed=query+answer one-per-query=true",
            ComparisonRow(
                "vrsd@embed=query+answer,one_per_query=True",
                Knobs("vrsd", embed=Embed.QUERY_AND_ANSWER, one_per_query=True),
            ),
        ),
        (
            "'the authors: their own': bias bias_scale=rank",
            ComparisonRow("the authors: their own", Knobs("bias", bias_scale=BiasScale.RANK)),
        ),
        (
            "rel model='/a folder/model'",
            ComparisonRow("rel@model=model", Knobs("rel"), "/a folder/model"),
        ),
        ("mdl sets=3", ComparisonRow("mdl@sets=3", Knobs("mdl", own_values=(("sets", 3),)))),
        ("rel k=6", ComparisonRow("rel", Knobs("rel"))),
    ],
)
def test_a_line_is_read(text, row):
    found = ComparisonRow.parse(text, SHARED)
    assert found == row
    assert ComparisonRow.parse(found.line(SHARED), SHARED) == found


def values_of(name):
    """Values of a knob that differ from its default, and the default."""
    knob = KNOBS[name]
    if knob.is_switch:
        return some.booleans()
    if knob.names:
        return some.sampled_from(knob.names)
    if knob.is_weight:
        return some.sampled_from([0.0, 0.25, 0.75, 0.95, 1.0, 1 / 3])
    return some.integers(1, 40)


@some.composite
def rows(draw):
    method = draw(some.sampled_from(sorted(METHODS)))
    knobs = Knobs(method)
    for name in METHODS[method].knobs:
        if name in KNOBS and draw(some.booleans()):
            knobs = METHODS[method].with_value(knobs, name, draw(values_of(name)))
    name = draw(some.text(min_size=1).filter(str.strip))
    return ComparisonRow(name, knobs, draw(some.none() | some.text(min_size=1)))


@given(rows(), some.builds(Knobs, k=some.integers(1, 9), candidates=some.integers(0, 30)))
def test_what_is_written_is_read_back(row, shared):
    found = ComparisonRow.parse(row.line(shared), shared)
    assert (found.name, found.model, found.setting) == (row.name, row.model, row.setting)


def test_knobs_that_the_line_does_not_turn_are_the_shared_ones():
    shared = Knobs(k=3, lambda_d=0.2, candidates=20)
    found = ComparisonRow.parse("rel+div lambda_d=0.75", shared)
    assert found == ComparisonRow("rel+div@lambda_d=0.75", Knobs("rel+div", 3, 0.75, candidates=20))
    assert ComparisonRow.parse("rel+div lambda_d=0.2", shared).name == "rel+div", "nothing differs"
    assert [row.knobs.k for row in rows_of_methods(("rel", "vrsd"), shared)] == [3, 3]


def test_a_setting_is_named_by_what_its_method_depends_on():
    assert (
        ComparisonRow("", Knobs("rel", lambda_d=0.1, lambda_b=0.1, seed=5)).usual_name(SHARED)
        == "rel"
    )
    assert ComparisonRow("", Knobs("random", seed=5)).usual_name(SHARED) == "random@seed=5"
    assert METHODS["mdl"].value_of(Knobs("mdl"), "sets") == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no method"),
        ("close:", "names no method"),
        ("best k=3", "no method 'best'"),
        ("rel lambda_d=0.5", "The method 'rel' has no knob 'lambda_d'; it has k, "),
        ("rel+div lambda=0.5", "has no knob 'lambda'"),
        ("rel sets=3", "has no knob 'sets'"),
        ("rel index=flat", "has no knob 'index'"),
        ("rel+div lambda_d=2", "lambda_d is '2'; it must be a number from 0 to 1."),
        ("rel+div lambda_d=nan", "lambda_d is 'nan'"),
        ("rel k=0", "k is '0'; it must be a whole number from 1."),
        ("rel k=2.5", "k is '2.5'"),
        ("rel k=", "k is ''"),
        ("rel k=3 k=4", "twice; leave one of them out"),
        ("rel+div@lambda_d=0.5 lambda-d=0.5", "twice; leave one of them out"),
        ("rel embed=answer", "it must be one of query, query+answer."),
        ("rel one_per_query=maybe", "must be true or false"),
        ("rel 0.5", "'0.5' in the setting 'rel 0.5' is no key=value"),
        ("'rel k=3", "opens a quote"),
        ("rel k=2 k=3", "The setting 'rel k=2 k=3' gives k twice; leave one of them out."),
        ("rel model=", "names no model after model=; leave it out for the chosen one."),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_in_one_sentence(text, message):
    with pytest.raises(InvalidInput) as refused:
        ComparisonRow.parse(text, SHARED)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["far from it: rel k=2", "'far from it:' rel k=2"])
def test_a_name_of_several_words_needs_no_quotes(text):
    assert ComparisonRow.parse(text, SHARED) == ComparisonRow("far from it", Knobs("rel", 2))
    assert ComparisonRow.parse("'a=b c:' rel model=x:", SHARED) == ComparisonRow(
        "a=b c", Knobs("rel"), "x:"
    )


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("rel", "rel", "The setting 'rel' is named twice"),
        ("a: rel", "b: rel", "The settings 'a' and 'b' are the same"),
        ("a: rel seed=4", "b: rel", "no knob"),
        ("a: mdl", "b: mdl candidates=30", "are the same"),
        ("a: rel model=x", "b: rel model=x", "are the same"),
    ],
)
def test_rows_that_cannot_be_told_apart_are_refused(first, second, message):
    with pytest.raises(InvalidInput, match=message):
        check_rows([ComparisonRow.parse(text, SHARED) for text in (first, second)])


def test_rows_that_differ_stand_beside_each_other():
    check_rows(
        [ComparisonRow.parse(text, SHARED) for text in ("a: rel", "b: rel model=x", "c: rel k=2")]
    )
    with pytest.raises(InvalidInput, match="No setting"):
        check_rows([])
