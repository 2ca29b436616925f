"""Which demonstrations are read one after the other: queues to begin and to continue."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.errors import ShotlistError
from core.store import ReviewQueue
from core.studio import Studio
from core.studio.pools.reviewing import begin, begin_with_the_rest, begun, queue_of
from pages.common.frame.notice import note
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.state.only_these import LARGEST
from pages.common.state.queue import queue_to_read, read_queue
from pages.common.state.readers import whole
from pages.common.streamlit_workarounds.callbacks import uninterrupted

PAGE = "review"
OFFERED = 3
"""So many of the queues that were begun are offered, the latest."""


def open_queue(frame: Frame) -> ReviewQueue | None:
    """The queue of the link, or that of before, in this pool; None where there is none."""

    def read(text: str) -> int:
        queue = queue_of(frame.studio, frame.setup.pool, whole(1, LARGEST)(text))
        if queue is None:
            raise ValueError(f"pool {frame.setup.pool} has no such queue")
        return queue.id

    id = queue_to_read(read)
    queue = None if id is None else queue_of(frame.studio, frame.setup.pool, id)
    if queue is None:
        read_queue(None)
    return queue


def begin_queue(studio: Studio, pool: str, name: str, ids: Sequence[int]) -> None:
    """Begin a queue and open it with the next run of Review; from a callback."""
    _open(pool, lambda: begin(studio, pool, name, ids))


def offer_queues(frame: Frame) -> None:
    """Buttons to begin with what nobody has reviewed, and to continue what was begun."""
    studio, pool = frame.studio, frame.setup.pool
    queues = begun(studio, pool)[:OFFERED]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Read what nobody has reviewed",
            key="review_rest",
            icon=":material/menu_book:",
            help="One demonstration at a time, each decision with one key.",
            on_click=_begin_with_the_rest,
            args=(studio, pool),
        )
        for queue in queues:
            st.button(
                plain(f"Continue: {queue.name}, {queue.left:,} of {queue.size:,} left"),
                key=f"review_go_on_{queue.id}",
                icon=":material/resume:",
                on_click=_go_on,
                args=(queue.id,),
            )


@uninterrupted
def _go_on(id: int) -> None:
    read_queue(id)


@uninterrupted
def _begin_with_the_rest(studio: Studio, pool: str) -> None:
    _open(pool, lambda: begin_with_the_rest(studio, pool))


def _open(pool: str, start: Callable[[], ReviewQueue]) -> None:
    try:
        read_queue(start().id)
    except ShotlistError as error:
        note(PAGE, pool, str(error))
