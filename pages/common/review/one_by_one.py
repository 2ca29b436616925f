"""One demonstration at a time, large, with what is known of it beside; each decision is one key."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from core.curation.findings.registry import CHECKS
from core.demonstration.demonstration import Demonstration
from core.errors import InvalidInput, ShotlistError
from core.evaluation.results.worth import DemonstrationWorth
from core.store import ReviewQueue
from core.studio.pools import demonstrations
from core.studio.pools.findings import PoolFindings
from core.studio.pools.reviewing import (
    Decision,
    Known,
    decide,
    first_left,
    go,
    known_of,
    next_of,
    take_back,
)
from core.studio.runs.worth import figures_of
from pages.common.frame.page import Frame, show_error
from pages.common.frame.run_mark import mark_run
from pages.common.frame.text import nats, plain
from pages.common.one_demonstration.acting import Act, act, after_acting
from pages.common.one_demonstration.editing import is_editing
from pages.common.review.queues import PAGE
from pages.common.state.queue import read_queue
from pages.common.streamlit_workarounds.callbacks import uninterrupted

KEYED_TAGS = 9
"""The pool's most frequent tags have the digits from 1 on."""
ANSWERS = 6
"""So many of the other answers to a query are listed."""
_DECIDED = "review_decided_{}"
_REFUSED = "review_refused"


@st.fragment
def show_one_by_one(frame: Frame, queue_id: int, found: PoolFindings | None) -> None:
    """Draw the demonstration at the queue's place; a key draws this alone again.

    Args:
        frame: The page's.
        queue_id: The open queue's.
        found: The latest findings of the pool; None before there are any.
    """
    with frame.studio.presence.serving():
        _draw_place(frame, queue_id, found)
    mark_run()


def _draw_place(frame: Frame, queue_id: int, found: PoolFindings | None) -> None:
    after_acting()
    studio = frame.studio
    try:
        queue = studio.store.review_queues.get(queue_id)
    except InvalidInput:  # its pool was deleted in another window
        st.rerun()
    row = next_of(studio, queue)
    _draw_head(queue)
    _draw_keys(frame, queue, row)
    if refused := st.session_state.pop(_REFUSED, ""):
        show_error(refused)
    if queue.place >= queue.size:
        _draw_end(frame, queue)
    elif row is None:
        st.info("This demonstration was deleted meanwhile.")
    else:
        texts, beside = st.columns([3, 2], gap="medium")
        with texts:
            _draw_texts(row)
        with beside:
            view = frame.readiness.view
            known = known_of(studio, frame.setup, view, row, found)
            _draw_known(
                known,
                figures_of(studio, frame.setup.pool).get(row.id),
                embedded=view is not None,
            )


def _draw_head(queue: ReviewQueue) -> None:
    decided = queue.size - queue.left
    at = min(queue.place + 1, queue.size)
    st.progress(
        decided / queue.size,
        text=plain(f"{queue.name}: {at:,} of {queue.size:,}; {decided:,} decided"),
    )


def _draw_keys(frame: Frame, queue: ReviewQueue, row: Demonstration | None) -> None:
    """Every act with its key; off where it has nothing to act on, or what is typed is a text."""
    editing = is_editing(PAGE, frame.setup.pool)
    off = row is None or editing
    at_start = editing or not queue.place
    at_end = editing or queue.place >= queue.size
    decided = st.session_state.get(_DECIDED.format(queue.id), [])
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for label, key, does, disabled in (
            ("Keep", "K", _deciding(frame, queue, row, Decision.KEEP), off),
            ("Exclude", "X", _deciding(frame, queue, row, Decision.EXCLUDE), off),
            ("Edit", "E", _editing(frame, row), off),
            ("Back", "B", _going(frame, queue, lambda: queue.place - 1), at_start),
            ("Next", "N", _going(frame, queue, lambda: queue.place + 1), at_end),
            ("Undo", "U", _undoing(frame, queue), editing or not decided),
        ):
            name = f"review_key_{label.lower()}"
            st.button(label, key=name, shortcut=key, on_click=does, disabled=disabled)
        st.button("Leave", key="review_leave", on_click=_leave, help="The queue keeps its place.")
        if st.session_state.pop("review_left", False):
            st.rerun()
    tags = demonstrations.tags(frame.studio, frame.setup.pool)
    frequent = sorted(tags, key=lambda tag: (-tags[tag], tag))[:KEYED_TAGS]
    if frequent and row is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            for digit, tag in enumerate(frequent, start=1):
                st.button(
                    plain(tag),
                    key=f"review_tag_{digit}",
                    shortcut=str(digit),
                    type="primary" if tag in row.tags else "secondary",
                    on_click=_tagging(frame, row, tag),
                    disabled=editing,
                )


def _draw_texts(row: Demonstration) -> None:
    st.subheader(plain(row.query), anchor=False)
    st.subheader(f":green[{plain(row.answer)}]", anchor=False)
    if row.incorrect:
        st.markdown("\n".join(f"- :red[{plain(each.text)}]" for each in row.incorrect))
    more = [str(row.id), row.status.value, _reviewed(row)]
    if row.best:
        more.append("best answer of its query")
    if row.tags:
        more.append(f"tags: {', '.join(row.tags)}")
    st.caption(plain(" · ".join(more)))
    if row.note:
        st.caption(plain(row.note))


def _reviewed(row: Demonstration) -> str:
    return f"reviewed {row.reviewed[-1][:10]}" if row.reviewed else "not reviewed yet"


def _draw_known(known: Known, judged: DemonstrationWorth | None, *, embedded: bool) -> None:
    if known.checks:
        names = ", ".join(CHECKS[name].label for name in known.checks)
        st.warning(plain(f"Findings: {names}."), icon=":material/report:")
    figures = []
    if known.quality_bias is not None:
        figures.append(f"quality bias {nats(known.quality_bias)} nats")
    if known.retrieved is not None:
        figures.append(f"in {known.retrieved:.1%} of the contexts of the pool's own queries")
    if judged is not None:
        figures.append(_worth(judged))
    if figures:
        st.caption(plain("; ".join(figures)))
    if known.answers:
        st.markdown("**Other answers to this query**")
        st.markdown("\n".join(f"- {plain(answer)}" for answer in known.answers[:ANSWERS]))
        if len(known.answers) > ANSWERS:
            st.caption(f"and {len(known.answers) - ANSWERS:,} more")
    if not embedded:
        st.caption("Neighbours come when the pool is embedded; the side bar shows how far it is.")
    if known.neighbours:
        st.markdown("**Nearest other queries**")
        lines = [
            f"- {each.cosine:.2f} {plain(each.query)}  \n  {plain(each.answer)}"
            for each in known.neighbours
        ]
        st.markdown("\n".join(lines))


def _worth(judged: DemonstrationWorth) -> str:
    contexts = "one context" if judged.worth.n == 1 else f"{judged.worth.n:,} contexts"
    return f"worth {judged.worth} in {contexts}"


def _draw_end(frame: Frame, queue: ReviewQueue) -> None:
    if queue.left:
        st.info(f"This is the end; {queue.left:,} were passed without a decision.")
        left = _going(frame, queue, lambda: first_left(frame.studio, queue))
        st.button("First of these", key="review_key_left", shortcut="F", on_click=left)
    else:
        st.success("All of these are decided.", icon=":material/check:")


@contextmanager
def _refusals() -> Iterator[None]:
    """Keep why something was refused, to be shown when the place is drawn again."""
    try:
        yield
    except ShotlistError as error:
        st.session_state[_REFUSED] = str(error)


def _deciding(
    frame: Frame, queue: ReviewQueue, row: Demonstration | None, decision: Decision
) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        if row is None or is_editing(PAGE, frame.setup.pool):
            return
        with _refusals():
            # Another window may have moved the queue; what is refused is shown again.
            go(frame.studio, queue, queue.place)
            action = decide(frame.studio, queue, row, decision)
            st.session_state.setdefault(_DECIDED.format(queue.id), []).append((queue.place, action))

    return done


def _undoing(frame: Frame, queue: ReviewQueue) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        decided = st.session_state.get(_DECIDED.format(queue.id), [])
        if not decided:
            return
        with _refusals():
            take_back(frame.studio, queue, *decided[-1])
            decided.pop()

    return done


def _going(frame: Frame, queue: ReviewQueue, place: Callable[[], int]) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        with _refusals():
            go(frame.studio, queue, place())

    return done


def _tagging(frame: Frame, row: Demonstration, tag: str) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        with _refusals():
            change = demonstrations.remove_tag if tag in row.tags else demonstrations.add_tag
            change(frame.studio, [row.id], tag)

    return done


def _editing(frame: Frame, row: Demonstration | None) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        if row is not None:
            act(frame.studio, PAGE, frame.setup.pool, Act("edit", row.id))

    return done


@uninterrupted
def _leave() -> None:
    read_queue(None)
    st.session_state["review_left"] = True
