"""The study of PGRA with a model that knows the labels: every figure can be worked out."""

import statistics
from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Draft
from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.examples import is_held_out
from core.retrieval.methods.pgra import prompt_of
from core.studio import Setup
from core.watcher import NOBODY, Watcher
from studies.pgra.classification import matthews_correlation
from studies.pgra.settings import PgraRequest, Sweep, Variant
from studies.pgra.study import pgra
from studies.split import part_of
from tests.support.planted_language_model import PlantedLanguageModel, StatelessLanguageModel

N, SHARE = 80, 0.3
LABELS = np.random.default_rng(3).choice(["glad", "odd", "sad"], size=N, p=[0.5, 0.2, 0.3]).tolist()
QUERIES = [f"item {number}" for number in range(N)]
HELD_OUT = [number for number in range(N) if is_held_out(QUERIES[number], SHARE, 0)]
SMALL = Variant(None, candidates=30, kept=4, exemplars=5)


@pytest.fixture
def pool_drafts():
    return tuple(Draft(query, label) for query, label in zip(QUERIES, LABELS, strict=True))


@pytest.fixture
def model():
    return PlantedLanguageModel(LABELS)


@pytest.fixture
def load_once(model):
    return lambda name: model


def study(studio, *, base=SMALL, watcher=NOBODY, **given):
    request = PgraRequest("small", base, **{"share": SHARE, "seeds": 2, **given})
    return pgra(studio, request, watcher)


def row(found, name, label=""):
    return next(each for each in found.rows if (str(each.arm), each.label) == (name, label))


def test_a_model_that_knows_the_labels_keeps_them_alone(studio):
    found = study(studio)
    assert found.queries == len(HELD_OUT)
    assert found.evidence == N - len(HELD_OUT)
    for similarity in ("cosine", "centred", "dot"):
        second = row(found, f"stage 2, {similarity}")
        assert second.consistency.over_all.mean == 1.0
        assert [each.mean for each in second.consistency.by_seed] == [1.0, 1.0]
        assert second.consistency.sd == 0.0
        for reader in ("vote", "in-context"):
            assert second.answers[reader].accuracy.over_all.mean == 1.0
            assert second.answers[reader].mcc == (1.0, 1.0)
    first = row(found, "stage 1")
    assert 0.0 < first.consistency.over_all.mean < 0.8
    assert second.gap.mean == pytest.approx(1.0 - first.consistency.over_all.mean)
    assert first.gap is None


def test_chance_is_the_share_of_the_querys_label_in_the_evidence(studio):
    found = study(studio, readers=("vote",))
    kept = [LABELS[number] for number in range(N) if number not in HELD_OUT]
    shares = [kept.count(LABELS[number]) / len(kept) for number in HELD_OUT]
    assert found.chance == pytest.approx(np.mean(shares))


def test_the_rows_and_what_each_is(studio, model):
    found = study(studio, seeds=1)
    assert [str(each.arm) for each in found.rows] == [
        "none",
        "random",
        "exemplars",
        "stage 1",
        "stage 2, cosine",
        "stage 2, dot",
        "stage 2, centred",
    ]
    readers = {str(each.arm): tuple(each.answers) for each in found.rows}
    assert readers["none"] == readers["exemplars"] == ("in-context",)
    assert readers["random"] == readers["stage 1"] == ("vote", "in-context")
    # Without a demonstration the planted model prefers nothing: the first label word wins.
    none = row(found, "none").answers["in-context"].accuracy.over_all.mean
    assert none == pytest.approx(statistics.mean(LABELS[n] == "glad" for n in HELD_OUT))
    # After the exemplars it repeats the last one, whatever the query is.
    exemplars = row(found, "exemplars")
    accuracy = exemplars.answers["in-context"].accuracy.over_all.mean
    assert accuracy in [
        pytest.approx(statistics.mean(LABELS[n] == label for n in HELD_OUT))
        for label in ("glad", "odd", "sad")
    ]
    assert exemplars.answers["in-context"].mcc == (0.0,)
    assert exemplars.consistency is row(found, "none").consistency is None


def test_the_reader_after_stage_1_reads_what_is_nearest_last(studio, model, encoder):
    found = study(studio, seeds=1, readers=("in-context",))
    first = row(found, "stage 1")
    drawn = exemplars_of(studio, 0)
    vectors = encoder.encode(QUERIES)
    kept = [n for n in range(N) if n not in HELD_OUT and n not in drawn]
    nearest = [
        max(kept, key=lambda n, q=q: (round(float(vectors[n] @ vectors[q]), 6), -n))
        for q in HELD_OUT
    ]
    expected = statistics.mean(
        LABELS[n] == LABELS[q] for n, q in zip(nearest, HELD_OUT, strict=True)
    )
    assert first.answers["in-context"].accuracy.over_all.mean == pytest.approx(expected)


def test_figure_2_counts_every_query_once_a_draw(studio):
    found = study(studio)
    for each in found.rows:
        for answers in each.answers.values():
            for of_seed in answers.figure_2:
                assert len(of_seed) == 5  # none of four kept to all of them
                assert sum(queries for queries, _ in of_seed) == found.queries
    second = row(found, "stage 2, dot").answers["vote"].figure_2[0]
    assert second[4] == (found.queries, 1.0)


def test_the_spread_over_seeds_by_hand(studio):
    found = study(studio, seeds=3, readers=("vote",))
    first = row(found, "stage 1")
    means = [each.mean for each in first.consistency.by_seed]
    assert first.consistency.sd == pytest.approx(statistics.stdev(means))
    assert first.consistency.over_all.mean == pytest.approx(statistics.mean(means))
    assert first.consistency.over_all.n == found.queries
    alone = study(studio, seeds=1, readers=("vote",))
    assert row(alone, "stage 1").consistency.sd is None
    assert row(alone, "stage 1").consistency.by_seed[0] == first.consistency.by_seed[0]


@pytest.mark.parametrize(
    ("sweep", "values", "labels"),
    [
        ("candidates", (), tuple(f"candidates {k}" for k in (16, 50, 100, 150))),
        ("kept", ("1", "3"), ("kept 1", "kept 3")),
        ("exemplars", (), tuple(f"exemplars {m}" for m in (0, 4, 8, 16))),
        ("stage-1", (), ("stage-1 cosine", "stage-1 bm25", "stage-1 all")),
        ("model", ("a", "practice"), ("a", "practice")),
    ],
)
def test_a_sweep_has_both_stages_for_each_value(studio, sweep, values, labels):
    found = study(studio, sweep=Sweep(sweep), values=values, seeds=1, readers=("vote",), limit=6)
    assert [(each.label, str(each.arm)) for each in found.rows] == [
        (label, arm) for label in labels for arm in ("stage 1", "stage 2, cosine")
    ]
    swept = [getattr(each.variant, Sweep(sweep).field) for each in found.rows[::2]]
    assert tuple(map(str, swept)) == tuple(label.split()[-1] for label in labels)
    assert found.queries == 6
    assert row(found, "stage 2, cosine", labels[-1]).consistency.over_all.mean == 1.0


def test_the_notes_say_whether_stage_2_is_above_or_below_stage_1(studio, model):
    many = {"share": 0.6, "seeds": 1, "readers": ("vote",), "similarities": ("cosine",)}
    above = study(studio, **many)
    (note,) = (each for each in above.notes if "consistent than stage 1" in each)
    assert note.startswith("stage 2, cosine: more consistent than stage 1, by +0.")
    # States of another label than the text's own: what is most alike is never consistent.
    astray = {"glad": "odd", "odd": "sad", "sad": "glad"}
    numbers = {n for n in range(N) if is_held_out(QUERIES[n], 0.6, 0)}
    model.labels = [astray[each] if n in numbers else each for n, each in enumerate(LABELS)]
    model.fingerprint = "astray"
    below = study(studio, **many)
    (note,) = (each for each in below.notes if "consistent than stage 1" in each)
    assert note.startswith("stage 2, cosine: less consistent than stage 1, by -0.")
    assert "makes the choice worse" in note
    # With as many candidates as are kept both stages keep the same.
    same = study(studio, base=replace(SMALL, candidates=4), **many)
    assert any(each.startswith("stage 2, cosine: +0.000 against stage 1") for each in same.notes)


def test_with_as_many_kept_as_candidates_both_stages_keep_the_same(studio):
    found = study(studio, base=replace(SMALL, candidates=4, kept=9), readers=("vote",))
    first, second = row(found, "stage 1"), row(found, "stage 2, cosine")
    assert first.consistency == second.consistency
    assert second.gap.mean == 0.0


def test_by_dot_a_text_with_a_long_state_is_the_best_of_every_query(studio, model):
    hub = next(number for number in range(N) if number not in HELD_OUT)
    plain = model.state

    def state(text):
        return 50 * np.ones(3) if f"item {hub}\n" in text[-30:] else plain(text)

    model.state = state
    for seed in range(20):  # one whose exemplars are others
        if hub not in exemplars_of(studio, seed):
            break
    found = study(studio, seeds=seed + 1, base=replace(SMALL, stage_1="all"), readers=("vote",))
    assert row(found, "stage 2, dot").best_texts[seed] == 1
    assert row(found, "stage 2, cosine").best_texts[seed] > 3
    assert row(found, "random").best_texts[seed] > 3


def exemplars_of(studio, seed):
    """The numbers of the items that are the exemplars of a seed."""
    view = studio.view(Setup("small"))
    kept = np.array([number not in HELD_OUT for number in range(N)])
    prompt = prompt_of(part_of(view, kept), SMALL.knobs(seed))
    return [int(query.split()[1]) for query, _ in prompt.pairs]


def test_nothing_is_computed_twice(studio, model):
    first = study(studio)
    read, asked = len(model.read), len(model.asked)
    assert len(set(model.read)) == read
    studio.pool_states.clear()
    again = study(studio)
    assert (len(model.read), len(model.asked)) == (read, asked)
    assert [each.consistency for each in again.rows] == [each.consistency for each in first.rows]
    assert first.rows[0].costs[0].reading_seconds > 0.0
    assert again.rows[0].costs[0].reading_seconds is None
    assert first.rows[0].costs[0].texts_encoded == N


def test_a_small_window_drops_exemplars_and_kept_texts_from_the_front(studio, model):
    # In words: the header has 3, a text with its ending 5, with its label 6, a label 1.
    model.window = 3 + 6 + 5 + 1
    found = study(studio, seeds=1, readers=("in-context",))
    cost = found.rows[0].costs[0]
    assert (cost.drawn >= 3, cost.shown, cost.prefix_tokens) == (True, 1, 3 + 6)
    (note,) = (note for note in found.notes if "exemplars precede most texts" in note)
    assert note.startswith(f"planted: 1 of {cost.drawn} exemplars")
    assert row(found, "stage 1").answers["in-context"].left_out == 3.0  # of 4
    assert row(found, "stage 2, cosine").answers["in-context"].accuracy.over_all.mean == 1.0


def test_what_never_fits_is_passed_over_for_every_row(studio, model):
    pool = studio.store.pools.get("small")
    long = {True: [], False: []}
    for number in range(200, 300):
        query = f"item {number % N}" + f" and {number}" * 20
        long[is_held_out(query, SHARE, 0)].append(Draft(query, LABELS[number % N]))
    studio.store.demonstrations.add(pool.id, (long[True][0], *long[False][:2]))
    model.window = 3 + 6 + 5 + 1
    found = study(studio, seeds=1)
    assert (found.queries, found.too_long) == (len(HELD_OUT) + 1, 1)
    assert found.rows[0].costs[0].skipped == 2
    for each in found.rows:
        for answers in each.answers.values():
            assert answers.accuracy.over_all.n == len(HELD_OUT)
    assert any("1 query does not fit" in note for note in found.notes)
    model.window = 4
    with pytest.raises(InvalidInput, match="None of the queries fits into the 4 tokens"):
        study(studio, seeds=1)


def test_it_can_be_stopped_and_keeps_what_was_read(studio, model):
    reports = []

    def stop_after_reading():
        return len(reports) > 2

    watcher = Watcher(
        on_progress=lambda done, total: reports.append(done), cancelled=stop_after_reading
    )
    with pytest.raises(Cancelled):
        study(studio, watcher=watcher)
    read = len(model.read)
    assert read
    study(studio)
    assert len(set(model.read)) == len(model.read)


def test_the_matthews_correlation_is_that_of_the_readings(studio):
    found = study(studio, seeds=1, readers=("vote",), base=replace(SMALL, kept=1))
    first = row(found, "stage 1")
    mean = first.consistency.over_all.mean
    assert first.answers["vote"].accuracy.over_all.mean == pytest.approx(mean)
    assert -1.0 < first.answers["vote"].mcc[0] < 1.0
    assert matthews_correlation(["a"], ["a"]) == 0.0


def test_queries_without_one_label_and_demonstrations_without_any_are_passed_over(studio, model):
    pool = studio.store.pools.get("small")
    unclear = QUERIES[HELD_OUT[0]]
    other = "sad" if LABELS[HELD_OUT[0]] != "sad" else "glad"
    loose = next(f"item {n}" for n in range(200, 400) if not is_held_out(f"item {n}", SHARE, 0))
    studio.store.demonstrations.add(
        pool.id, (Draft(unclear, other), Draft(loose, "no label at all"))
    )
    found = study(studio, seeds=1, readers=("vote",))
    assert (found.queries, found.evidence) == (len(HELD_OUT) - 1, N - len(HELD_OUT))
    assert (found.unclear, found.unlabelled) == (1, 1)


def test_a_model_without_states_is_refused(studio, model):
    stateless = StatelessLanguageModel(LABELS, fingerprint="stateless")
    studio.language_model(None)
    model.states = stateless.states
    with pytest.raises(InvalidInput, match="gives no hidden states"):
        study(studio)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 0.0}, "share to hold out is 0"),
        ({"share": 1.0}, "share to hold out is 1"),
        ({"share": 0.001}, "at least 2 are needed"),
        ({"seeds": 0}, "seeds is 0"),
        ({"limit": 0}, "limit is 0"),
        ({"task": "mood"}, "no task 'mood'"),
        ({"task": "question-type"}, "0 of the labels of task 'question-type'"),
        ({"values": ("1",)}, "--sweep"),
        ({"sweep": Sweep.KEPT, "values": ("1", "1")}, "each once"),
        ({"sweep": Sweep.KEPT, "values": ("0",)}, "kept is 0"),
        ({"sweep": Sweep.KEPT, "values": ("few",)}, "whole number"),
        ({"sweep": Sweep.MODEL}, "are none"),
        ({"sweep": Sweep.STAGE_1, "values": ("faiss",)}, "cosine, bm25, all"),
        ({"sweep": Sweep.MODEL, "values": ("/no/such/model",)}, "/no/such/model"),
        ({"similarities": ("l2",)}, "cosine, dot, centred"),
        ({"readers": ("fid",)}, "vote, in-context"),
        ({"base": replace(SMALL, candidates=0)}, "candidates is 0"),
        ({"base": replace(SMALL, exemplars=-1)}, "exemplars"),
        ({"base": replace(SMALL, exemplars=900)}, "900 were asked for as exemplars"),
    ],
)
def test_mistakes_are_named_before_any_work(studio, model, given, message):
    with pytest.raises(InvalidInput, match=message):
        study(studio, **given)
    assert not model.read


def test_a_pool_without_labels_has_no_task(studio):
    pool = studio.store.pools.create("loose")
    studio.store.demonstrations.add(
        pool.id, [Draft(query, f"answer {number}") for number, query in enumerate(QUERIES)]
    )
    with pytest.raises(InvalidInput, match="pool 'loose' are not labels"):
        pgra(studio, PgraRequest("loose", SMALL), Watcher())
