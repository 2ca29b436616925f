import pytest

from core.background.job import Job, JobSnapshot, Pace, in_words


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_the_pace_so_far_foretells_what_is_left():
    clock = Clock()
    pace = Pace(clock)
    # 50 were there before: they took no time and are no evidence of the pace.
    assert pace.left(50, 250) is None
    clock.now += 1.0
    assert pace.left(60, 250) is None, "too early to tell"
    clock.now += 4.0
    assert pace.left(100, 250) == pytest.approx(150 * 5 / 50)
    clock.now += 5.0
    assert pace.left(150, 250) == pytest.approx(100 * 10 / 100)
    assert pace.left(250, 250) is None


@pytest.mark.parametrize("again", [(10, 250), (160, 300)])
def test_other_work_starts_the_pace_anew(again):
    clock = Clock()
    pace = Pace(clock)
    pace.left(0, 250)
    clock.now += 10.0
    assert pace.left(150, 250) is not None
    assert pace.left(*again) is None


def test_work_that_does_not_move_has_no_end():
    clock = Clock()
    pace = Pace(clock)
    pace.left(5, 10)
    clock.now += 60.0
    assert pace.left(5, 10) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "about 5 s"),
        (31, "about 35 s"),
        (58, "about 1 min"),
        (250, "about 4 min"),
        (3_590, "about 1 h"),
        (4_900, "about 1 h 20 min"),
        (7_200, "about 2 h"),
    ],
)
def test_a_time_in_words(seconds, words):
    assert in_words(seconds) == words


def test_a_snapshot_says_how_far_it_is():
    assert JobSnapshot(id=1, slot="s", label="l").count == ""
    assert JobSnapshot(id=1, slot="s", label="l", done=3, total=7).count == "3 of 7"
    far = JobSnapshot(id=1, slot="s", label="l", done=12_300, total=146_217, left=240.0)
    assert far.count == "12,300 of 146,217, about 4 min left"
    assert (JobSnapshot(id=1, slot="s", label="l", done=3, total=7).time_left, far.time_left) == (
        "",
        ", about 4 min left",
    )


def test_a_job_tells_what_is_left():
    def no(_):
        raise AssertionError("not asked")

    job = Job(
        JobSnapshot(id=1, slot="s", label="l"),
        no,
        urgency=0,
        on_cancel=no,
        on_breathe=no,
        give_way=no,
    )
    clock = Clock()
    job._pace = Pace(clock)
    job.progress(0, 100)
    assert job.snapshot().left is None
    clock.now += 10.0
    job.progress(20, 100)
    assert job.snapshot().left == pytest.approx(40.0)
