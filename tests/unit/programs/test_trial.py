"""Trials: demonstrations once a seed, every question once a row, scores worked out by hand."""

import numpy as np
import pytest

from core.errors import Cancelled, InvalidInput
from core.generation import EndedBy, Generation
from core.metrics.bounds.intervals import share_interval
from core.metrics.bounds.quantiles import clopper_pearson
from core.metrics.bounds.simultaneous import family
from core.programs import Example, Run, Turn
from core.programs.trial import (
    Answer,
    Demonstrated,
    Scores,
    Trial,
    draw,
    row_of,
    run_trial,
    summarised,
)
from core.programs.trial.records import scored
from core.programs.trial.running import rows_of
from core.reporting.tables.programs import scores_table
from core.watcher import Watcher
from tests.support.scripted_model import ScriptedModel, TableRetriever
from tests.support.trials import answers_of

NAMES = [f"{letter}x" for letter in "ABCDEFGHIJKLMNOPQRSTUVWX"]
ASKED = tuple(Example(f"Who made {name}?", (f"{name}smith",)) for name in NAMES)
TABLE = {
    f"Who made {name}?": [(place, f"{name} was made by {name}smith.", 1.0)]
    for place, name in enumerate(NAMES)
}


def reading(prompt):
    """Right where the context has it, except about the A; without a context a guess."""
    asked = prompt.rsplit("Who made ", 1)[1].split("?")[0]
    known = f"{asked} was made by" in prompt and asked != "Ax"
    answer = f"{asked}smith" if known else "Bxsmith"
    return [f" So.\n\nAnswer: {answer}" if "Rationale" in prompt else f" {answer}"]


def trial_of(rows, shares, model=None, **options):
    run = Run(model or ScriptedModel(reading), TableRetriever(TABLE))
    return summarised(rows, run_trial(rows, shares, run, **options))


def test_scores_worked_out_by_hand():
    question = Example("How tall is Ax?", ("five storeys", "15 m"))
    assert scored("five storeys tall", question) == Scores(0.0, 0.8, 1.0)
    assert scored("15 m.", question) == Scores(1.0, 1.0, 1.0)
    assert scored("how tall", question) == Scores(0.0, 0.0, 0.0)
    single = Example("Is it old?", ("yes",))
    assert scored("yes indeed", single) == Scores(0.0, 0.0, 2 / 3), "as HotPotQA has it"
    talk = single.copy(history=(Turn("What stands there indeed?", "A tower."),))
    assert scored("yes indeed", talk) == Scores(0.0, 2 / 3, 1.0)


def test_demonstrations_are_made_once_a_seed_and_counted_apart():
    model = ScriptedModel(reading)
    rows = rows_of(["open-domain"], ablate=True)
    shares = draw(ASKED, ASKED, shots=4, seeds=3)
    found = trial_of(rows, shares, model)
    made = found.demonstrations
    assert [(each.seed, dict(each.knobs)["augmented"], each.knobs["k"]) for each in made] == [
        (seed, *knobs) for seed in (0, 1, 2) for knobs in ((3, 7), (0, 7), (3, 0))
    ]
    whole, without_annotate, without_vote, without_passages = found.rows
    assert whole.demonstrating == without_vote.demonstrating, "they share them"
    assert (without_annotate.attempts, without_annotate.demonstrating.calls) == (0, 0)
    assert (without_passages.augmented, without_passages.attempts) == (0, 12)
    assert [each.cost.calls for each in found.rows] == [24, 24, 24, 24]
    in_all = sum(each.cost.calls for each in (*found.rows, *made))
    assert found.cost.calls == in_all == len(model.asked)
    assert found.cost.tokens_read == sum(len(prompt.split()) for prompt in model.prompts)


def test_the_demonstrations_of_a_question_are_others():
    (share,) = draw(ASKED[:3], ASKED[:3], shots=3, seeds=1)
    found = trial_of([row_of("open-domain"), row_of("vanilla")], [share])
    for answer in found.answers:
        *_, before, query = answer.steps[-1].prompt.rpartition("Question: ")
        assert query.startswith(answer.question)
        assert answer.question not in before.split("Follow this format")[0]
        assert f"Question: {answer.question}" not in before
    assert [len(each.train) for each in (share,)] == [3]


def test_no_program_sees_an_answer_but_through_its_passages():
    secret = tuple(each.copy(answers=("secret",)) for each in ASKED[:4])
    shares = draw(secret, ASKED[4:], shots=2, seeds=2)
    model = ScriptedModel(reading)
    trial_of(rows_of(["open-domain", "vanilla", "retrieve-then-read", "self-ask"]), shares, model)
    assert not any("secret" in prompt for prompt in model.prompts)


def test_intervals_are_those_of_the_questions_of_all_seeds():
    rows = [row_of("retrieve-then-read"), row_of("vanilla")]
    found = trial_of(rows, draw(ASKED, ASKED, shots=2, seeds=5))
    read, alone = found.rows
    assert (read.em.mean, read.em.n) == (23 / 24, 24)
    assert (read.em.low, read.em.high) == pytest.approx(clopper_pearson(23, 24, 0.05))
    assert (alone.em.mean, alone.errors) == (1 / 24, 0)
    values = np.array([[each.scores.f1 for each in answers_of(found, row.name)] for row in rows])
    assert read.f1 == share_interval(values[0], np.ones(24))
    (apart,) = found.differences
    assert (apart.row, apart.reference) == ("vanilla", "retrieve-then-read")
    assert apart.em.mean == pytest.approx(-22 / 24)
    assert apart.f1 == family(values, np.ones(24), share=True).interval(1, 0)
    assert apart.em.high < 0
    assert [(each.seed, each.n) for each in read.by_seed] == [
        (0, 5),
        (1, 5),
        (2, 5),
        (3, 5),
        (4, 4),
    ]
    missed = next(each.seed for each in answers_of(found, read.name) if not each.correct)
    assert [each.scores.em for each in read.by_seed] == [
        0.8 if seed == missed and seed < 4 else 0.75 if seed == missed else 1.0 for seed in range(5)
    ]


def test_few_questions_have_no_interval_of_a_difference():
    rows = [row_of("retrieve-then-read"), row_of("vanilla")]
    found = trial_of(rows, draw(ASKED[:3], ASKED, shots=2, seeds=5))
    (apart,) = found.differences
    assert (apart.em.low, apart.em.needed) == (None, 20)
    assert found.rows[0].em.low == pytest.approx(clopper_pearson(2, 3, 0.05)[0])
    one = trial_of(rows[:1], draw(ASKED[:1], ASKED, shots=0, seeds=1))
    assert (one.rows[0].em.mean, one.differences) == (0.0, ())


def test_an_error_in_one_question_is_recorded_and_the_others_go_on():
    def failing(prompt):
        if prompt.rstrip().endswith("Who made Cx?\nAnswer:"):
            raise RuntimeError("the wire broke")
        return reading(prompt)

    rows = [row_of("retrieve-then-read", {"shots": 0})]
    found = trial_of(rows, draw(ASKED[:5], (), shots=0, seeds=2), ScriptedModel(failing))
    wrong = [each for each in found.answers if each.error]
    assert [(each.question, each.error) for each in wrong] == [
        ("Who made Cx?", "RuntimeError: the wire broke")
    ]
    assert (wrong[0].pred, wrong[0].scores) == ("", Scores(0.0, 0.0, 0.0))
    assert [step.stage for step in wrong[0].steps] == ["retrieve"], "as far as it came"
    assert (found.rows[0].errors, found.rows[0].em.mean) == (1, 3 / 5)
    window = ScriptedModel(reading, window=70)
    all_too_long = trial_of(rows, draw(ASKED[:2], (), shots=0, seeds=1), window)
    assert all("without any demonstration" in each.error for each in all_too_long.answers)


def test_what_a_prompt_has_no_room_for_is_counted():
    model = ScriptedModel(reading, window=64 + 60)
    found = trial_of([row_of("vanilla")], draw(ASKED[:4], ASKED, shots=9, seeds=2), model)
    cost = found.rows[0].cost
    assert (cost.calls, cost.shortened, cost.augmented, cost.passages) == (4, 4, 0, 0)
    gone = [len(step.left_out.raw) for each in found.answers for step in each.steps]
    assert cost.raw == sum(gone) > 0


def test_a_stopped_trial_goes_on_and_asks_nothing_twice():
    rows = rows_of(["open-domain", "vanilla"])
    shares = draw(ASKED[:6], ASKED, shots=3, seeds=2)
    model = ScriptedModel(reading)
    whole = run_trial(rows, shares, Run(model, TableRetriever(TABLE)))
    seen = []
    for stop in (1, 5, len(whole) - 1):
        kept = {}
        asked = ScriptedModel(reading)

        def enough(kept=kept, stop=stop):
            return len(kept) >= stop

        run = Run(asked, TableRetriever(TABLE), watcher=Watcher(cancelled=enough))
        with pytest.raises(Cancelled):
            run_trial(rows, shares, run, on_record=kept.__setitem__)
        assert list(kept) == list(range(stop))
        rest = ScriptedModel(reading)
        counted = []
        found = run_trial(
            rows,
            shares,
            Run(rest, TableRetriever(TABLE)),
            known=kept,
            on_record=lambda number, record: seen.append(number),
            watcher=Watcher(
                on_progress=lambda done, total, counted=counted: counted.append((done, total))
            ),
        )
        assert summarised(rows, found).rows == summarised(rows, whole).rows
        assert asked.prompts + rest.prompts == model.prompts
        assert counted == [(done, len(whole)) for done in range(1, len(whole) + 1)]
    assert len(seen) == 3 * len(whole) - 1 - 5 - (len(whole) - 1)


def test_records_and_results_are_the_same_after_json():
    rows = rows_of(["open-domain"], ablate=True)
    found = trial_of(rows, draw(ASKED[:4], ASKED, shots=3, seeds=2))
    assert Trial.from_json(found.to_json()) == found
    assert isinstance(found.answers[0], Answer)
    assert isinstance(found.demonstrations[0], Demonstrated)


def test_a_program_that_searches_needs_something_to_search():
    shares = draw(ASKED[:2], ASKED, shots=1, seeds=1)
    with pytest.raises(InvalidInput, match="searches for passages and has none to search"):
        run_trial(rows_of(["vanilla", "self-ask"]), shares, Run(ScriptedModel(reading)))
    assert len(run_trial(rows_of(["vanilla"]), shares, Run(ScriptedModel(reading)))) == 2


def test_more_shots_than_there_are_give_all():
    shares = draw(ASKED[:2], ASKED[2:5], shots=16, seeds=1)
    model = ScriptedModel(reading)
    trial_of([row_of("vanilla")], shares, model)
    assert all(prompt.count("\nAnswer: ") == 3 + 1 for prompt in model.prompts)


def test_a_question_without_an_answer_counts_as_wrong_and_apart():
    def declining(prompt):
        if prompt.rstrip().endswith("Who made Cx?\nAnswer:"):
            return [Generation("", (), (), ended_by=EndedBy.FILTERED)]
        return reading(prompt)

    rows = [row_of("retrieve-then-read", {"shots": 0})]
    found = trial_of(rows, draw(ASKED[:5], (), shots=0, seeds=2), ScriptedModel(declining))
    assert found.rows[0].no_answers == {EndedBy.FILTERED: 1}
    assert (found.rows[0].errors, found.rows[0].em.mean) == (0, 3 / 5)
    assert Trial.from_json(found.to_json()).rows == found.rows
    table = scores_table(found)
    assert (table.columns[-1].name, table.rows[0][-1]) == ("no answer", "1 filtered")
