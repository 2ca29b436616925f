"""A pool of three demonstrations in a workspace of the test's own."""

import pytest

from core.demonstration.demonstration import Draft, incorrect_answers


@pytest.fixture
def pool(store):
    return store.pools.create("myths")


@pytest.fixture
def filled(store, pool):
    """Two answers of one query and one of another; the second answer is best."""
    drafts = [
        Draft(
            "Do bats see?",
            "Yes.",
            incorrect_answers(("No, they are blind.", "Only by sound.")),
            ("animals",),
        ),
        Draft(
            " Do bats see?\n",
            "Bats can see.",
            incorrect_answers(("They are blind.",)),
            ("animals", "birds"),
            best=True,
        ),
        Draft("Is glass a liquid?", "No.", (), ("physics",), note="windows"),
    ]
    store.demonstrations.add(pool.id, drafts)
    return store.demonstrations.all(pool.id)
