"""The attempts of a bootstrap: a list to choose from, one of them open, and what is kept."""

import streamlit as st

from core.studio.pools.pools import summaries
from core.studio.programs.attempts import Bootstrap, KeptAttempts, Tried, keep
from core.studio.programs.prompts import evidence
from core.text import short
from pages.common.frame.look import beside
from pages.common.frame.notice import note
from pages.common.frame.page import Frame, shown_errors
from pages.common.frame.text import bold, plain
from pages.common.programs.trace import draw_trace
from pages.common.programs.widgets import PAGE
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.presses import button

ALL = "all"
ROWS = 10
"""Attempts on one page of the list."""
SHOWN = 110
"""Letters of a query in the list, at most."""


def counted(found: Bootstrap) -> str:
    """How many came out how, in a sentence."""
    tried, right = len(found.tried), len(found.right)
    others = [f"{count:,} {reason}" for reason, count in found.outcomes.items() if reason != "kept"]
    rest = f" ({', '.join(others)})" if others else ""
    return f"{right:,} of {tried:,} queries came out right{rest}."


def draw_attempts(frame: Frame, found: Bootstrap) -> None:
    """The list, the attempt that is open, and the button that keeps the chosen ones."""
    settings = found.settings
    st.subheader(plain(counted(found)))
    st.caption(
        plain(
            f"{found.written_by}; {settings.queries:,} queries from "
            f"{settings.file or settings.examples or settings.pool}, seed {settings.seed}"
        )
    )
    if not found.tried:
        return
    list_place, open_place = beside(PAGE, [1, 1], "panels")
    with list_place:
        shown = _filtered(found)
        _draw_list(found, shown)
        _draw_keeping(frame, found)
    with open_place:
        opened = st.session_state.get(f"{PAGE}_open_{found.run}", found.tried[0].number)
        draw_attempt(next(each for each in found.tried if each.number == opened))


def draw_attempt(tried: Tried) -> None:
    """One attempt: why it was kept or not, and each prompt with what the model wrote."""
    st.markdown(bold(tried.query))
    outcome = "Right" if tried.kept else f"Rejected: {tried.reason}"
    first, *others = tried.example.answers
    more = (
        f" and {len(others):,} others" if len(others) > 1 else f" / {others[0]}" if others else ""
    )
    st.markdown(f"{plain(outcome)}")
    st.markdown(f"Predicted: {plain(tried.predicted or '-')}")
    st.markdown(f"Accepted: {plain(f'{first}{more}')}")
    if tried.attempt.message:
        st.warning(plain(tried.attempt.message), icon=":material/error:")
    if tried.rationale:
        st.markdown(f"Rationale: {plain(tried.rationale)}")
    step = tried.attempt.step
    draw_trace((step,), evidence((step,), tried.passages), str(tried.number))


def _filtered(found: Bootstrap) -> list[Tried]:
    outcomes = found.outcomes
    labels = {ALL: f"all {len(found.tried):,}"}
    labels |= {
        reason: f"{'right' if reason == 'kept' else reason} {count:,}"
        for reason, count in outcomes.items()
    }
    key = f"{PAGE}_filter_{found.run}"
    if st.session_state.get(key) not in labels:
        st.session_state[key] = ALL
    chosen = st.segmented_control(
        "Show",
        list(labels),
        format_func=lambda name: plain(labels[name]),
        required=True,
        key=key,
        label_visibility="collapsed",
    )
    return [each for each in found.tried if chosen in (ALL, None, each.reason)]


def _draw_list(found: Bootstrap, shown: list[Tried]) -> None:
    pages = max(1, -(-len(shown) // ROWS))
    page = 1
    if pages > 1:
        key = f"{PAGE}_page_{found.run}"
        st.session_state[key] = min(st.session_state.get(key, 1), pages)
        page = int(st.number_input(f"Page (of {pages:,})", min_value=1, max_value=pages, key=key))
    chosen = _chosen(found)
    for each in shown[(page - 1) * ROWS : page * ROWS]:
        tick, action = st.columns([5, 1], vertical_alignment="center")
        mark = ":material/check:" if each.kept else ":material/close:"
        reason = "" if each.kept else f" ({plain(each.reason)})"
        key = f"{PAGE}_keep_{found.run}_{each.number}"
        st.session_state[key] = each.number in chosen
        tick.checkbox(
            f"{mark} {plain(short(each.query, SHOWN))}{reason}",
            key=key,
            disabled=not each.kept,
            on_change=uninterrupted(_toggle),
            args=(found.run, each.number),
        )
        action.button(
            "Open",
            key=f"{PAGE}_look_{found.run}_{each.number}",
            on_click=_open,
            args=(found.run, each.number),
            width="stretch",
        )


def _draw_keeping(frame: Frame, found: Bootstrap) -> None:
    """Choose all, where they go, and the button that keeps them."""
    chosen, right = _chosen(found), {each.number for each in found.right}
    if not right:
        return
    every, where = st.columns(2, vertical_alignment="bottom")
    if chosen >= right:
        every.button("Choose none", on_click=_choose, args=(found.run, set()), width="stretch")
    else:
        every.button("Choose all right", on_click=_choose, args=(found.run, right), width="stretch")
    pools = [summary.name for summary in summaries(frame.studio)]
    own = found.settings.pool if found.settings.pool in pools else frame.setup.pool
    key = f"{PAGE}_to_{found.run}"
    to = where.selectbox(
        "Keep in pool",
        dict.fromkeys((own, *pools)),
        accept_new_options=True,
        key=key,
        persist_state="session",
        help="One of the pools, or the name of a new one.",
    )
    if button(
        f"Keep {len(chosen):,} as demonstrations",
        key=f"{PAGE}_keep",
        disabled=not chosen,
        width="stretch",
    ):
        with shown_errors():
            kept = keep(frame.studio, found, chosen, str(to))
            note(PAGE, frame.setup.pool, kept_sentence(kept))
            _choose(found.run, set())
            st.rerun()


def kept_sentence(kept: KeptAttempts) -> str:
    """What keeping did, in a sentence."""
    parts = [f"{len(kept.added):,} added to pool {kept.pool}"]
    if kept.completed:
        parts.append(f"{len(kept.completed):,} that were there got rationale and passages")
    if kept.there:
        parts.append(f"{kept.there:,} were there already")
    return f"{', '.join(parts)}. The pool's history can undo it."


def _chosen(found: Bootstrap) -> set[int]:
    chosen: set[int] = st.session_state.get(f"{PAGE}_chosen_{found.run}", set())
    return chosen & {each.number for each in found.right}


def _choose(run: int, numbers: set[int]) -> None:
    st.session_state[f"{PAGE}_chosen_{run}"] = set(numbers)


def _toggle(run: int, number: int) -> None:
    chosen: set[int] = st.session_state.get(f"{PAGE}_chosen_{run}", set())
    _choose(run, chosen ^ {number})


def _open(run: int, number: int) -> None:
    st.session_state[f"{PAGE}_open_{run}"] = number
