"""What a bootstrap is asked for: the program, the queries, and how many."""

import streamlit as st

from core.settings import SEED
from core.studio.programs.bootstrap import BootstrapRequest
from core.studio.programs.choices import CHOICES, NEAREST, ProgramChoice
from pages.common.frame.page import Frame
from pages.common.frame.sidebar import template_link
from pages.common.frame.text import plain
from pages.common.programs.widgets import (
    PAGE,
    SAMPLE,
    choose_passages,
    number,
    one,
    queries_from,
)
from pages.common.runs.limit import choose_limit
from pages.common.state.address import write_link

QUERIES_HELP = (
    "Their answers are known: a query comes out right where the program answers one of them. The "
    "program shows the demonstrations of the pool in the side bar, but never a query's own."
)


def read_request(frame: Frame) -> BootstrapRequest:
    """The choices, which go into the address too."""
    program_place, queries_place, limit_place, more_place = st.columns(
        [3, 3, 2, 1], vertical_alignment="bottom"
    )
    with program_place:
        choice = CHOICES[one("program", "Program", list(CHOICES), NEAREST, help=_programs())]
    with queries_place:
        examples = queries_from(frame, QUERIES_HELP)
    limit = choose_limit(
        frame, PAGE, "Queries", limit_place, examples=examples or None, help=SAMPLE
    )
    with more_place.popover("More", width="stretch"):
        annotate = number(PAGE, "annotate", "Stop once so many came out right", None, 1, "try all")
        shots = _shots(choice)
        seed = number(PAGE, "seed", "Seed", SEED, 0, "") or 0
    passages = choose_passages(frame) if choice.searches else None
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
        setup=frame.setup,
        program=choice.name,
        examples=examples or None,
        file=None,
        passages=passages,
        annotate=annotate,
        shots=shots,
        limit=limit,
        seed=seed,
    )


def _programs() -> str:
    return "\n".join(
        f"- {plain(each.name)}: {plain(each.explanation)}" for each in CHOICES.values()
    )


def _shots(choice: ProgramChoice) -> int | None:
    """How many demonstrations a prompt shows; None for the program's own number."""
    if choice.shots is None:
        st.caption(plain(f"{choice.name} shows the demonstrations of the paper."))
        return None
    label = "Demonstrations in a prompt"
    return number(PAGE, "shots", label, None, 0, f"{choice.shots} of {choice.name}")
