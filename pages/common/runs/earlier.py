"""The recorded run that a page shows: the latest, or an earlier one; what was edited since."""

from typing import Any, TypeVar

import streamlit as st

from core.evaluation.results.calibration import Calibration
from core.evaluation.results.comparison import Comparison
from core.evaluation.results.run_figures import RunFigures
from core.evaluation.runs.worth import Worth
from core.reporting.html.reports import finished_at
from core.reporting.tables.comparison import runs_table
from core.reporting.tables.runs import text_table
from core.reporting.words.earlier_runs import examples_in_common, run_line
from core.studio.runs.outdated import with_differing
from core.studio.runs.running import RunKind
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.frame.watching import draw_again_after
from pages.common.runs.story import stories_of
from pages.common.state.readers import whole
from pages.common.state.state import keeper, remember, remembered
from pages.common.streamlit_workarounds.widget_values import keep_sending

RESULT = "result"
"""The earlier run that is open, in the link: its id."""
LATEST = 0
"""In its place: the latest run, whichever that is."""
Figures = TypeVar("Figures", Calibration, Comparison, Worth)


def opened_run(frame: Frame, kind: RunKind[Any, Any, Any]) -> int | None:
    """The id of the earlier run that is open, None for the latest; it belongs into the link."""
    runs = list(kind.last(frame.studio, frame.setup.pool))

    def read(text: str) -> int:
        if (run := whole(LATEST + 1)(text)) not in runs:
            raise ValueError(f"must be one of this pool's last {len(runs)} runs")
        return run

    run = remembered(kind.name, RESULT, LATEST, read)
    if run in runs[1:]:
        return int(run)
    remember(kind.name, RESULT, LATEST)  # what was open in another pool is closed
    return None


def show_latest(kind: RunKind[Any, Any, Any]) -> None:
    """Close what is open, as a new run begins."""
    remember(kind.name, RESULT, LATEST)


def choose_result(frame: Frame, kind: RunKind[Any, Any, Figures]) -> Figures | None:
    """Draw the list of runs where there are several; the one to show, None before the first."""
    studio, pool, run = frame.studio, frame.setup.pool, opened_run(frame, kind)
    ended = kind.last(studio, pool)
    found = kind.latest(studio, pool) if run is None else kind.opened(studio, run, ended[run])
    if len(ended) > 1:
        key = f"{kind.name}_earlier_runs"
        keep_sending(key, first=False)
        line = st.expander("Earlier runs", key=key, on_change="rerun")
        if line.open:
            with line:
                _choose(frame, kind, run or LATEST, found)
    if run is not None and found is not None:
        words = (
            f"An earlier run is shown, of {finished_at(found)}. The latest is under Earlier runs."
        )
        st.info(plain(words), icon=":material/history:")
    return None if found is None else _with_differing(frame, found)


def _with_differing(frame: Frame, found: Figures) -> Figures:
    """The result with how many examples the edits change, once the pool is embedded."""
    if frame.readiness.view is None:
        return found
    counted, jobs = with_differing(frame.studio, frame.setup, found)
    for job in jobs:
        draw_again_after(job, [])
    return counted


def _choose(
    frame: Frame, kind: RunKind[Any, Any, Figures], run: int, shown: Figures | None
) -> None:
    """The list, and below it another run of a comparison beside the one that is shown."""
    runs = enumerate(kind.earlier(frame.studio, frame.setup.pool))
    listed = {each.run if place else LATEST: each for place, each in runs}
    key = f"{kind.name}_{RESULT}"
    st.session_state[key] = run if run in listed else LATEST
    st.radio(
        "Run",
        list(listed),
        format_func=lambda run: _named(run, listed[run]),
        captions=[plain(run_line(each)) for each in listed.values()],
        key=key,
        on_change=keeper(key, kind.name, RESULT),
        label_visibility="collapsed",
    )
    if isinstance(shown, Comparison):
        _compare(frame, shown, [each for each in listed.values() if isinstance(each, Comparison)])


def _named(run: int, figures: RunFigures) -> str:
    return finished_at(figures) + (", the latest" if run == LATEST else "")


def _compare(frame: Frame, shown: Comparison, runs: list[Comparison]) -> None:
    """The rows of two runs beside each other; of one model only, as DPO is of its tokens."""
    judged = (shown.settings.model_fingerprint, shown.settings.template_fingerprint)
    others = {
        each.run: each
        for each in runs
        if each.run != shown.run
        and (each.settings.model_fingerprint, each.settings.template_fingerprint) == judged
    }
    if not others or shown.settings.by_a_toy:
        return
    key = "compare_beside"
    if st.session_state.get(key) not in others:
        st.session_state[key] = None
    other = st.selectbox(
        "Beside the run that is shown",
        list(others),
        format_func=lambda run: finished_at(others[run]),
        key=key,
        placeholder="Choose another run with this model and template",
    )
    if other is None:
        return
    beside = others[other]
    same = examples_in_common(stories_of(frame, shown).examples, stories_of(frame, beside).examples)
    st.markdown(plain(same))
    st.html(text_table(runs_table(shown, beside, shown.metric)))
