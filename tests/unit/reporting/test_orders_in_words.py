"""Whether what is best for one model is best for another: its sentences, tables and report."""

from dataclasses import replace

import pytest

from core.evaluation.results.orders import OrderedRow, Orders, SettingOrder
from core.interval import Interval
from core.reporting.html.reports import comparison_report
from core.reporting.tables.comparison import RANKS_TITLE, TITLE, orders_table, ranks_table
from core.reporting.words.provenance import NEVER_ACROSS, order_sentences
from tests.unit.reporting.summaries import SETTINGS, three_methods

NAMES = ("none", "rel", "rel+div")


def order(correlation, ranks=((3.0, 3.0), (2.0, 1.5), (1.0, 1.5)), metric="dpo_per_triple"):
    names = NAMES[: len(ranks)]
    rows = [OrderedRow((n, f"{n} b"), each) for n, each in zip(names, ranks, strict=True)]
    return SettingOrder(("<i>a", "b"), metric, correlation, tuple(rows))


def two_models(*orders, first="<i>a", second="b", fingerprints=("f" * 32,) * 2):
    parts = [
        replace(each, settings=replace(each.settings, model=name, model_fingerprint=fingerprint))
        for each, name, fingerprint in zip(
            (three_methods(), three_methods()), (first, second), fingerprints, strict=True
        )
    ]
    return replace(parts[1], earlier=(parts[0],), orders=Orders(orders))


BEST = "the best of 3 settings is rel+div for <i>a and rel b and rel+div b for b"


@pytest.mark.parametrize(
    ("correlation", "words"),
    [
        (
            Interval(0.866, 0.5, 1.0, 40),
            "What is better for <i>a tends to be better for b: by DPO per triple "
            f"{BEST}; the rank correlation is 0.866 [0.500, 1.000] over 40 examples.",
        ),
        (
            Interval(-0.5, -1.0, -0.1, 40),
            "What is better for <i>a tends to be worse for b: by DPO per triple "
            f"{BEST}; the rank correlation is -0.500 [-1.000, -0.100] over 40 examples.",
        ),
        (
            Interval(0.5, None, None, 40),
            "There is no interval for how far <i>a and b agree: by DPO per triple "
            f"{BEST}; the rank correlation is 0.500 over 40 examples.",
        ),
        (
            Interval(0.5, -0.5, 1.0, 40),
            "What is better for <i>a is not clearly better for b: by DPO per triple "
            f"{BEST}; the rank correlation is 0.500 [-0.500, 1.000] over 40 examples.",
        ),
        (
            Interval(0.5, None, None, 1, 20),
            "Too few examples to say whether what is better for <i>a is better for b (it takes "
            f"about 20): by DPO per triple {BEST}; the rank correlation is 0.500 over 1 example.",
        ),
        (
            Interval(None, None, None, 40),
            "By DPO per triple, 3 settings are all equal for <i>a or for b, so there is no order "
            "to compare.",
        ),
    ],
)
def test_a_pair_in_a_sentence_and_why_dpo_itself_is_not_compared(correlation, words):
    assert order_sentences(two_models(order(correlation))) == (words, NEVER_ACROSS)


def test_fewer_than_three_settings_or_none_have_no_order():
    few = order(Interval(None, None, None, 40), ranks=((1.0, 2.0), (2.0, 1.0)))
    assert order_sentences(two_models(few))[0] == (
        "<i>a and b have 2 settings in common; it takes 3 to compare their orders."
    )
    assert order_sentences(two_models())[0] == (
        "<i>a and b have no setting in common with a DPO per triple, so there is no order to "
        "compare."
    )
    assert order_sentences(three_methods()) == ()


def test_a_row_that_is_named_after_its_model_is_not_named_twice():
    rows = tuple(
        OrderedRow((f"{name} (<i>a)", f"{name} (b)"), (rank, rank))
        for rank, name in enumerate(NAMES, 1)
    )
    found = replace(order(Interval(1.0, 0.5, 1.0, 40)), rows=rows)
    sentence = order_sentences(two_models(found))[0]
    assert "the best of 3 settings is none (<i>a) and none (b); the rank" in sentence


def test_models_of_one_name_are_told_apart_by_their_fingerprint():
    found = two_models(first="b", fingerprints=("a" * 32, "c" * 32))
    assert found.model_names == ("b aaaaaaaa", "b cccccccc")
    assert three_methods().model_names == (SETTINGS["model"],)


def test_the_tables_have_a_row_for_each_pair_and_metric_and_one_for_each_setting():
    both = (
        order(Interval(0.866, 0.5, 1.0, 40)),
        order(Interval(0.5, None, None, 40), metric="mc1", ranks=((1.0, 2.0),) * 3),
    )
    found = two_models(*both)
    assert orders_table(found).rows == (
        (
            *("<i>a", "b", "DPO per triple", 0.866, 0.5, 1.0, 3, 40),
            *("rel+div", "rel b and rel+div b"),
        ),
        (
            *("<i>a", "b", "MC1", 0.5, None, None, 3, 40),
            *("none, rel and rel+div", "none b, rel b and rel+div b"),
        ),
    )
    assert ranks_table(found).rows == (
        ("<i>a", "none", "b", "none b", 3.0, 3.0),
        ("<i>a", "rel", "b", "rel b", 2.0, 1.5),
        ("<i>a", "rel+div", "b", "rel+div b", 1.0, 1.5),
    )
    assert [row[4:] for row in ranks_table(found, "mc1").rows] == [(1.0, 2.0)] * 3
    assert orders_table(three_methods()).rows == ranks_table(three_methods()).rows == ()


def test_the_report_has_the_earlier_model_and_the_orders():
    report = comparison_report(two_models(order(Interval(0.866, 0.5, 1.0, 40))))
    for words in (
        "Every method for model &lt;i&gt;a, with 95 % intervals",
        TITLE,
        RANKS_TITLE,
        "What is better for &lt;i&gt;a tends to be better for b",
        NEVER_ACROSS,
    ):
        assert words in report
    assert "<i>a" not in report
    alone = comparison_report(three_methods())
    assert TITLE not in alone
    assert NEVER_ACROSS not in alone
