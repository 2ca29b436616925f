"""The model's own wrong answers as a service: asked for, accepted, refused, and kept so."""

from dataclasses import replace

import pytest

from core.curation.importing import import_file
from core.curation.suggestion import SuggestionKind, SuggestionOutcome
from core.demonstration.demonstration import Draft, IncorrectAnswer, Status, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.runs.running import RunOptions
from core.exporting import export_pool
from core.retrieval.choosing import settled
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.pools import demonstrations
from core.studio.pools.suggestions import accept, refuse, suggest, undecided
from core.studio.runs import mistakes
from core.studio.runs.mistakes import MistakesRequest
from core.watcher import Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

MILL, DOOR, BARN = "How tall is the mill?", "Who painted the door?", "Where is the barn?"
WRITTEN = {  # alone, and after a context
    MILL: ("five storeys tall", "as tall as the barn"),
    DOOR: ("Ann Lee did", "Nobody"),
    BARN: ("", "By the river"),
}
REQUEST = MistakesRequest(setup=Setup("small"), knobs=Knobs("rel", 1))


class Scripted(FakeLanguageModel):
    """It answers what `WRITTEN` has."""

    def answer_to(self, prompt):
        *shown, last = prompt.split("Q: ")
        return WRITTEN[last.split("\n")[0]][len(shown) > 1]


@pytest.fixture
def load_model():
    model = Scripted()
    return lambda *name: model


@pytest.fixture
def pool_drafts():
    return [
        Draft(MILL, "Two storeys"),
        Draft(MILL, "Six metres"),
        Draft(DOOR, "Ann Lee", incorrect_answers(("Nobody",))),
        Draft(BARN, "Behind the mill"),
    ]


def asked(studio, request=REQUEST):
    return mistakes.ask(studio, request, Watcher())


def texts(found):
    return {(each.query, each.text, each.shown) for each in found.suggestions}


def row(studio, query):
    pool = studio.store.pools.get("small")
    return next(each for each in studio.store.demonstrations.all(pool.id) if each.query == query)


def test_what_the_model_answers_wrongly_is_suggested_and_the_rest_counted(studio):
    found = asked(studio)
    assert texts(found) == {
        (MILL, "five storeys tall", 0),
        (MILL, "as tall as the barn", 1),
        (BARN, "By the river", 1),
    }
    likely = [each.log_prob for each in found.suggestions]
    assert likely == sorted(likely, reverse=True)
    assert {each.kind for each in found.suggestions} == {SuggestionKind.OWN_ANSWER}
    assert found.outcomes == {
        SuggestionOutcome.SUGGESTED: 3,
        SuggestionOutcome.CORRECT: 1,
        SuggestionOutcome.KNOWN: 1,
        SuggestionOutcome.UNFINISHED: 1,
    }
    assert (found.asked, found.total, found.skipped, found.model) == (3, 3, (), "fake")


def test_it_is_asked_in_the_background_and_tells_how_far_it_is(studio):
    assert mistakes.RUNS.job(studio, "small") is None
    job = mistakes.RUNS.start(studio, replace(REQUEST, options=RunOptions(limit=2)))
    assert job.wait(60)
    assert mistakes.RUNS.job(studio, "small") is job
    now = job.snapshot()
    assert (now.done, now.total, now.result.asked, now.partial.asked) == (2, 2, 2, 2)


def test_it_is_recorded_and_goes_on_where_it_was_stopped_or_killed(studio, load_model):
    model = load_model()
    seen = []

    def stop(so_far):
        seen.append(so_far)
        raise Cancelled("stop")

    request = replace(REQUEST, options=RunOptions(limit=3, seed=2))
    with pytest.raises(Cancelled):
        mistakes.ask(studio, request, Watcher(on_partial=stop))
    assert mistakes.RUNS.latest(studio, "small") == seen[-1]
    assert seen[-1].asked == 1
    (run,) = studio.store.runs.latest("mistakes", studio.store.pools.get("small").id)
    assert run.state == "cancelled"
    assert mistakes.RUNS.unfinished(studio, "small") is None
    studio.store.runs.set_state(run.id, "running")  # as a kill leaves it
    settings = mistakes.RUNS.unfinished(studio, "small")
    assert (settings.size, settings.model, settings.pool_version) == (
        3, "fake", studio.store.pools.get("small").version,
    )  # fmt: skip
    used = replace(request, knobs=settled(request.knobs))
    assert mistakes.resumed(REQUEST.setup, settings) == used
    before = list(model.generated)
    found = mistakes.ask(studio, mistakes.resumed(REQUEST.setup, settings), Watcher())
    assert (found.asked, mistakes.RUNS.latest(studio, "small")) == (3, found)
    assert before
    assert model.generated == before, "nothing is generated twice"


@pytest.mark.parametrize(
    ("knobs", "limit", "texts"),
    [
        (Knobs("rel", 2), None, 6),
        (Knobs("rel", 2), 2, 4),
        (Knobs("rel", 0), None, 3),
        (Knobs("none"), None, 3),
    ],
)
def test_a_query_is_answered_once_where_its_context_is_empty(studio, knobs, limit, texts):
    request = replace(REQUEST, knobs=knobs, options=RunOptions(limit=limit))
    assert mistakes.texts_at_most(studio, request) == texts


def test_one_is_accepted_for_every_demonstration_of_its_query_and_undone(studio):
    found = asked(studio)
    (tall,) = [each for each in found.suggestions if each.text == "five storeys tall"]
    action = accept(studio, [tall])
    (newest, *_) = demonstrations.history(studio, "small")
    assert newest.what == "added 1 incorrect answer that the language model gave"
    assert newest.changes == 2
    assert row(studio, MILL).incorrect == (IncorrectAnswer("five storeys tall", "model's answer"),)
    assert tall not in undecided(studio, found.suggestions)
    assert asked(studio).outcomes[SuggestionOutcome.KNOWN] == 2
    demonstrations.undo(studio, action)
    assert undecided(studio, found.suggestions) == list(found.suggestions)


def test_one_is_refused_and_not_suggested_again_until_that_is_undone(studio):
    found = asked(studio)
    (river,) = [each for each in found.suggestions if each.query == BARN]
    action = refuse(studio, river)
    (newest, *_) = demonstrations.history(studio, "small")
    assert newest.what == ("refused 'By the river' as an incorrect answer of 'Where is the barn?'")
    assert row(studio, BARN).incorrect == ()
    assert undecided(studio, found.suggestions) == [e for e in found.suggestions if e != river]
    again = asked(studio)
    assert again.outcomes[SuggestionOutcome.REFUSED] == 1
    assert texts(again) == texts(found) - {(BARN, "By the river", 1)}
    with pytest.raises(InvalidInput, match="Nothing to refuse"):
        refuse(studio, river)
    demonstrations.undo(studio, action)
    assert texts(asked(studio)) == texts(found)


def test_what_is_refused_stays_so_in_another_workspace(studio, tmp_path, encoder, load_model):
    (refused,) = [each for each in asked(studio).suggestions if each.query == BARN]
    refuse(studio, refused)
    near = next(each for each in suggest(studio, REQUEST.setup).suggestions if each.query == BARN)
    refuse(studio, near)
    file = tmp_path / "pool.jsonl"
    export_pool(studio.store, "small", "jsonl", file)
    with Studio.open(
        tmp_path / "other", load_encoder=lambda name: encoder, load_model=load_model
    ) as other:
        import_file(other.store, file, "small")
        assert asked(other).outcomes[SuggestionOutcome.REFUSED] == 1
        left = [e.text for e in suggest(other, REQUEST.setup).suggestions if e.query == BARN]
        assert near.text not in left


def test_a_deleted_query_is_neither_accepted_nor_refused(studio):
    found = asked(studio)
    (river,) = [each for each in found.suggestions if each.query == BARN]
    demonstrations.delete(studio, list(river.ids))
    assert river not in undecided(studio, found.suggestions)
    with pytest.raises(InvalidInput, match="There is nothing to add"):
        accept(studio, [river])
    with pytest.raises(InvalidInput, match="Nothing to refuse"):
        refuse(studio, river)


def test_excluded_queries_are_not_asked_and_an_empty_pool_is_one_sentence(studio):
    demonstrations.set_status(studio, [row(studio, BARN).id], Status.EXCLUDED)
    assert {each.query for each in asked(studio).suggestions} == {MILL}
    pool = studio.store.pools.get("small")
    demonstrations.delete(studio, [each.id for each in studio.store.demonstrations.all(pool.id)])
    with pytest.raises(InvalidInput, match="has no queries to evaluate on"):
        asked(studio)
