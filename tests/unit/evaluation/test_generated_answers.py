"""What a run's model itself answers: figures by hand, its prompts, the cache, what is recorded."""

import json
import math
from dataclasses import replace

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.results.comparison import Comparison
from core.evaluation.results.own_answer import AnswerCounts, AnswerVerdict
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.runs.tally import recorded_answers, recorded_contexts
from core.generation import MAX_NEW_TOKENS, EndedBy, Generation
from core.metrics.scores import OfAnswer
from core.retrieval.knobs import Knobs
from core.watcher import NOBODY, Watcher
from tests.contracts.test_an_engine_is_one_file import Rules
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

GENERATED = tuple(OfAnswer.__annotations__)
MILL, DOOR, OLD = "How tall is the mill?", "Who painted the door?", "Is the mill old?"
WRITTEN = {  # alone, and after a demonstration
    MILL: ("five storeys tall", "two storeys"),
    DOOR: ("The Ann Lee.", ""),
    OLD: ("No!", "yes"),
}
ROWS = {"none": Knobs("none", 1), "rel": Knobs("rel", 1)}


class Scripted(FakeLanguageModel):
    """It answers what `WRITTEN` says; `requests` are those of each call.

    As a real one it refuses a prompt that leaves no room for a token.
    """

    def __init__(self, **options):
        super().__init__(**options)
        self.requests = []

    def answer_to(self, prompt):
        *shown, last = prompt.split("Q: ")
        return WRITTEN[last.split("\n")[0]][len(shown) > 1]

    def generate(self, requests, **callbacks):
        self.requests.append(list(requests))
        for request in requests:
            if self.count_tokens(request.prompt) >= self.window:
                raise InvalidInput(f"{request.prompt!r} leaves no room.")
        return super().generate(requests, **callbacks)


class Unable(Rules):
    """An engine of one file that scores and does not generate."""


def run(bench, requests=None, *, engine=None, watcher=NOBODY, **options):
    return evaluate(
        bench.store,
        bench.view(),
        bench.engine() if engine is None else engine,
        bench.examples(),
        bench.encoder,
        ROWS if requests is None else requests,
        options=EvaluationOptions(**{"generate": True} | options),
        watcher=watcher,
    )


@pytest.fixture
def mill(store, bench):
    bench.pool, bench.model = "mill", Scripted()
    drafts = [
        Draft(MILL, "five storeys", incorrect_answers(["two storeys"])),
        Draft(DOOR, "Ann Lee", incorrect_answers(["Bob Ray"])),
        Draft(DOOR, "the painter Ann Lee", incorrect_answers(["Bob Ray"])),
        Draft(OLD, "no", incorrect_answers(["yes"])),
    ]
    store.demonstrations.add(store.pools.create("mill").id, drafts)
    return bench


def test_the_figures_by_hand(mill):
    found = run(mill).summary()
    none, rel = found.methods["none"].metrics, found.methods["rel"].metrics
    # Without demonstrations: "five storeys tall" has two of its three words; "The Ann Lee." is
    # right, and has three of the four words of "the painter Ann Lee" in a row for ROUGE-L, where
    # articles count: 6 / 7. "No!" is right, and a stop word.
    assert {name: none[name].mean for name in GENERATED} == pytest.approx(
        {
            "exact_match": 2 / 3,
            "f1": (0.8 + 1 + 1) / 3,
            "precision": (2 / 3 + 1 + 1) / 3,
            "rouge_l": (0.8 + 6 / 7 + 1) / 3,
            "nf1": 2 / 3,
        }
    )
    # After one: "two storeys" has one of two words, the others have none.
    assert {name: rel[name].mean for name in GENERATED} == pytest.approx(
        {name: 0.0 if name == "exact_match" else 1 / 6 for name in GENERATED}
    )
    assert {rel[name].n for name in GENERATED} == {3}
    assert found.basis.generated == 3
    less = found.difference("rel", "f1")
    assert (less.mean, less.n) == (pytest.approx((0.5 - 2.8) / 3), 3)
    assert found.wins("rel", "f1").losses == 3
    assert set(found.fronts) >= set(GENERATED)
    assert found.metric == "dpo_per_triple", "what leads is not what was generated"
    assert found.methods["none"].generated == AnswerCounts(2, 0, 1, 0)
    assert found.methods["rel"].generated == AnswerCounts(0, 2, 1, 0)


def test_the_figures_of_scored_answers_are_those_of_a_run_without(mill):
    with_them, without = run(mill).summary(), run(mill, generate=False).summary()
    for name in ROWS:
        metrics = dict(with_them.methods[name].metrics)
        generated = {metric: metrics.pop(metric) for metric in GENERATED}
        assert None not in {each.mean for each in generated.values()}
        assert metrics == without.methods[name].metrics
    row = json.dumps(without.to_json())
    assert not any(f'"{name}"' in row for name in (*GENERATED, "generate", "generated"))
    assert without.settings.generate is False
    assert without.methods["rel"].generated is None
    assert without.basis.generated == 0
    assert recorded_answers(mill.store, without.run) == []


def test_each_prompt_that_was_scored_is_continued_once_up_to_the_next_demonstration(mill):
    rows = ROWS | {"again": Knobs("rel", 1), "alone": Knobs("none", 3)}
    run(mill, rows)
    scored = {prompt for prompt, _ in mill.model.asked}
    requests = [request for call in mill.model.requests for request in call]
    assert sorted(request.prompt for request in requests) == sorted(scored)
    assert len(requests) == 6
    assert {request.stop for request in requests} == {mill.template.stop}
    assert {request.max_new_tokens for request in requests} == {MAX_NEW_TOKENS}
    assert all(request.greedy and request.n == 1 for request in requests)


def test_several_examples_are_answered_together(mill):
    run(mill)
    assert [len(call) for call in mill.model.requests] == [6]
    many = {f"rel {k}": Knobs("rel", k) for k in range(1, 18)}
    mill.model = Scripted(fingerprint="another")
    run(mill, many)
    assert len(mill.model.requests) == 3, "one example at a time has enough prompts"


def test_a_row_without_demonstrations_is_not_asked_for_it_is_not_answered_alone(mill):
    run(mill, {"rel": ROWS["rel"]})
    assert all(prompt.count("Q: ") == 2 for prompt, _ in mill.model.generated)


def test_a_context_that_was_shortened_is_the_one_that_is_generated_after(mill):
    mill.model = Scripted(window=20, fingerprint="narrow")
    found = run(mill, {"rel": Knobs("rel", 3)})
    assert found.methods["rel"].left_out > 0
    scored = {prompt for prompt, _ in mill.model.asked}
    assert {prompt for prompt, _ in mill.model.generated} <= scored
    assert len(found.methods["rel"].answers) == len(found.examples) > 0


def test_nothing_is_generated_twice(mill):
    run(mill, limit=2)
    assert len(mill.model.generated) == 4
    whole = run(mill)
    assert len(mill.model.generated) == 6
    again = run(mill)
    assert len(mill.model.generated) == len(set(mill.model.generated)) == 6
    assert repr(again.methods) == repr(whole.methods)


def test_a_run_that_is_stopped_keeps_all_but_the_batch_in_hand(mill):
    rows = {f"rel {k}": Knobs("rel", k) for k in range(1, 18)}  # so that examples come one by one
    model = mill.model
    with pytest.raises(Cancelled):
        run(mill, rows, watcher=Watcher(cancelled=lambda: len(model.generated) == 5))
    (left,) = mill.store.runs.latest("evaluate", mill.store.pools.get("mill").id)
    assert left.state == "cancelled"
    first, second = (list(dict.fromkeys(r.prompt for r in call)) for call in model.requests)
    assert [prompt for prompt, _ in model.generated] == [*first, *second[: 5 - len(first)]]
    mill.model = again = Scripted()
    found = run(mill, rows)
    written = [prompt for prompt, _ in again.generated]
    assert not set(written) & set(first)
    assert written[: len(second)] == second
    assert len(written) == len(set(written))
    assert len(found.methods["rel 1"].answers) == 3


def test_other_work_may_run_while_answers_are_written(mill):
    breaths = []
    run(mill, watcher=Watcher(breathe=lambda: breaths.append(len(mill.model.generated))))
    assert set(breaths) >= {1, 2, 3, 4, 5, 6}


def test_an_engine_that_only_scores_evaluates_and_refuses_to_generate(mill):
    found = run(mill, engine=Unable(), generate=False)
    assert found.methods["rel"].answers == ()
    with pytest.raises(InvalidInput, match=r"rules only scores answers.* or name a model that"):
        run(mill, engine=Unable())
    kind, pool = "evaluate", mill.store.pools.get("mill").id
    assert len(mill.store.runs.latest(kind, pool)) == 1, "refused before a run is recorded"


def test_texts_and_verdicts_are_in_the_rows_of_the_run(mill):
    found = run(mill, ROWS | {"again": Knobs("rel", 1)})
    rows = {
        (each.query, each.request): each for each in recorded_answers(mill.store, found.figures.run)
    }
    assert len(rows) == 9
    of_mill = rows[MILL, "rel"]
    assert of_mill.to_json() == {
        "row": "rel",
        "query": MILL,
        "text": "two storeys",
        "verdict": "incorrect",
        "ended_by": "stop",
        "tokens": 2,
        "log_prob": of_mill.answer.log_prob,
        "exact_match": 0.0,
        "f1": 0.5,
        "precision": 0.5,
        "rouge_l": 0.5,
        "nf1": 0.5,
    }
    assert of_mill.answer.log_prob < 0
    assert rows[MILL, "again"].answer == of_mill.answer
    assert rows[DOOR, "none"].answer.text == "The Ann Lee."
    assert rows[DOOR, "none"].answer.verdict is AnswerVerdict.CORRECT
    empty = rows[DOOR, "rel"].answer
    assert (empty.text, empty.verdict, empty.tokens) == ("", AnswerVerdict.OTHER, 0)
    assert empty.log_prob_per_token is None
    kept = {row.query: row.outcome for row in recorded_contexts(mill.store, found.figures.run)}
    place = [example.query for example in found.examples].index(OLD)
    assert kept[OLD].answer == found.methods["rel"].outcomes[place].answer
    assert kept[OLD].scores.of_answer == found.methods["rel"].outcomes[place].scores.of_answer


def test_a_result_comes_back_as_it_was_recorded(mill):
    found = run(mill).summary()
    row = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert Comparison.from_json(row) == replace(found, finished=None)
    assert row["settings"]["generate"] is True
    assert row["methods"]["rel"]["generated"] == {
        "correct": 0,
        "incorrect": 2,
        "other": 1,
        "cut_off": 0,
    }
    assert row["methods"]["none"]["exact_match"] == pytest.approx(2 / 3)


def test_what_is_cut_off_is_counted(mill):
    class Endless(Scripted):
        def generate(self, requests, **callbacks):
            ends = (EndedBy.LENGTH, EndedBy.WINDOW, EndedBy.END, EndedBy.STOP)
            found = super().generate(requests, **callbacks)
            return [
                [replace(text, ended_by=ends[place % 4]) for text in texts]
                for place, texts in enumerate(found)
            ]

    mill.model = Endless(fingerprint="endless")
    found = run(mill, {"none": ROWS["none"]})
    assert found.methods["none"].answer_counts == AnswerCounts(2, 0, 1, 2)


def test_an_outcome_without_an_answer_has_no_figures_of_one(mill):
    found = run(mill, generate=False)
    outcome = found.methods["rel"].outcomes[0]
    assert outcome.answer is None
    assert all(math.isnan(value) for value in outcome.scores.of_answer.values())
    assert found.methods["rel"].answer_counts is None
    assert not set(GENERATED) & set(found.methods["rel"].metrics)


def test_what_is_no_answer_is_in_no_figure_and_counted_apart(mill):
    class Declining(Scripted):
        def generate(self, requests, **callbacks):
            found = super().generate(requests, **callbacks)
            nothing = Generation("", (), (), ended_by=EndedBy.REFUSED, instead="I cannot say.")
            return [
                [nothing] if DOOR in request.prompt.split("Q: ")[-1] else texts
                for request, texts in zip(requests, found, strict=True)
            ]

    mill.model = Declining(fingerprint="declining")
    found = run(mill)
    none = found.summary().methods["none"]
    assert none.metrics["exact_match"].mean == 1 / 2
    assert none.metrics["f1"].mean == pytest.approx((0.8 + 1) / 2)
    assert {none.metrics[name].n for name in GENERATED} == {2}
    assert none.generated == AnswerCounts(1, 0, 1, 0, no_answers={EndedBy.REFUSED: 1})
    assert none.metrics["dpo"].n == 3
    assert found.summary().difference("rel", "f1").n == 2
    (row,) = [
        each
        for each in recorded_answers(mill.store, found.summary().run)
        if (each.request, each.query) == ("none", DOOR)
    ]
    assert (row.answer.verdict, row.answer.instead) == (AnswerVerdict.NO_ANSWER, "I cannot say.")
    assert all(math.isnan(value) for value in row.measured.values())
    assert Comparison.from_json(found.summary().to_json()).methods["none"].generated == (
        none.generated
    )
