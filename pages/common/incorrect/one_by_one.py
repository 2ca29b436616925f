"""Suggested incorrect answers one at a time, large; accepted or refused, each with one key."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import streamlit as st

from core.curation.incorrect.suggestion import Kind, Suggestion
from core.errors import ShotlistError
from core.studio.pools import demonstrations, suggestions
from pages.common.frame.page import Frame, show_error
from pages.common.frame.run_mark import mark_run
from pages.common.frame.text import nats, plain
from pages.common.streamlit_workarounds.callbacks import uninterrupted

LISTED = 8
"""So many of the query's correct and of its incorrect answers are listed."""
_DECISIONS = "suggest_decisions"
_REFUSED = "suggest_refused"
_LEFT = "suggest_left"


@dataclass
class Decisions:
    """Suggestions that are gone through, as they were when that began.

    Attributes:
        pool: Whose they are.
        name: Where they come from, for people.
        rows: The suggestions in their order.
        place: Of the one in sight; the number of `rows` at the end.
        made: The decisions so far, the latest last.
    """

    pool: str
    name: str
    rows: tuple[Suggestion, ...]
    place: int = 0
    made: list["Decision"] = field(default_factory=list)

    def decided(self) -> dict[int, bool]:
        """Which places were decided, and whether by accepting."""
        return {each.place: each.accepted for each in self.made}

    def next_open(self, start: int) -> int:
        """The first place from `start` on that is not decided; the end where there is none."""
        decided = self.decided()
        return next((p for p in range(start, len(self.rows)) if p not in decided), len(self.rows))


@dataclass(frozen=True)
class Decision:
    """What was decided at a place, and the action that wrote it."""

    place: int
    accepted: bool
    action: int


def deciding(frame: Frame) -> Decisions | None:
    """The suggestions of this pool that are being gone through; None when none are."""
    decisions: Decisions | None = st.session_state.get(_DECISIONS)
    if decisions is None or decisions.pool != frame.setup.pool:
        return None
    return decisions


def offer_one_by_one(frame: Frame, name: str, rows: Sequence[Suggestion]) -> None:
    """A button that begins to go through these."""
    st.button(
        "Decide one by one",
        key="suggest_one_by_one",
        icon=":material/menu_book:",
        help="Each is accepted or refused with one key. What is refused is not suggested again.",
        disabled=not rows,
        on_click=_begin,
        args=(Decisions(frame.setup.pool, name, tuple(rows)),),
    )


@st.fragment
def show_one_by_one(frame: Frame, decisions: Decisions) -> None:
    """Draw the suggestion at the place; a key draws this alone again."""
    with frame.studio.presence.serving():
        _draw(frame, decisions)
    mark_run()


def _draw(frame: Frame, decisions: Decisions) -> None:
    if st.session_state.pop(_LEFT, False):
        st.rerun()
    made, at = decisions.decided(), min(decisions.place + 1, len(decisions.rows))
    accepted = sum(made.values())
    st.progress(
        len(made) / len(decisions.rows),
        text=plain(
            f"{decisions.name}: {at:,} of {len(decisions.rows):,}; {accepted:,} accepted, "
            f"{len(made) - accepted:,} refused"
        ),
    )
    _draw_keys(frame, decisions)
    if message := st.session_state.pop(_REFUSED, ""):
        show_error(message)
    if decisions.place < len(decisions.rows):
        _draw_place(frame, decisions)
    elif len(made) == len(decisions.rows):
        st.success("All of these are decided.", icon=":material/check:")
    else:
        left = len(decisions.rows) - len(made)
        passed = "one was" if left == 1 else f"{left:,} were"
        st.info(f"This is the end; {passed} passed without a decision.")


def _draw_keys(frame: Frame, decisions: Decisions) -> None:
    at, end = decisions.place, len(decisions.rows)
    decided = at in decisions.decided()
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for label, key, does, disabled in (
            ("Accept", "A", _deciding(frame, decisions, accept=True), at >= end or decided),
            ("Refuse", "X", _deciding(frame, decisions, accept=False), at >= end or decided),
            ("Back", "B", _going(decisions, at - 1), not at),
            ("Next", "N", _going(decisions, at + 1), at >= end),
            ("Undo", "U", _undoing(frame, decisions), not decisions.made),
        ):
            name = f"suggest_key_{label.lower()}"
            st.button(label, key=name, shortcut=key, on_click=does, disabled=disabled)
        st.button("Leave", key="suggest_leave", on_click=_leave)


def _draw_place(frame: Frame, decisions: Decisions) -> None:
    row = decisions.rows[decisions.place]
    texts, beside = st.columns([3, 2], gap="medium")
    with texts:
        st.subheader(plain(row.query), anchor=False)
        st.caption("Is this answer wrong?")
        st.subheader(f":red[{plain(row.text)}]", anchor=False)
        st.caption(plain(_origin(row)))
        accepted = decisions.decided().get(decisions.place)
        if accepted is not None:
            st.markdown(f"**{'Accepted' if accepted else 'Refused'}.**")
    with beside:
        present = demonstrations.present(frame.studio, list(row.ids)).values()
        if not present:
            st.info("The demonstrations of this query were deleted meanwhile.")
        _list("Correct answers", "green", list(dict.fromkeys(each.answer for each in present)))
        wrong = dict.fromkeys(each.text for one in present for each in one.incorrect)
        _list("Incorrect answers", "red", list(wrong))


def _origin(row: Suggestion) -> str:
    if row.kind is Kind.OWN_ANSWER:
        shown = "alone" if not row.shown else f"after {row.shown:,} demonstrations"
        shown = shown if row.shown != 1 else "after one demonstration"
        likely = "" if row.log_prob is None else f"; {nats(row.log_prob)} nats per token"
        return f"The model answered this {shown}{likely}."
    cosine = "" if row.cosine is None else f" (cosine {row.cosine:.2f})"
    return f"A correct answer of: {row.source_query}{cosine}"


def _list(title: str, colour: str, answers: Sequence[str]) -> None:
    if not answers:
        return
    st.markdown(f"**{title}**")
    st.markdown("\n".join(f"- :{colour}[{plain(each)}]" for each in answers[:LISTED]))
    if len(answers) > LISTED:
        st.caption(f"and {len(answers) - LISTED:,} more")


@contextmanager
def _refusals() -> Iterator[None]:
    """Keep why something could not be done, to be shown when the place is drawn again."""
    try:
        yield
    except ShotlistError as error:
        st.session_state[_REFUSED] = str(error)


def _deciding(frame: Frame, decisions: Decisions, *, accept: bool) -> Callable[[], None]:
    place = decisions.place

    @uninterrupted
    def done() -> None:
        if place >= len(decisions.rows) or place in decisions.decided():
            return
        row = decisions.rows[place]
        with _refusals():
            if accept:
                action = suggestions.accept(frame.studio, [row])
            else:
                action = suggestions.refuse(frame.studio, row)
            decisions.made.append(Decision(place, accept, action))
            decisions.place = decisions.next_open(place + 1)

    return done


def _undoing(frame: Frame, decisions: Decisions) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        if decisions.made:
            with _refusals():
                demonstrations.undo(frame.studio, decisions.made[-1].action)
                decisions.place = decisions.made.pop().place

    return done


def _going(decisions: Decisions, place: int) -> Callable[[], None]:
    @uninterrupted
    def done() -> None:
        decisions.place = min(max(place, 0), len(decisions.rows))

    return done


@uninterrupted
def _begin(decisions: Decisions) -> None:
    st.session_state[_DECISIONS] = decisions


@uninterrupted
def _leave() -> None:
    st.session_state.pop(_DECISIONS, None)
    st.session_state[_LEFT] = True
