"""Labels of a comparison's contexts: counted by hand, beside chance and right answers."""

import json
from collections import Counter
from dataclasses import astuple

import pytest

from core.demonstration.demonstration import Draft, EvaluationExample, incorrect_answers
from core.errors import InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow, check_rows
from core.evaluation.plan.examples import PoolLabels
from core.evaluation.results.comparison import Comparison
from core.evaluation.results.label_figures import first_stage_among
from core.evaluation.results.verdict import Sorting, sorting_of
from core.evaluation.runs.tally import recorded_contexts
from core.evaluation.scoring.task_states import check_states, prompts_to_read
from core.interval import Interval
from core.retrieval.choosing import choose_context, find_method, settled
from core.retrieval.knobs import Knobs
from core.retrieval.pool_view import load_pool_view
from core.settings import Embed
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.moods import Planted, evaluated, mood_of, mood_pool

CONSISTENCY = "label_consistency"


def pgra(k=4, **own):
    return Knobs("pgra", k, own_values=(("exemplars", 0), *own.items()))


def counted_by_hand(store, found, row):
    """(consistent demonstrations, shown ones, whether the answer was right) of each example."""
    pool = store.pools.get("moods").id
    answers = {each.id: each.answer for each in store.demonstrations.all(pool)}
    counts = []
    for example, outcome in zip(found.examples, found.methods[row].outcomes, strict=True):
        kept = [answers[id] for id in outcome.ids]
        of_each = Counter(kept)
        guess = "glad" if of_each["glad"] > of_each["sad"] else "sad"
        label = example.answers[0]
        counts.append((of_each[label], len(kept), guess == label))
    return counts


def test_the_share_of_the_context_and_chance_by_hand(store):
    mood_pool(store)
    requests = {"none": Knobs("none", 4), "rel": Knobs("rel", 4), "pgra": pgra()}
    found = evaluated(store, requests)
    summary = found.summary()
    counts = counted_by_hand(store, found, "rel")
    shares = [same / shown for same, shown, _ in counts]
    assert summary.value("rel", CONSISTENCY).mean == pytest.approx(sum(shares) / 30)
    assert summary.value("rel", CONSISTENCY).n == 30
    assert 0.0 < summary.value("rel", CONSISTENCY).mean < 1.0
    assert summary.value("pgra", CONSISTENCY).mean == 1.0
    assert summary.value("none", CONSISTENCY).mean is None
    # 20 of 30 are sad: a sad text has 19 of 29 others, a glad one 9 of 29.
    assert summary.labels.chance == pytest.approx((20 * 19 + 10 * 9) / 30 / 29)
    assert (summary.labels.task, summary.labels.examples) == ("moods", 30)
    assert summary.labels.all_offered
    assert summary.basis.counted(CONSISTENCY) == 30


def test_queries_by_consistent_demonstrations_are_those_counted_by_hand(store):
    mood_pool(store)
    found = evaluated(store, {"none": Knobs("none", 4), "rel": Knobs("rel", 4), "pgra": pgra()})
    labels = found.summary().labels
    assert set(labels.rows) == {"rel", "pgra"}, "no context of none has a label to count"
    for row in ("rel", "pgra"):
        counts = counted_by_hand(store, found, row)
        by_hand = Counter(same for same, _, _ in counts)
        right = Counter(same for same, _, won in counts if won)
        shown = labels.rows[row].by_consistent
        assert [each.count for each in shown] == [0, 1, 2, 3, 4]
        assert [each.queries for each in shown] == [by_hand[count] for count in range(5)]
        assert sum(each.queries for each in shown) == 30
        for each in shown:
            wanted = right[each.count] / each.queries if each.queries else None
            assert each.accuracy.mean == (wanted if wanted is None else pytest.approx(wanted))
            assert each.accuracy.n == each.queries
    last = labels.rows["pgra"].by_consistent[-1]
    assert (last.count, last.queries) == (4, 30)
    assert astuple(last.accuracy) == pytest.approx((1.0, 0.884297, 1.0, 30, 0), abs=1e-6)
    assert labels.rows["rel"].link.mean > 0.5, "the model follows its demonstrations"
    assert labels.rows["pgra"].link.mean is None, "all are equally consistent"


def test_a_model_that_knows_the_task_sorts_better_and_a_blind_one_does_not(store):
    mood_pool(store)
    requests = {"rel": Knobs("rel", 4), "pgra": pgra(), "other": pgra(2)}
    (found,) = evaluated(store, requests).summary().labels.sorted
    assert (found.row, found.first_stage, found.ranked_by) == ("pgra", "rel", "rel")
    assert found.verdict is Sorting.BETTER
    assert found.difference.low > 0.0
    blind = evaluated(store, requests, Planted(blind=True)).summary()
    (found,) = blind.labels.sorted
    less = blind.value("pgra", CONSISTENCY).mean - blind.value("rel", CONSISTENCY).mean
    assert found.difference.mean == pytest.approx(less)
    assert found.verdict is not Sorting.BETTER
    assert not evaluated(store, {"pgra": pgra()}).summary().labels.sorted, "rel is not there"


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (Interval(0.2, 0.1, 0.3, 40), Sorting.BETTER),
        (Interval(0.2, 0.0, 0.3, 40), Sorting.NOT_CLEARLY_BETTER),
        (Interval(0.0, -0.1, 0.1, 40), Sorting.NO_BETTER),
        (Interval(-0.2, -0.3, 0.0, 40), Sorting.NO_BETTER),
        (Interval(-0.2, -0.3, -0.1, 40), Sorting.WORSE),
        (Interval(0.0, None, None, 40), Sorting.NO_BETTER),
        (Interval(0.2, None, None, 5, 20), Sorting.TOO_FEW),
        (Interval(None, None, None), Sorting.TOO_FEW),
    ],
)
def test_the_verdict_by_its_difference(difference, verdict):
    assert sorting_of(difference) is verdict


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [
        (Interval(0.2, 0.1, 0.3, 40), Sorting.BETTER),
        (Interval(0.2, 0.0, 0.3, 40), Sorting.NOT_CLEARLY_BETTER),
        (Interval(-0.2, -0.3, 0.0, 40), Sorting.NO_BETTER),
        (Interval(-0.2, -0.3, -0.1, 40), Sorting.WORSE),
        (Interval(0.2, None, None, 5, 20), Sorting.NOT_CLEARLY_BETTER),
        (Interval(0.0, None, None, 5, 20), Sorting.NO_BETTER),
        (Interval(-0.2, None, None, 5, 20), Sorting.WORSE),
        (Interval(-0.2, None, None, 40), Sorting.WORSE),
        (Interval(None, None, None), Sorting.TOO_FEW),
    ],
)
def test_the_verdict_by_its_mean_where_there_is_no_interval(difference, verdict):
    assert sorting_of(difference, by_mean=True) is verdict


def test_the_first_stage_is_the_row_that_ranks_and_keeps_as_it_does(store):
    mood_pool(store, 6)
    requests = {
        "far": Knobs("rel", 4, embed=Embed.QUERY_AND_ANSWER),
        "few": Knobs("rel", 4, candidates=3),
        "close": Knobs("rel", 4),
        "two": Knobs("rel", 2),
        "words": Knobs("bm25", 4),
    }
    rows = {name: _Row(knobs) for name, knobs in requests.items()}
    assert first_stage_among(pgra(4), rows) == "close"
    assert first_stage_among(pgra(2), rows) == "two"
    assert first_stage_among(pgra(3), rows) is None
    assert first_stage_among(pgra(4, stage_1="bm25"), rows) == "words"
    assert first_stage_among(pgra(4, stage_1="all"), rows) == "close"


class _Row:
    def __init__(self, request):
        self.request = request


def test_a_pool_without_a_task_has_no_labels_and_no_keys_for_them(store):
    store.demonstrations.add(
        store.pools.create("moods").id,
        [Draft(f"text number {n}", f"answer {n}", incorrect_answers(["no"])) for n in range(6)],
    )
    found = evaluated(store, {"rel": Knobs("rel", 2)})
    summary = found.summary()
    assert summary.labels is None
    assert "labels" not in summary.to_json()
    assert summary.to_json()["methods"]["rel"][CONSISTENCY] is None
    assert summary.basis.counted(CONSISTENCY) == 0
    (first, *_) = store.runs.rows(found.figures.run)
    assert "label_chance" not in first
    assert CONSISTENCY not in first


def test_it_is_read_again_as_it_was_recorded(store):
    mood_pool(store)
    found = evaluated(store, {"rel": Knobs("rel", 4), "pgra": pgra()})
    row = json.loads(json.dumps(found.summary().to_json()))
    assert Comparison.from_json(row) == found.summary()
    assert Comparison.from_json(row).to_json() == row
    assert row["labels"]["sorted"][0]["verdict"] == "better"
    recorded = {each.query: each.outcome for each in recorded_contexts(store, found.figures.run)}
    assert len(recorded) == 30
    for each in recorded.values():
        assert each.scores.label_chance in (19 / 29, 9 / 29)


def test_an_example_without_a_label_counts_nowhere(store):
    pool = mood_pool(store, 9)
    store.demonstrations.add(pool.id, [Draft("a text", "neither", incorrect_answers(["sad"]))])
    found = evaluated(store, {"rel": Knobs("rel", 2)}).summary()
    assert found.examples == 10
    assert found.labels.examples == found.value("rel", CONSISTENCY).n == 9
    assert not found.labels.all_offered
    assert sum(each.queries for each in found.labels.rows["rel"].by_consistent) == 9


def test_the_label_of_an_example_and_what_is_measured_of_a_context(store):
    mood_pool(store, 6)
    encoder = HashingEncoder(16)
    view = load_pool_view(store, "moods", encoder)
    labels = PoolLabels.of(view)
    assert labels.words == tuple(mood_of(number) for number in range(6))
    two = EvaluationExample("x", ("neither", "SAD", "glad"), (), best=2)
    assert labels.label_of(two) == "glad", "the best answer comes first"
    assert labels.label_of(EvaluationExample("x", ("neither", "0"), ())) == "sad"
    assert labels.label_of(EvaluationExample("x", ("neither",), ())) == ""
    (vector,) = encoder.encode(["x"])
    context = choose_context(view, "x", vector, Knobs("rel", 6), leave_out=True)
    sad = EvaluationExample("x", ("sad",), ())
    assert labels.measured(sad, context) == {CONSISTENCY: 4 / 6, "label_chance": 4 / 6}
    own = EvaluationExample("Text number 0", ("sad",), ())
    assert labels.measured(own, context)["label_chance"] == 3 / 5
    assert not labels.all_offered([])
    assert not labels.all_offered([sad])
    assert labels.all_offered([EvaluationExample("x", ("sad",), incorrect_answers(["glad"]))])


def test_numbers_of_candidates_make_settings_of_their_own():
    shared = Knobs(k=4)
    rows = [ComparisonRow.parse(f"pgra candidates={n}", shared) for n in (16, 50)]
    check_rows(rows)
    assert [row.setting for row in rows][0] != rows[1].setting
    with pytest.raises(InvalidInput, match="are the same"):
        check_rows(
            [
                ComparisonRow.parse("pgra", shared),
                ComparisonRow.parse("pgra candidates=150", shared),
            ]
        )


def test_the_candidates_of_a_first_stage_are_recorded_and_run_again(store):
    mood_pool(store)
    found = evaluated(store, {"few": Knobs("pgra", 2, candidates=3), "usual": Knobs("pgra", 2)})
    settings = found.summary().settings
    assert settings.methods["few"].candidates == 3
    assert settings.methods["usual"].candidates == 150
    few = settings.knobs_of(settings.methods["few"])
    assert find_method("pgra").n_candidates(few) == 3


class NoStates:
    name = "far away"


def test_what_cannot_be_read_is_refused_before_anything_runs(store):
    mood_pool(store, 6, task=None)
    with pytest.raises(InvalidInput, match="'moods' are not labels"):
        evaluated(store, {"pgra": Knobs("pgra", 2)})
    assert not store.runs.latest("evaluate", store.pools.get("moods").id)
    view = load_pool_view(store, "moods", HashingEncoder(16))
    assert prompts_to_read(view, [settled(Knobs("rel", 2))]) == set()
    check_states(NoStates(), [Knobs("rel", 2)])
    with pytest.raises(InvalidInput, match="the engine 'far away' does not give; use a local"):
        check_states(NoStates(), [Knobs("rel", 2), Knobs("pgra", 2)])


def test_each_prompt_is_read_once_whatever_compares_its_states(store):
    mood_pool(store, 12)
    view = load_pool_view(store, "moods", HashingEncoder(16))
    same = [pgra(4), pgra(2), pgra(4, similarity="dot"), Knobs("rel", 4)]
    assert len(prompts_to_read(view, map(settled, same))) == 1
    own = [(("exemplars", m), ("draw", "random")) for m in range(1, 8)]
    others = [Knobs("pgra", 4, own_values=values) for values in own]
    assert len(prompts_to_read(view, map(settled, [*same, *others]))) == 8
    reads = Planted()
    evaluated(store, {f"m {m}": each for m, each in enumerate(others)}, reads)
    assert reads.read == 7 * 12, "the pool's queries are among its texts"
