"""The size of the next portion of a model's work."""

from core.engines.local import FIRST, Portion


class Clock:
    """Seconds that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


def sizes_after(most, portions, least=1):
    """The size after each portion of so much work that took so many seconds."""
    clock = Clock()
    portion = Portion(most, least, clock)
    found = [portion.size]
    for done, seconds in portions:
        portion.begin()
        clock.now += seconds
        portion.end(done)
        found.append(portion.size)
    return found


def test_a_portion_takes_about_a_second():
    assert sizes_after(64, [(8, 0.25), (32, 2.0), (16, 1.0)]) == [FIRST, 32, 16, 16]


def test_it_has_one_at_least_and_no_more_than_allowed():
    assert sizes_after(64, [(8, 100.0), (1, 30.0)]) == [8, 1, 1]
    assert sizes_after(64, [(8, 0.001), (64, 0.0)]) == [8, 64, 64]
    assert sizes_after(3, [(3, 0.001)]) == [3, 3]
    assert sizes_after(1, [(1, 5.0), (1, 0.1)]) == [1, 1, 1]


def test_it_is_never_less_than_what_is_done_at_once():
    assert sizes_after(64, [(16, 100.0), (16, 0.5)], least=16) == [16, 16, 32]
    assert sizes_after(3, [(3, 9.0)], least=16) == [3, 3]


def test_nothing_done_says_nothing_of_the_pace():
    assert sizes_after(64, [(8, 1.0), (0, 0.0)]) == [8, 8, 8]
