"""Evaluation: the figures by hand, what is left out, what is cached, what is recorded."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from core.background import Urgency, Worker
from core.demonstration.demonstration import Draft, EvaluationExample, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.engine import prompt_of
from core.evaluation.plan.examples import sample
from core.evaluation.results.comparison import Comparison
from core.evaluation.results.run_figures import SkippedExample, SkipReason
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.metrics import METRICS
from core.metrics.bounds.intervals import estimate
from core.metrics.registry import metrics_of
from core.retrieval.choosing import METHODS, choose_context
from core.retrieval.context import Doubt
from core.retrieval.embedded_texts import embed_texts
from core.retrieval.knobs import Knobs, PromptOrder
from core.text import normalised
from core.types import AnswerRequest
from core.watcher import NOBODY, Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel, ScriptedLanguageModel

ALL_METHODS = {
    name: Knobs(name, 3)
    for name, method in METHODS.items()
    if not method.needs_model and name != "neighbours"  # which needs an earlier run
}
"""All but those that need the model themselves, whose prompts follow from no context alone."""


def run(bench, requests=None, *, watcher=NOBODY, view=None, examples=None, **options):
    return evaluate(
        bench.store,
        bench.view() if view is None else view,
        bench.engine(),
        bench.examples() if examples is None else examples,
        bench.encoder,
        ALL_METHODS if requests is None else requests,
        options=EvaluationOptions(**options),
        watcher=watcher,
    )


@pytest.fixture
def scored(bench):
    bench.score_quality()
    return bench


@pytest.fixture
def by_hand(store, bench):
    """Two queries on which every figure can be worked out: deltas are 1 and -0.5 at k = 2."""
    bench.pool = "hand"
    store.demonstrations.add(
        store.pools.create("hand").id,
        [
            Draft("first query", "right", incorrect_answers(("wrong",))),
            Draft("second query", "good", incorrect_answers(("bad",))),
            Draft("third query", "fine"),
        ],
    )
    alone = {"right": -2.0, "wrong": -1.5, "good": -3.0, "bad": -4.0, "fine": -5.0}
    gain = {"right": 0.25, "wrong": -0.25, "good": -0.125, "bad": 0.125, "fine": 0.5}
    bench.model = ScriptedLanguageModel(alone, gain)
    return bench


def test_the_metrics_by_hand(by_hand):
    requests = {"none": Knobs("none", 2), "rel": Knobs("rel", 2)}
    found = run(by_hand, requests, seed=1)
    assert len(found.examples) == found.figures.total == 3
    assert found.figures.without_incorrect == 1
    # delta: 2 * (0.25 + 0.25) = 1 and 2 * (-0.125 - 0.125) = -0.5; log sigmoid of each.
    first, second = -math.log1p(math.exp(-1.0)), -math.log1p(math.exp(0.5))
    rel = {name: interval.mean for name, interval in found.methods["rel"].metrics.items()}
    assert rel["dpo"] == pytest.approx((first + second) / 2, abs=1e-12)
    assert rel["dpo_per_triple"] == pytest.approx(-0.643669, abs=1e-6)
    assert rel["delta"] == pytest.approx(0.25, abs=1e-12)
    # In context: right -1.5 beats wrong -2.0, good -3.25 beats bad -3.75.
    assert (rel["mc1"], rel["mc2"]) == (1.0, 1.0)
    assert rel["mc3"] == pytest.approx(math.exp(0.5), abs=1e-12)
    assert rel["mc3_normalised"] == pytest.approx(1 / (1 + math.exp(-0.5)), abs=1e-12)
    assert rel["dpo_correct_only"] == pytest.approx(-math.log1p(math.exp(-1.0)), abs=1e-12)
    none = {name: interval.mean for name, interval in found.methods["none"].metrics.items()}
    assert none["dpo"] == none["dpo_per_triple"] == pytest.approx(-math.log(2), abs=1e-12)
    assert none["delta"] == 0.0
    assert none["mc1"] == 0.5  # right -2 loses against wrong -1.5
    assert none["diversity"] is None
    # Gains of 0.5, -0.25 and 1 for three answers of one word each.
    assert rel["gain_per_answer"] == rel["gain_per_token"] == pytest.approx(1.25 / 3, abs=1e-12)
    assert none["gain_per_answer"] == none["gain_per_token"] == 0.0
    # The example without incorrect answers is counted apart from all that compares answers.
    counts = {name: interval.n for name, interval in found.methods["rel"].metrics.items()}
    basis, measured = found.summary().basis, metrics_of(generated=False)
    assert counts == {name: basis.counted(name) for name in measured}
    assert (counts["dpo_correct_only"], counts["mc1"], counts["gain_per_token"]) == (1, 2, 3)
    assert found.summary().metric == "dpo_per_triple"


def test_without_incorrect_answers_a_comparison_leads_with_what_the_correct_ones_gain(store, bench):
    bench.pool = "faq"
    drafts = [Draft(f"question {i}", f"right {i}") for i in range(24)]
    store.demonstrations.add(store.pools.create("faq").id, drafts)
    alone = {f"right {i}": -5.0 - i for i in range(24)}
    bench.model = ScriptedLanguageModel(alone, {f"right {i}": 0.25 + i / 64 for i in range(24)})
    found = run(bench, {name: Knobs(name, 2) for name in ("none", "rel", "random")})
    summary = found.summary()
    assert summary.metric == "dpo_correct_only"
    gained = [2 * (0.25 + i / 64) for i in range(24)]
    rel = summary.value("rel", "gain_per_answer")
    assert rel.mean == pytest.approx(np.mean(gained), abs=1e-12)
    assert rel.low < rel.mean < rel.high
    assert summary.value("rel", "gain_per_token").mean == pytest.approx(
        np.mean(gained) / 2, abs=1e-12
    )  # two words an answer
    lead = summary.fronts["dpo_correct_only"]
    assert (lead.best, lead.examples, lead.needed) == (("rel", "random"), 24, 0)
    less = summary.difference("rel", "dpo_correct_only")
    assert less.low > 0
    row = json.loads(json.dumps(summary.to_json(), allow_nan=False))
    assert row["methods"]["rel"]["dpo_per_triple"] is None
    assert Comparison.from_json(row) == replace(summary, finished=None)


def test_differences_are_paired_with_the_reference(by_hand):
    requests = {"none": Knobs("none", 2), "rel": Knobs("rel", 2)}
    found = run(by_hand, requests)
    assert found.reference == "none"
    assert found.difference("rel", "delta").mean == pytest.approx(0.25, abs=1e-12)
    assert found.difference("none", "delta", "rel").mean == pytest.approx(-0.25, abs=1e-12)
    assert found.difference("rel", "mc1").mean == 0.5
    reversed_ = run(by_hand, requests, references=("rel",))
    assert reversed_.reference == "rel"
    assert reversed_.difference("none", "mc1").mean == -0.5
    assert "difference" not in reversed_.summary().to_json()["methods"]["rel"]


def test_several_references_give_differences_from_each(by_hand):
    requests = {name: Knobs(name, 2) for name in ("none", "rel", "rel+div")}
    found = run(by_hand, requests, references=("rel", "none", "rel"))
    assert (found.reference, found.references) == ("rel", ("rel", "none"))
    methods = found.summary().to_json()["methods"]
    assert {name: list(row["differences"]) for name, row in methods.items()} == {
        "none": ["rel"],
        "rel": ["none"],
        "rel+div": ["rel", "none"],
    }
    assert methods["none"]["differences"]["rel"]["mc1"]["mean"] == -0.5
    assert methods["rel"]["differences"]["none"]["mc1"]["mean"] == 0.5
    for name in ("none", "rel+div"):
        assert methods[name]["difference"] == methods[name]["differences"]["rel"]
    alone = run(by_hand, requests, references=("none",)).summary().to_json()["methods"]["rel+div"]
    assert alone["difference"] == methods["rel+div"]["differences"]["none"]


def test_dpo_by_kind_stands_in_the_summary_and_the_kinds_in_the_rows(store, by_hand):
    by_hand.pool = "kinds"
    store.demonstrations.add(
        store.pools.create("kinds").id,
        [
            Draft("first query", "right", incorrect_answers(("wrong", "bad"), ("myth", ""))),
            Draft("second query", "good", incorrect_answers(("bad",), ("slip",))),
            Draft("third query", "fine"),
        ],
    )
    found = run(by_hand, {"none": Knobs("none", 2), "rel": Knobs("rel", 2)})
    methods = found.summary().to_json()["methods"]
    by_kind = methods["rel"]["dpo_per_triple_by_kind"]
    # As in `test_the_metrics_by_hand`: deltas of 1 and -0.5.
    assert list(by_kind) == ["myth", "slip"]
    assert by_kind["myth"]["mean"] == pytest.approx(-math.log1p(math.exp(-1.0)), abs=1e-12)
    assert by_kind["slip"]["mean"] == pytest.approx(-math.log1p(math.exp(0.5)), abs=1e-12)
    wanted = {"mean": 0, "low": None, "high": None, "n": 1, "needed": 20}
    assert by_kind["slip"] | {"mean": 0} == wanted
    for each in methods["none"]["dpo_per_triple_by_kind"].values():
        assert each["mean"] == pytest.approx(-math.log(2), abs=1e-12)
    rows = {row["query"]: row for row in store.runs.rows(found.figures.run) if "answers" in row}
    assert rows["first query"]["incorrect_kinds"] == ["myth", ""]
    assert rows["third query"]["incorrect_kinds"] == []


def test_no_context_holds_the_examples_own_query(scored):
    named = (*ALL_METHODS, "mdl")
    found = run(scored, {name: Knobs(name, 50) for name in named})
    query_of = {d.id: normalised(d.query) for d in scored.demonstrations()}
    chosen = 0
    for result in found.methods.values():
        for example, outcome in zip(found.examples, result.outcomes, strict=True):
            assert normalised(example.query) not in {query_of[id] for id in outcome.ids}
            chosen += len(outcome.ids)
    assert chosen > 400
    # With room for everything, exactly the other queries' demonstrations are chosen.
    water = next(i for i, e in enumerate(found.examples) if "water" in e.query.casefold())
    expected = {id for id, query in query_of.items() if query != "is water wet?"}
    assert set(found.methods["rel"].outcomes[water].ids) == expected


def test_no_example_sees_a_demonstration_whose_query_reads_like_its_own(scored):
    drafts = [
        Draft("IS  water wet?", "So they say", incorrect_answers(("Not on paper",))),
        Draft("Ｉs water wet?", "Ever wet", incorrect_answers(("Never wet",))),
    ]
    scored.store.demonstrations.add(scored.store.pools.get("small").id, drafts)
    requests = {name: Knobs(name, 50) for name in ("rel", "rel+div", "random", "fix", "bm25")}
    found = run(scored, requests)
    alike = {d.id for d in scored.demonstrations() if normalised(d.query) == "is water wet?"}
    wet = [i for i, e in enumerate(found.examples) if normalised(e.query) == "is water wet?"]
    assert sorted(found.examples[i].answers for i in wet) == [
        ("Ever wet",),
        ("So they say",),
        ("Yes, it is wet", "It is", "People call it wet"),
    ]
    others = len(scored.demonstrations()) - len(alike)
    for name, result in found.methods.items():
        for i in wet:
            assert alike.isdisjoint(result.outcomes[i].ids), name
        if name in ("rel", "rel+div", "random"):
            assert {len(result.outcomes[i].ids) for i in wet} == {others}, name


def test_examples_of_another_pool_leave_their_own_query_out_as_well(scored):
    examples = [EvaluationExample("IS water   wet?", ("Yes",), incorrect_answers(("No",)))]
    found = run(scored, examples=examples, examples_from="elsewhere")
    query_of = {d.id: normalised(d.query) for d in scored.demonstrations()}
    for result in found.methods.values():
        assert "is water wet?" not in {query_of[id] for id in result.outcomes[0].ids}
    assert found.figures.settings.examples_from == "elsewhere"


def test_a_second_run_calls_no_model_and_gives_the_same_figures(scored):
    first = run(scored)
    pairs = list(scored.model.asked)
    assert first.figures.language_model_calls > 0
    assert len(pairs) == len(set(pairs))
    scored.model = FakeLanguageModel()
    second = run(scored)
    assert second.figures.language_model_calls == 0
    assert scored.model.asked == []
    for name in ALL_METHODS:
        assert repr(second.methods[name].metrics) == repr(first.methods[name].metrics)
        assert [o.ids for o in second.methods[name].outcomes] == [
            o.ids for o in first.methods[name].outcomes
        ]
    assert second.figures.run != first.figures.run


def test_calls_count_the_pairs_that_were_not_in_the_cache(scored):
    asked = len(scored.model.asked)
    found = run(scored)
    assert found.figures.language_model_calls == len(scored.model.asked) - asked
    distinct = {
        (normalised(example.query), frozenset(outcome.ids)): len(example.answers)
        + len(example.incorrect)
        for result in found.methods.values()
        for example, outcome in zip(found.examples, result.outcomes, strict=True)
    }
    # Quality bias has scored the 15 correct answers without context before, one of them after
    # another spelling of its query.
    assert found.figures.language_model_calls == sum(distinct.values()) - 14
    assert found.figures.distinct_sets == len(distinct)


def test_a_method_asks_the_runs_model_and_what_it_asked_is_kept(scored):
    requests = {"rel": Knobs("rel", 2), "mdl": Knobs("mdl", 2, own_values=(("sets", 4),))}
    found = run(scored, requests, limit=3)
    engine, template = scored.engine(), scored.engine().template
    view = scored.view()
    for example, outcome in zip(found.examples, found.methods["mdl"].outcomes, strict=True):
        asked = []

        def ask(contexts, query, answers, asked=asked):
            prompts = [prompt_of(view, context, query, template) for context in contexts]
            texts = tuple(template.answer(answer) for answer in answers)
            rows = engine.log_probs([AnswerRequest(prompt, texts) for prompt in prompts])
            totals = np.array([[each.total for each in row] for row in rows])
            p = np.exp(totals - totals.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            entropy = [-sum(x * math.log(x) for x in row if x) for row in p.tolist()]
            asked.append(contexts[entropy.index(min(entropy))].ids.tolist())
            return totals

        vector, _ = embed_texts(scored.store, scored.encoder, [example.query])
        asking = view.with_services(ask=ask)
        choose_context(asking, example.query, vector[0], requests["mdl"], leave_out=True)
        assert [list(outcome.ids)] == asked
    assert engine.calls == 0, "the run kept all that it asked"
    again = run(scored, requests, limit=3)
    assert again.figures.language_model_calls == 0


def test_an_answer_longer_than_the_window_is_none_of_the_labels_and_stops_nothing(scored):
    long = "word " * 60
    pool_id = scored.store.pools.get(scored.pool).id
    scored.store.demonstrations.add(pool_id, [Draft("What is long?", long)])
    requests = {"rel": Knobs("rel", 2), "mdl": Knobs("mdl", 2, own_values=(("sets", 4),))}
    scored.model = FakeLanguageModel(window=50, fingerprint="narrow", unknown=("Eight",))
    found = run(scored, requests)
    alone = run(scored, {"rel": requests["rel"]})
    assert [each.reason for each in found.figures.skipped] == [
        each.reason for each in alone.figures.skipped
    ]
    named = [outcome.ids for outcome in found.methods["rel"].outcomes]
    assert named == [outcome.ids for outcome in alone.methods["rel"].outcomes]
    examples = found.figures.examples
    assert examples > 0
    assert found.summary().methods["mdl"].doubts[Doubt.LABELS_LEFT_OUT] == examples
    assert not any(long.strip() in answer for _, answer in scored.model.asked)


def test_examples_come_in_the_seeds_random_order_and_a_limit_takes_the_first(scored):
    requests = {"rel": Knobs("rel", 2)}
    whole = run(scored, requests, seed=3)
    assert list(whole.examples) == sample(scored.examples(), None, seed=3)
    part = run(scored, requests, seed=3, limit=4)
    assert list(part.examples) == list(whole.examples)[:4]
    assert part.figures.total == 4
    assert part.figures.language_model_calls == 0


def test_an_added_query_keeps_the_sample_its_figures_and_what_was_scored(scored):
    requests = {"none": Knobs("none", 2)}
    before = run(scored, requests, seed=1, limit=6)
    pool_id = scored.store.pools.get("small").id
    asked = {example.query for example in before.examples}
    for number in range(1, 8):
        draft = Draft(
            f"What is new, {number}?", "Nothing is new", incorrect_answers(("All of it is",))
        )
        scored.store.demonstrations.add(pool_id, [draft])
        after = run(scored, requests, seed=1, limit=6)
        common = [e.query for e in after.examples if e in before.examples]
        added = {e.query for e in after.examples if e not in before.examples}
        assert [e.query for e in before.examples][: len(common)] == common
        assert len(added) == 6 - len(common) <= number
        assert after.figures.language_model_calls == 2 * len(added - asked) <= 2
        asked |= added
        # NaN where no answer is incorrect, and NaN is not itself
        assert repr(mc1_by_query(after, common)) == repr(mc1_by_query(before, common))
    assert 0 < len(common) < 6  # else little was shown


def mc1_by_query(found, queries):
    """For each query whether its best answer wins without a context."""
    pairs = zip(found.examples, found.methods["none"].outcomes, strict=True)
    scores = {example.query: [outcome.scores] for example, outcome in pairs}
    return {query: estimate(METRICS["mc1"], scores[query]).mean for query in queries}


def test_partial_results_and_progress_come_with_each_example(scored):
    partials, progress = [], []
    watcher = Watcher(
        on_progress=lambda done, total: progress.append((done, total)),
        on_partial=partials.append,
    )
    found = run(scored, watcher=watcher)
    n = found.figures.total
    assert n == 9
    assert progress == [(i, n) for i in range(n + 1)]
    assert [partial.figures.done for partial in partials] == list(range(1, n + 1))
    assert [len(partial.methods["rel"].outcomes) for partial in partials] == list(range(1, n + 1))
    assert partials[3].examples == found.examples[:4]
    only_four = run(scored, limit=4)
    assert repr(partials[3].methods["rel"].metrics) == repr(only_four.methods["rel"].metrics)


def test_too_long_contexts_are_shortened_the_same_for_all_answers(scored):
    requests = {"none": Knobs("none", 4), "rel": Knobs("rel", 4)}
    whole = run(scored, requests)
    scored.model = FakeLanguageModel(window=40, fingerprint="narrow")
    found = run(scored, requests)
    rel = found.methods["rel"]
    assert 0 < rel.shortened <= len(found.examples)
    assert rel.left_out == sum(o.left_out for o in rel.outcomes) > 0
    assert found.methods["none"].shortened == 0
    view = scored.view()
    text_of = {int(i): (q, a) for i, q, a in zip(view.ids, view.queries, view.answers, strict=True)}
    for example, full, short in zip(
        found.examples, whole.methods["rel"].outcomes, rel.outcomes, strict=True
    ):
        assert len(short.ids) == len(full.ids) - short.left_out
        vector = scored.encoder.encode([example.query])[0]
        relevance = dict(zip(view.ids.tolist(), view.relevance(vector).tolist(), strict=True))
        by_relevance = sorted(full.ids, key=lambda id: (relevance[id], id))
        kept = by_relevance[short.left_out :]
        assert set(short.ids) == set(kept)
        blocks = [f"Q: {q}\nA: {a}" for q, a in (text_of[id] for id in kept)]
        prompt = "\n\n".join([*blocks, f"Q: {example.query}\nA:"])
        asked = {answer for p, answer in scored.model.asked if p == prompt}
        texts = {f" {answer}" for answer in example.texts}
        assert asked == texts
        longest = max(len(text.split()) for text in texts)
        assert len(prompt.split()) + longest <= 40
        if short.left_out:
            left = text_of[by_relevance[short.left_out - 1]]
            one_more = f"Q: {left[0]}\nA: {left[1]}"
            assert len(prompt.split()) + len(one_more.split()) + longest > 40
        rows = scored.encoder.encode([text_of[id][0] for id in kept])
        if len(kept) > 1:
            cosines = (rows @ rows.T)[np.triu_indices(len(kept), 1)]
            assert short.scores.diversity == pytest.approx(cosines.mean(), abs=1e-6)


@pytest.mark.parametrize("side", ["answers", "incorrect"])
def test_an_answer_without_tokens_skips_its_example_by_name_and_stops_nothing(bench, side):
    bench.model = FakeLanguageModel(unknown=("}", "\u2423"), fingerprint="deaf")
    odd = {"answers": ("yes",), "incorrect": ("no",)}
    odd[side] = (*odd[side], "} \u2423")
    example = EvaluationExample(
        "Which bracket closes?", odd["answers"], incorrect_answers(odd["incorrect"])
    )
    examples = [*bench.examples(), example]
    requests = {"none": Knobs("none"), "rel": Knobs("rel", 2)}
    found = run(bench, requests, examples=examples)
    why = SkippedExample("Which bracket closes?", SkipReason.WITHOUT_TOKENS, "} \u2423")
    assert found.figures.skipped == (why,)
    assert (found.figures.done, found.figures.total, len(found.examples)) == (10, 10, 9)
    assert not [prompt for prompt, _ in bench.model.asked if "bracket" in prompt]
    row = {"query": why.query, "reason": "answer without tokens", "answer": why.answer}
    assert found.summary().to_json()["skipped_examples"] == [row]
    assert row | {"skipped": True} in bench.store.runs.rows(found.figures.run)
    # A part that the model does not know leaves an answer its other words.
    assert (
        run(bench, requests, examples=[EvaluationExample("Why?", ("} yes",), ())]).figures.skipped
        == ()
    )


def test_an_example_that_does_not_fit_at_all_is_skipped_for_every_method(scored):
    long_query = "word " * 60
    examples = [
        *scored.examples(),
        EvaluationExample(long_query, ("yes",), incorrect_answers(("no",))),
    ]
    scored.model = FakeLanguageModel(window=50, fingerprint="narrow")
    requests = {"none": Knobs("none"), "rel": Knobs("rel", 2)}
    found = run(scored, requests, examples=examples)
    assert found.figures.skipped == (SkippedExample(long_query, SkipReason.TOO_LONG),)
    assert (found.figures.done, found.figures.total, len(found.examples)) == (10, 10, 9)
    assert all(len(result.outcomes) == 9 for result in found.methods.values())
    assert found.summary().done == 10
    assert found.summary().to_json()["skipped_examples"] == [
        {"query": long_query, "reason": "too long"}
    ]
    assert not [prompt for prompt, _ in scored.model.asked if long_query in prompt]


def test_the_most_relevant_stands_last_unless_asked_otherwise(scored):
    requests = {"rel": Knobs("rel", 3)}
    run(scored, requests, limit=1)
    by_relevance = scored.model.asked[-1][0]
    asked_otherwise = {"rel": Knobs("rel", 3, order=PromptOrder.AS_CHOSEN)}
    found = run(scored, asked_otherwise, limit=1)
    as_chosen = scored.model.asked[-1][0]
    view = scored.view()
    chosen = [view.ids.tolist().index(id) for id in found.methods["rel"].outcomes[0].ids]
    blocks = [f"Q: {view.queries[i]}\nA: {view.answers[i]}" for i in chosen]
    tail = f"Q: {found.examples[0].query}\nA:"
    assert as_chosen == "\n\n".join([*blocks, tail])
    first_relevance = [b for b in by_relevance.split("\n\n") if b != tail]
    assert sorted(first_relevance) == sorted(blocks)
    assert first_relevance[-1] in blocks[:2]  # equal relevance goes by id
    assert found.figures.settings.order == "as chosen"
    with pytest.raises(InvalidInput, match="orders most relevant last and as chosen"):
        run(scored, {**requests, "otherwise": asked_otherwise["rel"]})


def test_candidates_of_an_index_are_not_evaluated(scored):
    with pytest.raises(InvalidInput, match="'flat' was named; .* the whole pool"):
        run(scored, {"rel": Knobs("rel", 3, index="flat")})


def test_cancelling_leaves_a_cancelled_run_and_keeps_what_was_scored(scored):
    pool_id = scored.store.pools.get("small").id
    partials = []
    watcher = Watcher(on_partial=partials.append, cancelled=lambda: len(partials) == 3)
    with pytest.raises(Cancelled):
        run(scored, watcher=watcher)
    (cancelled,) = scored.store.runs.latest("evaluate", pool_id)
    assert cancelled.state == "cancelled"
    assert {row["query"] for row in scored.store.runs.rows(cancelled.id)} == {
        example.query for example in partials[-1].examples
    }
    again = run(scored)
    everything = len(scored.model.asked)
    assert everything == len(set(scored.model.asked))
    assert (
        again.figures.language_model_calls
        == everything - partials[-1].figures.language_model_calls - 15
    )


def test_a_fault_leaves_a_failed_run_with_its_message(scored):
    def fault(requests):
        raise RuntimeError("the device is gone")

    scored.model.before_call = fault
    with pytest.raises(RuntimeError, match="the device is gone"):
        run(scored)
    pool_id = scored.store.pools.get("small").id
    (failed,) = scored.store.runs.latest("evaluate", pool_id)
    assert (failed.state, failed.message) == ("failed", "RuntimeError('the device is gone')")


def test_the_run_records_everything_that_the_figures_depend_on(scored):
    view = scored.view()
    found = run(scored, references=("rel",), seed=5, limit=6, view=view)
    recorded = scored.store.runs.get(found.figures.run)
    assert recorded.state == "finished"
    settings = recorded.settings
    assert settings["pool"] == settings["examples_from"] == "small"
    assert settings["pool_version"] == view.version
    assert settings["encoder"] == scored.encoder.fingerprint
    assert (settings["model"], settings["dtype"]) == ("fake", "float32")
    assert settings["model_fingerprint"] == "fake model"
    assert settings["template_fingerprint"] == scored.template.fingerprint
    assert (settings["limit"], settings["seed"], settings["examples"]) == (6, 5, 6)
    assert settings["order"] == "most relevant last"
    assert settings["methods"]["bias"] == {
        "method": "bias",
        "k": 3,
        "lambda_d": 1.0,
        "lambda_b": 0.0,
        "bias_scale": "raw",
        "seed": 0,
    }
    assert recorded.result["methods"]["rel"]["dpo"] == found.methods["rel"].metrics["dpo"].mean
    assert recorded.result["methods"]["none"]["diversity"] is None
    rows = scored.store.runs.rows(found.figures.run)
    seen = {(row["query"], name): row for row in rows for name in row["requests"]}
    assert len(seen) == 6 * len(ALL_METHODS)
    outcome = found.methods["rel+div"].outcomes[2]
    row = seen[found.examples[2].query, "rel+div"]
    assert row["ids"] == list(outcome.ids)
    assert row["incorrect"] == outcome.scores.incorrect.tolist()


def test_the_summary_is_json_without_nan(scored):
    import json

    summary = run(scored).summary().to_json()
    text = json.dumps(summary, allow_nan=False)
    back = json.loads(text)
    assert set(back["methods"]) == set(ALL_METHODS)
    for row in back["methods"].values():
        assert {"dpo", "dpo_per_triple", "delta", "mc1", "mc2", "mc3"} <= set(row)
        assert {"mc3_normalised", "diversity", "intervals"} <= set(row)
    rel = back["methods"]["rel"]
    low, high = rel["intervals"]["mc1"]
    assert 0 <= low <= rel["mc1"] <= high <= 1
    assert high - low > 0.2, "nine queries"
    assert (rel["intervals"]["dpo"], rel["needed"]["dpo"]) == ([None, None], 20)
    assert back["look"] == {"examples": 9, "alpha": pytest.approx(0.04), "fixed": True}
    assert back["together"]["dpo"]["needed"] == 20
    assert back["examples"] == 9
    assert back["model"] == "fake"


def test_interactive_jobs_run_between_the_examples(scored):
    order = []
    with Worker() as worker:

        def long(job):
            watcher = job.watcher()

            def on_partial(partial):
                order.append(partial.figures.done)
                job.publish(partial)
                if partial.figures.done == 2:
                    worker.submit("x", "", lambda job: order.append("now"), urgency=Urgency.SHOWN)

            return run(scored, watcher=replace(watcher, on_partial=on_partial))

        job = worker.submit("evaluate", "", long)
        assert job.wait(60)
    assert job.error is None
    assert order == [1, 2, "now", 3, 4, 5, 6, 7, 8, 9]
    assert job.partial.figures.done == job.result.figures.done == 9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"requests": {}}, "No method to evaluate"),
        ({"references": ("rel", "best")}, "'best' is not among the methods"),
        ({"examples": []}, "has no queries to evaluate on"),
        ({"limit": 0}, "limit of evaluation examples is 0"),
    ],
)
def test_mistakes_are_refused_before_a_run_is_recorded(scored, change, message):
    with pytest.raises(InvalidInput, match=message):
        run(scored, **change)
    assert scored.store.runs.latest("evaluate", scored.store.pools.get("small").id) == []


def test_a_biased_method_needs_the_quality(bench):
    with pytest.raises(InvalidInput, match="have no quality bias yet"):
        run(bench)
    assert bench.store.runs.latest("evaluate", bench.store.pools.get("small").id) == []
    assert bench.model.asked == []
    unbiased = {n: r for n, r in ALL_METHODS.items() if METHODS[n].lambda_b == 1.0}
    assert run(bench, unbiased).figures.done == 9
