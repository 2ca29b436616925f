"""One piece of work for the model, as the work and as its readers see it, and its pace."""

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Literal

from ..errors import Cancelled, ShotlistError
from ..watcher import Watcher
from .presence import MOST

LEAST_SECONDS = 2.0
"""Before that much work was seen, nothing is estimated."""


class Pace:
    """Estimates from (done, total) reports; a new total or a lower count starts over."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = (0.0, 0)
        self._latest: tuple[int, int] | None = None

    def left(self, done: int, total: int) -> float | None:
        """Seconds that are probably left; None while too little was seen or nothing is left.

        What was done before the first report, as by a run that was killed, is no evidence of the
        pace and is ignored.
        """
        now = self._clock()
        if self._latest is None or done < self._latest[0] or total != self._latest[1]:
            self._start = (now, done)
        self._latest = (done, total)
        seconds, steps = now - self._start[0], done - self._start[1]
        if seconds < LEAST_SECONDS or steps <= 0 or done >= total:
            return None
        return (total - done) * seconds / steps


def in_words(seconds: float) -> str:
    """The duration in words, rounded: "about 40 s", "about 4 min", "about 1 h 20 min"."""
    if seconds < 55:
        return f"about {max(5, 5 * math.ceil(seconds / 5))} s"
    minutes = max(1, round(seconds / 60))
    if minutes < 60:
        return f"about {minutes} min"
    hours, minutes = divmod(5 * round(minutes / 5), 60)
    return f"about {hours} h {minutes} min" if minutes else f"about {hours} h"


logger = logging.getLogger(__name__)

State = Literal["waiting", "running", "finished", "cancelled", "failed"]


class Urgency(IntEnum):
    """Which work goes before which: the higher, and within one the earlier."""

    UNASKED = 0
    """Nobody asked for it yet, such as the quality of a whole pool."""
    RUN = 1
    """Asked for, and minutes long."""
    SHOWN = 2
    """Someone looks at the screen and waits."""
    WANTED = 3
    """Someone asked for just this, and waits: it goes before what a page shows of itself."""
    URGENT = 4
    """Short, and someone waits for it: it does not even pause for a page."""


@dataclass(frozen=True, kw_only=True)
class JobSnapshot:
    """A job at one moment: all fields belong together, and none changes afterwards.

    `left` is about how many seconds are left; None while unknown. `phase` names what is counted,
    where a job does several things one after the other; `part` names the current one of several
    parts, each with such phases.
    """

    id: int
    slot: str
    label: str
    state: State = "waiting"
    done: int = 0
    total: int = 0
    left: float | None = None
    partial: Any = None
    result: Any = None
    error: str | None = None
    phase: str = ""
    part: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("finished", "cancelled", "failed")

    @property
    def count(self) -> str:
        """How far it is: "12,300 of 146,217, about 4 min left"; empty while unknown."""
        return f"{self.done:,} of {self.total:,}{self.time_left}" if self.total else ""

    @property
    def time_left(self) -> str:
        """The text after a count: ", about 4 min left"; empty while unknown."""
        return "" if self.left is None else f", {in_words(self.left)} left"


class Job:
    """One piece of work for the model, seen from both sides.

    The work calls `progress`, `publish`, `cancelled` and `breathe`; everybody else reads
    `snapshot()` from any thread, or cancels. What is published is handed over as it is, so the
    work publishes only objects that it will not change (frozen results, copied lists).
    """

    def __init__(
        self,
        snapshot: JobSnapshot,
        work: Callable[["Job"], Any],
        *,
        urgency: Urgency,
        on_cancel: Callable[["Job"], None],
        on_breathe: Callable[["Job"], None],
        give_way: Callable[["Job", float], None],
    ) -> None:
        self.urgency = urgency
        self._now = snapshot
        self._work: Callable[[Job], Any] | None = work
        self._on_cancel = on_cancel
        self._on_breathe = on_breathe
        self._give_way = give_way
        self._lock = threading.Lock()
        self._cancel_asked = threading.Event()
        self._over = threading.Event()
        self._pace = Pace()

    # Each property reads one immutable snapshot, so no lock is needed.
    @property
    def id(self) -> int:
        """The job's number, unique in its worker."""
        return self._now.id

    @property
    def slot(self) -> str:
        """The place in which only the latest job counts."""
        return self._now.slot

    @property
    def label(self) -> str:
        """What the job does, for people."""
        return self._now.label

    @property
    def state(self) -> State:
        """One of waiting, running, finished, cancelled, failed."""
        return self._now.state

    @property
    def done(self) -> int:
        """How many of `total` steps are done."""
        return self._now.done

    @property
    def total(self) -> int:
        """How many steps there are; 0 while unknown."""
        return self._now.total

    @property
    def partial(self) -> Any:
        """The latest published partial result, or None."""
        return self._now.partial

    @property
    def result(self) -> Any:
        """What the work returned; None unless the state is finished."""
        return self._now.result

    @property
    def error(self) -> str | None:
        """Why the job failed, in one line; None unless the state is failed."""
        return self._now.error

    def snapshot(self) -> JobSnapshot:
        """The job as it is now; fields read one after another from the job may not match."""
        return self._now

    def cancel(self) -> None:
        """Ask the work to stop; a job that still waits is cancelled at once."""
        self._cancel_asked.set()
        self._on_cancel(self)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the job is over; False when `timeout` seconds pass before."""
        return self._over.wait(timeout)

    def progress(self, done: int, total: int) -> None:
        """Report to readers that `done` of `total` steps are done."""
        self._change(done=done, total=total, left=self._pace.left(done, total))

    def enter(self, phase: str) -> None:
        """Begin a new phase, which counts from 0."""
        self._pace = Pace()
        self._change(phase=phase, done=0, total=0, left=None)

    def begin(self, part: str) -> None:
        """Begin one of several parts, whose phases come one after the other."""
        self._pace = Pace()
        self._change(part=part, phase="", done=0, total=0, left=None)

    def publish(self, partial: Any) -> None:
        """Show readers a result over what is done so far."""
        self._change(partial=partial)

    @property
    def cancel_asked(self) -> bool:
        """Whether someone asked the work to stop."""
        return self._cancel_asked.is_set()

    def cancelled(self) -> bool:
        """The same, as the work asks between its batches: there it first gives way to a person."""
        self.give_way()
        return self.cancel_asked

    def give_way(self, most: float = MOST) -> None:
        """Wait while a person is served, `most` seconds at the longest."""
        self._give_way(self, most)

    def pause(self, seconds: float) -> None:
        """Wait for so many seconds; less once someone asks the work to stop."""
        self._cancel_asked.wait(seconds)

    def breathe(self) -> None:
        """Let more urgent jobs that wait run now, within this one; at once when none waits."""
        self._on_breathe(self)

    def watcher(self) -> Watcher:
        """The job's callbacks for `evaluate`, `calibrate` and the like."""
        return Watcher(
            on_progress=self.progress,
            cancelled=self.cancelled,
            on_partial=self.publish,
            breathe=self.breathe,
            on_phase=self.enter,
            on_part=self.begin,
        )

    def end_waiting(self) -> None:
        """Called by the worker when the job leaves the queue without having run."""
        self._change(state="cancelled")

    def run(self) -> None:
        """Called by the worker on its thread: do the work and keep its outcome.

        The reference to the work is dropped, and with it the model that it may refer to, because
        a slot keeps its latest job.
        """
        work, self._work = self._work, None
        if self.cancel_asked or work is None:
            self._change(state="cancelled")
            return
        self._change(state="running")
        try:
            result = work(self)
        except Cancelled:
            self._change(state="cancelled")
        except ShotlistError as error:
            self._change(state="failed", error=str(error))
        except Exception as error:  # the thread must outlive any fault of one job
            logger.exception("Job %d (%s) failed", self.id, self.label)
            self._change(state="failed", error=repr(error))
        else:
            self._change(state="finished", result=result)

    def _change(self, **fields: Any) -> None:
        with self._lock:
            if self._now.over:
                return
            self._now = replace(self._now, **fields)
            if self._now.over:
                self._over.set()
