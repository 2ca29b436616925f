"""A pool's runs choose the setting of each query: method, records, refusals, what it is worth."""

from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.evaluation.runs.calibrate import CalibrationOptions
from core.evaluation.runs.crossvalidation import Payoff
from core.language_model import Abilities
from core.metrics.preference import dpo_per_triple
from core.reporting.tables.worth import setting_sentences, worth_grounds, worth_headline
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs
from core.settings import Embed
from core.studio import Setup
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.runs import calibrate, compare
from core.studio.runs.adaptive import NeighboursRequest, worth_of_choosing
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.compare import CompareRequest
from core.watcher import Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

N = 24
ROWS = {
    "near": Knobs("rel", 3),
    "words": Knobs("bm25", 2),
    "same": Knobs("fix", 4),
}


class Named(FakeLanguageModel):
    """A model of any name."""

    abilities = Abilities()

    def __init__(self, name):
        super().__init__(fingerprint=f"weights of {name}")
        self.name = name


@pytest.fixture
def load_model():
    return Named


@pytest.fixture
def pool_drafts():
    wrong = incorrect_answers(("Never", "Ask again"))
    return [Draft(f"Question {n} about thing {n % 7}?", f"Answer {n}", wrong) for n in range(N)]


SETUP = Setup("small", None, "model-a")


def run_rows(studio, rows, setup=SETUP, **options):
    request = CompareRequest(
        setup=setup, rows=tuple(ComparisonRow(n, k) for n, k in rows.items()), **options
    )
    return compare.run(studio, request, Watcher())


def asked(query, *, k=6, leave_out=False, setup=SETUP, **own):
    knobs = Knobs("neighbours", k, own_values=tuple(own.items()))
    return ExploreRequest(setup, query, knobs, leave_out=leave_out)


def context(studio, *arguments, **options):
    return explore(resolve(studio, asked(*arguments, **options)))


def test_without_a_run_it_says_what_to_run(studio):
    with pytest.raises(InvalidInput, match="'small' has no finished comparison of 2 settings"):
        context(studio, "Question?")
    with pytest.raises(InvalidInput, match="has no finished comparison"):
        run_rows(studio, {"near": ROWS["near"], "best": Knobs("neighbours")})
    assert studio.store.runs.latest("evaluate", studio.store.pools.get("small").id) == []
    with pytest.raises(InvalidInput, match="has no finished comparison"):
        compare.check(studio.view(SETUP), [ComparisonRow("best", Knobs("neighbours"))])
    run_rows(studio, {"near": ROWS["near"]})  # one setting leaves no choice
    with pytest.raises(InvalidInput, match="has no finished comparison"):
        context(studio, "Question?")


def test_a_query_gets_the_context_of_the_setting_that_did_best_on_its_neighbours(studio):
    scored = run_rows(studio, ROWS)
    view, vectors = studio.view(SETUP), {}
    for example in scored.examples:
        vectors[example.query] = studio.query_vector(None, example.query)
    query = "What is thing 3 about?"
    vector = studio.query_vector(None, query)
    near = sorted(range(N), key=lambda at: -float(vectors[scored.examples[at].query] @ vector))[:5]
    means = {
        name: dpo_per_triple([scored.methods[name].outcomes[at].scores for at in near])
        for name in ROWS
    }
    best = max(means, key=means.__getitem__)
    found = context(studio, query, nearest=5)
    expected = choose_context(view, query, vector, ROWS[best], leave_out=False)
    assert [pick.id for pick in found.picks] == expected.ids.tolist()
    assert (found.setting.name, found.setting.neighbours) == (best, 5)
    assert found.setting.mean == pytest.approx(means[best])
    assert found.setting.run == scored.figures.run
    assert found.doubts.asked == ROWS[best].k
    assert (
        f"Chosen as {best}: on the 5 nearest examples of run" in setting_sentences(found.setting)[0]
    )
    # k is the most that is shown; all neighbours are the one setting that is best over all.
    assert len(context(studio, query, k=1, nearest=5).picks) == 1
    assert context(studio, query, k=0).picks == ()
    every = context(studio, query, nearest=N)
    overall = max(ROWS, key=lambda name: scored.methods[name].metric("dpo_per_triple").mean)
    assert every.setting.name == every.setting.overall == overall


def test_an_example_is_never_among_its_own_neighbours(studio):
    run_rows(studio, ROWS)
    query = studio.view(SETUP).queries[0]
    for text in (query, f"  {query.upper()} "):
        assert context(studio, text, nearest=999, leave_out=True).setting.neighbours == N - 1
    assert context(studio, "Another?", nearest=999).setting.neighbours == N
    chosen = context(studio, query, nearest=1, leave_out=True)
    assert query not in {pick.query for pick in chosen.picks}


def test_a_comparison_records_the_run_that_chose(studio):
    first = run_rows(studio, ROWS)
    second = run_rows(studio, {**ROWS, "best": Knobs("neighbours", own_values=(("nearest", 3),))})
    request = second.methods["best"].request
    assert dict(request.own_values) == {"nearest": 3, "run": first.figures.run}
    kept = studio.store.runs.get(second.figures.run)
    assert kept.settings["methods"]["best"]["own"] == {"nearest": 3, "run": first.figures.run}
    for place, outcome in enumerate(second.methods["best"].outcomes):
        contexts = {second.methods[name].outcomes[place].ids for name in ROWS}
        assert outcome.ids in contexts
    # The choice was made by the first run's scores, nothing that was scored before is asked again.
    assert second.figures.language_model_calls == 0
    # Its own row is no setting of the run that is now the latest.
    assert context(studio, "Question?").setting.run == second.figures.run
    assert context(studio, "Question?").setting.name in ROWS
    assert context(studio, "Question?", run=first.figures.run).setting.run == first.figures.run


def test_runs_of_another_model_pool_or_kind_do_not_count(studio):
    run = run_rows(studio, ROWS).figures.run
    other = replace(SETUP, model="model-b")
    with pytest.raises(InvalidInput, match="with this language model and template"):
        context(studio, "Question?", setup=other)
    studio.language_model("model-b")  # by its fingerprint as well
    with pytest.raises(InvalidInput, match="with this language model and template"):
        context(studio, "Question?", setup=other)
    assert context(studio, "Question?", setup=other, run=run).setting.run == run
    studio.store.demonstrations.add(studio.store.pools.create("else").id, [Draft("Q", "A")])
    with pytest.raises(InvalidInput, match=f"Run {run} is no comparison .* of pool 'else'"):
        context(studio, "Q", setup=replace(SETUP, pool="else"), run=run)
    study = studio.store.runs.start("study", studio.store.pools.get("small").id, {})
    with pytest.raises(InvalidInput, match=f"Run {study} is no comparison"):
        context(studio, "Question?", run=study)
    with pytest.raises(InvalidInput, match="no run with the id 999"):
        context(studio, "Question?", run=999)


def test_settings_that_no_query_can_get_are_left_out(studio):
    both = {"embed": Embed.QUERY_AND_ANSWER}
    rows = {
        **ROWS,
        "asks": Knobs("mdl", own_values=(("sets", 2),)),
        "by both": Knobs("rel", **both),
        "words of both": Knobs("bm25", **both),
    }
    run = run_rows(studio, rows, limit=8).figures.run
    found = worth_of_choosing(studio, NeighboursRequest(SETUP, run, 3))
    assert [each.name for each in found.settings] == list(ROWS)
    assert found.left_out == ("asks", "by both", "words of both")
    assert worth_grounds(found)[-1].endswith("asks, by both and words of both.")
    assert context(studio, "Question?").setting.name in ROWS
    request = asked("Question?")
    request = replace(request, knobs=replace(request.knobs, **both))
    assert explore(resolve(studio, request)).setting.name in ("by both", "words of both")


def test_a_calibration_chooses_too(studio):
    options = CalibrationOptions(lambda_ds=(0.0, 0.5, 1.0), lambda_bs=(1.0,), ks=(2, 3), limit=9)
    found = calibrate.run(studio, CalibrateRequest(setup=SETUP, options=options), Watcher())
    worth = worth_of_choosing(studio, NeighboursRequest(SETUP, neighbours=2))
    assert worth.run == found.figures.run
    assert [each.name for each in worth.settings] == [
        f"k={k} lambda_d={lambda_d}" for k in (2, 3) for lambda_d in ("0", "0.5", "1")
    ]
    for use, cell in zip(worth.settings, found.cells, strict=True):
        assert use.value.mean == pytest.approx(cell.metric("dpo_per_triple").mean)
    chosen = context(studio, "Question?", nearest=2)
    k = int(chosen.setting.name[2])
    assert len(chosen.picks) == chosen.setting.k == k


def test_the_worth_is_that_of_the_run_example_by_example(studio):
    scored = run_rows(studio, ROWS)
    found = worth_of_choosing(studio, NeighboursRequest(SETUP))
    assert (found.run, found.model, found.metric) == (
        scored.figures.run,
        "model-a",
        "dpo_per_triple",
    )
    assert (found.neighbours, found.examples, found.groups, found.folds) == (22, N, N, 10)
    assert found.worth is Payoff.SAME  # 50 were asked for: all of the other folds
    assert worth_headline(found).startswith("Each query gets the setting that is best over all")
    own = [
        max(dpo_per_triple([scored.methods[name].outcomes[place].scores]) for name in ROWS)
        for place in range(N)
    ]
    assert found.ceiling.mean == pytest.approx(np.mean(own))
    assert sum(each.best for each in found.settings) == N
    near = worth_of_choosing(studio, NeighboursRequest(SETUP, neighbours=2))
    assert near.overall == found.overall
    assert near.gain.mean == pytest.approx(near.per_query.mean - near.overall.mean)
    assert "The ceiling is" in worth_grounds(near)[2]
    with pytest.raises(InvalidInput, match="nearest examples is 0"):
        worth_of_choosing(studio, NeighboursRequest(SETUP, neighbours=0))
