"""What the model answers to examples: alone, and after the very prompts that Compare has."""

import pytest

from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.examples import sample
from core.evaluation.results.run_figures import SkippedExample, SkipReason
from core.evaluation.runs.answering import answering_task, own_answers
from core.evaluation.runs.evaluate import EvaluationOptions, evaluate
from core.evaluation.runs.running import RunOptions
from core.retrieval.knobs import Knobs
from core.watcher import NOBODY, Watcher
from tests.contracts.test_an_engine_is_one_file import Rules

REL = Knobs("rel", 2)


def written(bench, knobs=REL, *, engine=None, watcher=NOBODY, **options):
    task = answering_task(
        bench.view(),
        bench.engine() if engine is None else engine,
        bench.examples(),
        bench.encoder,
        knobs,
        RunOptions(**options),
    )
    return list(own_answers(task, bench.store, watcher))


def prompts(bench):
    return {prompt for prompt, _ in bench.model.generated}


def test_each_example_is_answered_alone_and_after_its_context(bench):
    found = written(bench)
    assert [example for example, _ in found] == sample(bench.examples())
    for example, answers in found:
        (none, alone), (shown, after) = answers
        assert (none, shown) == (0, 2)
        assert alone.text == " nothing"
        assert after.text.strip() not in example.answers, "its own demonstrations are left out"
    alone = {bench.template.prompt([], example.query) for example, _ in found}
    assert alone < prompts(bench)
    assert len(prompts(bench)) == 2 * len(found)


def test_they_are_written_after_the_prompts_that_a_comparison_scores(bench):
    written(bench)
    before = len(bench.model.generated)
    evaluate(
        bench.store,
        bench.view(),
        bench.engine(),
        bench.examples(),
        bench.encoder,
        {"none": Knobs("none", 0), "rel": REL},
        options=EvaluationOptions(generate=True),
    )
    assert len(bench.model.generated) == before, "nothing is written a second time"


@pytest.mark.parametrize("knobs", [Knobs("none", 2), Knobs("rel", 0)], ids=str)
def test_an_empty_context_is_no_second_prompt(bench, knobs):
    assert [[shown for shown, _ in answers] for _, answers in written(bench, knobs)] == [
        [0] for _ in bench.examples()
    ]


def test_what_was_written_is_not_written_again(bench):
    first = written(bench)
    before = len(bench.model.generated)
    assert written(bench) == first
    assert len(bench.model.generated) == before


def test_a_limit_takes_the_seeds_first(bench):
    found = [example for example, _ in written(bench, limit=2, seed=3)]
    assert found == sample(bench.examples(), 2, 3)
    with pytest.raises(InvalidInput, match="give 1 or more"):
        written(bench, limit=0)


def test_a_query_that_does_not_fit_is_passed_over(bench):
    longest = max(bench.examples(), key=lambda each: bench.model.count_tokens(each.query))
    room = max(
        bench.model.count_tokens(bench.template.prompt([], longest.query), answer)
        for answer in longest.texts
    )
    bench.model.window = room - 1
    found = dict(written(bench))
    assert found[longest] == SkippedExample(longest.query, SkipReason.TOO_LONG)
    assert any(not isinstance(each, SkippedExample) for each in found.values())


def test_progress_counts_examples_and_a_stop_keeps_what_was_written(bench):
    counted = []
    written(bench, watcher=Watcher(on_progress=lambda *count: counted.append(count)))
    total = len(bench.examples())
    assert counted[-total:] == [(done, total) for done in range(1, total + 1)]
    with pytest.raises(Cancelled):
        written(bench, watcher=Watcher(cancelled=lambda: True))


def test_an_engine_that_only_scores_is_refused(bench):
    with pytest.raises(InvalidInput, match="only scores answers that are given"):
        written(bench, engine=Rules())
