"""What a bootstrap is asked for: the program, the queries, and how many."""

from collections.abc import Callable

import streamlit as st

from core.settings import SEED
from core.studio.passages.collections import names
from core.studio.pools.pools import summaries
from core.studio.programs.bootstrap import BootstrapRequest
from core.studio.programs.choices import CHOICES, NEAREST, Choice
from core.studio.runs.running import LIMIT, examples_in
from pages.common.frame.page import Frame
from pages.common.frame.sidebar import template_link
from pages.common.frame.text import plain
from pages.common.runs.run import OWN
from pages.common.state.knobs import kept_key, whole
from pages.common.state.state import keeper, one_of, remember, remembered, write_link

PAGE = "programs"
MANY = 10**9


def read_request(frame: Frame) -> BootstrapRequest:
    """The choices, which go into the address too."""
    program_place, queries_place, limit_place, more_place = st.columns(
        [3, 3, 2, 1], vertical_alignment="bottom"
    )
    with program_place:
        choice = CHOICES[_one("program", "Program", list(CHOICES), NEAREST, help=_programs())]
    with queries_place:
        examples = _queries_from(frame)
    with limit_place:
        limit = _limit(frame, examples)
    with more_place.popover("More", width="stretch"):
        annotate = _number("annotate", "Stop once so many came out right", None, 1, "try all")
        shots = _shots(choice)
        seed = _number("seed", "Seed", SEED, 0, "") or 0
    passages = _passages(frame, choice)
    st.caption(plain(choice.explanation))
    write_link(
        pool=frame.setup.pool,
        **template_link(frame.setup),
        program=None if choice.name == NEAREST else choice.name,
        examples=examples,
        limit=str(limit),
        annotate=None if annotate is None else str(annotate),
        shots=None if shots is None else str(shots),
        seed=None if seed == SEED else str(seed),
        passages=passages,
    )
    return BootstrapRequest(
        frame.setup,
        choice.name,
        examples or None,
        None,
        passages,
        annotate,
        shots,
        limit,
        seed,
    )


def _programs() -> str:
    return "\n".join(
        f"- {plain(each.name)}: {plain(each.explanation)}" for each in CHOICES.values()
    )


def _queries_from(frame: Frame) -> str:
    pools = [summary.name for summary in summaries(frame.studio)]
    others = [name for name in pools if name != frame.setup.pool]
    return _one(
        "examples",
        "Queries from",
        ["", *others],
        "",
        shown=lambda name: name or OWN,
        help="Their answers are known: a query comes out right where the program answers one of "
        "them. The program shows the demonstrations of the pool in the side bar, but never a "
        "query's own.",
    )


def _limit(frame: Frame, examples: str) -> int:
    most = max(examples_in(frame.studio, examples or frame.setup.pool), 1)
    key = f"{PAGE}_limit"
    # What was asked for outlives a pool that is smaller.
    st.session_state[key] = min(remembered("limit", LIMIT, whole(1, MANY)), most)
    limit = st.number_input(
        f"Queries (of {most:,})",
        min_value=1,
        max_value=most,
        key=key,
        on_change=keeper(key, "limit"),
        help="A random sample of that size, of the seed under More.",
    )
    return int(limit)


def _shots(choice: Choice) -> int | None:
    """How many demonstrations a prompt shows; None for the program's own number."""
    if choice.shots is None:
        st.caption(plain(f"{choice.name} shows the demonstrations of the paper."))
        return None
    label = "Demonstrations in a prompt"
    return _number("shots", label, None, 0, f"{choice.shots} of {choice.name}")


def _passages(frame: Frame, choice: Choice) -> str | None:
    if not choice.searches:
        return None
    offered = names(frame.studio)
    if not offered:
        st.info(
            "This program searches passages, and there are none. Import some on the command line: "
            "passages import."
        )
        return None
    return _one("passages", "Passages", offered, offered[0])


def _one(
    name: str,
    label: str,
    options: list[str],
    default: str,
    *,
    shown: Callable[[str], str] = str,
    help: str = "",
) -> str:
    key = kept_key(PAGE, name, default, one_of(*options))
    if st.session_state.get(key) not in options:
        st.session_state[key] = default
    chosen = st.selectbox(label, options, format_func=shown, key=key, help=help or None)
    remember(name, chosen)
    return str(chosen)


def _number(name: str, label: str, default: int | None, least: int, empty: str) -> int | None:
    key = kept_key(PAGE, name, default, whole(least, MANY))
    value = st.number_input(
        label,
        min_value=least,
        step=1,
        key=key,
        on_change=keeper(key, name),
        placeholder=empty or None,
    )
    remember(name, value)
    return None if value is None else int(value)
