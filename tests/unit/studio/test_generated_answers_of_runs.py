"""A comparison's generated answers in the services: their cost, going on, stories, two models."""

import json
from dataclasses import replace

import pytest

from core.commands.documents import evaluated
from core.evaluation.plan.comparison_rows import ComparisonRow, rows_of_methods
from core.evaluation.results.comparison import Comparison, ComparisonSettings
from core.metrics.registry import METRICS
from core.metrics.scores import OfAnswer
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from core.studio.runs.stories import Stories
from core.watcher import Watcher
from tests.unit.evaluation.fake_language_model import FakeLanguageModel
from tests.unit.studio.exploring import drafts

GENERATED = tuple(OfAnswer.__annotations__)
SETUP = Setup("small", None, "fake")
ROWS = rows_of_methods(("none", "rel", "random"), Knobs(k=2))
REQUEST = CompareRequest(setup=SETUP, rows=ROWS, limit=3, seed=2, generate=True)


class Named(FakeLanguageModel):
    """One of several models."""

    def __init__(self, name):
        super().__init__(fingerprint=name)
        self.name = name


@pytest.fixture
def models():
    return {}


@pytest.fixture
def studio(tmp_path, encoder, models, workspace_with):
    workspace_with(tmp_path / "workspace", "small", drafts())
    with Studio.open(
        tmp_path / "workspace",
        load_encoder=lambda name: encoder,
        load_model=lambda name: models.setdefault(name, Named(name)),
    ) as opened:
        yield opened


def run(studio, request):
    return compare.run(studio, request, Watcher())


def test_the_cost_names_the_answers(studio):
    assert compare.answers_at_most(studio, REQUEST) == 9
    assert compare.cost(studio, REQUEST) == ("At most 9 contexts (and at most 9 answers generated)")
    assert compare.cost(studio, replace(REQUEST, generate=False)) == "At most 9 contexts"


def test_a_run_that_was_cut_off_goes_on_generating(studio, models):
    found = run(studio, REQUEST)
    settings = json.loads(json.dumps(found.figures.settings.to_json()))
    again = compare.resumed(SETUP, ComparisonSettings.from_json(settings))
    assert again.generate is True
    before = len(models["fake"].generated)
    assert run(studio, again).summary().methods == found.summary().methods
    assert len(models["fake"].generated) == before


def test_each_story_has_the_answers(studio):
    found = run(studio, REQUEST)
    stories = Stories(studio, compare.RUNS.latest(studio, "small"))
    for place, example in enumerate(found.examples):
        story = stories.story(example.query)
        assert story.generated
        assert [line.answer for line in story.methods] == [
            each.outcomes[place].answer for each in found.methods.values()
        ]
    run(studio, replace(REQUEST, generate=False))
    stories = Stories(studio, compare.RUNS.latest(studio, "small"))
    assert not any(stories.story(query).generated for query in stories.queries())


def test_another_reference_has_their_differences(studio):
    found = run(studio, REQUEST)
    other = Stories(studio, found.summary()).against("rel")
    wanted = run(studio, replace(REQUEST, references=("rel",))).summary()
    assert set(other.fronts) == set(METRICS)
    for name in GENERATED:
        assert other.difference("random", name) == wanted.difference("random", name)


def test_every_model_answers(studio, models):
    rows = (*ROWS[:2], *(ComparisonRow(f"{row.name} b", row.knobs, "other") for row in ROWS[:2]))
    summary = run(studio, replace(REQUEST, rows=rows)).summary()
    assert all(models[name].generated for name in ("fake", "other"))
    document = json.loads(json.dumps(evaluated(studio.store, summary).to_json()))
    listed = {(each["model"], each["row"]) for each in document.pop("generated")}
    assert listed == {
        ("fake", "none"), ("fake", "rel"), ("other", "none b"), ("other", "rel b"),
    }  # fmt: skip
    assert Comparison.from_json(document) == summary
    assert summary.earlier[0].methods["rel"].metrics["f1"].n == 3
