"""Suggested incorrect answers one by one: what is shown of each, accepted or refused."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import streamlit as st

from core.curation.suggestion import Suggestion, SuggestionKind
from core.studio.pools import demonstrations, suggestions
from pages.common.frame.one_by_one import Key, OneByOne, draw_list, show_one_by_one
from pages.common.frame.page import Frame
from pages.common.frame.text import nats, plain
from pages.common.streamlit_workarounds.callbacks import uninterrupted

_DECISIONS = "suggest_decisions"


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

    def go(self, place: int) -> None:
        """Move to a place; one before the first is the first, one after the last the end."""
        self.place = min(max(place, 0), len(self.rows))

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


def decide_one_by_one(frame: Frame, decisions: Decisions) -> None:
    """Draw the suggestion at the place, with a key for each decision."""
    show_one_by_one(frame, partial(_opened, frame, decisions))


def _opened(frame: Frame, decisions: Decisions) -> OneByOne:
    made, size, at = decisions.decided(), len(decisions.rows), decisions.place
    accepted = sum(made.values())
    off = at >= size or at in made
    return OneByOne(
        page="suggest",
        name=decisions.name,
        place=at,
        size=size,
        decided=len(made),
        tally=f"{accepted:,} accepted, {len(made) - accepted:,} refused",
        decisions=(
            Key("Accept", "A", partial(_decide, frame, decisions, at, True), off=off),
            Key("Refuse", "X", partial(_decide, frame, decisions, at, False), off=off),
        ),
        go=decisions.go,
        undo=partial(_undo, frame, decisions) if decisions.made else None,
        leave=_leave,
        draw=partial(_draw, frame, decisions),
    )


def _draw(frame: Frame, decisions: Decisions) -> None:
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
        draw_list("Correct answers", list(dict.fromkeys(each.answer for each in present)), "green")
        wrong = dict.fromkeys(each.text for one in present for each in one.incorrect)
        draw_list("Incorrect answers", list(wrong), "red")


def _origin(row: Suggestion) -> str:
    if row.kind is SuggestionKind.OWN_ANSWER:
        shown = "alone" if not row.shown else f"after {row.shown:,} demonstrations"
        shown = shown if row.shown != 1 else "after one demonstration"
        likely = "" if row.log_prob is None else f"; {nats(row.log_prob)} nats per token"
        return f"The model answered this {shown}{likely}."
    cosine = "" if row.cosine is None else f" (cosine {row.cosine:.2f})"
    return f"A correct answer of: {row.source_query}{cosine}"


def _decide(frame: Frame, decisions: Decisions, place: int, accept: bool) -> None:
    if place >= len(decisions.rows) or place in decisions.decided():
        return
    row = decisions.rows[place]
    if accept:
        action = suggestions.accept(frame.studio, [row])
    else:
        action = suggestions.refuse(frame.studio, row)
    decisions.made.append(Decision(place, accept, action))
    decisions.place = decisions.next_open(place + 1)


def _undo(frame: Frame, decisions: Decisions) -> None:
    if decisions.made:
        demonstrations.undo(frame.studio, decisions.made[-1].action)
        decisions.place = decisions.made.pop().place


@uninterrupted
def _begin(decisions: Decisions) -> None:
    st.session_state[_DECISIONS] = decisions


def _leave() -> None:
    st.session_state.pop(_DECISIONS, None)
