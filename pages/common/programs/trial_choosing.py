"""What is run over questions: the programs, the questions, the passages and the numbers."""

import streamlit as st

from core.passages.search import SearchBy
from core.programs.paper import CATALOGUE
from core.programs.trial.drawing import SEEDS
from core.settings import PROGRAM_KNOBS
from core.studio.passages import names
from core.studio.programs.trial_records import TrialRequest
from core.text import is_blank
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
from pages.common.state.knobs import SEARCHES, kept_key
from pages.common.state.readers import some_of, switch, whole
from pages.common.state.state import keeper, remember, remembered

ANSWER = "answer"
"""The value of `do` in the link of this task."""
TASK = "answers"
OFFERED = tuple(name for name, each in CATALOGUE.items() if not each.converses)
"""Programs for single questions; a pool has no conversations."""
FIRST = ("retrieve-then-read", "vanilla")
"""The programs of the first visit: both are quick."""
WITHOUT = "without"
"""The value of `ablate` in the link where each program is also run without its parts."""


def read_trial(frame: Frame) -> TrialRequest | None:
    """The choices, which go into the address too; None where they cannot run."""
    programs = _programs()
    queries_place, limit_place, passages_place, more_place = st.columns(
        [3, 2, 3, 1], vertical_alignment="bottom"
    )
    question = _question()
    typed = not is_blank(question)
    with queries_place:
        examples = queries_from(frame, "Questions with their accepted answers.", disabled=typed)
    limit = choose_limit(
        frame, PAGE, "Queries", limit_place, examples=examples or None, help=SAMPLE, disabled=typed
    )
    with more_place.popover("More", width="stretch"):
        ablate = _ablate()
        seeds = number(TASK, "seeds", "Seeds", SEEDS, 1, "") or SEEDS
        knobs = _numbers(programs)
        by = one("by", "Compare passages by", list(SEARCHES), SearchBy.FUSED.value,
                 shown=SEARCHES.__getitem__)  # fmt: skip
    searching = any(CATALOGUE[name].searches for name in programs)
    with passages_place if names(frame.studio) else st.container():
        passages = choose_passages(frame) if searching else None
    write_link(
        do=ANSWER,
        pool=frame.setup.pool,
        **template_link(frame.setup),
        programs=",".join(programs),
        question=question,
        examples=None if typed else examples,
        limit=None if typed else str(limit),
        passages=passages,
        by=None if by == SearchBy.FUSED.value else by,
        ablate=WITHOUT if ablate else None,
        seeds=None if seeds == SEEDS else str(seeds),
        **{_in_link(knob): str(value) for knob, value in knobs.items()},
    )
    if not programs or (searching and passages is None):
        return None
    return TrialRequest(
        programs=programs,
        pool=frame.setup.pool,
        passages=passages,
        knobs=knobs,
        ablate=ablate,
        question=question if typed else None,
        examples=None if typed else examples or None,
        seeds=seeds,
        limit=None if typed else limit,
        by=SearchBy(by),
        encoder=frame.setup.encoder,
        model=frame.setup.model,
    )


def explained() -> str:
    """What each program does, as markdown."""
    return "\n".join(f"- {name}: {plain(CATALOGUE[name].explanation)}" for name in OFFERED)


def _programs() -> tuple[str, ...]:
    key = kept_key(PAGE, "programs", list(FIRST), some_of(OFFERED, ","))
    chosen = st.multiselect(
        "Programs",
        OFFERED,
        key=key,
        on_change=keeper(key, PAGE, "programs"),
        placeholder="Choose one or more",
        help=f"The first one is what the others are compared with.\n{explained()}",
    )
    remember(PAGE, "programs", chosen)
    return tuple(chosen)


def _question() -> str:
    key = kept_key(PAGE, "question", "")
    question = st.text_input(
        "One question",
        key=key,
        on_change=keeper(key, PAGE, "question"),
        placeholder="Type one to see what each program does with it; left empty, the queries above "
        "are asked",
    )
    remember(PAGE, "question", question)
    return str(question).strip()


def _ablate() -> bool:
    key = kept_key(PAGE, "ablate", False, switch(on=WITHOUT, off=""))
    on = st.toggle(
        "Also without each part",
        key=key,
        on_change=keeper(key, PAGE, "ablate"),
        help="An ablation: each program is also run without its worked-out demonstrations, the "
        "fusion of queries, the vote, and passages.",
    )
    remember(PAGE, "ablate", on)
    return bool(on)


def _numbers(programs: tuple[str, ...]) -> dict[str, int]:
    """The numbers that were given in place of the paper's."""
    found = {}
    for name, knob in PROGRAM_KNOBS.items():
        usual = {program: CATALOGUE[program].knobs.get(name) for program in programs}
        values = dict.fromkeys(value for value in usual.values() if value is not None)
        if values:
            paper = f"the paper's {' or '.join(map(str, values))}"
            value = number(TASK, _in_link(name), knob.label, None, knob.least, paper)
            if value is not None:
                found[name] = value
        else:  # the link's is kept for a program that has it
            remembered(TASK, _in_link(name), None, whole(knob.least))
    return found


def _in_link(knob: str) -> str:
    """The name of a knob in the link, where the knobs of retrieval have some of the names."""
    return knob if knob in ("shots", "samples") else f"p_{knob}"
