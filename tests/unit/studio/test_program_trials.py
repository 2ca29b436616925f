"""Programs over a pool: every record is kept as it comes, and a stopped run goes on."""

import json
import shutil
from dataclasses import replace

import pytest

from core.demonstration.demonstration import Status
from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.examples import examples_of, sample
from core.evaluation.results.run_figures import PoolEdits
from core.language_model.scripted.model import ScriptedLanguageModel
from core.passages.reading import read_documents
from core.passages.search import SearchBy
from core.settings import data_folder
from core.studio import Studio, passages
from core.studio.pools import pools
from core.studio.pools.demonstrations import set_status
from core.studio.programs import trials
from core.studio.programs.trial_records import (
    SCRIPTED_SAYS,
    TrialRequest,
    TrialSettings,
    TrialSoFar,
)
from core.studio.programs.trials import questions_in
from core.watcher import Watcher
from tests.support.hashing_encoder import HashingEncoder
from tests.support.trials import answers_of

REQUEST = TrialRequest(
    programs=("multi-hop", "vanilla"),
    pool="two-hop",
    passages="two-hop",
    knobs={"shots": 4, "samples": 3},
    seeds=2,
    limit=6,
    by=SearchBy.BM25,
    model="scripted",
)


class Counting(ScriptedLanguageModel):
    """Lists every prompt that it is given; `fails` raises for some of them."""

    def __init__(self):
        self.asked = []
        self.fails = lambda prompt: False

    def generate(self, requests, **callbacks):
        for request in requests:
            if self.fails(request.prompt):
                raise RuntimeError("the wire broke")
            self.asked.append(request)
        return super().generate(requests, **callbacks)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two-hop")
    with opened(folder, Counting()) as studio:
        pools.run_import(studio, pools.ImportRequest(data_folder() / "two-hop.jsonl", "two-hop"))
        passages.run_import(
            studio,
            passages.PassagesImportRequest(
                source=read_documents(data_folder() / "two-hop-passages.jsonl"),
                collection="two-hop",
            ),
        )
    return folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "workspace")


@pytest.fixture(scope="module")
def asked_nothing(made, tmp_path_factory):
    """A studio, and the model that it has not asked yet."""
    folder = shutil.copytree(made, tmp_path_factory.mktemp("copy") / "workspace")
    model = Counting()
    with opened(folder, model) as studio:
        yield studio, model


def opened(folder, model):
    return Studio.open(
        folder, load_encoder=lambda name=None: HashingEncoder(), load_model=lambda name: model
    )


def pool_id(studio):
    return studio.store.pools.get("two-hop").id


def test_what_a_run_is_made_with_and_what_it_gives(folder):
    model = Counting()
    with opened(folder, model) as studio:
        seen = []
        watcher = Watcher(
            on_progress=lambda done, total: seen.append((done, total)), on_phase=seen.append
        )
        report = trials.run(studio, REQUEST, watcher)
        pool = studio.store.pools.get("two-hop")
        order = sample(examples_of(studio.store.demonstrations.all(pool.id)), 6)
        (kept,) = studio.store.runs.latest("trial", pool_id(studio))
    settings = TrialSettings.from_json(json.loads(json.dumps(kept.settings)))
    assert settings == TrialSettings(REQUEST, replace(report.basis, run=0))
    basis, trial = report.basis, report.trial
    assert (basis.questions, basis.seeds, basis.shots, basis.model) == (6, 2, 4, "scripted")
    assert basis.drawn == 4
    assert (basis.passages, basis.by, basis.encoder, basis.run) == ("two-hop", "bm25", None, 1)
    assert (basis.pool_version, basis.sampling) == (pool.version, 0.7)
    assert seen == ["embedding", "examples", *((done, 14) for done in range(1, 15))]
    asked = [each.question for each in answers_of(trial, "vanilla")]
    assert asked == [each.query for each in [*order[0::2], *order[1::2]]]
    assert all(each.answers == (each.answers[0],) and each.id.isdigit() for each in trial.answers)
    assert {request.n for request in model.asked} == {1, 3, 10}
    assert trial.cost.calls == len(model.asked)
    assert report.notes == (SCRIPTED_SAYS,)


def test_a_run_again_asks_nothing_and_gives_the_same(folder):
    first, second = Counting(), Counting()
    with opened(folder, first) as studio:
        once = trials.run(studio, REQUEST)
    with opened(folder, second) as studio:
        again = trials.run(studio, REQUEST)
        assert again == once
        assert second.asked == []
        (kept,) = studio.store.runs.latest("trial", pool_id(studio))
        assert kept.state == "finished"
        assert list(studio.store.runs.numbered_rows(kept.id)) == list(range(14))
        other = trials.run(studio, TrialRequest(**{**vars(REQUEST), "sampling": 1.0}))
        assert other.basis.run == 2


def test_a_killed_run_goes_on_where_it_stopped(folder, made, tmp_path):
    """It is cut off within a question, twice: what the model wrote for it is kept too."""
    whole, parts = Counting(), []
    with opened(shutil.copytree(made, tmp_path / "whole"), whole) as studio:
        expected = trials.run(studio, REQUEST)

    def kill(model, after):
        def killed(prompt):
            if len(model.asked) == after:
                raise KeyboardInterrupt
            return False

        model.fails = killed
        return model

    for after in (2, 24):
        parts.append(kill(Counting(), after))
        with opened(folder, parts[-1]) as studio, pytest.raises(KeyboardInterrupt):
            trials.run(studio, REQUEST)
        assert len(parts[-1].asked) == after
    parts.append(Counting())
    with opened(folder, parts[-1]) as studio:
        found = trials.run(studio, REQUEST)
    assert found == expected
    assert [each for part in parts for each in part.asked] == whole.asked
    assert len(whole.asked) == len(set(whole.asked))


def test_a_cancelled_run_keeps_its_records(folder):
    done = []
    watcher = Watcher(
        on_progress=lambda now, total: done.append(now), cancelled=lambda: len(done) >= 5
    )
    model = Counting()
    with opened(folder, model) as studio:
        with pytest.raises(Cancelled):
            trials.run(studio, REQUEST, watcher)
        (kept,) = studio.store.runs.latest("trial", pool_id(studio))
        assert (kept.state, len(studio.store.runs.rows(kept.id))) == ("cancelled", 5)
        asked = len(model.asked)
        trials.run(studio, REQUEST)
        assert len(model.asked) == len(set(model.asked)) > asked


def test_a_question_that_failed_is_asked_again_the_next_time(folder):
    model = Counting()
    with opened(folder, model) as studio:
        asked = questions_in(studio, "two-hop")[0].question
        model.fails = lambda prompt: prompt.endswith(f"Question: {asked}\nAnswer:")
        first = trials.run(studio, REQUEST)
        assert [each.errors for each in first.trial.rows] == [0, 1]
        assert (
            "Questions that failed and count as wrong: 1 of 12; the first one: " in first.notes[1]
        )
        (kept,) = studio.store.runs.latest("trial", pool_id(studio))
        assert kept.state == "finished"
        so_far = trials.RUNS.latest(studio, "two-hop")
        assert so_far.report == first, "the question that failed counts as wrong until then"
        assert len(so_far.records) == 13, "and it is no record to go on with"
        model.fails = lambda prompt: False
        asked_before = len(model.asked)
        second = trials.run(studio, REQUEST)
        assert len(model.asked) == asked_before + 1
        assert (second.trial.rows[1].errors, second.basis.run) == (0, first.basis.run)
        model.fails = lambda prompt: True
        vanilla = TrialRequest(
            programs=("vanilla",), pool="two-hop", model="scripted", seeds=1, limit=2
        )
        with pytest.raises(InvalidInput, match="Every question failed; the first one: RuntimeErr"):
            trials.run(studio, vanilla)


def test_both_ends_of_what_can_be_given(folder):
    with opened(folder, Counting()) as studio:
        one = trials.run(studio, changed(programs=("vanilla",), limit=1, seeds=5, knobs={}))
        assert (one.basis.questions, one.basis.seeds) == (1, 1)
        assert one.notes[1] == "There are fewer questions than seeds: 1 of 5 seeds have one."
        everything = trials.run(studio, changed(programs=("vanilla",), limit=None, seeds=1))
        assert everything.trial.rows[0].em.n == 48
        none = trials.run(studio, changed(programs=("vanilla",), knobs={"shots": 0}))
        assert "unknown" in {each.pred for each in none.trial.answers}
        many = trials.run(studio, changed(programs=("vanilla",), knobs={"shots": 60}))
        assert many.notes[1] == "The pool has fewer than 60 training examples: 48 were drawn."
        raw = trials.run(studio, changed(knobs={"augmented": 0}))
        assert raw.trial.rows[0].attempts == 0
        assert len(raw.trial.demonstrations[0].annotated.raw) == 16


def changed(**values):
    return TrialRequest(**{**vars(REQUEST), "knobs": {}, **values})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"programs": ("conversational",)}, "the queries of a pool have no earlier turns; choose"),
        ({"passages": None}, "multi-hop searches for passages: name a collection of them"),
        ({"passages": "nothing"}, "nothing"),
        ({"programs": ("hop",)}, "There is no program 'hop': choose vanilla"),
        ({"pool": "nothing"}, "nothing"),
        ({"limit": 0}, "The limit of questions is 0; give 1 or more, or none for all"),
        ({"seeds": 0}, "The number of seeds is 0; give 1 or more"),
        ({"sampling": -1.0}, "temperature is -1.0; it must be 0 to 100"),
        ({"max_new_tokens": 0}, "max_new_tokens is 0; it must be 1 or more"),
        ({"knobs": {"samples": 0}}, "samples is 0; it must be 1 or more"),
        ({"programs": ("vanilla",), "knobs": {"k": 1}}, "k was given, which vanilla does not have"),
    ],
)
def test_mistakes_are_refused_before_anything_is_asked(asked_nothing, values, message):
    studio, model = asked_nothing
    with pytest.raises(InvalidInput, match=message):
        trials.run(studio, changed(**values))
    assert model.asked == []


def test_a_pool_without_questions_is_refused(folder, tmp_path):
    empty = tmp_path / "excluded.jsonl"
    empty.write_text(json.dumps({"query": "a", "answer": "b", "status": "excluded"}))
    with opened(folder, Counting()) as studio:
        pools.run_import(studio, pools.ImportRequest(empty, "empty"))
        with pytest.raises(InvalidInput, match="'empty' has no demonstration that is included"):
            trials.run(studio, changed(pool="empty"))


def test_answers_come_with_the_best_first(folder, tmp_path):
    rows = [{"query": "q", "answers": ["a", "b"], "best": "b"}]
    file = tmp_path / "best.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    with opened(folder, Counting()) as studio:
        pools.run_import(studio, pools.ImportRequest(file, "best"))
        (question,) = questions_in(studio, "best")
        ids = [
            each.id for each in studio.store.demonstrations.all(studio.store.pools.get("best").id)
        ]
    assert (question.question, question.answers) == ("q", ("b", "a"))
    assert question.get("id") == str(min(ids))


def test_one_question_of_the_pool_has_its_answers_and_one_of_ones_own_has_none(asked_nothing):
    studio, _ = asked_nothing
    known = questions_in(studio, "two-hop")[3]
    own = replace(REQUEST, question=f"  {known.question.upper()} ", limit=None, seeds=5)
    report = trials.run(studio, own)
    assert [each.question for each in report.trial.answers] == [known.question] * 2
    assert {each.answers for each in report.trial.answers} == {known.answers}
    assert report.trial.judged
    assert (report.basis.questions, report.basis.seeds) == (1, 1)
    assert report.notes == (SCRIPTED_SAYS,), "one question has one seed, which is nothing to mind"
    shown = [example for made in report.trial.demonstrations
             for example in (*made.annotated.raw, *made.annotated.augmented)]  # fmt: skip
    assert known.question not in {example.question for example in shown}
    strange = trials.run(studio, replace(REQUEST, question="Where is Ys?"))
    assert [each.answers for each in strange.trial.answers] == [(), ()]
    assert not strange.trial.judged
    assert {each.scores.em for each in strange.trial.answers} == {0.0}
    assert all(each.pred and each.steps for each in strange.trial.answers)
    with pytest.raises(InvalidInput, match="The question is empty"):
        trials.run(studio, replace(REQUEST, question=" "))


def test_a_page_reads_what_a_trial_has_so_far_and_what_came_out(folder):
    with opened(folder, Counting()) as studio:
        assert trials.RUNS.latest(studio, "two-hop") is None
        job = trials.RUNS.start(studio, REQUEST)
        assert job.wait(60)
        found = trials.RUNS.latest(studio, "two-hop")
        assert found.report == job.result
        assert found.settings == TrialSettings(REQUEST, found.report.basis)
        assert found.answers == found.report.trial.answers
        first, last = found.answers[0], found.answers[-1]
        assert found.demonstrations_of(first) == found.report.trial.demonstrations[0]
        assert found.demonstrations_of(last) is None, "vanilla makes none"
    with opened(folder, Counting()) as studio:
        assert trials.RUNS.latest(studio, "two-hop") == found, "also after a restart"
        assert trials.RUNS.latest(studio, "two-hop") is trials.RUNS.latest(studio, "two-hop")
        assert trials.edits(studio, found) is None
        set_status(studio, [1], Status.EXCLUDED)
        assert trials.edits(studio, found) == PoolEdits(1)
        studio.store.demonstrations.add_to_named("other", [])
        assert trials.RUNS.latest(studio, "other") is None


def test_what_a_stopped_trial_answered_is_there_without_scores(folder):
    seen = []
    watcher = Watcher(on_partial=seen.append, cancelled=lambda: len(seen) >= 5)
    with opened(folder, Counting()) as studio, pytest.raises(Cancelled):
        trials.run(studio, REQUEST, watcher)
    assert [len(each.records) for each in seen] == [1, 2, 3, 4, 5]
    with opened(folder, Counting()) as studio:
        found = trials.RUNS.latest(studio, "two-hop")
        assert found == TrialSoFar(seen[-1].settings, seen[-1].records)
        assert found.report is None
        assert trials.RUNS.start(studio, found.settings.request).wait(60)
        again = trials.RUNS.latest(studio, "two-hop")
        assert again.settings.basis.run == found.settings.basis.run
        assert again.records[:5] == found.records
