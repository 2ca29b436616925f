"""The findings of one kind: a list to choose from, and the chosen ones with what can be done."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import pandas as pd
import streamlit as st

from core.curation.findings.finding import Finding
from core.curation.findings.registry import CHECKS
from core.demonstration.demonstration import Status
from core.errors import ShotlistError
from core.studio import Studio
from core.studio.pools import demonstrations
from core.studio.pools.findings import PoolFindings
from core.studio.pools.mending import dismiss, repair_letters, restore, take_own_out
from pages.common.frame.notice import note, note_action
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.one_demonstration.card import show_card
from pages.common.review.duplicates import (
    KIND,
    choose_stays,
    merge_as_shown,
    ordered,
    show_group,
)
from pages.common.review.found import ShownFindings
from pages.common.review.queues import PAGE, begin_queue
from pages.common.state.only_these import show_only
from pages.common.streamlit_workarounds.callbacks import uninterrupted

LISTED = 1_000
"""So many findings are listed, the gravest; a browser draws no more of them at once."""
MEMBERS = 8
"""Of a finding so many demonstrations are shown; the table has all of them."""
HEIGHT = 320
_TABLE = "review_table"
_LEAVING = "review_in_the_table"


class Mend(NamedTuple):
    """What can be done about all findings of a kind: a label, its explanation, and the deed."""

    label: str
    help: str
    do: Callable[[PoolFindings, Studio, Sequence[Finding]], int]


def _repairs(kind: str) -> Callable[[PoolFindings, Studio, Sequence[Finding]], int]:
    return lambda found, studio, findings: repair_letters(studio, _ids(findings), kind)


def _exclude(found: PoolFindings, studio: Studio, findings: Sequence[Finding]) -> int:
    return demonstrations.set_status(studio, _ids(findings), Status.EXCLUDED)


EXCLUDE = Mend("Exclude", "They stay in the pool, and no query retrieves them.", _exclude)
"""What is done about texts that nothing can be made of; one alone has its card's button."""

MENDS = {
    "placeholder": EXCLUDE,
    "repeated-query": EXCLUDE,
    "wordless": EXCLUDE,
    "duplicate": Mend(
        "Merge",
        "The one that stays gets the incorrect answers, tags and notes of the others, which are "
        "deleted, and is the best answer if one of them was.",
        merge_as_shown,
    ),
    "encoding": Mend(
        "Repair",
        "Writes the texts as they were before they were read with a wrong encoding.",
        _repairs("encoding"),
    ),
    "escaped": Mend(
        "Repair",
        "Writes the letters that the signs stand for, &quot; as a quotation mark, and takes HTML "
        "tags out.",
        _repairs("escaped"),
    ),
    "personal-data": Mend(
        "Mask",
        "Writes [email], [phone number] and [card number] in their place.",
        _repairs("personal-data"),
    ),
    "own-incorrect": Mend(
        "Take it out",
        "Takes the answer out of the incorrect answers of its demonstration.",
        lambda found, studio, findings: take_own_out(studio, _ids(findings)),
    ),
}
"""By the name of the check."""


HEADS = {
    "contradiction": "similarity",
    "disagreement": "gravity, to 3",
    "placeholder": "texts",
    "personal-data": "texts",
    "encoding": "texts",
    "escaped": "texts",
    "wordless": "texts",
    "duplicate": "similarity",
    "other-answer": "similarity",
    "leak": "queries",
    "long-answer": "letters",
    "outlier": "deviations",
    "often-retrieved": "share of contexts",
}
"""What the number of a finding is, by the name of its check; of others it is always the same."""


def show_findings_of(frame: Frame, found: ShownFindings, kind: str) -> None:
    """Draw what the kind is, its findings, and what can be done about the chosen ones."""
    if st.session_state.pop(_LEAVING, False):
        st.switch_page("pages/demonstrations.py")
    st.caption(plain(CHECKS[kind].explanation))
    dismissed = _choose_dismissed(found, kind)
    listed = found.of(kind, dismissed=dismissed)
    if not listed:
        st.success("There are no findings of this kind.", icon=":material/check:")
        return
    if kind == KIND:
        choose_stays()
    chosen = _choose(found, kind, listed)
    _act_on(frame, found, listed, chosen, dismissed=dismissed)
    _show_members(frame, chosen[0], ordered(found.pool, chosen[0]))


def _choose_dismissed(found: ShownFindings, kind: str) -> bool:
    """Whether the dismissed findings are listed; they can be where there are some."""
    counts = {dismissed: len(found.of(kind, dismissed=dismissed)) for dismissed in (False, True)}
    if not counts[True]:
        return False
    return bool(
        st.segmented_control(
            "Which",
            list(counts),
            default=False,
            required=True,
            key=f"review_dismissed_{kind}",
            label_visibility="collapsed",
            format_func=lambda one: f"{'Dismissed' if one else 'Open'} {counts[one]:,}",
        )
    )


def _choose(found: ShownFindings, kind: str, listed: Sequence[Finding]) -> list[Finding]:
    """The ticked findings; the first where none is."""
    if len(listed) > LISTED:
        st.caption(f"The first {LISTED:,} of {len(listed):,} are listed.")
    rows, listed = found.pool.rows, listed[:LISTED]
    firsts = [rows[ordered(found.pool, each)[0]] for each in listed]
    head = HEADS.get(kind, "")
    table = pd.DataFrame(
        {
            "measure": [each.measure for each in listed],
            "demonstrations": [len(each.ids) for each in listed],
            "query": [row.query for row in firsts],
            "answer": [each.text or row.answer for each, row in zip(listed, firsts, strict=True)],
        }
    )
    column = st.column_config
    event = st.dataframe(
        table,
        # Ticks are places in the list, so another list has no tick of this one.
        key=f"{_TABLE}_{kind}_{hash(tuple(each.key for each in listed))}",
        hide_index=True,
        on_select="rerun",
        selection_mode="multi-row",
        height=min(HEIGHT, 36 * (len(listed) + 1) + 2),
        column_order=[str(name) for name in table if name != "measure" or head],
        column_config={
            "measure": column.NumberColumn(
                head, format=_decimals(listed), width=110, help=plain(CHECKS[kind].measure)
            ),
            "demonstrations": column.NumberColumn("demonstrations", width=115),
            "query": column.TextColumn("query", width="medium"),
            "answer": column.TextColumn("answer or text", width="medium"),
        },
    )
    ticked = [listed[place] for place in event.selection.rows if place < len(listed)]
    return ticked or [listed[0]]


def _decimals(listed: Sequence[Finding]) -> str:
    """How the measure is written: without decimals where it counts something."""
    return "%d" if all(each.measure.is_integer() for each in listed) else "%.2f"


def _act_on(
    frame: Frame,
    found: ShownFindings,
    listed: Sequence[Finding],
    chosen: Sequence[Finding],
    *,
    dismissed: bool,
) -> None:
    """Buttons for the chosen findings, and for all of them."""
    kind, many = chosen[0].check, "" if len(chosen) == 1 else f" {len(chosen):,}"
    with st.container(horizontal=True, vertical_alignment="center"):
        if dismissed:
            _button(frame, f"Restore{many}", "restore", "They are findings again.", restore, chosen)
            return
        mend = MENDS.get(kind)
        if mend is not None:
            do = partial(mend.do, found.pool)
            if mend is not EXCLUDE or many:
                _button(frame, f"{mend.label}{many}", "mend", mend.help, do, chosen)
            if len(chosen) < len(listed):
                label = f"{mend.label}: all {len(listed):,}"
                _button(frame, label, "mend_all", mend.help, do, listed)
        dismissing = (
            "It is no fault: it is not listed any more, also after an export and an import, until "
            "one of its texts changes."
        )
        _button(frame, f"Dismiss{many}", "dismiss", dismissing, dismiss, chosen)
        st.button(
            "Read one by one",
            key="review_one_by_one",
            help="Each of their demonstrations by itself, large; every decision is one key.",
            on_click=_read_one_by_one,
            args=(frame, kind, chosen if len(chosen) > 1 else listed),
        )
        st.button(
            "Show in the table",
            key="review_in_table",
            help="Opens these demonstrations in the table of Demonstrations.",
            on_click=_show_in_table,
            args=(frame.setup.pool, _ids(chosen)),
        )


def _button(
    frame: Frame,
    label: str,
    name: str,
    help: str,
    do: Callable[[Studio, Sequence[Finding]], int],
    findings: Sequence[Finding],
) -> None:
    @uninterrupted
    def done() -> None:
        pool = frame.setup.pool
        try:
            note_action(frame.studio, PAGE, pool, do(frame.studio, findings))
        except ShotlistError as error:
            note(PAGE, pool, str(error))

    st.button(label, key=f"review_{name}", help=help, on_click=done)


@uninterrupted
def _read_one_by_one(frame: Frame, kind: str, findings: Sequence[Finding]) -> None:
    begin_queue(frame.studio, frame.setup.pool, CHECKS[kind].label, _ids(findings))


@uninterrupted
def _show_in_table(pool: str, ids: Sequence[int]) -> None:
    show_only(pool, ids)
    st.session_state[_LEAVING] = True


def _show_members(frame: Frame, finding: Finding, ids: Sequence[int]) -> None:
    """The demonstrations of the finding as they are now, each with what can be done to it."""
    rows = demonstrations.present(frame.studio, ids[:MEMBERS])
    for id in ids[:MEMBERS]:
        if id not in rows:
            st.caption(f"{id}: deleted meanwhile.")
    there = [rows[id] for id in ids[:MEMBERS] if id in rows]
    if finding.check == KIND and len(there) > 1:
        show_group(frame, finding, there)
    else:
        for row in there:
            show_card(frame, PAGE, row)
    more = len(finding.ids) - MEMBERS
    if more > 0:
        st.caption(f"{more:,} more of this finding are in the table.")


def _ids(findings: Sequence[Finding]) -> list[int]:
    return list(dict.fromkeys(id for each in findings for id in each.ids))
