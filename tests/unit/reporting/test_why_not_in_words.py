"""Why a demonstration is in a context or not, in a sentence and as a table."""

import pytest

from core.reporting.tables.explore import parts_sentence, triangle_sentence, why_sentence, why_table
from core.retrieval.why_not import ChoiceStep, Why, WhyNot
from tests.unit.reporting.test_explore_tables import EVIL, Cells


def trial(place, short_of=0.25, winner=7, step=1):
    return ChoiceStep(
        step=step,
        winner=winner,
        winner_value=0.5,
        winner_redundancy=0.3,
        redundancy=0.75,
        value=0.5 - short_of,
        place=place,
    )


def found(why, *trials, quality=-0.5):
    return WhyNot(4, why, 0.6789, quality, trials)


@pytest.mark.parametrize(
    ("explained", "sentence"),
    [
        (
            found(Why.ITS_OWN),
            "It has the query of this example, whose own demonstrations are never in its context.",
        ),
        (
            found(Why.UNSCORABLE),
            "The model can score none of its answer, so it is never chosen while quality counts.",
        ),
        (found(Why.BEATEN), "Nothing is chosen: k leaves no room."),
        (found(Why.CHOSEN, trial(3), trial(1, step=2)), "It is chosen at step 2."),
        (
            found(Why.SAME_QUERY, trial(2)),
            "Another answer of its query is chosen at step 1, and only one of each query may be.",
        ),
        (
            found(Why.BEATEN, trial(9), trial(1234, step=2)),
            "At the last step, 2, it is number 1,234: 0.250 below the one that is chosen. "
            "It came closest at step 1, as number 9.",
        ),
        (
            found(Why.BEATEN, trial(9), trial(2, 0.0004, step=2)),
            "At the last step, 2, it is number 2: 0.000 below the one that is chosen.",
        ),
    ],
)
def test_the_reason(explained, sentence):
    assert why_sentence(explained) == sentence


@pytest.mark.parametrize(
    ("contexts", "share", "sentence"),
    [
        (0, 0.0, "No weights at all choose it for this query."),
        (1, 0.0004, "It is in 1 context of the triangle, on less than 0.1 % of it."),
        (1234, 0.5, "It is in 1,234 contexts of the triangle, on 50.0 % of it."),
    ],
)
def test_where_in_the_triangle(contexts, share, sentence):
    assert triangle_sentence(contexts, share) == sentence


def test_its_parts():
    assert parts_sentence(found(Why.BEATEN)) == "Relevance 0.679, quality bias -0.500."
    assert parts_sentence(found(Why.BEATEN, quality=0.0)) == "Relevance 0.679."


def test_one_row_a_step_and_texts_stay_text():
    table = Cells(why_table((trial(12), trial(3, winner=9, step=2)), {7: EVIL, 9: "Second?"}))
    assert table.rows[1:] == [
        ["1", EVIL, "0.50", "0.25", "\N{EN DASH}", "\N{EN DASH}", "12"],
        ["2", "Second?", "0.50", "0.25", "0.30", "0.75", "3"],
    ]
    assert "script" not in table.tags
