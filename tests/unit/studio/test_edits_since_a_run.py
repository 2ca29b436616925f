"""What edits of a pool change of a run that came before them, against retrieving it all anew."""

from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, Status, incorrect_answers
from core.evaluation.plan.comparison_rows import rows_of_methods
from core.evaluation.plan.examples import examples_of
from core.evaluation.results.run_figures import PoolEdits
from core.evaluation.runs.calibrate import CalibrationOptions
from core.retrieval.choosing import choose_context
from core.retrieval.embedded_texts import embed_texts
from core.retrieval.knobs import Knobs, PromptOrder
from core.settings import Embed
from core.store import Change
from core.studio import Setup
from core.studio.pools.pools import rename
from core.studio.runs import adaptive, calibrate, compare, mistakes, worth
from core.studio.runs.adaptive import FixedRequest
from core.studio.runs.calibrate import CalibrateRequest
from core.studio.runs.compare import CompareRequest
from core.studio.runs.mistakes import MistakesRequest
from core.studio.runs.outdated import count_differing, with_differing
from core.studio.runs.running import embedded
from core.studio.runs.worth import WorthRequest
from core.text import same_text
from core.watcher import NOBODY, Watcher
from tests.support.gated import gated

WORDS = ("moon", "cheese", "bats", "glass", "bulls", "red", "sugar", "sun", "fire", "house")
ROWS = {
    "rel": Knobs("rel", 2),
    "spread": Knobs("rel+div", 3, lambda_d=0.3, one_per_query=True),
    "vrsd": Knobs("vrsd", 2, candidates=4, embed=Embed.QUERY_AND_ANSWER),
    "fix": Knobs("fix", 2),
    "random": Knobs("random", 2, seed=3),
    "bm25": Knobs("bm25", 2),
    "none": Knobs("none"),
}


def drafts_of(count):
    """Queries of three words each, most with two answers."""
    rng = np.random.default_rng(5)
    queries = {" ".join(rng.choice(WORDS, 3, replace=False)): None for _ in range(count)}
    return [
        Draft(f"{query}?", f"{answer} {query}", incorrect_answers(("Maybe so",)))
        for number, query in enumerate(queries)
        for answer in ("No", "Never")[: 1 + number % 3]
    ]


@pytest.fixture
def pool_drafts():
    return drafts_of(12)


@pytest.fixture
def setup(tiny_lm_folder):
    return Setup("small", None, str(tiny_lm_folder))


def compared(studio, setup, rows=None, **changes):
    rows = ROWS if rows is None else rows
    found = [row for name, each in rows.items() for row in named(name, each)]
    request = CompareRequest(setup=setup, rows=tuple(found), **changes)
    compare.run(studio, request, Watcher())
    return compare.RUNS.latest(studio, setup.pool)


def named(name, knobs):
    return [replace(row, name=name) for row in rows_of_methods([knobs.method], knobs)]


def retrieved(studio, setup, rows, leaks=False):
    """Each example of the pool as it is now, and the texts of each row's context, by its query."""
    view = embedded(studio, setup, [Embed.QUERY, Embed.QUERY_AND_ANSWER], NOBODY)
    pool = studio.store.pools.get(setup.pool).id
    examples = examples_of(studio.store.demonstrations.all(pool, status=Status.INCLUDED))
    found = {}
    for example in examples:
        (vector,), _ = embed_texts(studio.store, studio.encoder(None), [example.query])
        closed = view.leaks(example.query, example.answers, vector) if leaks else None
        texts = []
        for knobs in rows.values():
            context = choose_context(
                view, example.query, vector, knobs, leave_out=True, also_excluded=closed
            )
            pairs = [(view.queries[at], view.answers[at]) for at in context.indices.tolist()]
            texts.append(pairs if knobs.order is PromptOrder.AS_CHOSEN else sorted(pairs))
        found[same_text(example.query)] = (example, texts)
    return found


def differing(before, now):
    return sum(now.get(query) != each for query, each in before.items())


def counted(studio, setup, found):
    return count_differing(studio, setup, found, found.edits.count, NOBODY)


def edit(studio, id, **values):
    (row,) = studio.store.demonstrations.by_ids([id], deleted=True)
    change = Change(row.id, row.revision, **values)
    return studio.store.demonstrations.change([change], what="edit")


def random_edit(studio, rng, ids):
    """Some change of a demonstration, of any kind."""
    id, number = int(rng.choice(ids)), int(rng.integers(10**6))
    words = " ".join(rng.choice(WORDS, 3, replace=False))
    changes = (
        {"status": Status.EXCLUDED},
        {"status": Status.INCLUDED},
        {"status": Status.PINNED},
        {"answer": f"{words}, says {number}"},
        {"query": f"{words} {number}?"},
        {"incorrect": incorrect_answers((f"Perhaps {number}",))},
        {"best": True},
        {"deleted": True},
        {"deleted": False},
        {"note": f"note {number}"},
    )
    return edit(studio, id, **changes[int(rng.integers(len(changes)))])


@pytest.mark.parametrize(
    ("names", "leaks"),
    gated(
        [(("spread", "vrsd", "bm25", "fix", "none"), False), (("rel",), True), (("random",), False)]
    ),
)
def test_the_contexts_that_differ_are_those_that_are_retrieved_otherwise(
    studio, setup, names, leaks
):
    rows = {name: ROWS[name] for name in names}
    before = retrieved(studio, setup, rows, leaks)
    compared(studio, setup, rows, leave_out_leaks=leaks)
    rng, seen = np.random.default_rng(7), set()
    ids = [row.id for row in studio.store.demonstrations.all(1)]
    for _ in range(12):
        action = random_edit(studio, rng, ids)
        changed = studio.store.history.actions(1, limit=1)[0].changes
        if changed and rng.random() < 0.4:
            studio.store.history.undo(action)
        found = compare.RUNS.latest(studio, "small")
        expected = differing(before, retrieved(studio, setup, rows, leaks))
        seen.add(expected)
        if found.edits is None:
            assert expected == 0
        else:
            count = found.edits.count
            assert counted(studio, setup, found) == PoolEdits(count, expected, len(before))
    assert len(seen) > 1, "the edits change something"


def test_a_pool_that_is_as_it_was_has_no_older_results(studio, setup):
    found = compared(studio, setup, {"rel": ROWS["rel"]})
    assert found.edits is None
    action = edit(studio, 1, status=Status.EXCLUDED)
    assert compare.RUNS.latest(studio, "small").edits == PoolEdits(1)
    rename(studio, "small", "renamed")
    studio.store.history.undo(action)
    assert compare.RUNS.latest(studio, "renamed") == found
    edit(studio, 1, status=Status.EXCLUDED)
    edit(studio, 1, status=Status.INCLUDED)
    by_hand = compare.RUNS.latest(studio, "renamed")
    assert by_hand.edits == PoolEdits(2)
    again = counted(studio, replace(setup, pool="renamed"), by_hand)
    assert (again.differing, again.outdated) == (0, False)


def test_an_order_as_chosen_is_another_context_where_only_the_order_differs(studio, setup):
    rows = {"as": replace(ROWS["fix"], order=PromptOrder.AS_CHOSEN)}
    studio.store.pools.set_fixed_ids(1, [1, 2])
    before = retrieved(studio, setup, rows)
    compared(studio, setup, rows)
    studio.store.pools.set_fixed_ids(1, [2, 1])
    expected = differing(before, retrieved(studio, setup, rows))
    found = compare.RUNS.latest(studio, "small")
    assert counted(studio, setup, found) == PoolEdits(1, expected, len(before))
    assert expected > 0


def test_examples_of_another_pool_that_are_gone_or_edited_differ(studio, setup):
    other = studio.store.pools.create("other")
    added = studio.store.demonstrations.add(
        other.id, [Draft("red sun house?", "Yes"), Draft("bats moon?", "No"), Draft("fire?", "No")]
    ).ids
    compared(studio, setup, {"rel": ROWS["rel"]}, examples="other")
    edit(studio, added[0], deleted=True)
    edit(studio, added[1], answer="Hardly")
    found = compare.RUNS.latest(studio, "small")
    assert counted(studio, setup, found) == PoolEdits(2, 2, 3)
    studio.store.pools.delete("other")
    assert compare.RUNS.latest(studio, "small").edits is None


def test_what_cannot_be_chosen_anew_is_at_least_so_much(studio, setup):
    rows = {"biased": Knobs("rel+bias", 2, lambda_b=0.5)}
    compared(studio, setup, rows)
    edit(studio, 1, status=Status.EXCLUDED)
    found = compare.RUNS.latest(studio, "small")
    exact = counted(studio, setup, found)
    assert not exact.at_least
    edit(studio, 2, answer="A text whose quality nobody knows")
    found = compare.RUNS.latest(studio, "small")
    at_least = counted(studio, setup, found)
    assert at_least.at_least
    assert at_least.differing >= exact.differing - 1
    elsewhere = replace(found, settings=replace(found.settings, encoder="another"))
    assert counted(studio, setup, elsewhere).at_least


def test_a_calibration_and_the_worth_are_counted_by_their_own_settings(studio, setup):
    options = CalibrationOptions(ks=(2,), lambda_bs=(1.0,), lambda_ds=(0.5,), margin=0.1)
    request = CalibrateRequest(setup=setup, options=options)
    settings = calibrate.run(studio, request, Watcher()).figures.settings
    worth.run(studio, WorthRequest(setup=setup, knobs=ROWS["rel"]), Watcher())
    cells = {each: Knobs("rel+div+bias", 2, each, lambda_b=1.0) for each in (0.0, 0.5, 1.0)}
    cells["defaults"] = settings.knobs_of(settings.defaults)
    before = retrieved(studio, setup, cells)
    edit(studio, 3, status=Status.EXCLUDED)
    found = calibrate.RUNS.latest(studio, "small")
    expected = differing(before, retrieved(studio, setup, cells))
    assert counted(studio, setup, found) == PoolEdits(1, expected, len(before))
    judged = worth.RUNS.latest(studio, "small")
    more = counted(studio, setup, judged)
    relevant = differing(
        {query: (example, texts[2:3]) for query, (example, texts) in before.items()},
        {
            query: (example, texts[2:3])
            for query, (example, texts) in retrieved(studio, setup, cells).items()
        },
    )
    assert not more.at_least
    assert more.differing >= relevant, "also the contexts without one of them"


def test_the_model_s_own_answers_and_fixed_sets_say_how_many_edits_came_since(studio, setup):
    for kind in (mistakes.RUNS, adaptive.RUNS):
        assert kind.edits(studio, "small") is None
    mistakes.ask(studio, MistakesRequest(setup=setup, knobs=ROWS["rel"]), Watcher())
    adaptive.find_fixed(studio, FixedRequest(setup=setup, sets=2, k=1), Watcher())
    for kind in (mistakes.RUNS, adaptive.RUNS):
        assert kind.edits(studio, "small") is None
    action = edit(studio, 3, status=Status.EXCLUDED)
    for kind in (mistakes.RUNS, adaptive.RUNS):
        assert kind.edits(studio, "small") == PoolEdits(1)
    studio.store.history.undo(action)
    for kind in (mistakes.RUNS, adaptive.RUNS):
        assert kind.edits(studio, "small") is None


def test_the_count_comes_at_once_and_the_contexts_from_beside_the_page(studio, setup):
    compared(studio, setup, {"rel": ROWS["rel"]})
    edit(studio, 1, status=Status.EXCLUDED)
    found = compare.RUNS.latest(studio, "small")
    _, (job,) = with_differing(studio, setup, found)
    assert job.wait(60)
    whole, jobs = with_differing(studio, setup, found)
    assert (whole.edits, jobs) == (counted(studio, setup, found), [])
    assert with_differing(studio, setup, replace(found, edits=None)) == (
        replace(found, edits=None),
        [],
    )


def test_earlier_runs_are_listed_the_latest_first(studio, setup):
    assert compare.RUNS.earlier(studio, "small") == []
    first = compared(studio, setup, {"rel": ROWS["rel"]})
    edit(studio, 1, status=Status.EXCLUDED)
    second = compared(studio, setup, {"rel": ROWS["rel"]}, limit=2)
    edit(studio, 2, status=Status.EXCLUDED)
    runs = compare.RUNS.earlier(studio, "small")
    assert [(each.run, each.edits) for each in runs] == [
        (second.run, PoolEdits(1)),
        (first.run, PoolEdits(2)),
    ]
    ended = compare.RUNS.last(studio, "small")
    assert list(ended) == [second.run, first.run]
    assert compare.RUNS.opened(studio, first.run, ended[first.run]) == runs[1]
