"""The worker: one thread, latest wins, interactive jobs first, nothing breaks it."""

import gc
import threading
import weakref

import pytest

from core.background import Urgency, Worker
from core.errors import Cancelled, InvalidInput

UNASKED, SHOWN, URGENT = Urgency.UNASKED, Urgency.SHOWN, Urgency.URGENT
PATIENCE = 20.0
"""Seconds after which a test gives up waiting; none waits for as long when all is well."""


@pytest.fixture
def worker():
    with Worker("test worker") as opened:
        yield opened


class Gate:
    """Work that signals when it has begun and goes on when it may, or when it is cancelled."""

    def __init__(self, result=None):
        self.begun = threading.Event()
        self.go_on = threading.Event()
        self.result = result

    def __call__(self, job):
        self.begun.set()
        while not self.go_on.wait(0.002):
            if job.cancelled():
                raise Cancelled("stopped")
        return self.result


def finished(job):
    assert job.wait(PATIENCE)
    return job


def test_work_runs_on_the_workers_one_thread_and_its_result_is_kept(worker):
    jobs = [
        worker.submit(f"slot {i}", f"job {i}", lambda job: threading.current_thread().name)
        for i in range(5)
    ]
    assert [finished(job).result for job in jobs] == ["test worker"] * 5
    assert [job.state for job in jobs] == ["finished"] * 5
    assert [(job.id, job.slot, job.label) for job in jobs] == [
        (i + 1, f"slot {i}", f"job {i}") for i in range(5)
    ]


def test_two_jobs_never_run_at_the_same_time(worker):
    inside, most = [], []

    def work(job):
        inside.append(job.id)
        most.append(len(inside))
        job.breathe()
        inside.remove(job.id)

    jobs = [worker.submit(f"slot {i}", "", work) for i in range(20)]
    for job in jobs:
        finished(job)
    assert most == [1] * 20


def test_the_latest_request_of_a_slot_wins(worker):
    first, second, third = Gate("first"), Gate("second"), Gate("third")
    running = worker.submit("explore", "1", first)
    assert first.begun.wait(PATIENCE)
    waiting = worker.submit("explore", "2", second)
    latest = worker.submit("explore", "3", third)
    third.go_on.set()
    assert finished(latest).result == "third"
    assert finished(running).state == "cancelled"
    assert finished(waiting).state == "cancelled"
    assert running.result is None
    assert not second.begun.is_set()
    assert worker.latest("explore") is latest
    assert worker.latest("another") is None


def test_slots_do_not_disturb_each_other(worker):
    gate = Gate("calibrated")
    long = worker.submit("calibrate", "long", gate)
    assert gate.begun.wait(PATIENCE)
    other = worker.submit("compare", "other", lambda job: "compared")
    assert [job.label for job in worker.jobs()] == ["long", "other"]
    assert (long.state, other.state) == ("running", "waiting")
    gate.go_on.set()
    assert (finished(long).result, finished(other).result) == ("calibrated", "compared")
    assert worker.jobs() == []


def test_cancelling_stops_running_and_waiting_jobs(worker):
    gate = Gate()
    running = worker.submit("a", "", gate)
    assert gate.begun.wait(PATIENCE)
    untouched = []
    waiting = worker.submit("b", "", lambda job: untouched.append(1))
    waiting.cancel()
    assert waiting.state == "cancelled"
    running.cancel()
    assert finished(running).state == "cancelled"
    assert running.error is None
    assert untouched == []
    after = worker.submit("c", "", lambda job: "still here")
    assert finished(after).result == "still here"


def test_cancelling_what_is_over_changes_nothing(worker):
    job = finished(worker.submit("a", "", lambda job: 7))
    job.cancel()
    job.progress(1, 2)
    job.publish("late")
    assert (job.state, job.result, job.done, job.partial) == ("finished", 7, 0, None)


def test_an_interactive_job_goes_before_the_rest_of_a_long_one(worker):
    order = []
    may_start, submitted = threading.Event(), threading.Event()

    def long(job):
        for example in range(4):
            job.breathe()
            order.append(f"example {example}")
            job.progress(example + 1, 4)
            may_start.set()
            assert submitted.wait(PATIENCE)
        return "all four"

    calibration = worker.submit("calibrate", "long", long)
    assert may_start.wait(PATIENCE)
    patient = worker.submit("compare", "patient", lambda job: order.append("patient"))
    eager = worker.submit("explore", "eager", lambda job: order.append("eager"), urgency=SHOWN)
    submitted.set()
    for job in (calibration, eager, patient):
        finished(job)
    assert order == ["example 0", "eager", "example 1", "example 2", "example 3", "patient"]
    assert calibration.result == "all four"
    assert (calibration.done, calibration.total) == (4, 4)


def test_an_interactive_job_goes_to_the_front_of_the_queue(worker):
    gate, order = Gate(), []
    worker.submit("a", "", gate)
    assert gate.begun.wait(PATIENCE)
    jobs = [
        worker.submit("b", "", lambda job: order.append("b")),
        worker.submit("c", "", lambda job: order.append("c"), urgency=SHOWN),
        worker.submit("d", "", lambda job: order.append("d"), urgency=SHOWN),
    ]
    gate.go_on.set()
    for job in jobs:
        finished(job)
    assert order == ["c", "d", "b"]


def test_a_run_that_is_asked_for_goes_into_the_breaks_of_upkeep(worker):
    order = []
    may_start, submitted = threading.Event(), threading.Event()

    def quality(job):
        may_start.set()
        assert submitted.wait(PATIENCE)
        order.append("some quality")
        job.breathe()
        order.append("more quality")

    def run(job):
        order.append("an example")
        job.breathe()
        order.append("another example")

    jobs = [worker.submit("quality", "", quality, urgency=UNASKED)]
    assert may_start.wait(PATIENCE)
    jobs += [
        worker.submit("other quality", "", lambda job: None, urgency=UNASKED),
        worker.submit("compare", "", run),
        worker.submit("curve", "", lambda job: order.append("curve"), urgency=SHOWN),
    ]
    submitted.set()
    for job in jobs:
        finished(job)
    assert order == ["some quality", "curve", "an example", "another example", "more quality"]


def test_an_urgent_job_goes_into_the_breaks_of_an_interactive_one(worker):
    order = []
    may_start, submitted = threading.Event(), threading.Event()

    def curve(job):
        may_start.set()
        assert submitted.wait(PATIENCE)
        order.append("first set")
        job.breathe()
        order.append("second set")

    def answers(job):
        order.append("answers")
        job.breathe()

    jobs = [worker.submit("curve", "", curve, urgency=SHOWN)]
    assert may_start.wait(PATIENCE)
    jobs += [
        worker.submit("another curve", "", lambda job: order.append("curve"), urgency=SHOWN),
        worker.submit("answers", "", answers, urgency=URGENT),
        worker.submit("more answers", "", answers, urgency=URGENT),
    ]
    submitted.set()
    for job in jobs:
        finished(job)
    assert order == ["first set", "answers", "answers", "second set", "curve"]


def test_interactive_jobs_do_not_nest_and_a_fault_in_one_spares_the_long_job(worker):
    order = []
    submitted, may_start = threading.Event(), threading.Event()

    def eager(job):
        order.append("in")
        job.breathe()
        order.append("out")
        raise ZeroDivisionError("eager")

    def long(job):
        may_start.set()
        assert submitted.wait(PATIENCE)
        job.breathe()
        return "unharmed"

    job = worker.submit("calibrate", "", long)
    assert may_start.wait(PATIENCE)
    eagers = [worker.submit(f"explore {i}", "", eager, urgency=SHOWN) for i in range(2)]
    submitted.set()
    assert finished(job).result == "unharmed"
    assert order == ["in", "out", "in", "out"]
    assert [finished(each).state for each in eagers] == ["failed", "failed"]


def test_a_cancelled_long_job_does_not_take_others_in(worker):
    begun, go_on = threading.Event(), threading.Event()
    seen = []

    def long(job):
        begun.set()
        assert go_on.wait(PATIENCE)
        job.breathe()
        seen.append("long")
        raise Cancelled("stopped")

    job = worker.submit("calibrate", "", long)
    assert begun.wait(PATIENCE)
    eager = worker.submit("explore", "", lambda job: seen.append("eager"), urgency=SHOWN)
    job.cancel()
    go_on.set()
    finished(eager)
    assert seen == ["long", "eager"]
    assert job.state == "cancelled"


def test_breathing_outside_the_workers_thread_runs_nothing(worker):
    gate = Gate()
    job = worker.submit("a", "", gate)
    assert gate.begun.wait(PATIENCE)
    ran_on = []
    eager = worker.submit(
        "b", "", lambda job: ran_on.append(threading.current_thread().name), urgency=SHOWN
    )
    job.breathe()
    assert ran_on == []
    gate.go_on.set()
    finished(eager)
    assert ran_on == ["test worker"]


def test_faults_are_kept_as_one_line_and_the_worker_goes_on(worker):
    def users_mistake(job):
        raise InvalidInput("There is no pool named 'x'; name one of them.")

    def ours(job):
        raise KeyError("oops")

    mistake, fault = worker.submit("a", "", users_mistake), worker.submit("b", "", ours)
    assert finished(mistake).error == "There is no pool named 'x'; name one of them."
    assert finished(fault).error == "KeyError('oops')"
    assert (mistake.state, fault.state) == ("failed", "failed")
    assert mistake.result is None
    assert finished(worker.submit("a", "", lambda job: 1)).result == 1


def test_readers_see_progress_and_partial_results_in_snapshots(worker):
    published, go_on = threading.Event(), threading.Event()

    def work(job):
        watcher = job.watcher()
        watcher.on_progress(3, 10)
        watcher.on_partial(("so", "far"))
        published.set()
        assert go_on.wait(PATIENCE)
        assert not watcher.cancelled()
        watcher.on_progress(10, 10)
        return "whole"

    job = worker.submit("a", "label", work)
    assert published.wait(PATIENCE)
    during = job.snapshot()
    go_on.set()
    finished(job)
    assert (during.state, during.done, during.total) == ("running", 3, 10)
    assert (during.partial, during.result, during.over) == (("so", "far"), None, False)
    after = job.snapshot()
    assert (after.state, after.done, after.result, after.over) == ("finished", 10, "whole", True)
    assert after.partial == ("so", "far")


def test_closing_cancels_everything_and_ends_the_thread():
    worker = Worker("short-lived")
    gate = Gate()
    running = worker.submit("a", "", gate)
    assert gate.begun.wait(PATIENCE)
    waiting = worker.submit("b", "", lambda job: "never")
    worker.close()
    worker.close()
    assert (running.state, waiting.state) == ("cancelled", "cancelled")
    assert "short-lived" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(RuntimeError, match="closed"):
        worker.submit("c", "", lambda job: None)


def test_a_forgotten_slot_is_cancelled_and_gone(worker):
    gate = Gate()
    job = worker.submit("explore:session", "", gate)
    assert gate.begun.wait(PATIENCE)
    worker.forget("explore:session")
    worker.forget("explore:session")
    assert finished(job).state == "cancelled"
    assert worker.latest("explore:session") is None


def test_of_a_kind_only_the_newest_of_what_is_over_are_kept(worker):
    names = [f"checked:{number}" for number in range(1, 6)]
    for name in (*names[:2], "other:1", names[2]):
        finished(worker.submit(name, "", lambda job: None))
    gate = Gate()
    running = worker.submit(names[3], "", gate)
    waiting = worker.submit(names[4], "", lambda job: None)
    worker.forget_older("checked", 1)
    assert [name for name in (*names, "other:1") if worker.latest(name)] == [*names[2:], "other:1"]
    gate.go_on.set()
    finished(running)
    finished(waiting)
    worker.forget_older("checked", 0)
    assert [name for name in (*names, "other:1") if worker.latest(name)] == ["other:1"]


def test_many_threads_submit_to_one_slot_and_only_the_last_counts(worker):
    jobs, lock = [], threading.Lock()

    def submit(number):
        for step in range(25):
            job = worker.submit("slot", "", lambda job, n=(number, step): n)
            with lock:
                jobs.append(job)

    threads = [threading.Thread(target=submit, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for job in jobs:
        finished(job)
    assert {job.state for job in jobs} <= {"finished", "cancelled"}
    assert worker.latest("slot").state == "finished"
    assert len({job.id for job in jobs}) == 200


class Looks:
    """Says that a person is served at so many looks, then no more; counts the looks."""

    def __init__(self, served):
        self.left, self.count = served, 0

    @property
    def served(self):
        self.count += 1
        self.left -= 1
        return self.left >= 0


@pytest.mark.parametrize(
    ("options", "looks"), [({}, 4), ({"urgency": SHOWN}, 4), ({"urgency": URGENT}, 0)]
)
def test_work_gives_way_to_a_person_between_batches_but_not_what_they_wait_for(options, looks):
    presence = Looks(served=3)
    with Worker("polite", presence) as worker:
        job = worker.submit("a", "", lambda job: job.watcher().cancelled(), **options)
        assert finished(job).result is False
    assert presence.count == looks


def test_who_asks_from_another_thread_does_not_wait():
    presence, gate = Looks(served=10**9), threading.Event()
    with Worker("polite", presence) as worker:
        job = worker.submit("a", "", lambda job: gate.wait(PATIENCE))
        assert not job.cancelled()
        assert presence.count == 0
        gate.set()
        finished(job)


def test_work_does_not_stand_still_while_something_urgent_waits_for_it():
    presence, order = Looks(served=10**9), []
    begun, submitted = threading.Event(), threading.Event()

    def long(job):
        begun.set()
        assert submitted.wait(PATIENCE)
        assert not job.cancelled()
        order.append("asked")
        job.breathe()

    with Worker("polite", presence) as worker:
        jobs = [worker.submit("calibrate", "", long)]
        assert begun.wait(PATIENCE)
        jobs.append(
            worker.submit("answers", "", lambda job: order.append("answers"), urgency=URGENT)
        )
        submitted.set()
        for job in jobs:
            finished(job)
        assert order == ["asked", "answers"]
        assert presence.count == 1


def test_a_cancelled_job_does_not_stand_still():
    presence, begun, cancelled = Looks(served=10**9), threading.Event(), threading.Event()

    def long(job):
        begun.set()
        assert cancelled.wait(PATIENCE)
        return job.watcher().checkpoint()

    with Worker("polite", presence) as worker:
        job = worker.submit("calibrate", "", long)
        assert begun.wait(PATIENCE)
        job.cancel()
        cancelled.set()
        assert finished(job).state == "cancelled"
        assert presence.count == 1


def test_a_job_that_is_over_lets_go_of_its_work(worker):
    class Model:
        pass

    model = Model()
    alive = weakref.ref(model)
    job = worker.submit("quality", "", lambda job, model=model: type(model).__name__)
    assert finished(job).result == "Model"
    del model
    gc.collect()
    assert alive() is None
    assert worker.latest("quality") is job


def test_a_part_begins_with_no_phase_and_no_count(worker):
    seen = []

    def work(job):
        watcher = job.watcher()
        watcher.on_phase("embedding")
        watcher.on_progress(3, 4)
        watcher.on_part("model b, 2 of 2")
        seen.append(job.snapshot())

    finished(worker.submit("run", "", work))
    (now,) = seen
    assert (now.part, now.phase, now.done, now.total) == ("model b, 2 of 2", "", 0, 0)
