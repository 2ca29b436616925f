"""What a trial found, in words, tables and a figure."""

from dataclasses import replace

import pytest

from core.generation import EndedBy, Generation, GenerationRequest
from core.interval import Interval
from core.programs.example import Passage, ScoredPassage
from core.programs.prompting import Completion
from core.programs.steps import Call, Search, SearchKind, Step
from core.programs.trial import Answer, Cost, Scores, row_of, summarised
from core.reporting.figures.methods import program_dots
from core.reporting.tables.programs import (
    answers_table,
    differences_table,
    found_table,
    scores_table,
    seeds_table,
    so_far_table,
    written_table,
)
from core.reporting.words.programs import figure_title, headline, step_line

ROWS = tuple(
    map(row_of, ("retrieve-then-read", "vanilla", "open-domain", "self-ask", "multi-hop",
                 "self-ask-refined"))
)  # fmt: skip
COST = Cost(calls=2, tokens_read=100, tokens_written=11)


def answer(row, seed, number, em, *, answers=("a",), error="", seconds=0.5):
    steps = (Step("qa", seconds=seconds), Step("vote", seconds=0.25))
    scores = Scores(em, em, em / 2)
    return Answer(
        row=row,
        seed=seed,
        question=f"q{number}",
        answers=answers,
        history=(),
        id="",
        pred="a",
        scores=scores,
        error=error,
        steps=steps,
        cost=COST,
    )


def trial_of(right, questions=40):
    """A trial of so many questions, of which each row gets the first so many right."""
    return summarised(
        ROWS[: len(right)],
        [
            answer(row.name, number % 2, number, float(number < many))
            for row, many in zip(ROWS, right, strict=False)
            for number in range(questions)
        ],
    )


def test_the_headline_names_clear_differences_and_those_that_are_not():
    assert headline(trial_of([10])) == "retrieve-then-read gets 10 of 40 questions right."
    assert headline(trial_of([20, 20, 22])) == (
        "retrieve-then-read gets 20 of 40 questions right; no other program is clearly better or "
        "worse."
    )
    assert headline(trial_of([20, 2, 40])) == (
        "retrieve-then-read gets 20 of 40 questions right; open-domain (+0.500) gets clearly more; "
        "vanilla (-0.450) gets clearly fewer."
    )
    assert headline(trial_of([40, 2, 3])) == (
        "retrieve-then-read gets 40 of 40 questions right; vanilla (-0.950) and open-domain "
        "(-0.925) get clearly fewer."
    )
    assert headline(trial_of([20, 2, 21])) == (
        "retrieve-then-read gets 20 of 40 questions right; vanilla (-0.450) gets clearly fewer. No "
        "clear difference: open-domain."
    )


def test_many_rows_are_counted_rather_than_named():
    assert headline(trial_of([40, 2, 3, 4, 10])) == (
        "retrieve-then-read gets 40 of 40 questions right; all 4 others (-0.750 to -0.950) get "
        "clearly fewer."
    )
    assert headline(trial_of([38, 2, 3, 4, 10, 38])) == (
        "retrieve-then-read gets 38 of 40 questions right; 4 others (-0.700 to -0.900) get "
        "clearly fewer. No clear difference: self-ask-refined."
    )


def test_too_few_questions_for_a_difference_say_how_many_it_takes():
    trial = trial_of([9, 1], questions=10)
    assert headline(trial) == (
        "retrieve-then-read gets 9 of 10 questions right. Which programs differ beyond chance "
        "takes about 20 questions to tell."
    )
    assert figure_title(trial, "em") == "EM of each program"


def test_the_tables_have_the_figures_of_the_trial():
    trial = trial_of([20, 2])
    scores = scores_table(trial)
    assert scores.values("program") == ("retrieve-then-read", "vanilla")
    assert scores.values("em") == (0.5, 0.05)
    assert scores.values("nf1") == (0.25, 0.025)
    assert scores.values("calls") == (80, 80)
    assert scores.values("tokens") == (40 * 111, 40 * 111)
    low, high = trial.rows[0].em.low, trial.rows[0].em.high
    assert scores.values("95 % of em")[0] == f"[{low:.3f}, {high:.3f}]"
    assert "failed" not in scores.names
    failed = replace(trial, rows=(replace(trial.rows[0], errors=3), trial.rows[1]))
    assert scores_table(failed).values("failed") == (3, 0)
    paired = differences_table(trial)
    assert paired.names == ("paired, less retrieve-then-read", "em", "f1", "nf1")
    assert paired.values("em") == (str(trial.differences[0].em),)
    assert seeds_table(trial).names == ("em by seed", "0 (n 20)", "1 (n 20)")
    assert seeds_table(trial).values("0 (n 20)") == (0.5, 0.05)


def test_answers_to_one_question_are_judged_where_its_answers_are_known():
    own = (answer("vanilla", 0, 1, 1.0), answer("open-domain", 0, 1, 0.0))
    table = answers_table(own)
    assert table.names == ("program", "answer", "outcome", "f1", "calls", "tokens", "seconds")
    assert table.values("outcome") == ("right", "wrong")
    assert table.values("seconds") == (0.75, 0.75)
    strange = answers_table([answer("vanilla", 0, 1, 0.0, answers=())])
    assert strange.names == ("program", "answer", "calls", "tokens", "seconds")
    assert so_far_table([*own, own[0]]).rows == (("vanilla", 2, 2), ("open-domain", 1, 0))
    assert so_far_table([]).rows == ()


def test_a_question_without_an_answer_says_what_the_model_did_instead():
    declined = Generation("", (), (), ended_by=EndedBy.REFUSED, instead="I cannot say.")
    call = Call(GenerationRequest("Q:"), 1, (declined,))
    own = answer("vanilla", 0, 1, 0.0)
    found = replace(own, pred="", steps=(Step("qa", calls=(call,)),))
    assert answers_table([own, found]).values("outcome") == ("wrong", "wrong: declined")


def completion(rationale, text, log_prob, sample):
    fields = {"rationale": rationale, "answer": text}
    return Completion(
        fields=fields,
        last_field="answer",
        log_prob=log_prob,
        n_tokens=4,
        ended_by=EndedBy.END,
        sample=sample,
    )


def test_texts_of_a_step_are_counted_the_most_frequent_first():
    several = (completion("b", "x", -8.0, 0), completion("c", "y", -2.0, 1),
               completion("c", "y", -4.0, 2))  # fmt: skip
    table = written_table(Step("qa", completions=several))
    assert table.names == ("texts", "rationale", "answer", "per token")
    assert table.rows == ((2, "c", "y", -0.5), (1, "b", "x", -2.0))
    assert written_table(Step("qa", completions=several[:1])).rows == (("b", "x", -2.0),)
    assert written_table(Step("qa")).rows == ()


@pytest.mark.parametrize("probability", [None, 0.25])
def test_passages_of_a_search_with_their_scores(probability):
    found = (ScoredPassage(Passage(7, "Text.", "Title"), 1.5, probability),)
    table = found_table(Search(SearchKind.RETRIEVE, ("q",), found, 5))
    known = () if probability is None else (0.25,)
    assert table.rows == (("Title | Text.", 1.5, *known),)
    assert len(table.columns) == len(table.rows[0])


def test_a_line_about_a_step():
    text = Generation("x", (1, 2), (-0.1, -0.2), ended_by=EndedBy.END)
    asked = Step("qa", calls=(Call(GenerationRequest("p", n=2), 1204, (text, text)),), seconds=0.44)
    assert step_line(asked) == "1,204 tokens, 2 texts, 0.4 s"
    search = Search(SearchKind.FUSE, ("a", "b"), (), 5)
    assert step_line(Step("fuse", search=search)) == "2 queries, 0 passages, 0.0 s"


def test_the_figure_has_a_dot_with_its_interval_for_each_row():
    trial = trial_of([20, 2])
    figure = program_dots(trial, "em")
    others, reference = figure.data
    assert (list(others.x), list(reference.x)) == ([0.05], [0.5])
    assert list(reference.y) == ["retrieve-then-read"]
    first: Interval = trial.rows[0].em
    assert reference.error_x.array[0] == pytest.approx(first.high - 0.5)
    assert figure_title(trial, "em") == "EM: 1 of 1 clearly different from retrieve-then-read"
    assert figure_title(trial_of([4]), "f1") == "f1 of retrieve-then-read"
