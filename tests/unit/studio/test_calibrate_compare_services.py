"""Calibrate and Compare as services: cost, going on, stories, another reference, live pictures."""

import json
import math
import threading
from dataclasses import astuple, replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.background import JobSnapshot
from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow, rows_of_methods
from core.evaluation.results.comparison import ComparisonSettings
from core.evaluation.results.outcomes import Outcome
from core.evaluation.runs.calibrate import CalibrationOptions
from core.metrics.gain import gain_per_answer
from core.metrics.preference import delta, dpo_correct_only, dpo_per_triple
from core.metrics.registry import metrics_of
from core.metrics.scores import AnswerScores
from core.reporting.html.reports import comparison_report
from core.reporting.tables.comparison import answers_in, context_in, methods_in
from core.reporting.words.provenance import comparison_what, provenance
from core.retrieval.knobs import Knobs
from core.settings import Embed
from core.studio import Setup
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.pools.pools import rename
from core.studio.runs import calibrate, compare
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.compare import CompareRequest
from core.studio.runs.running import GAP, SHARE, LiveSummary, embedded
from core.studio.runs.stories import Stories
from core.watcher import Watcher
from tests.support.reference_log_probs import reference_log_prob, reference_model
from tests.support.tiny_language_model import CHATML, build_tiny_language_model
from tests.unit.reporting.summaries import comparison_settings

QUERIES = ("Is the moon cheese?", "Do bats see?", "Is glass a liquid?", "Do bulls hate red?")


@pytest.fixture
def pool_drafts():
    return [
        Draft(query, f"{word}, said {number}", incorrect_answers(("Maybe so", "Ask again")))
        for number, query in enumerate(QUERIES)
        for word in ("No", "Never")
    ]


@pytest.fixture
def setup(tiny_lm_folder):
    return Setup("small", None, str(tiny_lm_folder))


def named(*methods, **knobs):
    """A row for each method under its own name."""
    return rows_of_methods(methods, Knobs(**knobs))


def test_the_cost_counts_contexts_of_the_examples_taken(studio, setup):
    assert calibrate.contexts_about(studio, CalibrateRequest(setup=setup)) == 4 * (26 + 1)
    three = CalibrateRequest(
        setup=setup, options=CalibrationOptions(limit=3, lambda_bs=(0.5, 1.0), ks=(2, 1))
    )
    assert calibrate.contexts_about(studio, three) == 3 * (6 + 3 * 21 + 1)
    assert calibrate.cost(studio, three) == "About 210 contexts"
    request = CompareRequest(setup=setup, rows=named("none", "rel", "fix"), limit=2)
    assert compare.contexts_at_most(studio, request) == 2 * 3
    assert compare.cost(studio, request) == "At most 6 contexts"
    studio.store.pools.create("other")
    elsewhere = CompareRequest(setup=setup, rows=named("rel"), examples="other")
    assert compare.contexts_at_most(studio, elsewhere) == 0


def test_a_cut_off_calibration_goes_on_with_the_same_request(studio, setup):
    request = CalibrateRequest(
        setup=setup,
        options=CalibrationOptions(
            seed=4,
            knobs=Knobs(seed=4),
            lambda_ds=(0.0, 0.5, 1.0),
            lambda_bs=(1.0,),
            ks=(2, 1),
            limit=3,
            margin=0.1,
            leave_out_leaks=True,
        ),
    )
    found = calibrate.run(studio, request, Watcher())
    assert calibrate.resumed(setup, found.figures.settings) == request
    again = calibrate.run(studio, calibrate.resumed(setup, found.figures.settings), Watcher())
    assert again.figures.language_model_calls == 0
    assert again.summary().cells == found.summary().cells


def test_a_cut_off_comparison_goes_on_with_the_same_request(studio, setup):
    request = CompareRequest(
        setup=setup,
        rows=(
            ComparisonRow("close", Knobs("rel", 2, seed=4)),
            ComparisonRow("mixed", Knobs("rel+div", 3, 0.2, one_per_query=True)),
            ComparisonRow("vrsd", Knobs("vrsd", 2, candidates=4, embed=Embed.QUERY_AND_ANSWER)),
        ),
        seed=4,
        limit=3,
        leave_out_leaks=True,
    )
    found = compare.run(studio, request, Watcher())
    written = ComparisonSettings.from_json(json.loads(json.dumps(found.figures.settings.to_json())))
    for settings in (found.figures.settings, written):
        again = compare.resumed(setup, settings)
        assert [(row.name, row.setting) for row in again.rows] == [
            (row.name, row.setting) for row in request.rows
        ]
        assert replace(again, rows=request.rows) == request
    assert compare.run(studio, again, Watcher()).figures.language_model_calls == 0


def test_the_latest_result_carries_its_date(studio, setup):
    assert compare.RUNS.latest(studio, "small") is None
    found = compare.run(
        studio, CompareRequest(setup=setup, rows=named("none", "rel", k=2)), Watcher()
    )
    latest = compare.RUNS.latest(studio, "small")
    run = studio.store.runs.get(found.figures.run)
    assert latest == replace(found.summary(), finished=run.updated)
    assert latest is compare.RUNS.latest(studio, "small"), "it is read once"
    assert latest.value("rel", "dpo_per_triple").mean == pytest.approx(
        found.methods["rel"].metric("dpo_per_triple").mean
    )


def test_a_renamed_pool_keeps_its_runs_and_is_used_under_its_new_name(studio, setup):
    studio.language_model(setup.model)
    request = CompareRequest(setup=setup, rows=named("none", "rel+bias", k=2), limit=2)
    job = compare.RUNS.start(studio, request)
    assert job.wait(60)
    before = compare.RUNS.latest(studio, "small")
    assert before.settings.pool == "small"
    rename(studio, "small", "renamed")
    assert compare.RUNS.job(studio, "renamed") is job
    assert compare.RUNS.latest(studio, "renamed") == before
    request = replace(request, setup=replace(setup, pool="renamed"))
    assert studio.view(request.setup).name == "renamed"
    again = compare.run(studio, request, Watcher())
    assert again.figures.settings.pool == "renamed"
    assert again.figures.language_model_calls == 0


def test_each_template_has_its_own_quality_bias_and_figures(studio, setup):
    request = CompareRequest(setup=setup, rows=named("none", "rel+bias", k=2), limit=2)
    plain = compare.run(studio, request, Watcher())
    other = replace(setup, template="question-answer")
    found = compare.run(studio, replace(request, setup=other), Watcher())
    assert (plain.figures.settings.template, found.figures.settings.template) == (
        "qa",
        "question-answer",
    )
    assert (
        plain.figures.settings.template_fingerprint != found.figures.settings.template_fingerprint
    )
    assert found.figures.language_model_calls == plain.figures.language_model_calls > 0, (
        "no figure is shared"
    )
    assert not np.allclose(studio.view(setup).quality_bias, studio.view(other).quality_bias)
    assert "template question-answer" in provenance(found.summary(), "rel")
    again = compare.resumed(setup, found.figures.settings)
    assert again.setup == other
    assert compare.run(studio, again, Watcher()).figures.language_model_calls == 0


def test_the_chat_template_is_the_models_own_or_refused(studio, setup, tmp_path):
    chat = replace(setup, template="chat")
    assert studio.template(chat).before == "", "no model is in memory yet"
    with pytest.raises(InvalidInput, match="has no chat template that can be used"):
        compare.run(studio, CompareRequest(setup=chat, rows=named("none")), Watcher())
    folder = build_tiny_language_model(tmp_path / "chatty", chat_template=CHATML, window=512)
    chat = replace(chat, model=str(folder))
    found = compare.run(
        studio, CompareRequest(setup=chat, rows=named("none", "rel", k=1)), Watcher()
    )
    assert found.figures.settings.template == "chat"
    query = QUERIES[1]
    prompt = explore(
        resolve(studio, ExploreRequest(chat, query, Knobs(method="rel", k=1), leave_out=True))
    ).prompt
    assert prompt.startswith(
        "<|im_start|>user\nAnswer the questions truthfully and briefly.\n\nQ: "
    )
    assert prompt.endswith(f"Q: {query}\nA:<|im_end|>\n<|im_start|>assistant\n")
    _, tokenizer = reference_model(folder)
    message = prompt.removeprefix("<|im_start|>user\n").partition("<|im_end|>")[0]
    user = [{"role": "user", "content": message}]
    assert prompt == tokenizer.apply_chat_template(user, tokenize=False, add_generation_prompt=True)
    place = [example.query for example in found.examples].index(query)
    for scored, answer in zip(
        found.methods["rel"].outcomes[place].scores.correct,
        found.examples[place].answers,
        strict=True,
    ):
        assert scored == pytest.approx(reference_log_prob(folder, prompt, answer), abs=1e-3)


def test_only_a_run_that_nobody_ends_counts_as_cut_off(studio, setup):
    runs, pool_id = studio.store.runs, studio.store.pools.get("small").id
    assert compare.RUNS.unfinished(studio, "small") is None
    settings = comparison_settings()
    runs.start("evaluate", pool_id, settings.to_json())
    assert compare.RUNS.unfinished(studio, "small") == settings
    assert calibrate.RUNS.unfinished(studio, "small") is None
    go_on = threading.Event()
    busy = replace(compare.RUNS, run=lambda studio, request, watcher: go_on.wait(60))
    job = busy.start(studio, CompareRequest(setup=setup, rows=named("none", "rel")))
    assert compare.RUNS.unfinished(studio, "small") is None
    go_on.set()
    assert job.wait(60)
    assert compare.RUNS.unfinished(studio, "small") == settings


def test_views_by_two_embeddings_are_of_one_version_though_the_pool_is_edited_meanwhile(
    studio, setup
):
    added = []

    def edit_once(done, total):
        if not added:
            pool = studio.store.pools.get("small").id
            added.extend(studio.store.demonstrations.add(pool, [Draft("Is it new?", "Yes")]).ids)

    watcher = Watcher(on_progress=edit_once)
    view = embedded(studio, setup, list(Embed), watcher)
    other = view.embedded_by(Embed.QUERY_AND_ANSWER)
    assert view.queries == other.queries == (*(q for q in QUERIES for _ in range(2)), "Is it new?")
    assert view.version == other.version == studio.store.pools.get("small").version


@pytest.fixture
def compared(studio, setup):
    request = CompareRequest(setup=setup, rows=named("none", "rel", "rel+div", k=2, lambda_d=0.2))
    return compare.run(studio, request, Watcher())


def test_a_story_tells_what_the_run_measured(studio, compared):
    stories = Stories(studio, compared.summary())
    for place, example in enumerate(compared.examples):
        story = stories.story(example.query)
        assert [line.method for line in story.methods] == ["none", "rel", "rel+div"]
        for line in story.methods:
            outcome = compared.methods[line.method].outcomes[place]
            assert line.ids == outcome.ids == tuple(d.id for d in line.demonstrations)
            assert line.delta == pytest.approx(delta([outcome.scores]))
            assert line.dpo_per_triple == pytest.approx(dpo_per_triple([outcome.scores]))
            assert example.query not in [d.query for d in line.demonstrations]
        assert [(a.text, a.correct) for a in story.answers] == [
            *((text, True) for text in example.answers),
            *((wrong.text, False) for wrong in example.incorrect),
        ]
        rel = compared.methods["rel"].outcomes[place].scores
        got = [answer.by_method["rel"] for answer in story.answers]
        assert got == pytest.approx([*rel.correct, *rel.incorrect])
        assert story.answers[0].alone == pytest.approx(rel.correct_alone[0])


def test_a_story_tells_the_kinds_of_incorrect_answers(studio, setup):
    pool = studio.store.pools.create("kinds")
    drafts = [
        Draft(query, "No", incorrect_answers(("Maybe so", "Ask again"), ("dodge", "")))
        for query in QUERIES
    ]
    studio.store.demonstrations.add(pool.id, drafts)
    request = CompareRequest(setup=replace(setup, pool="kinds"), rows=named("none", "rel", k=2))
    summary = compare.run(studio, request, Watcher()).summary()
    table = answers_in(Stories(studio, summary).story(QUERIES[0]))
    assert table.values("kind") == ("correct", "incorrect: dodge", "incorrect")
    assert summary.kinds == ("dodge",)


def test_stories_stay_as_they_were_when_the_pool_changes(studio, compared):
    stories = Stories(studio, compared.summary())
    before = stories.story(QUERIES[0])
    used = before.methods[1].demonstrations[0]
    from core.studio.pools.demonstrations import delete

    delete(studio, [used.id])
    after = Stories(studio, compared.summary()).story(QUERIES[0])
    assert after.methods[1].demonstrations[0].answer == used.answer
    assert [a.text for a in after.answers] == [a.text for a in before.answers]


def test_the_examples_on_which_methods_differ_most_come_first(studio, compared):
    def spread(query):
        place = [example.query for example in compared.examples].index(query)
        values = [delta([m.outcomes[place].scores]) for m in compared.methods.values()]
        return max(values) - min(values)

    queries = Stories(studio, compared.summary()).queries()
    assert sorted(queries) == sorted(QUERIES)
    assert [spread(q) for q in queries] == sorted(map(spread, queries), reverse=True)


def test_another_reference_gives_the_differences_that_a_run_with_it_gives(studio, compared):
    given = compared.summary()
    other = Stories(studio, given).against("rel")
    assert other.reference == "rel"
    assert other.difference("rel", "mc1") is None
    for name in ("none", "rel+div"):
        for metric in metrics_of(generated=False):
            wanted = compared.difference(name, metric, "rel")
            got = other.difference(name, metric)
            assert astuple(got)[:3] == pytest.approx(astuple(wanted)[:3])
    assert given == compared.summary(), "the given comparison is left alone"


def test_the_points_of_a_row_are_its_differences_from_the_reference(studio, compared):
    sums = Stories(studio, compared.summary()).sums("rel+div", "rel")
    assert (sums.row, sums.reference, sums.found.metric) == ("rel+div", "rel", "dpo_per_triple")
    assert sorted(point.query for point in sums.points) == sorted(QUERIES)
    places = {example.query: place for place, example in enumerate(compared.examples)}
    for point in sums.points:
        ours, theirs = (
            compared.methods[name].outcomes[places[point.query]].scores
            for name in ("rel+div", "rel")
        )
        assert point.sums == pytest.approx(ours.cos_sum - theirs.cos_sum, abs=1e-6)
        apart = dpo_per_triple([ours]) - dpo_per_triple([theirs])
        assert point.answers == pytest.approx(apart, abs=1e-6)
    assert sums.found.rho.n == 4
    assert Stories(studio, compared.summary()).sums("rel", "none").points == ()


def test_another_reference_has_its_wins_and_correlations(studio, compared):
    given = compared.summary()
    other = Stories(studio, given).against("rel")
    assert other.pairs == given.pairs
    assert list(other.methods["rel+div"].sums) == ["none", "rel"]
    assert (
        other.methods["rel+div"].sums["rel"] == Stories(studio, given).sums("rel+div", "rel").found
    )


def test_a_run_of_a_method_that_is_not_registered_is_shown_like_any_other(studio, compared):
    given = compared.summary()
    of_rel = given.methods["rel"]
    gone = replace(of_rel, request=replace(of_rel.request, method="of another library"))
    run = replace(given, methods={**given.methods, "rel": gone})
    stories, whole = Stories(studio, run), Stories(studio, given)
    found, wanted = stories.against("none"), whole.against("none")
    assert found.difference("rel", "delta") == wanted.difference("rel", "delta")
    assert found.fronts == wanted.fronts
    assert stories.sums("rel+div", "rel") == whole.sums("rel+div", "rel")
    assert stories.story(QUERIES[1]).methods == whole.story(QUERIES[1]).methods
    assert "rel: of another library" in comparison_what(run)
    assert "of another library" in comparison_report(run)


def test_rows_for_the_tables_name_methods_answers_and_contexts(studio, compared):
    story = Stories(studio, compared.summary()).story(QUERIES[1])
    table = methods_in(story)
    assert dict(zip(table.names, table.rows[0], strict=True)) == {
        "method": "none",
        "delta": 0.0,
        "DPO per triple": pytest.approx(math.log(0.5)),
        "effect": "",
        "sameness": None,
        "left out": 0,
        "demonstrations": "none",
    }
    assert set(table.values("effect")[1:]) <= {
        *("helps", "harms", "no clear effect", "some pairs lose much"),
    }
    for line, words in zip(story.methods[1:], table.values("effect")[1:], strict=True):
        assert (words == "helps") == (line.dpo_per_triple > math.log(0.5) + 0.005)
        assert (words == "harms") == (
            line.dpo_per_triple < math.log(0.5) - 0.005 and line.delta < -0.005
        )
    answers = answers_in(story)
    assert answers.values("kind") == ("correct",) * 2 + ("incorrect",) * 2
    assert answers.names[2:] == ("alone", "none", "rel", "rel+div")
    assert context_in(story.methods[1]).values("rank") == (1, 2)


@pytest.fixture
def faq(studio, setup):
    """A comparison on a pool of which one query alone has an incorrect answer."""
    drafts = [Draft(query, f"No, said {number}") for number, query in enumerate(QUERIES)]
    drafts[2] = replace(drafts[2], incorrect=incorrect_answers(("Maybe so",)))
    studio.store.demonstrations.add(studio.store.pools.create("faq").id, drafts)
    request = CompareRequest(
        setup=replace(setup, pool="faq"), rows=named("none", "rel", "random", k=1)
    )
    return compare.run(studio, request, Watcher())


def test_the_story_of_a_query_without_incorrect_answers_is_that_of_its_correct_ones(studio, faq):
    stories = Stories(studio, faq.summary())

    def scores(query):
        place = [example.query for example in faq.examples].index(query)
        return {name: [each.outcomes[place].scores] for name, each in faq.methods.items()}

    def spread(query):
        values = [gain_per_answer(each) for each in scores(query).values()]
        return max(values) - min(values)

    first, *others = stories.queries()
    assert first == QUERIES[2], "it can be compared"
    assert [spread(q) for q in others] == sorted(map(spread, others), reverse=True)
    story = stories.story(others[0])
    table = methods_in(story)
    assert (story.has_triples, stories.story(first).has_triples) == (False, True)
    assert dict(zip(table.names, table.rows[1], strict=True)) == {
        "method": "rel",
        "gain per answer": pytest.approx(gain_per_answer(scores(others[0])["rel"])),
        "DPO without incorrect answers": pytest.approx(dpo_correct_only(scores(others[0])["rel"])),
        "sameness": None,
        "left out": 0,
        "demonstrations": str(story.methods[1].ids[0]),
    }


class Partial:
    """Represents an evaluation over the examples so far; counts how often it is summarised."""

    made = 0

    def __init__(self, done):
        self.figures = SimpleNamespace(done=done)

    def summary(self):
        Partial.made += 1
        return {"done": self.figures.done}


def test_a_live_summary_is_made_at_most_every_second_and_never_twice():
    now = [0.0]
    live = LiveSummary(lambda: now[0])
    Partial.made = 0

    def at(second, partial, job=1):
        now[0] = second
        return live.of(
            JobSnapshot(id=job, slot="slot", label="label", state="running", partial=partial)
        )

    assert at(0.0, None) is None
    assert at(0.1, Partial(1)) == {"done": 1}
    assert at(0.1 + GAP / 2, Partial(2)) == {"done": 1}
    assert at(0.2 + GAP, Partial(3)) == {"done": 3}
    assert at(99.0, Partial(3)) == {"done": 3}
    assert Partial.made == 2
    assert at(99.1, None, job=2) is None, "a new job begins with nothing"


def test_the_next_model_of_a_comparison_is_summarised_where_it_has_as_many_examples():
    now = [0.0]
    live = LiveSummary(lambda: now[0])
    snapshot = JobSnapshot(
        id=1, slot="slot", label="label", state="running", partial=Partial(3), part="first model"
    )
    Partial.made = 0
    assert (live.of(snapshot), live.of(snapshot)) == ({"done": 3}, {"done": 3})
    now[0] = 99.0
    live.of(replace(snapshot, part="second model"))
    assert Partial.made == 2


def test_a_slow_summary_leaves_the_model_time():
    now = [0.0]
    live = LiveSummary(lambda: now[0])

    class Slow(Partial):
        def summary(self):
            now[0] += 2.0
            return {"done": self.figures.done}

    def of(done):
        return live.of(
            JobSnapshot(id=1, slot="slot", label="label", state="running", partial=Slow(done))
        )

    assert of(1) == {"done": 1}
    now[0] += SHARE * 2.0 - 0.1
    assert of(2) == {"done": 1}
    now[0] += 0.2
    assert of(3) == {"done": 3}


def test_scores_come_back_from_a_row_as_they_went_in(compared):
    for outcome in compared.methods["rel"].outcomes:
        again = Outcome.from_json(outcome.to_json())
        assert (again.ids, again.left_out) == (outcome.ids, outcome.left_out)
        for part in ("correct", "incorrect", "correct_alone", "incorrect_alone"):
            np.testing.assert_array_equal(
                getattr(again.scores, part), getattr(outcome.scores, part)
            )
        assert isinstance(again.scores, AnswerScores)
