"""Compare for rows that read texts for their task: what it costs, and what is refused first."""

import pytest

from core.demonstration.demonstration import Draft
from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.retrieval.knobs import Knobs
from core.studio import Setup, Studio
from core.studio.runs import compare
from core.studio.runs.compare import CompareRequest
from core.watcher import NOBODY, Watcher
from tests.unit.evaluation.moods import Planted, drafts

MODEL = "planted"


class WithoutStates(Planted):
    """A model that gives no hidden states."""

    def states(self, prefix, texts, *, watcher=NOBODY):
        raise InvalidInput("The model 'planted' gives no hidden states; choose another one.")


@pytest.fixture
def pool_drafts():
    return [*drafts(12), Draft("text number 0", "glad")]


def request_of(*rows):
    return CompareRequest(setup=Setup("small", None, MODEL), rows=rows, limit=6)


def pgra(name, model=None, **own):
    return ComparisonRow(name, Knobs("pgra", 2, own_values=(("exemplars", 2), *own.items())), model)


@pytest.fixture
def planted(tmp_path, encoder, workspace_with, pool_drafts):
    """Opens a studio whose language models are of this kind."""
    workspace_with(tmp_path / "workspace", "small", pool_drafts)
    opened = []

    def open_with(kind):
        opened.append(
            Studio.open(
                tmp_path / "workspace",
                load_encoder=lambda name: encoder,
                load_model=lambda name: kind(),
            )
        )
        return opened[-1]

    yield open_with
    for studio in opened:
        studio.close()


def test_the_texts_of_the_pool_are_read_once_a_prompt_and_a_model(planted):
    studio, rel = planted(Planted), ComparisonRow("rel", Knobs("rel", 2))
    assert compare.texts_read(studio, request_of(rel)) == 0
    assert compare.cost(studio, request_of(rel)) == "At most 12 contexts"
    one = request_of(rel, pgra("a"), pgra("b", similarity="dot"))
    assert compare.texts_read(studio, one) == 12, "13 demonstrations have 12 texts"
    assert compare.cost(studio, one) == "At most 24 contexts (and 12 texts read once)"
    assert compare.texts_read(studio, request_of(pgra("a"), pgra("b", exemplars=0))) == 2 * 12
    assert compare.texts_read(studio, request_of(pgra("a"), pgra("b", model="other"))) == 2 * 12


def test_a_model_without_hidden_states_says_so_before_anything_is_embedded(planted, encoder):
    studio, phases = planted(WithoutStates), []
    before = len(encoder.encoded)
    with pytest.raises(InvalidInput, match="gives no hidden states; choose another"):
        compare.run(studio, request_of(pgra("a")), Watcher(on_phase=phases.append))
    assert phases == []
    assert len(encoder.encoded) == before
    found = compare.run(studio, request_of(ComparisonRow("rel", Knobs("rel", 2))), Watcher())
    assert found.summary().labels.examples == 6


def test_a_run_reads_after_embedding_and_before_its_examples(planted):
    phases = []
    watcher = Watcher(on_phase=phases.append)
    found = compare.run(planted(Planted), request_of(pgra("a"), pgra("b", draw="random")), watcher)
    reading = "reading texts for their task"
    assert [each for at, each in enumerate(phases) if each not in phases[:at]] == [
        "embedding",
        reading,
        "examples",
    ]
    assert set(found.summary().labels.rows) == {"a", "b"}


def test_rows_without_a_task_are_refused_where_they_are_set_up(planted):
    studio = planted(Planted)
    studio.store.demonstrations.add(
        studio.store.pools.create("open").id, [Draft(f"query {n}", f"answer {n}") for n in range(4)]
    )
    view = studio.view(Setup("open", None, MODEL))
    compare.check(view, [ComparisonRow("rel", Knobs("rel", 2))])
    with pytest.raises(InvalidInput, match="'open' are not labels"):
        compare.check(view, [pgra("a")])
    with pytest.raises(InvalidInput, match="label of the task 'sentiment'"):
        compare.check(view, [pgra("a", task="sentiment")])
    compare.check(view, [pgra("a", task="sentiment", exemplars=0)])
