"""A person goes before work in the background, and the work goes on however long they stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.background.presence import DRAWING, MOST, MOST_BEFORE_LOADING, Presence, WaitForPeople


class Time:
    """A clock that only moves when someone sleeps or works."""

    def __init__(self):
        self.now, self.slept = 100.0, 0.0

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.slept += seconds

    def work(self, seconds):
        self.now += seconds


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def presence(time):
    return Presence(time.clock)


@pytest.fixture
def waiting(presence, time):
    return WaitForPeople(presence, time.clock, time.sleep)


def never():
    return False


def waited(waiting, time, hurried=never):
    before = time.slept
    waiting.give_way(hurried)
    return time.slept - before


def test_a_person_is_served_while_the_page_runs_and_while_the_browser_draws(presence, time):
    assert not presence.served
    with presence.serving():
        assert presence.served
        time.work(100.0)
        assert presence.served
    time.work(DRAWING - 0.01)
    assert presence.served
    time.work(0.02)
    assert not presence.served


def test_whoever_was_served_has_left_after_so_many_seconds(presence, time):
    time.work(60)
    assert not presence.left(3), "nobody came yet"
    with presence.serving():
        time.work(60)
        assert not presence.left(3)
    time.work(DRAWING + 2.9)
    assert not presence.left(3)
    time.work(0.2)
    assert presence.left(3)


def test_of_two_pages_the_last_one_to_end_counts(presence, time):
    first, second = presence.serving(), presence.serving()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    time.work(2 * DRAWING)
    assert presence.served
    second.__exit__(None, None, None)
    time.work(2 * DRAWING)
    assert not presence.served


def test_a_page_that_breaks_off_no_longer_counts(presence, time):
    with pytest.raises(ZeroDivisionError), presence.serving():
        raise ZeroDivisionError
    assert presence.served
    time.work(2 * DRAWING)
    assert not presence.served


def test_with_nobody_there_nothing_waits(waiting, time):
    for _ in range(50):
        assert waited(waiting, time) == 0
        time.work(0.05)


def test_the_work_waits_until_the_person_has_their_picture(waiting, presence, time):
    with presence.serving():
        time.work(0.1)
    assert waited(waiting, time) == pytest.approx(DRAWING, abs=0.011)
    assert waited(waiting, time) == 0


def test_a_person_who_stays_holds_the_work_for_so_long_and_no_longer(waiting, presence, time):
    with presence.serving():
        assert waited(waiting, time) == pytest.approx(MOST, abs=0.011)
        assert waited(waiting, time) == 0
        time.work(0.3)
        assert waited(waiting, time) == pytest.approx(0.3, abs=0.021)
        time.work(50.0)
        assert waited(waiting, time) == pytest.approx(MOST, abs=0.011)


def test_weights_are_read_after_a_slow_first_page_and_not_beside_it(waiting, presence, time):
    with presence.serving():
        assert waited(waiting, time) == pytest.approx(MOST, abs=0.011)
        before = time.slept
        waiting.give_way(never, MOST_BEFORE_LOADING)
        longer = MOST_BEFORE_LOADING - MOST
        assert time.slept - before == pytest.approx(longer, abs=0.011)
        time.work(1.0)
        assert waited(waiting, time) == 0, "such a long wait is repaid first"


def test_work_in_a_hurry_does_not_wait_any_longer(waiting, presence, time):
    with presence.serving():
        assert waited(waiting, time, hurried=lambda: True) == 0
        until = time.now + 0.2
        assert waited(waiting, time, hurried=lambda: time.now >= until) == pytest.approx(0.2)


def test_two_threads_wait_each_on_their_own_account(presence, time):
    with presence.serving():
        for _ in range(2):
            own = WaitForPeople(presence, time.clock, time.sleep)
            assert waited(own, time) == pytest.approx(MOST, abs=0.011)


@given(
    st.lists(
        st.tuples(st.floats(0.0, 0.4), st.sampled_from(["page", "idle", "stays"])), max_size=60
    )
)
def test_whatever_people_do_the_work_gets_half_of_the_time(stretches):
    time = Time()
    presence = Presence(time.clock)
    waiting = WaitForPeople(presence, time.clock, time.sleep)
    worked, staying = 0.0, presence.serving()
    entered = False
    for seconds, what in stretches:
        if what == "page":
            with presence.serving():
                pass
        elif what == "stays" and not entered:
            staying.__enter__()
            entered = True
        assert waited(waiting, time) <= MOST + 0.011
        time.work(seconds)
        worked += seconds
    assert time.slept <= worked + MOST + 0.011 * (1 + len(stretches))
