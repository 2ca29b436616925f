"""The start page's picture: figures of the example, sentences that follow from them."""

from dataclasses import replace

import numpy as np
import pytest

from core.demonstration.demonstration import Status
from core.language_model import AnswerRequest
from core.reporting.html.drawings import document, picture
from core.reporting.results.idea import AnswerWay, Chosen, Idea, Preference, Shown
from core.reporting.words import start_page as start_words
from core.retrieval.knobs import Knobs
from core.store import Change
from core.studio import Studio
from core.studio.explore.exploration import ExploreRequest, example_of, explore, resolve
from core.studio.pools.pools import delete, load_bundled, restore_example
from core.studio.start import EXAMPLE, MIX, NONE, SIMILAR, idea


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    with Studio.open(tmp_path_factory.mktemp("start") / "workspace") as opened:
        load_bundled(opened)
        yield opened


@pytest.fixture
def own_studio(tmp_path):
    """One whose pool a test may edit."""
    with Studio.open(tmp_path / "workspace") as opened:
        load_bundled(opened)
        yield opened


def way(method, right=None, again=(None, None), sameness=0.5):
    shown = tuple(Shown(rank, f"Q{rank} <b>", "A", of) for rank, of in enumerate(again, start=1))
    found = None if right is None else Preference(right, "wrong <i>")
    return AnswerWay(method, shown, sameness, found)


def made(similar=0.2, mix=0.9, none=0.4, chosen=None):
    return Idea(
        query="Where <script>?",
        right_answer="There & here",
        none=AnswerWay(NONE, (), None, Preference(none, "wrong")),
        similar=way(SIMILAR, similar, again=(None, 1)),
        mix=way(MIX, mix),
        chosen=chosen,
        provenance="From a pool.",
    )


def test_the_picture_is_what_explore_says_of_both_contexts(studio):
    found, job = idea(studio)
    assert job is None
    view = studio.view(EXAMPLE)
    example = example_of(studio, view, found.query)
    assert found.right_answer == example.answers[example.best]
    assert found.none.shown == ()
    for each in (found.similar, found.mix):
        explored = explore(
            resolve(
                studio, ExploreRequest(EXAMPLE, found.query, Knobs(each.method), leave_out=True)
            )
        )
        assert [(s.rank, s.query, s.answer) for s in each.shown] == [
            (p.rank, p.query, p.answer) for p in explored.picks
        ]
        assert each.sameness == explored.diversity
        rows = view.matrix[view.positions([pick.id for pick in explored.picks])]
        for at, one in enumerate(each.shown):
            alike = [j + 1 for j in range(at) if rows[at] @ rows[j] >= 0.95]
            assert one.again == (alike[0] if alike else None)


def test_the_bars_are_the_models_own_log_probabilities(studio):
    found, _ = idea(studio)
    model, template = studio.language_model(EXAMPLE.model), studio.template(EXAMPLE)
    example = example_of(studio, studio.view(EXAMPLE), found.query)
    wrong_answers = [wrong.text for wrong in example.incorrect]
    texts = tuple(template.answer(text) for text in (found.right_answer, *wrong_answers))
    for each in found.ways:
        request = ExploreRequest(EXAMPLE, found.query, Knobs(each.method), leave_out=True)
        prompt = explore(resolve(studio, request)).prompt
        (row,) = model.log_probs([AnswerRequest(prompt, texts)])
        right, *wrong = [answer.total for answer in row]
        strongest = int(np.argmax(wrong))
        assert each.preference.wrong_answer == wrong_answers[strongest]
        expected = 1 / (1 + np.exp(wrong[strongest] - right))
        assert each.preference.right == pytest.approx(expected, abs=1e-4)


def test_the_example_shows_the_effect(studio):
    found, _ = idea(studio)
    assert found.similar.repeated > found.mix.repeated
    assert not found.similar.preference.wins
    assert found.mix.preference.wins
    assert found.chosen.example


@pytest.mark.thorough
def test_an_edited_pool_is_drawn_as_it_is_and_nothing_is_claimed_of_the_choice(own_studio):
    before, _ = idea(own_studio)
    pool = own_studio.store.pools.get(EXAMPLE.pool)
    rows = own_studio.store.demonstrations.all(pool.id)
    second = before.mix.shown[1]
    gone = next(row for row in rows if (row.query, row.answer) == (second.query, second.answer))
    excluded = Change(gone.id, gone.revision, status=Status.EXCLUDED)
    own_studio.store.demonstrations.change([excluded], what="exclude one")
    after, job = idea(own_studio)
    assert after.query == before.query
    assert after.chosen is None
    assert gone.answer not in [one.answer for one in after.mix.shown]
    assert job.wait(120)
    scored, job = idea(own_studio)
    assert job is None
    assert scored.similar.preference == before.similar.preference
    assert scored.mix.preference is not None


def test_without_the_example_there_is_none_until_it_is_brought_back(own_studio):
    before, _ = idea(own_studio)
    delete(own_studio, EXAMPLE.pool)
    assert idea(own_studio) == (None, None)
    restore_example(own_studio)
    after, job = idea(own_studio)
    assert job is None
    assert replace(after, provenance="") == replace(before, provenance="")


@pytest.mark.parametrize(
    ("similar", "mix", "expected"),
    [
        (0.2, 0.9, "With look-alikes the model prefers a wrong answer, with a mix the right one"),
        (0.9, 0.2, "With look-alikes the model prefers the right answer, with a mix a wrong one"),
        (0.2, 0.5, "With neither choice does the model prefer the right answer"),
        (0.6, 0.9, "With either choice the model prefers the right answer"),
    ],
)
def test_the_headline_follows_from_the_figures(similar, mix, expected):
    assert start_words.headline(made(similar, mix)) == expected


@pytest.mark.parametrize(
    ("again", "expected"),
    [
        ((None, 1, 1), "2 of 3 repeat one before"),
        ((None, None, 2), "1 of 3 repeats one before"),
        ((None, None), "All 2 differ"),
        ((None,), "1 demonstration"),
        ((), "No demonstrations"),
    ],
)
def test_repeats_are_counted(again, expected):
    assert start_words.repeats(way(SIMILAR, again=again)) == expected


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        (0.2, "Wrong answer preferred: 80 %"),
        (0.5, "Wrong answer preferred: 50 %"),
        (0.73, "Right answer preferred: 73 %"),
        (0.9999, "Right answer preferred: over 99 %"),
        (0.0001, "Wrong answer preferred: over 99 %"),
    ],
)
def test_the_verdict_says_how_much(right, expected):
    assert start_words.verdict(Preference(right, "")) == expected


def test_how_usual_it_is_stands_beside_it():
    chosen = Chosen(
        example="e",
        gain=0.8,
        typical="t",
        typical_gain=0.0,
        median_gain=0.0,
        queries=1480,
        showing=20,
        won=35,
        lost=4,
        right=(9, 432, 467),
    )
    counts, turns = start_words.usual(chosen)
    assert "Over all 1,480 queries" in counts
    assert "in 9 without demonstrations, in 432 with the most similar ones and in 467" in counts
    assert "of the 20 queries whose most similar demonstrations repeat one another" in turns
    assert "from losing to winning in 35 of 1,480 queries, and from winning to losing in 4" in turns
    assert start_words.usual(None) == ()


def test_texts_are_shown_and_not_interpreted_and_a_repetition_names_what_it_repeats():
    drawn = picture(made())
    assert "<script>" not in drawn
    assert "Where &lt;script&gt;?" in drawn
    assert "<b>repeats 1:</b> Q2 &lt;b&gt;" in drawn
    assert 'data-method="rel" data-right="0.200000"' in drawn
    assert "width:20.00%" in drawn
    assert start_words.WAITING in picture(replace(made(), mix=way(MIX)))


def test_the_file_to_hand_on_needs_nothing_else():
    whole = document(made())
    assert whole.startswith("<!doctype html>")
    assert picture(made()) in whole
    assert "From a pool." in whole
    assert not [word for word in ("http:", "https:", "src=", "@import") if word in whole]
