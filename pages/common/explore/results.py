"""What Explore shows of a context: its demonstrations, its effect on the model, its curve."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.reporting.figures.layout import take_title
from core.reporting.figures.query import for_overlay, query_curve
from core.reporting.results.query import Effect, sets_of, step_at
from core.reporting.tables.explore import (
    answers_table,
    context_table,
    curve_mark,
    figures_row,
    kinds_table,
    steps_table,
    tokens_table,
)
from core.reporting.tables.worth import setting_sentences
from core.reporting.words.calibration_findings import of_one_query
from core.reporting.words.cautions import doubt_sentences, order_cautions, order_sentence
from core.reporting.words.verdict import verdict_of_effect
from core.retrieval.choosing import METHODS
from core.studio.explore.effect import pieces_of
from core.studio.explore.exploration import Exploration
from core.studio.explore.latest import LatestResults
from core.studio.explore.provenance import certainty_in_words
from core.studio.explore.slots import AnswersNow, CurveNow, EffectNow, TriangleNow
from core.studio.session.models import why_not_scored
from core.text import lambda_text, short
from pages.common.explore.cockpit.stage import PAGE
from pages.common.explore.own_answers import show_own_answers
from pages.common.explore.path import show_steps_around
from pages.common.explore.views import (
    ANSWERS,
    CONTEXT,
    CURVE,
    OWN_ANSWERS,
    PROMPT,
    TOKENS,
    WHY_NOT,
)
from pages.common.explore.why_not import show_why_not
from pages.common.frame.look import draw_title
from pages.common.frame.notice import show_notice
from pages.common.frame.page import Frame, toy_words
from pages.common.frame.text import plain
from pages.common.one_demonstration.buttons import act_buttons

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

NO_MORE = {"lambda_d": "relevance only", "lambda_b": "no quality bias"}
CURVE_HEIGHT = 275
FIGURE_KEY = "explore_figure_held"


@dataclass(frozen=True)
class Scored:
    """What the model has scored of a context so far; None where there is no such thing."""

    curve: CurveNow | None
    effect: EffectNow
    cells: TriangleNow | None
    answers: AnswersNow | None

    @property
    def complete(self) -> bool:
        """Whether nothing more will come."""
        parts = (self.curve, self.effect, self.cells, self.answers)
        return all(now is None or now.complete for now in parts)


def show_terms(found: Exploration) -> None:
    """On what terms the context is chosen: the leave-out, what its ranking cannot show, ..."""
    if found.order is not None:
        terms = (
            "Neither an exemplar nor a demonstration with the query's own text is ever in its "
            "context."
        )
    elif found.request.leave_out:
        many = "demonstration is" if found.own == 1 else "demonstrations are"
        terms = f"An evaluation example: its own {found.own:,} {many} never in its context."
    else:
        terms = "Typed by hand: nothing is left out."
    if found.leaks:
        gives = "gives" if len(found.leaks) == 1 else "give"
        terms += (
            f" {len(found.leaks):,} in the context {gives} its answer away under another query "
            "(leak)."
        )
    if METHODS[found.request.knobs.method].chooses_by_mmr:
        terms = f"{terms} {certainty_in_words(found)}"
    doubts = doubt_sentences(found.doubts, found.picks)
    setting = setting_sentences(found.setting)
    st.caption(plain(" ".join([terms, *setting, *doubts, found.note])))
    if found.order is not None:
        st.markdown(plain(order_sentence(found.order)))
        st.caption(plain(" ".join(order_cautions(found.order))))
        with st.expander("What the model reads of the query"):
            st.code(found.order.text, language=None, wrap_lines=True)


def show_context(found: Exploration) -> None:
    """The table of the context, with notes in words."""
    method = METHODS[found.request.knobs.method]
    if not found.picks:
        st.info("The context is empty: the model sees the query alone.")
        return
    table = context_table(found.picks, found.leaks, found.lambda_d, method, found.order)
    st.html(table)
    notes = []
    if found.left_out:
        count = f"{found.left_out:,} of {found.left_out + len(found.picks):,}"
        notes.append(
            f"The model's window has no room for {count} chosen demonstrations; the least "
            "relevant are left out, for every answer."
        )
    if method.chooses_by_mmr:
        notes.append(_value_in_words(found))
    st.caption(plain(" ".join(notes)))


def show_acts(frame: Frame, found: Exploration) -> None:
    """What can be done to a demonstration of the context, where there is no cockpit to do it in."""
    show_notice(frame.studio, PAGE, frame.setup.pool)
    if not found.picks:
        return
    by_id = {pick.id: pick for pick in found.picks}
    names = {id: f"{pick.rank}: {short(pick.query)}" for id, pick in by_id.items()}
    choice, buttons = st.columns(2, vertical_alignment="bottom")
    id = choice.selectbox(
        "Change one of them",
        list(by_id),
        format_func=lambda id: names.get(id, str(id)),
        key="explore_act_on",
    )
    with buttons:
        act_buttons(frame, PAGE, id, pinned=by_id[id].pinned, key="explore_act")


def _value_in_words(found: Exploration) -> str:
    d, b = found.lambda_d, found.lambda_b
    b_text, no_b, d_text, no_d = map(lambda_text, (b, 1 - b, d, 1 - d))
    relevance = "relevance" if b == 1 else f"({b_text} x relevance + {no_b} x quality bias)"
    later = "" if d == 1 else f"; from the second on {d_text} x that - {no_d} x redundancy"
    return f"Value = {relevance}{later}."


def show_curve(latest: LatestResults, found: Exploration, now: CurveNow | None) -> None:
    """DPO and diversity over lambda_d, with progress and cancel while it fills in."""
    if now is None:
        label = METHODS[found.request.knobs.method].label
        st.info(f"{label} does not use lambda_d, so there is no curve over it.")
        return
    title, figure = _curve_figure(now)
    draw_title(title)
    with st.container(key="explore_curve", gap=None):
        with st.container(key="explore_mark"):
            st.html(curve_mark(figure, found.lambda_d))
        st.plotly_chart(
            figure,
            key="explore_plot",
            height=CURVE_HEIGHT,
            config={"displayModeBar": False},
            alt=title,
        )
    if found.certainty.kind == "approximate":
        st.caption("The curve is exact, for the whole pool.")
    if now.job is None or now.job.state == "finished":
        return
    done, total = now.curve.distinct_sets, now.curve.total_sets
    count = f"{done} of {total} distinct contexts"
    bar_place, button_place = st.columns([5, 2], vertical_alignment="center")
    if now.job.over:
        words = plain(now.job.error or f"Stopped after {count}; what is scored is kept.")
        bar_place.caption(words)
        button_place.button("Go on", key="explore_again", on_click=latest.try_again)
    else:
        bar_place.progress(done / total, text=f"DPO: {count}")
        button_place.button("Cancel", key="explore_cancel", on_click=latest.cancel_curve)


def _curve_figure(now: CurveNow) -> tuple[str, "Figure"]:
    """Title and figure of the curve, made once: lambda_d only moves the mark over it."""
    cached = st.session_state.get(FIGURE_KEY)
    if cached is None or cached[0] is not now.curve or cached[1] != now.complete:
        figure = query_curve(now.curve.pieces, complete=now.complete)
        title = take_title(figure)
        cached = (now.curve, now.complete, title, for_overlay(figure, CURVE_HEIGHT))
        st.session_state[FIGURE_KEY] = cached
    return cached[2], cached[3]


def show_answers(frame: Frame, found: Exploration, effect: Effect) -> None:
    """What the context does to each answer."""
    st.html(answers_table(effect))
    if missing := of_one_query(effect.triples):
        st.caption(missing)
    elif found.picks and not toy_words(frame):
        st.caption(verdict_of_effect(effect))
    if by_kind := kinds_table(effect):
        st.html(by_kind)
        st.caption("For one query, so without an interval; Compare shows it over many queries.")


def show_why_no_effect(
    frame: Frame, latest: LatestResults, found: Exploration, now: EffectNow
) -> None:
    """Why it is not known what the context does to the answers, and how to go on."""
    if now.job is None:
        st.info(plain(_why_no_effect(frame, found)))
    elif now.job.over:
        st.error(plain(now.job.error or "Scoring the answers was stopped."))
        st.button("Try again", key="explore_answers_again", on_click=latest.try_again)
    else:
        st.caption("The model is scoring the answers.")


def _why_no_effect(frame: Frame, found: Exploration) -> str:
    if not found.request.answers:
        return (
            "No answers yet: type correct and incorrect ones above, or choose an evaluation "
            "example, to see what the context does to them (DPO)."
        )
    if why := why_not_scored(found.resolved.now.model):
        return why
    loading = frame.readiness.loading
    if loading is not None and loading.state in ("failed", "cancelled"):
        return "The language model could not be loaded; the side bar says why."
    return "The language model is being loaded; the side bar shows how far it is."


def own_answers_now(latest: LatestResults, found: Exploration, view: str) -> AnswersNow | None:
    """What the model itself answers; None while another view is chosen."""
    return latest.answers(found.resolved, found.prompt) if view == OWN_ANSWERS else None


def show_view(
    frame: Frame, latest: LatestResults, found: Exploration, view: str, now: Scored
) -> None:
    """The chosen view, as far as the model has scored what is in it; a path comes elsewhere."""
    effect = now.effect.effect
    if effect is None:
        show_why_no_effect(frame, latest, found, now.effect)
    if view in (CONTEXT, ANSWERS):
        show_figures(found, effect)
    if view == CONTEXT:
        show_context(found)
        if now.cells is None:
            show_acts(frame, found)
    elif view == ANSWERS and effect is not None:
        show_answers(frame, found, effect)
    elif view == CURVE:
        show_curve(latest, found, now.curve)
    else:
        _show_detail(frame, latest, found, view, now)


def _show_detail(
    frame: Frame, latest: LatestResults, found: Exploration, view: str, now: Scored
) -> None:
    effect = now.effect.effect
    if now.answers is not None:
        show_own_answers(frame, latest, found, now.answers)
    elif view == TOKENS:
        _show_tokens(found, effect)
    elif view == PROMPT:
        _show_prompt(found)
    elif view == WHY_NOT:
        show_why_not(frame, latest, found)


def show_figures(found: Exploration, effect: Effect | None) -> None:
    """The few numbers of the context in one line."""
    row = figures_row(effect, diversity=found.diversity, tokens=found.tokens, window=found.window)
    st.html(row)


def _show_tokens(found: Exploration, effect: Effect | None) -> None:
    if effect is None:
        st.info("There are no scored answers to show token by token.")
        return
    place = st.selectbox(
        "Answer",
        range(len(effect.rows)),
        format_func=lambda i: effect.rows[i].text,
        key=f"explore_tokens_{len(effect.rows)}",
    )
    row = effect.rows[place]
    st.html(tokens_table(row, pieces_of(found.resolved, found.prompt, row.text)))


def _show_prompt(found: Exploration) -> None:
    facts = []
    if found.in_prompt:
        order = ", ".join(map(str, found.in_prompt))
        facts.append(f"Demonstrations in this order: {order} ({found.request.knobs.order}).")
    if found.tokens is None and found.window is not None:
        facts.append("Its tokens are not counted: the model's tokenizer is on its server.")
    elif found.tokens is None:
        facts.append("Its tokens are counted when the language model is loaded.")
    else:
        facts.append(f"{found.tokens:,} of {found.window:,} tokens.")
    if found.left_out:
        facts.append(f"The window has no room for {found.left_out:,} more.")
    st.caption(plain(" ".join(facts)))
    st.code(found.prompt, language=None, wrap_lines=True)
    st.download_button(
        "Download prompt",
        data=found.prompt,
        file_name="prompt.txt",
        mime="text/plain",
        on_click="ignore",
    )


def show_path(latest: LatestResults, found: Exploration, knob: str) -> None:
    """Every context on the way of a lambda from 0 to 1, and the steps beside the one in use."""
    steps = latest.steps(found.resolved, knob)
    if not steps:
        st.info(
            f"The path is known for methods with {knob} that choose from the whole pool"
            f"{', once the quality is scored' if knob == 'lambda_b' else ''}."
        )
        return
    show_steps_around(latest, found, knob, st.container())
    contexts = len(sets_of(steps))
    ends = "diversity" if knob == "lambda_d" else "quality bias"
    st.caption(
        f"From {ends} only (0) to {NO_MORE[knob]} (1) this query has {contexts:,} contexts in "
        f"{len(steps):,} orders of choice; each row shows what changes from the row above."
    )
    st.html(steps_table(steps, step_at(steps, getattr(found, knob)), knob))
