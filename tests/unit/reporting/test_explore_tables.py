"""Explore's tables: right figures, dashes where undefined, and text that stays text."""

from html.parser import HTMLParser

import pytest

from core.reporting.figures.query import for_overlay, mark_place, query_curve
from core.reporting.results.query import AnswerRow, CurvePiece, Effect, PathStep, Pick
from core.reporting.tables.explore import (
    answers_table,
    context_table,
    curve_mark,
    figures_row,
    kinds_table,
    steps_table,
    tokens_table,
)
from core.retrieval.choosing import METHODS
from core.types import LogProb

EVIL = '<script>alert(1)</script> <b>$x$</b> & "quoted"'
MINUS, DASH = "\N{MINUS SIGN}", "\N{EN DASH}"


class Cells(HTMLParser):
    """The texts of a table's body, row by row, and every tag that was met."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self._inside = [], set(), False
        self.feed(str(text))

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
        self._inside = tag == "td" or (self._inside and tag != "tr")

    def handle_endtag(self, tag):
        self._inside = self._inside and tag != "td"

    def handle_data(self, data):
        if self._inside:
            self.rows[-1][-1] += data


def answer(text, alone, after, correct=True, kind=""):
    return AnswerRow(
        text,
        correct,
        LogProb(sum(alone), len(alone), alone),
        LogProb(sum(after), len(after), after),
        kind,
    )


def effect(*rows, **figures):
    names = ("delta", "dpo", "dpo_per_triple", "dpo_correct_only")
    gains = {"gain_per_token": 0.25, "gain_per_answer": 1.5}
    known = {"triples": 4, "by_kind": {}} | dict.fromkeys(names) | gains | figures
    return Effect(rows=rows, **known)


def test_context_with_undefined_parts():
    picks = (
        Pick(
            rank=1,
            id=7,
            query="First?",
            answer="Yes",
            relevance=0.876,
            quality_bias=-1.25,
            redundancy=None,
            value=0.8,
        ),
        Pick(
            rank=3,
            id=9,
            query="Third?",
            answer="No",
            relevance=-0.1,
            quality_bias=None,
            redundancy=0.333,
            value=-0.004,
        ),
    )
    drawn = context_table(picks, (), 0.75, METHODS["rel+div"])
    table = Cells(drawn)
    assert table.rows[1:] == [
        ["1", "First?Yes", "0.88", f"{MINUS}1.25", DASH, "0.80"],
        ["3", "Third?No", f"{MINUS}0.10", DASH, "0.33", "0.00"],
    ]
    assert "Value<small>the highest is picked</small></th></tr>" in drawn
    assert 'data-lambda-d="0.75"' in drawn
    assert 'style="width:88%"' in drawn
    assert 'style="width:0%"' in drawn


def test_answers_with_their_change():
    table = Cells(
        answers_table(
            effect(
                answer("Yes", (-2.0, -1.5), (-1.0, -1.25)),
                answer("No", (-1.0,), (-2.5,), correct=False),
            )
        )
    )
    assert table.rows[1:] == [
        ["Yes", "correct", f"{MINUS}3.50", f"{MINUS}2.25", "+1.25"],
        ["No", "incorrect", f"{MINUS}1.00", f"{MINUS}2.50", f"{MINUS}1.50"],
    ]


def test_kinds_of_incorrect_answers():
    rows = (
        answer("Yes", (-2.0,), (-1.0,)),
        answer("No", (-1.0,), (-2.5,), correct=False, kind="<i>myth</i>"),
        answer("Never", (-1.0,), (-2.5,), correct=False, kind="<i>myth</i>"),
        answer("So", (-1.0,), (-2.5,), correct=False),
    )
    found = effect(*rows, by_kind={"<i>myth</i>": -0.125})
    assert [row[:2] for row in Cells(answers_table(found)).rows[1:]] == [
        ["Yes", "correct"],
        ["No", "incorrect<i>myth</i>"],
        ["Never", "incorrect<i>myth</i>"],
        ["So", "incorrect"],
    ]
    assert Cells(kinds_table(found)).rows[1:] == [["<i>myth</i>", "2", f"{MINUS}0.12"]]
    assert "<i>" not in answers_table(found) + kinds_table(found)
    assert kinds_table(effect(*rows)) == ""


def test_tokens_show_their_spaces_and_parts_of_characters():
    row = answer("x", (-1.0, -2.0, -3.0), (-0.5, -2.0, -4.0))
    table = Cells(tokens_table(row, (" The", "", "\n")))
    assert table.rows[1:] == [
        ["\N{MIDDLE DOT}The", f"{MINUS}1.00", f"{MINUS}0.50", "+0.50"],
        ["part of a character", f"{MINUS}2.00", f"{MINUS}2.00", "0.00"],
        ["\\n", f"{MINUS}3.00", f"{MINUS}4.00", f"{MINUS}1.00"],
    ]


def test_tokens_that_differ_between_the_prompts_are_not_set_side_by_side():
    row = answer("x", (-1.0, -2.0), (-0.5,))
    assert Cells(tokens_table(row, ("x",))).rows[1:] == [["x", DASH, f"{MINUS}0.50", DASH]]


def test_steps_mark_the_one_in_use():
    steps = (
        PathStep(0.0, 0.25),
        PathStep(0.25, 0.5, ((EVIL, "in"),), (("out?", EVIL),)),
        PathStep(0.5, 1.0),
    )
    text = steps_table(steps, steps[1])
    table = Cells(text)
    assert table.rows[1] == ["0.000", "0.250", DASH, DASH]
    assert table.rows[2] == ["0.250", "0.500", f"{EVIL}in", f"out?{EVIL}"]
    assert table.rows[3] == ["0.500", "1.000", "the same set, chosen in another order", DASH]
    assert text.count("class=here") == 1
    assert text.index("class=here") > text.index("0.250")


def test_figures_choose_what_the_answers_allow():
    counted = {"diversity": 0.414, "tokens": 1234, "window": 2048}
    full = effect(delta=0.5, dpo=-2.4, dpo_per_triple=-0.6)
    text = figures_row(full, **counted)
    for part in ("DPO per triple<strong>\N{MINUS SIGN}0.60", "Delta<strong>0.50", "1,234"):
        assert part in text
    assert "lower is more diverse" in text
    assert "of 2,048 in the window" in text
    only = figures_row(effect(triples=0, dpo_correct_only=-0.9), **counted)
    assert f"DPO without incorrect answers<strong>{MINUS}0.90" in only
    assert "Gain per token<strong>0.25" in only
    assert "Gain per answer<strong>1.50" in only
    assert "Delta" not in only
    assert "Gain" not in text
    none = figures_row(None, diversity=None, tokens=None, window=None)
    assert none.count(f"<strong>{DASH}</strong>") == 5


def test_a_method_names_its_value_or_has_no_such_column():
    picks = (
        Pick(
            rank=1,
            id=7,
            query="First?",
            answer="Yes",
            relevance=0.876,
            quality_bias=-1.25,
            redundancy=None,
            value=0.8,
        ),
    )
    parts = ["1", "First?Yes", "0.88", f"{MINUS}1.25", DASH]
    of_vrsd = context_table(picks, (), 0.75, METHODS["vrsd"])
    assert "Cosine of the sum<small>of all picks so far with the query</small></th></tr>" in of_vrsd
    assert Cells(of_vrsd).rows[1] == [*parts, "0.80"]
    of_random = context_table(picks, (), 0.75, METHODS["random"])
    assert "Redundancy<small>to earlier picks</small></th></tr>" in of_random
    assert Cells(of_random).rows[1] == parts


def test_what_users_typed_is_never_interpreted():
    row = answer(EVIL, (-1.0,), (-2.0,))
    texts = [
        context_table(
            [
                Pick(
                    rank=1,
                    id=1,
                    query=EVIL,
                    answer=EVIL,
                    relevance=0.5,
                    quality_bias=None,
                    redundancy=None,
                    value=0.5,
                )
            ],
            (),
            0.75,
            METHODS["rel"],
        ),
        answers_table(effect(row)),
        tokens_table(row, (EVIL,)),
        steps_table((PathStep(0.0, 1.0, ((EVIL, EVIL),), ((EVIL, EVIL),)),), None),
    ]
    for text in texts:
        table = Cells(text)
        assert "script" not in table.tags
        assert "b" not in table.tags
    assert Cells(texts[1]).rows[1][0] == EVIL


@pytest.mark.parametrize(("x", "share"), [(0.0, 0.0283), (0.5, 0.5), (1.0, 0.9717)])
def test_the_mark_lies_where_the_axis_has_it(x, share):
    pieces = [CurvePiece(at / 20, (at + 1) / 20, (), at / 40) for at in range(20)]
    figure = for_overlay(query_curve(pieces), 400)
    left, top, height = mark_place(figure, x)
    margin = figure.layout.margin
    assert left == f"calc({margin.l}px + (100% - {margin.l + margin.r}px) * {share:.4f})"
    assert (top, height) == (margin.t, 400 - margin.t - margin.b)
    assert figure.layout.xaxis.fixedrange
    assert f"now {x:.2f}" in curve_mark(figure, x)
