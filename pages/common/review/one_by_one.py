"""The demonstrations of a queue one by one: what is shown of each, and what can be decided."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.curation.findings.registry import CHECKS
from core.demonstration.demonstration import Demonstration
from core.evaluation.runs.worth import DemonstrationWorth
from core.store import ReviewQueue
from core.studio.pools import demonstrations
from core.studio.pools.findings import PoolFindings
from core.studio.pools.reviewing import (
    Decision,
    Known,
    check_of,
    decide,
    first_left,
    go,
    known_of,
    next_of,
    queue_of,
    take_back,
)
from core.studio.runs.worth import figures_of
from pages.common.frame.notice import forget_notice, latest_notice, show_notice
from pages.common.frame.notice import take_back as take_back_noted
from pages.common.frame.one_by_one import Key, OneByOne, draw_list, show_one_by_one
from pages.common.frame.page import Frame
from pages.common.frame.text import nats, plain
from pages.common.one_demonstration.acting import Act, act, after_acting
from pages.common.one_demonstration.editing import is_editing
from pages.common.review.marks import marked, marked_texts
from pages.common.review.queues import PAGE
from pages.common.state.queue import read_queue

KEYED_TAGS = 9
"""The pool's most frequent tags have the digits from 1 on."""
ANSWERS = 6
"""So many of the other answers to a query are listed."""
_DECIDED = "review_decided_{}"


def read_one_by_one(frame: Frame, queue_id: int, found: PoolFindings | None) -> None:
    """Draw the demonstration at the queue's place, with a key for each decision.

    Args:
        frame: The page's.
        queue_id: The open queue's.
        found: The latest findings of the pool; None before there are any.
    """
    show_one_by_one(frame, partial(_opened, frame, queue_id, found))


def _opened(frame: Frame, queue_id: int, found: PoolFindings | None) -> OneByOne:
    after_acting()
    studio = frame.studio
    queue = queue_of(studio, frame.setup.pool, queue_id)
    if queue is None:  # its pool was deleted in another window
        st.rerun()
    row = next_of(studio, queue)
    decided = queue.size - queue.left
    done = st.session_state.get(_DECIDED.format(queue.id), [])
    show_notice(studio, PAGE, frame.setup.pool, without=("Undo",))  # it is one of the keys
    noted = _can_be_undone(frame)
    return OneByOne(
        page=PAGE,
        name=queue.name,
        place=queue.place,
        size=queue.size,
        decided=decided,
        tally=f"{decided:,} decided",
        decisions=(
            Key(
                "Keep",
                "K",
                partial(_decide, frame, queue, row, Decision.KEEP, found),
                off=row is None,
            ),
            Key(
                "Exclude",
                "X",
                partial(_decide, frame, queue, row, Decision.EXCLUDE, found),
                off=row is None,
            ),
            Key("Edit", "E", partial(_edit, frame, row), off=row is None),
        ),
        tags=() if row is None else _tags(frame, row),
        go=partial(go, studio, queue),
        undo=partial(_undo, frame, queue, done) if done or noted else None,
        first_left=lambda: go(studio, queue, first_left(studio, queue)),
        leave=partial(read_queue, None),
        leave_help="The queue keeps its place.",
        typing=is_editing(PAGE, frame.setup.pool),
        draw=partial(_draw, frame, queue, row, found),
    )


def _tags(frame: Frame, row: Demonstration) -> tuple[Key, ...]:
    """The pool's most frequent tags: a key puts one on, or takes it off."""
    tags = demonstrations.tags(frame.studio, frame.setup.pool)
    frequent = sorted(tags, key=lambda tag: (-tags[tag], tag))[:KEYED_TAGS]
    keys = []
    for digit, tag in enumerate(frequent, start=1):
        on = tag in row.tags
        change = demonstrations.remove_tag if on else demonstrations.add_tag
        keys.append(Key(tag, str(digit), partial(change, frame.studio, [row.id], tag), on=on))
    return tuple(keys)


def _draw(
    frame: Frame, queue: ReviewQueue, row: Demonstration | None, found: PoolFindings | None
) -> None:
    if row is None:
        st.info("This demonstration was deleted meanwhile.")
        return
    view = frame.readiness.view
    known = known_of(frame.studio, frame.setup, view, row, found, check_of(queue))
    texts, beside = st.columns([3, 2], gap="medium")
    with texts:
        _draw_texts(row, known.partners[0] if known.partners else row)
    with beside:
        worth = figures_of(frame.studio, frame.setup.pool).get(row.id)
        _draw_partners(row, known.partners)
        _draw_known(known, worth, embedded=view is not None)


def _draw_texts(row: Demonstration, partner: Demonstration) -> None:
    """The demonstration in sight, with marks of what the first other one of its finding has not."""
    st.subheader(marked(row.query, partner.query), anchor=False)
    st.subheader(f":green[{marked(row.answer, partner.answer)}]", anchor=False)
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


def _draw_partners(row: Demonstration, partners: Sequence[Demonstration]) -> None:
    """The others of its finding; what one has and the demonstration in sight has not is marked."""
    for partner in partners:
        with st.container(border=True):
            st.markdown(marked_texts(partner, row))
            more = [str(partner.id), partner.status.value, _reviewed(partner)]
            st.caption(plain(" · ".join(more)))


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
    draw_list("Other answers to this query", known.answers, most=ANSWERS)
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


def _decide(
    frame: Frame,
    queue: ReviewQueue,
    row: Demonstration | None,
    decision: Decision,
    found: PoolFindings | None,
) -> None:
    if row is None or is_editing(PAGE, frame.setup.pool):
        return
    # Another window may have moved the queue; what is refused is shown again.
    go(frame.studio, queue, queue.place)
    action = decide(frame.studio, queue, row, decision, found)
    forget_notice(PAGE)
    st.session_state.setdefault(_DECIDED.format(queue.id), []).append((queue.place, action))


def _undo(frame: Frame, queue: ReviewQueue, decided: list[tuple[int, int]]) -> None:
    """Take back what the notice says, as an edit, which is later; else the last decision."""
    notice = latest_notice(PAGE, frame.setup.pool)
    if notice is not None and _can_be_undone(frame):
        take_back_noted(frame.studio, PAGE, notice)
    elif decided:
        take_back(frame.studio, queue, *decided[-1])
        decided.pop()


def _can_be_undone(frame: Frame) -> bool:
    """Whether the notice says what was done, and not what was undone."""
    notice = latest_notice(PAGE, frame.setup.pool)
    return notice is not None and bool(notice.actions) and notice.back == "Undo"


def _edit(frame: Frame, row: Demonstration | None) -> None:
    if row is not None:
        act(frame.studio, PAGE, frame.setup.pool, Act("edit", row.id))
