"""What the model itself answers: both texts, their verdicts, and what is written so far."""

import threading

import pytest

from core.demonstration.demonstration import incorrect_answers
from core.engines import LocalEngine, StoredEngine
from core.errors import NotComputed
from core.evaluation.results.own_answer import AnswerVerdict, own_answer
from core.generation import GenerationRequest
from core.language_model import TEMPLATES
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.explore.effect import Written, own_answers
from core.studio.explore.exploration import ExploreRequest, explore, resolve
from core.studio.explore.latest import LatestResults
from tests.unit.evaluation.fake_language_model import FakeLanguageModel
from tests.unit.studio.exploring import QUERY, drafts, wait_for

QA = TEMPLATES["qa"]
NEXT = ExploreRequest(Setup("small", model="fake"), "Is the sun made of cheese?", Knobs("rel", 1))


class Waiting(FakeLanguageModel):
    """A model that shows the first half of each text and then waits for `go_on`."""

    def __init__(self):
        super().__init__()
        self.go_on = threading.Event()

    def generate(self, requests, *, on_text=None, **callbacks):
        found = super().generate(requests, **callbacks)
        for request, (text,) in zip(requests, found, strict=True):
            if on_text is not None:
                on_text(request.prompt, 0, text.text[: len(text.text) // 2])
        while not self.go_on.wait(0.01):
            super().generate(requests[:1], **callbacks)  # raises where it was cancelled
        return found


@pytest.fixture
def model():
    return Waiting()


@pytest.fixture
def studio(tmp_path, encoder, model, workspace_with):
    workspace_with(tmp_path / "workspace", "small", drafts())
    with Studio.open(
        tmp_path / "workspace",
        load_encoder=lambda name: encoder,
        load_model=lambda name: model,
    ) as opened:
        yield opened


@pytest.fixture
def latest(studio):
    return LatestResults(studio, pause=0.0)


def answered(latest, studio, request=NEXT):
    found = explore(resolve(studio, request))
    return wait_for(lambda: latest.answers(resolve(studio, request), found.prompt).answers)


def test_both_texts_are_greedy_up_to_where_a_demonstration_would_begin(studio, model):
    model.go_on.set()
    prompt = explore(resolve(studio, NEXT)).prompt
    found = own_answers(NEXT, studio.engine(NEXT.setup), prompt)
    alone = QA.prompt([], NEXT.query)
    requests = [GenerationRequest(each, stop=("\nQ:",)) for each in (prompt, alone)]
    after, without = (texts[0] for texts in FakeLanguageModel().generate(requests))
    for own, wanted in ((found.after, after), (found.alone, without)):
        assert own == own_answer(wanted, (), ())
        assert (own.tokens, own.log_prob) == (len(wanted.tokens), wanted.log_prob)
        assert own.log_prob_per_token == wanted.log_prob_per_token
    assert (found.after.text, found.alone.text) == (model.answer_to(prompt), "nothing")
    assert found.after.verdict is found.alone.verdict is AnswerVerdict.UNJUDGED


def test_the_verdicts_are_by_the_querys_own_answers(studio, model):
    model.go_on.set()
    prompt = explore(resolve(studio, NEXT)).prompt
    request = ExploreRequest(
        NEXT.setup,
        NEXT.query,
        NEXT.knobs,
        answers=(f"  {model.answer_to(prompt).upper()}!",),
        incorrect=incorrect_answers(["Nothing."]),
    )
    found = own_answers(request, studio.engine(request.setup), prompt)
    assert (found.after.verdict, found.alone.verdict) == ("correct", "incorrect")


def test_what_is_not_stored_is_not_generated_by_an_engine_that_only_reads(studio, model):
    model.go_on.set()
    prompt = explore(resolve(studio, NEXT)).prompt
    stored = StoredEngine(studio.store, model.fingerprint, QA)
    with pytest.raises(NotComputed):
        own_answers(NEXT, stored, prompt)
    computed = own_answers(NEXT, LocalEngine(studio.store, model, QA), prompt)
    assert own_answers(NEXT, stored, prompt) == computed


def test_without_a_model_in_memory_nothing_is_asked(studio, latest):
    found = explore(resolve(studio, NEXT))
    now = latest.answers(found.resolved, found.prompt)
    assert (now.answers, now.job, now.written) == (None, None, Written())
    assert now.complete


def test_what_is_written_so_far_is_shown_and_the_answers_come(studio, latest, model):
    studio.language_model("fake")
    found = explore(resolve(studio, NEXT))
    text = f" {model.answer_to(found.prompt)}"
    wanted = Written(text[: len(text) // 2].strip(), "noth"[:3])

    def now():
        return latest.answers(found.resolved, found.prompt)

    wait_for(lambda: now().written == wanted)
    assert (now().answers, now().complete) == (None, False)
    model.go_on.set()
    answers = wait_for(lambda: now().answers)
    assert answers.after.text == text.strip()
    assert wait_for(lambda: now().complete)


def test_answers_that_are_stored_come_without_a_job_in_another_window(studio, latest, model):
    model.go_on.set()
    studio.language_model("fake")
    first = answered(latest, studio)
    generated = list(model.generated)
    found = explore(resolve(studio, NEXT))
    now = LatestResults(studio).answers(found.resolved, found.prompt)
    assert (now.answers, now.job) == (first, None)
    assert model.generated == generated


def test_another_query_takes_the_place_of_one_that_is_being_answered(studio, latest, model):
    studio.language_model("fake")
    slow = explore(resolve(studio, NEXT))
    now = latest.answers(slow.resolved, slow.prompt)
    first = studio.model_worker.latest(now.job.slot)
    wait_for(lambda: latest.answers(slow.resolved, slow.prompt).written != Written())
    other = ExploreRequest(NEXT.setup, QUERY, NEXT.knobs)
    found = explore(resolve(studio, other))
    latest.answers(found.resolved, found.prompt)
    assert wait_for(lambda: first.state == "cancelled")
    model.go_on.set()
    assert wait_for(lambda: latest.answers(found.resolved, found.prompt).answers)


def test_what_was_stopped_starts_again_when_asked_to(studio, latest, model):
    studio.language_model("fake")
    found = explore(resolve(studio, NEXT))
    wait_for(lambda: latest.answers(found.resolved, found.prompt).written != Written())
    now = latest.answers(found.resolved, found.prompt)
    studio.model_worker.latest(now.job.slot).cancel()
    ended = wait_for(lambda: latest.answers(found.resolved, found.prompt).complete)
    assert ended
    assert latest.answers(found.resolved, found.prompt).answers is None
    model.go_on.set()
    latest.try_again()
    assert wait_for(lambda: latest.answers(found.resolved, found.prompt).answers)
