"""Generated answers in words: how many are right, which were cut off, and each example's texts."""

import re
from dataclasses import replace

import pytest

from core.commands.printing import as_text
from core.evaluation.results.own_answer import AnswerCounts, AnswerVerdict, OwnAnswer
from core.generation import Disagreement, EndedBy, ServerDoubt
from core.metrics.registry import metrics_of
from core.reporting.results.story import MethodLine, Story
from core.reporting.tables.comparison import generated_in
from core.reporting.tables.results import comparison_sheet
from core.reporting.tables.runs import method_table
from core.reporting.words.calibration_findings import no_figure
from core.reporting.words.comparison_findings import offered_metrics
from core.reporting.words.own_answers import (
    answer_facts,
    doubt_sentence,
    ending,
    own_answer_sentences,
)
from core.reporting.words.reading import read_comparison
from tests.unit.reporting.summaries import comparison, method

COUNTED = (
    "The model's own answers that are a correct one, an incorrect one, and neither (which counts "
    "as wrong): none 3, 1 and 1,000; rel 8, 0 and 2."
)


def generated(**counts):
    found = comparison(
        best=["none", "rel"],
        none=replace(method("none", -0.69), generated=AnswerCounts(3, 1, 1000, 0)),
        rel=replace(method("rel", -0.5), generated=AnswerCounts(*counts["rel"])),
    )
    return replace(found, settings=replace(found.settings, generate=True))


def test_the_answers_are_counted_row_by_row():
    found = generated(rel=(8, 0, 2, 0))
    assert own_answer_sentences(found) == [COUNTED]
    assert COUNTED in read_comparison(found).sentences
    assert COUNTED in as_text(comparison_sheet(found)).splitlines()


def test_the_table_has_them_right_after_the_right_answers_by_probability():
    rates = dict.fromkeys(("mc1", "diversity", "exact_match", "f1", "precision", "nf1"), 0.5)
    rows = {name: method(name, -0.5, **rates) for name in ("none", "rel")}
    heads = re.findall(r'<span title="[^"]*">([^<]+)', method_table(comparison(**rows)))
    labels = ("MC1", "Exact match", "Answer F1", "nF1", "Sameness", "Answer precision")
    places = [heads.index(label) for label in labels]
    assert places == sorted(places)


def test_those_that_were_cut_off_are_named():
    assert own_answer_sentences(generated(rel=(8, 0, 2, 5))) == [
        COUNTED,
        "Cut off after 64 tokens or at the end of the model's window: rel 5.",
    ]


def test_without_generated_answers_nothing_speaks_of_them():
    found = comparison(best=["none", "rel"], none=method("none", -0.69), rel=method("rel", -0.5))
    assert own_answer_sentences(found) == []
    assert set(offered_metrics(found)) <= set(metrics_of(generated=False))
    assert no_figure(found, "f1") == (
        "Answer F1 needs answers that the model generates: run it with them to have it"
    )
    assert "f1" in offered_metrics(generated(rel=(8, 0, 2, 0)))


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (AnswerVerdict.CORRECT, "a correct answer"),
        (AnswerVerdict.INCORRECT, "an incorrect answer"),
        (AnswerVerdict.OTHER, "neither"),
        (AnswerVerdict.UNJUDGED, "not judged"),
    ],
)
def test_an_example_has_a_line_for_each_answer(verdict, words):
    own = OwnAnswer(
        text="Five storeys.", verdict=verdict, ended_by=EndedBy.LENGTH, tokens=64, log_prob=-80.0
    )
    nothing = MethodLine(
        method="none",
        ids=(),
        demonstrations=(),
        diversity=None,
        left_out=0,
        dpo_per_triple=None,
        dpo_correct_only=None,
        delta=None,
        gain_per_answer=None,
    )
    rel = replace(nothing, method="rel+div", answer=own)
    story = Story("How tall?", (nothing, rel), ())
    assert story.generated
    table = generated_in(story)
    assert table.names == ("method", "answer", "is", "ended by")
    (line,) = table.rows
    assert line == ("rel+div", "Five storeys.", words, "length")
    assert not Story("How tall?", (nothing,), ()).generated


@pytest.mark.parametrize(
    ("tokens", "log_prob", "words"),
    [
        (64, -80.0, "64 tokens, -1.25 nats per token on average; the model ended it."),
        (1, -0.5, "1 token, -0.50 nats per token on average; the model ended it."),
        (0, 0.0, "Nothing was written: the model ended it."),
        (None, None, "Its probability is not known: the server gives none; the model ended it."),
    ],
)
def test_what_is_known_of_an_answer_is_one_sentence(tokens, log_prob, words):
    own = OwnAnswer(
        text="Five storeys.",
        verdict=AnswerVerdict.OTHER,
        ended_by=EndedBy.END,
        tokens=tokens,
        log_prob=log_prob,
    )
    assert answer_facts(own) == words
    assert OwnAnswer.from_json(own.to_json()) == own


def test_what_is_no_answer_and_what_is_doubtful_are_counted_apart():
    found = comparison(
        best=["none", "rel"],
        none=replace(method("none", -0.69), generated=AnswerCounts(3, 1, 1, 0)),
        rel=replace(
            method("rel", -0.5),
            generated=AnswerCounts(
                1, 0, 0, 0,
                no_answers={EndedBy.REFUSED: 2, EndedBy.FILTERED: 1, EndedBy.THOUGHTS: 1,
                            EndedBy.TOOL_CALL: 1_000},
                doubted={Disagreement.PROMPT: 2, Disagreement.MODEL: 5},
            ),
        ),
    )  # fmt: skip
    assert own_answer_sentences(found)[1:] == [
        "No answers, which neither these counts nor the figures of generated answers have: "
        "rel 2 declined, 1 filtered, 1 still thinking, 1,000 called a tool.",
        "Answers of another model than the one asked for, as the server says: rel 5.",
        "Answers after far fewer tokens than their prompts have, as the server says (give its "
        "model a larger context): rel 2.",
    ]


@pytest.mark.parametrize("ended_by", list(EndedBy))
def test_every_end_has_its_sentence(ended_by):
    verdict = AnswerVerdict.OTHER if ended_by.is_answer else AnswerVerdict.NO_ANSWER
    found = answer_facts(
        OwnAnswer(text="", verdict=verdict, ended_by=ended_by, tokens=2, log_prob=-1.0)
    )
    assert ending(ended_by) in f"{found[0].lower()}{found[1:]}"
    assert ("nats" in found) is ended_by.is_answer


def test_doubts_about_an_answer_in_words():
    assert doubt_sentence(ServerDoubt(Disagreement.MODEL, "tiny", "other")) == (
        "The server says that other answered, and not tiny."
    )
    assert doubt_sentence(ServerDoubt(Disagreement.PROMPT, "60", "40")) == (
        "The server says that it read 40 tokens, and the prompt has at least 60: it may have cut "
        "it off; give its model a larger context."
    )
