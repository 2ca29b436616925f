"""One thread that owns the language model; jobs take turns on it."""

import itertools
import threading
from collections.abc import Callable
from typing import Any

from .job import Job, JobSnapshot, Urgency
from .presence import Presence, WaitForPeople


class Worker:
    """One daemon thread on which all work with the language model happens, one job at a time.

    In each slot the latest request wins: submitting cancels the slot's older job. The more urgent
    go first, and a longer job lets them in wherever it breathes. All but the most urgent pause,
    for a moment and between two batches, while a person is served (`presence`). All methods
    may be called from any thread.
    """

    def __init__(self, name: str = "shotlist-model", presence: Presence | None = None) -> None:
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._waiting: list[Job] = []
        self._latest: dict[str, Job] = {}
        self._closed = False
        self._wait_for_people = WaitForPeople(presence or Presence())
        self._thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self._thread.start()

    def submit(
        self, slot: str, label: str, work: Callable[[Job], Any], *, urgency: Urgency = Urgency.RUN
    ) -> Job:
        """Queue the work and cancel the slot's older job.

        Args:
            slot: Where the result is shown, such as "calibrate" or "explore:" and a session.
            label: What the job does, for people.
            work: Called with the job on the worker's thread; what it returns is the result.
            urgency: It runs before, and in the breaks of, what is less urgent.

        Raises:
            RuntimeError: The worker is closed.
        """
        job = Job(
            JobSnapshot(id=next(self._numbers), slot=slot, label=label),
            work,
            urgency=urgency,
            on_cancel=self._drop_if_waiting,
            on_breathe=self._run_more_urgent,
            give_way=self._give_way,
        )
        with self._changed:
            if self._closed:
                raise RuntimeError("The worker is closed; no job can be submitted any more.")
            older = self._latest.get(slot)
            self._latest[slot] = job
            self._waiting.append(job)
            self._changed.notify_all()
        if older is not None:
            older.cancel()
        return job

    def latest(self, slot: str) -> Job | None:
        """The slot's latest job, over or not; None when it never had one."""
        with self._changed:
            return self._latest.get(slot)

    def forget(self, slot: str) -> None:
        """Cancel the slot's job and drop its result, as when a session ends."""
        with self._changed:
            job = self._latest.pop(slot, None)
        if job is not None:
            job.cancel()

    def forget_older(self, kind: str, kept: int) -> None:
        """Drop what is over in the slots of a kind, all but what was submitted last.

        Args:
            kind: What the names of the slots have before their first colon.
            kept: So many remain.
        """
        with self._changed:
            of_kind = [job for slot, job in self._latest.items() if slot.split(":")[0] == kind]
            over = sorted((job for job in of_kind if job.snapshot().over), key=lambda job: job.id)
            for job in over[: max(0, len(over) - kept)]:
                del self._latest[job.snapshot().slot]

    def jobs(self) -> list[Job]:
        """The latest job of every slot that is not over yet, in the order submitted."""
        with self._changed:
            latest = list(self._latest.values())
        return sorted((job for job in latest if not job.snapshot().over), key=lambda job: job.id)

    def close(self) -> None:
        """Cancel every job and wait for the thread to end; closing twice is harmless."""
        with self._changed:
            self._closed = True
            # Jobs that are not their slot's latest were cancelled when they were replaced.
            latest = list(self._latest.values())
            self._changed.notify_all()
        for job in latest:
            job.cancel()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _loop(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                job = self._next(above=-1)
            if job is None:
                return
            job.run()
            # Otherwise the loop would keep the last job's result alive while it waits.
            del job

    def _next(self, *, above: int) -> Job | None:
        """Take the next job of a higher urgency from the queue; the caller holds the lock."""
        eligible = [job for job in self._waiting if job.urgency > above]
        if not eligible:
            return None
        job = max(eligible, key=lambda job: job.urgency)  # the first of the most urgent
        self._waiting.remove(job)
        return job

    def _run_more_urgent(self, job: Job) -> None:
        if threading.current_thread() is not self._thread:
            return
        while not job.cancel_asked:
            with self._changed:
                waiting = self._next(above=job.urgency)
            if waiting is None:
                return
            waiting.run()

    def _give_way(self, job: Job, most: float) -> None:
        """Let a person be served first, unless the work is wanted by one, or to end."""
        if job.urgency < Urgency.URGENT and threading.current_thread() is self._thread:
            self._wait_for_people.give_way(
                lambda: job.cancel_asked or self._is_more_urgent_waiting(job), most
            )

    def _is_more_urgent_waiting(self, job: Job) -> bool:
        with self._changed:
            return any(waiting.urgency > job.urgency for waiting in self._waiting)

    def _drop_if_waiting(self, job: Job) -> None:
        with self._changed:
            if job not in self._waiting:
                return
            self._waiting.remove(job)
        job.end_waiting()
