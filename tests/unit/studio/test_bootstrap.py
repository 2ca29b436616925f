"""Bootstrap: attempts are kept as they come, nothing is asked twice, what is right is kept once."""

import re

import pytest

from core.demonstration.demonstration import Draft, EvaluationExample, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.language_model import TEMPLATES, Template
from core.programs.run import Reason
from core.retrieval.knobs import Knobs
from core.store import PassageDraft
from core.studio import Studio
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.programs.attempts import Bootstrap, BootstrapSettings, KeptAttempts, Tried, keep
from core.studio.programs.bootstrap import RUNS, BootstrapRequest, resumed, run
from core.studio.programs.choices import CHOICES, find_choice, in_parts
from core.studio.session.studio import Setup
from core.watcher import Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

CAPITALS = {
    "France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Norway": "Oslo", "Peru": "Lima",
    "Cuba": "Havana",
}  # fmt: skip
POOL = [Draft(f"The capital of {land}?", CAPITALS[land]) for land in ("France", "Italy", "Spain")]
NEW = [
    Draft("The capital of Norway?", "oslo", incorrect_answers(["Bergen"], ["larger"])),
    Draft("The capital of Norway?", "Oslo!", best=True),
    Draft("The capital of Peru?", "Lima"),
    Draft("The capital of Cuba?", "Trinidad"),
]


class Knowing(FakeLanguageModel):
    """Knows the capitals, and writes them in whatever prompt; for some lands it breaks down."""

    def __init__(self, *, broken=(), allowed=1_000):
        super().__init__()
        self.broken, self.allowed = set(broken), allowed

    def answer_to(self, prompt):
        land = re.findall(r"capital of (\w+)\?", prompt)[-1]
        if land in self.broken:
            raise RuntimeError(f"{land} is too far")
        if len(self.generated) > self.allowed:
            raise KeyboardInterrupt
        if prompt.endswith("step by step."):
            return f"{land} has one city that counts.\n\nAnswer: {CAPITALS[land]}"
        return CAPITALS[land]


@pytest.fixture
def model():
    return Knowing()


@pytest.fixture
def load_model(model):
    return lambda name: model


@pytest.fixture
def pool_drafts():
    return POOL


@pytest.fixture
def more(studio):
    """The pool whose queries are tried."""
    return studio.store.demonstrations.add_to_named("more", NEW)[0]


@pytest.fixture
def manual(studio):
    texts = ["Oslo is the capital of Norway.", "Peru has mountains.", "Rome | is in Italy."]
    drafts = [PassageDraft(text, "Lands") for text in texts]
    return studio.store.passages.add("manual", drafts).collection


def request(**asked):
    return BootstrapRequest(setup=Setup("small", model="fake"), **{"examples": "more", **asked})


def reasons(found):
    return {each.example.query.split()[-1][:-1]: each.reason for each in found.tried}


def test_the_nearest_demonstrations_are_shown_in_the_pools_prompt(studio, more, model):
    found = run(studio, request(shots=2), Watcher())
    assert reasons(found) == {"Norway": "kept", "Peru": "kept", "Cuba": "answer wrong"}
    assert found.outcomes == {"kept": 2, "answer wrong": 1}
    assert (found.run, found.finished, found.settings.queries) == (1, True, 3)
    peru = next(each for each in found.tried if "Peru" in each.example.query)
    (step,) = peru.attempt.step.children
    assert step.prompt.startswith("Q: The capital of ")
    assert step.prompt.endswith("\n\nQ: The capital of Peru?\nA:")
    assert step.prompt.count("\nA: ") == 2
    assert [part.kind.value for part in step.parts] == ["raw", "raw", "query"]
    explored = explore(
        resolve(studio, ExploreRequest(request().setup, "The capital of Peru?", Knobs("rel", 2)))
    )
    assert step.prompt == explored.prompt
    assert (peru.predicted, peru.rationale, peru.passages) == ("Lima", "", ())


def test_the_same_request_is_the_same_run_and_asks_nothing(studio, more, model):
    first = run(studio, request(), Watcher())
    asked = list(model.generated)
    assert len(asked) == 3
    assert run(studio, request(), Watcher()) == first
    assert model.generated == asked
    assert RUNS.latest(studio, "small") == first
    other = run(studio, request(shots=1), Watcher())
    assert (other.run, other.settings.shots) == (2, 1)
    assert RUNS.latest(studio, "small") == other
    studio.store.demonstrations.add_to_named("small", [Draft("The capital of Chad?", "N'Djamena")])
    assert run(studio, request(), Watcher()).run == 3


def test_the_pools_own_queries_do_without_their_own_demonstrations(studio, model):
    found = run(studio, request(examples=None, shots=3), Watcher())
    assert reasons(found) == dict.fromkeys(("France", "Italy", "Spain"), "kept")
    for each in found.tried:
        (step,) = each.attempt.step.children
        assert step.prompt.count(each.example.query) == 1
        assert step.prompt.count("\nA: ") == 2


def test_no_more_queries_are_tried_than_are_wanted(studio, more, model):
    one = run(studio, request(annotate=1), Watcher())
    assert len(one.right) == 1
    assert one.tried[-1].kept
    assert one.finished
    assert len(run(studio, request(annotate=9), Watcher()).tried) == 3
    assert len(model.generated) == 3
    two = run(studio, request(limit=2), Watcher())
    assert [each.example for each in two.tried] == [
        each.example for each in run(studio, request(), Watcher()).tried[:2]
    ]
    for wrong in ({"annotate": 0}, {"limit": 0}):
        with pytest.raises(InvalidInput, match="give 1 or more"):
            run(studio, request(**wrong), Watcher())


def test_a_run_that_was_killed_goes_on_and_nothing_is_asked_twice(studio, more, model):
    model.allowed = 1
    with pytest.raises(KeyboardInterrupt):
        run(studio, request(), Watcher())
    half = RUNS.latest(studio, "small")
    assert (len(half.tried), half.finished) == (1, False)
    assert resumed(request().setup, half.settings) == request(shots=6)
    model.allowed = 1_000
    killed_at = model.generated[1:]
    model.generated.clear()
    whole = run(studio, resumed(request().setup, half.settings), Watcher())
    assert (whole.run, len(whole.tried), whole.finished) == (half.run, 3, True)
    assert whole.tried[0] == half.tried[0]
    assert model.generated[:1] == killed_at
    assert len(model.generated) == len(set(model.generated)) == 2


def test_a_run_that_was_stopped_goes_on_after_a_restart(studio, more, model, encoder, tmp_path):
    calls = []

    def stopped_after(done, total):
        calls.append((done, total))

    watcher = Watcher(on_progress=stopped_after, cancelled=lambda: len(calls) >= 2)
    studio.view(request().setup)
    run_of = request(program="vanilla")
    with pytest.raises(Cancelled):
        run(studio, run_of, watcher)
    assert calls == [(1, 3), (2, 3)]
    studio.close()
    with Studio.open(
        tmp_path / "workspace", load_encoder=lambda name: encoder, load_model=lambda name: model
    ) as again:
        assert len(RUNS.latest(again, "small").tried) == 2
        assert len(run(again, run_of, Watcher()).tried) == 3
    assert len(model.generated) == len(set(model.generated)) == 3


def test_an_attempt_that_failed_says_why_and_is_made_again(studio, more, model):
    model.broken = {"Peru"}
    first = run(studio, request(), Watcher())
    assert reasons(first) == {"Norway": "kept", "Peru": "error", "Cuba": "answer wrong"}
    (peru,) = [each for each in first.tried if each.attempt.reason is Reason.ERROR]
    assert peru.attempt.message == "RuntimeError: Peru is too far"
    model.broken = set()
    model.generated.clear()
    again = run(studio, request(), Watcher())
    assert (again.run, reasons(again)["Peru"]) == (first.run, "kept")
    assert len(model.generated) == 1
    assert RUNS.latest(studio, "small") == again


def test_a_job_in_the_background_publishes_the_attempts_so_far(studio, more):
    job = RUNS.start(studio, request())
    assert job.wait(60)
    assert (job.state, job.error) == ("finished", None)
    assert RUNS.job(studio, "small") is job
    assert job.result == RUNS.latest(studio, "small")
    assert job.partial.tried == job.result.tried
    assert (job.done, job.total) == (3, 3)


def test_the_latest_is_the_one_that_was_asked_for_last(studio, more):
    def done(**asked):
        job = RUNS.start(studio, request(**asked))
        assert job.wait(60)
        return job.result

    first, second = done(seed=1), done(seed=2)
    assert RUNS.latest(studio, "small") == second != first
    assert done(seed=1) == first
    assert RUNS.latest(studio, "small") == first
    assert RUNS.latest(studio, "small") is RUNS.latest(studio, "small"), "it is read once"


def test_queries_may_come_from_a_file(studio, tmp_path, model):
    file = tmp_path / "new.csv"
    file.write_text("query,answer,incorrect\nThe capital of Peru?,Lima,Cusco\nWhy?,So.,\n")
    model.broken = {"?"}
    found = run(studio, request(examples=None, file=file, limit=1, seed=1), Watcher())
    every = run(studio, request(examples=None, file=file), Watcher())
    assert len(found.tried) == 1
    assert {each.example for each in every.tried} == {
        EvaluationExample("The capital of Peru?", ("Lima",), incorrect_answers(["Cusco"])),
        EvaluationExample("Why?", ("So.",), ()),
    }
    with pytest.raises(InvalidInput, match="from pool 'more' and from .*new.csv; name one"):
        run(studio, request(file=file), Watcher())


def test_a_program_with_passages_keeps_rationale_and_evidence(studio, more, manual):
    found = run(studio, request(program="open-domain", passages="manual"), Watcher())
    assert reasons(found) == {"Norway": "kept", "Peru": "search failed", "Cuba": "search failed"}
    (norway,) = found.right
    assert norway.rationale == "Norway has one city that counts."
    assert "Lands | Oslo is the capital of Norway." in norway.passages
    assert found.written_by == "open-domain with fake, passages manual, run 1"
    keep(studio, found, to="made")
    (row,) = studio.store.demonstrations.all(studio.store.pools.get("made").id)
    assert (row.rationale, row.passages_shown) == (norway.rationale, norway.passages)


def test_what_is_right_is_kept_with_the_accepted_answer_and_only_once(studio, more):
    found = run(studio, request(), Watcher())
    kept = keep(studio, found)
    pool = studio.store.pools.get("small")
    rows = studio.store.demonstrations.all(pool.id)[3:]
    assert kept == KeptAttempts("small", tuple(row.id for row in rows), (), 0)
    by_query = {row.query: row for row in rows}
    assert set(by_query) == {"The capital of Norway?", "The capital of Peru?"}
    norway = by_query["The capital of Norway?"]
    assert (norway.answer, norway.written_by) == ("oslo", "nearest with fake, run 1")
    assert norway.incorrect == incorrect_answers(["Bergen"], ["larger"])
    assert keep(studio, found) == KeptAttempts("small", (), (), 2)
    assert studio.store.pools.get("small").edition == pool.edition
    assert [a.what for a in studio.store.history.actions(pool.id)][0] == "bootstrap: run 1"
    studio.store.history.undo(studio.store.history.actions(pool.id)[0].id)
    assert len(studio.store.demonstrations.all(pool.id)) == 3


def test_a_demonstration_that_is_there_gets_what_it_lacks_and_no_more(studio, more, manual):
    found = run(studio, request(program="open-domain", passages="manual"), Watcher())
    (right,) = found.right
    kept = keep(studio, found, to="more")
    assert (kept.added, kept.there, len(kept.completed)) == ((), 0, 1)
    (row,) = studio.store.demonstrations.by_ids(kept.completed)
    assert (row.answer, row.rationale) == ("oslo", right.rationale)
    assert row.written_by == found.written_by
    assert studio.view(Setup("more")).writers == {row.id: found.written_by}
    assert keep(studio, found, to="more") == KeptAttempts("more", (), (), 1)
    plain = run(studio, request(), Watcher())
    assert keep(studio, plain, to="more") == KeptAttempts("more", (), (), 2)


def test_only_attempts_that_came_out_right_can_be_kept(studio, more):
    found = run(studio, request(), Watcher())
    (wrong,) = [each.number for each in found.tried if not each.kept]
    with pytest.raises(InvalidInput, match=rf"Attempt {wrong} was rejected \(answer wrong\)"):
        keep(studio, found, [wrong])
    with pytest.raises(InvalidInput, match="Run 1 has no attempt 7"):
        keep(studio, found, [7])
    nothing = Bootstrap(4, found.settings, (), finished=True)
    with pytest.raises(InvalidInput, match="Run 4 has nothing that came out right"):
        keep(studio, nothing)
    assert len(studio.store.demonstrations.all(studio.store.pools.get("small").id)) == 3
    one = found.right[0].number
    assert len(keep(studio, found, [one, one]).added) == 1


def test_explore_says_which_program_wrote_a_demonstration(studio, more):
    keep(studio, run(studio, request(), Watcher()))
    asked = ExploreRequest(request().setup, "The capital of Norway?", Knobs("rel", 5))
    picks = explore(resolve(studio, asked)).picks
    assert {pick.query.split()[-1]: pick.written_by for pick in picks} == {
        "France?": "", "Italy?": "", "Spain?": "",
        "Norway?": "nearest with fake, run 1", "Peru?": "nearest with fake, run 1",
    }  # fmt: skip


def test_what_is_recorded_is_read_back(studio, more):
    found = run(studio, request(), Watcher())
    for each in found.tried:
        assert Tried.from_json(each.to_json()) == each
    assert BootstrapSettings.from_json(found.settings.to_json()) == found.settings


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"program": "hop"}, "There is no program 'hop'; choose one of nearest, vanilla"),
        ({"program": "self-ask", "passages": "manual", "shots": 2}, "2 demonstrations were asked"),
        ({"shots": -1}, "give a number from 0"),
        ({"program": "self-ask"}, "searches passages: name a collection"),
        ({"program": "vanilla", "passages": "manual"}, "searches no passages: name none"),
        ({"examples": "empty"}, "Pool 'empty' has no query with an answer"),
    ],
)
def test_what_does_not_go_together_is_refused(studio, more, manual, asked, sentence):
    studio.store.pools.create("empty")
    with pytest.raises(InvalidInput, match=sentence):
        run(studio, request(**asked), Watcher())
    assert RUNS.latest(studio, "small") is None


def test_every_program_of_a_bootstrap_is_called_with_what_it_needs(studio, more, manual):
    for name, choice in CHOICES.items():
        passages = "manual" if choice.searches else None
        assert find_choice(name, choice.shots, passages) is choice
        found = run(studio, request(program=name, passages=passages, limit=1), Watcher())
        assert [each.attempt.reason is Reason.ERROR for each in found.tried] == [False], name
        assert found.settings.shots == choice.shots


@pytest.mark.parametrize("name", ["qa", "qa-instruction", "question-answer"])
def test_a_template_in_parts_makes_the_same_prompts(name):
    from core.programs import Example

    template, parts = TEMPLATES[name], in_parts(TEMPLATES[name])
    demos = (Example("Why?", ("So.",)), Example("Who?", ("Ann",)))
    made = parts.prompt(Example("When?"), demos)
    assert made.text == template.prompt([("Why?", "So."), ("Who?", "Ann")], "When?")


@pytest.mark.parametrize(
    "template",
    [TEMPLATES["chat"], Template("x", demonstration="{query} = {answer}", query="{query} =")],
)
def test_a_template_without_labels_is_refused(template):
    with pytest.raises(InvalidInput, match="choose the template qa, or another program"):
        in_parts(template)
