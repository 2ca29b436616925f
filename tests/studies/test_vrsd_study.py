"""The study of VRSD on a pool of angles, where every context can be worked out by hand."""

from itertools import combinations, count

import numpy as np
import pytest

from core.demonstration.demonstration import Draft, incorrect_answers
from core.errors import Cancelled, InvalidInput
from core.evaluation.plan.comparison_rows import ComparisonRow
from core.evaluation.plan.examples import is_held_out
from core.retrieval.knobs import Knobs
from core.settings import Embed
from core.studio import Setup
from core.studio.runs import compare
from core.watcher import NOBODY, Watcher
from studies.vrsd.study import VrsdRequest, vrsd

SHARE = 0.5


class AngleEncoder:
    """An `Encoder` of the plane: the last number of a text is its angle in degrees."""

    name = "angles"
    dimensions = 2
    fingerprint = "angles"

    def encode(self, texts, *, watcher=NOBODY):
        return np.array([at(float(text.split()[-1])) for text in texts], dtype=np.float32)

    def cut(self, texts):
        return np.zeros(len(texts), dtype=bool)

    def unknown(self, texts):
        return np.zeros(len(texts))


def at(degrees):
    turn = np.radians(degrees)
    return [np.cos(turn), np.sin(turn)]


def named(angle, number, *, out):
    """The number-th text of that angle which seed 0 holds out, or does not."""
    words = ((out * "a" + chr(97 + n % 26)) * (3 + n // 26) for n in count(1))
    texts = (f"{word} {angle}" for word in words)  # no word of one part is in the other
    found = (text for text in texts if is_held_out(text, SHARE, 0) is out)
    return [next(found) for _ in range(number + 1)][number]


KEPT = [named(angle, 0, out=False) for angle in (80, -40, 15, 10)]
ASKED = [named(0, number, out=True) for number in range(2)]


def cosine(*degrees):
    total = np.sum([at(each) for each in degrees], axis=0)
    return total[0] / np.linalg.norm(total)


@pytest.fixture
def encoder():
    return AngleEncoder()


@pytest.fixture
def pool_drafts():
    incorrect = incorrect_answers(("No 200", "Never 300"))
    return [Draft(query, f"Yes {query[0]} 100", incorrect) for query in (*KEPT, *ASKED)]


def study(studio, **changed):
    request = {"pool": "small", "k": 3, "share": SHARE, "seeds": 1, "embed": Embed.QUERY}
    return vrsd(studio, VrsdRequest(**(request | changed)), Watcher())


def rows_of(found):
    (figures,) = found.encoders
    return {(row.method, row.lambda_d): row for row in figures.rows}


def test_every_context_is_the_one_worked_out_by_hand(studio):
    found = study(studio)
    assert (found.held_out, found.retrieved, found.queries) == ((2,), (4,), 2)
    rows = rows_of(found)
    expected = {
        ("vrsd", None): (10, 15, -40),
        ("rel+div", 0.0): (10, 80, -40),
        ("rel+div", 0.5): (10, -40, 15),
        ("rel+div", 1.0): (10, 15, -40),
        ("bm25", None): (80, -40, 15),  # no word in common: by id
    }
    assert list(rows) == list(expected)
    ours = cosine(10, 15, -40)
    assert ours == pytest.approx(0.997017, abs=1e-6)
    for key, angles in expected.items():
        row = rows[key]
        assert row.mean.mean == pytest.approx(cosine(*angles), abs=1e-6)
        relevance = np.cos(np.radians(angles))
        assert row.relevance == pytest.approx(relevance.mean(), abs=1e-6)
        assert row.least_relevance == pytest.approx(relevance.min(), abs=1e-6)
        pairs = [np.cos(np.radians(a - b)) for a, b in combinations(angles, 2)]
        assert row.sameness.mean == pytest.approx(np.mean(pairs), abs=1e-6)
        assert (row.accuracy, row.dpo_per_triple) == (None, None)
        assert row.seconds_a_query > 0
        if key != ("vrsd", None):
            ahead = ours - cosine(*angles)
            wins = float(ahead > 1e-6)
            against = row.against
            assert (against.win.mean, against.ties, against.losses) == (wins, 1 - wins, 0)
            assert against.max_diff == pytest.approx(ahead, abs=1e-6)
            assert against.max_diff_reverse == pytest.approx(-ahead, abs=1e-6)
            assert against.gap.mean == pytest.approx(ahead, abs=1e-6)
    assert rows["vrsd", None].against is None
    assert [row.candidates for row in rows.values()] == [20, 20, 20, 20, 0]


def test_the_notes_say_what_the_figures_rest_on(studio):
    notes = study(studio).notes
    assert notes[0] == (
        "One split holds 2 queries out, 2 different ones, and leaves 4 demonstrations to retrieve; "
        "each query counts once, with its mean over the seeds. Embedded: query."
    )
    assert (
        study(studio, seeds=2, share=0.6, limit=1)
        .notes[0]
        .startswith("2 splits hold 1, 1 queries out (at most 1 a seed), ")
    )
    assert notes[2] == (
        "angles: by the mean vrsd 0.997 > rel+div@0.5 0.997 > rel+div@1 0.997 > rel+div@0 0.966 "
        "> bm25 0.954."
    )
    assert notes[3] == (
        "angles: the cosine of VRSD's sum falls at picks 2 to 4 for 100%, 0%, 100% of the "
        "queries; for 0% a context of fewer than 3 has the larger one."
    )
    assert notes[4].startswith("angles: over 2 queries the best set of all is ahead of VRSD by 0.0")


def test_where_a_pick_lowers_the_cosine(studio):
    # .984808, .976296, .997017, .965926: down, up, down; then the pool is used up.
    (three,), (two,) = study(studio).encoders, study(studio, k=2).encoders
    assert three.steps.falls == two.steps.falls == (1.0, 0.0, 1.0)
    assert (three.steps.shorter, two.steps.shorter) == (0.0, 1.0)


def test_greedy_against_all_sets(studio):
    angles = (80, -40, 15, 10)
    for k, chosen in ((1, (10,)), (3, (10, 15, -40)), (4, angles)):
        (figures,) = study(studio, k=k).encoders
        best = max(combinations(angles, k), key=lambda each: cosine(*each))
        greedy = figures.greedy
        assert greedy.queries == 2
        assert greedy.mean == pytest.approx(cosine(*best) - cosine(*chosen), abs=1e-6)
        assert greedy.largest == pytest.approx(greedy.mean, abs=1e-6)
        assert greedy.same_set == float(set(best) == set(chosen))
        assert greedy.nearest_in_best == float(10 in best)
    # 10 and 15 point as near to 0 as -40 and 15 do.
    assert study(studio, k=2).encoders[0].greedy.largest == pytest.approx(0, abs=1e-6)
    assert study(studio, candidates=0).encoders[0].greedy is None
    assert study(studio, candidates=21).encoders[0].greedy is None


def test_as_many_candidates_as_are_chosen_leave_nothing_to_choose(studio):
    rows = rows_of(study(studio, k=3, candidates=3))
    for row in rows.values():
        if row.method == "rel+div":
            assert (row.against.win.mean, row.against.ties) == (0.0, 1.0)
            assert row.against.gap.mean == pytest.approx(0, abs=1e-6)
    assert rows["vrsd", None].mean.mean == pytest.approx(cosine(10, 15, -40), abs=1e-6)


def test_query_and_answer_are_embedded_together(studio):
    # The answer ends every text at 100 degrees: each sum points there, whatever is chosen.
    for row in rows_of(study(studio, embed=Embed.QUERY_AND_ANSWER)).values():
        assert row.mean.mean == pytest.approx(np.cos(np.radians(100)), abs=1e-6)
        assert row.sameness.mean == pytest.approx(1, abs=1e-6)


def test_a_limit_takes_the_first_of_the_seeds_order(studio):
    assert study(studio, limit=1).held_out == (1,)
    assert study(studio, limit=9).held_out == (2,)


def test_a_language_model_judges_the_same_contexts_as_a_comparison_does(studio, tiny_lm_folder):
    model = str(tiny_lm_folder)
    found = study(studio, model=model)
    store = studio.store
    by_query = {each.query: each for each in store.demonstrations.all(store.pools.get("small").id)}
    for name, queries in (("kept", KEPT), ("asked", ASKED)):
        each = [by_query[query] for query in queries]
        copies = [Draft(one.query, one.answer, one.incorrect) for one in each]
        store.demonstrations.add(store.pools.create(name).id, copies)
    settings = {"vrsd": Knobs("vrsd", 3, candidates=20)} | {
        f"mmr {value}": Knobs("rel+div", 3, value, candidates=20) for value in (0.0, 0.5)
    }
    request = compare.CompareRequest(
        setup=Setup("kept", None, model),
        rows=tuple(ComparisonRow(name, knobs) for name, knobs in settings.items()),
        examples="asked",
    )
    compared = compare.run(studio, request, Watcher()).summary()
    rows = rows_of(found)
    for name, knobs in settings.items():
        lambda_d = None if name == "vrsd" else knobs.lambda_d
        row, figures = rows[knobs.method, lambda_d], compared.methods[name].metrics
        assert row.accuracy == figures["mc1"]
        assert row.dpo_per_triple.mean == pytest.approx(figures["dpo_per_triple"].mean)
        assert row.dpo_per_triple.n == 2
    assert (found.model, found.skipped) == (compared.settings.model, 0)
    assert store.runs.latest("evaluate", store.pools.get("small").id) == []


def test_seeds_are_pooled_and_each_query_counts_once(studio):
    found = study(studio, seeds=3, share=0.6)
    texts = (*KEPT, *ASKED)
    out = [{text for text in texts if is_held_out(text, 0.6, seed)} for seed in range(3)]
    assert found.held_out == tuple(map(len, out))
    assert found.retrieved == tuple(6 - len(each) for each in out)
    assert found.queries == len(set.union(*out))
    for row in found.encoders[0].rows:
        assert row.mean.n == found.queries
        if row.against is not None:
            shares = (row.against.win.mean, row.against.ties, row.against.losses)
            assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"share": 0.0}, "share to hold out is 0"),
        ({"share": 1.0}, "share to hold out is 1"),
        ({"share": float("nan")}, "share to hold out is nan"),
        ({"k": 0}, "k is 0"),
        ({"seeds": 0}, "seeds is 0"),
        ({"limit": 0}, "limit is 0"),
        ({"encoders": ()}, "name at least one"),
        ({"encoders": ("a", "a")}, "The encoders a, a were given"),
        ({"pool": "nowhere"}, "nowhere"),
        ({"share": 1e-6}, "Of the 6 queries of pool 'small' seed 0 holds out 0"),
        ({"candidates": -1}, "candidates is -1"),
    ],
)
def test_what_cannot_be_meant_is_refused(studio, changed, message):
    with pytest.raises(InvalidInput, match=message):
        study(studio, **changed)


def test_it_can_be_stopped(studio):
    request = VrsdRequest("small", share=SHARE, seeds=1)
    with pytest.raises(Cancelled):
        vrsd(studio, request, Watcher(cancelled=lambda: True))
