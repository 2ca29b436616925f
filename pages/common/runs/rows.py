"""The rows of a comparison to set up: each a method with its knobs, for a model, under a name."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import streamlit as st

from core.evaluation.plan.comparison_rows import ComparisonRow
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, LAMBDAS, BiasScale, Knob, Knobs
from core.settings import Embed
from core.studio.runs.starts import starts
from core.studio.session.models import ModelChoice, model_choices
from core.text import lambda_text
from pages.common.frame.text import plain
from pages.common.state.knobs import DECIMALS, EMBEDS, SCALES
from pages.common.state.rows import (
    RowState,
    add_row,
    change_knob,
    change_row,
    copy_row,
    kept_rows,
    remove_row,
    replace_rows,
)

CHOSEN = "the chosen model"
LETTERS = 60
"""The most letters of a row's name: sentences, tables and figures show all of it."""
ALWAYS = ("k", *LAMBDAS)
"""The knobs that are always summed up."""
WIDTH = 720
"""Pixels of a row: what copies it is near its words."""
STARTS_HELP = "Rows to start from; they replace all others."


class _Kept(TypedDict):
    """The key of a row's widget, and what keeps its value where the run is cut short."""

    key: str
    on_change: Callable[..., None]
    args: list[Any]


def choose_rows(
    shared: Knobs, model: str, *, has_task: bool = False
) -> tuple[tuple[RowState, ...], tuple[ComparisonRow, ...]]:
    """Draw the rows as they are set up.

    Args:
        shared: The knobs of a row that has no value of its own.
        model: The chosen language model, that of the side bar.
        has_task: Whether the pool has a task, for which there are more rows to start from.

    Returns:
        How they are set up, and the rows of the comparison.
    """
    states = kept_rows(shared)
    models = {"": CHOSEN} | _labels(model_choices(model, *_named(states)))
    with st.container(key="compare_rows", gap="xxsmall", width=WIDTH):
        for place, state in enumerate(states, start=1):
            _draw_row(place, state, shared, models)
    with st.container(key="compare_starts", horizontal=True, vertical_alignment="center"):
        st.button("Add a row", key="compare_add", icon=":material/add:", on_click=add_row)
        with st.popover("Starting points", key="compare_starting", help=STARTS_HELP):
            for start in starts(has_task=has_task):
                st.button(
                    start.name,
                    key=f"compare_start_{start.name}",
                    type="tertiary",
                    help=plain(start.about),
                    on_click=replace_rows,
                    args=[start.rows],
                )
        st.button(
            "Clear",
            key="compare_clear",
            icon=":material/clear_all:",
            type="tertiary",
            help="Removes all rows.",
            disabled=not states,
            on_click=replace_rows,
            args=[()],
        )
    return states, tuple(state.row(shared) for state in states)


def _named(states: Sequence[RowState]) -> list[str]:
    return [state.model for state in states if state.model is not None]


def _labels(choices: Sequence[ModelChoice]) -> dict[str, str]:
    return {choice.name: choice.label for choice in choices}


def _draw_row(place: int, state: RowState, shared: Knobs, models: dict[str, str]) -> None:
    """The row in one line of text, which is pressed to change it; beside it what copies it."""
    key = f"compare_row_{state.id}"
    with st.container(
        key=key, horizontal=True, horizontal_alignment="distribute", wrap=False, gap="small"
    ):
        line = st.popover(
            plain(line_of_row(state, shared, models)),
            key=f"{key}_line",
            help=plain(f"Change row {place}: {METHODS[state.method].explanation}"),
            type="tertiary",
            wrap=True,
        )
        with st.container(horizontal=True, gap="xxsmall", wrap=False, width="content"):
            for word, icon, act in (
                ("Copy", ":material/content_copy:", copy_row),
                ("Remove", ":material/close:", remove_row),
            ):
                # The words are for screen readers and the tooltip; the style sheet shows the icon.
                st.button(
                    f"{word} row {place}",
                    key=f"{key}_{word.lower()}",
                    icon=icon,
                    help=f"{word} row {place}",
                    type="tertiary",
                    on_click=act,
                    args=[state.id],
                )
    with line:
        _draw_fields(state, shared, models)


def _draw_fields(state: RowState, shared: Knobs, models: dict[str, str]) -> None:
    """What the row is called, its method with the knobs that its choice depends on, its model."""
    st.selectbox("Method", list(METHODS), **_widget(state, "method", state.method))
    knobs, method = state.knobs(shared), METHODS[state.method]
    for name in _in_order(knobs):
        _draw_knob(state, method.knob(name), method.value_of(knobs, name), shared)
    st.selectbox(
        "Model",
        list(models),
        format_func=lambda each: models.get(each, each),
        accept_new_options=True,
        **_widget(state, "model", state.model or ""),
    )
    st.text_input(
        "Name",
        max_chars=LETTERS,
        placeholder=state.usual_name(shared),
        **_widget(state, "name", state.name),
    )


def line_of_row(state: RowState, shared: Knobs, models: Mapping[str, str]) -> str:
    """The row in a line: its method, its knobs, and its name and its model where it has any."""
    model = models.get(state.model, state.model) if state.model else ""
    line = ", ".join(filter(None, (state.method, summed_up(state.knobs(shared)), model)))
    return f"{state.name}: {line}" if state.name else line


def _key(state: RowState, name: str, value: Any) -> str:
    """The key of a row's widget, which always shows what the row has."""
    key = f"compare_row_{state.id}_{name}"
    st.session_state[key] = value
    return key


def _widget(state: RowState, what: str, value: str) -> _Kept:
    """What keeps the value of the widget for a row's name, method or model."""
    key = _key(state, what, value)
    return {"key": key, "on_change": change_row, "args": [state.id, what, key]}


def _in_order(knobs: Knobs) -> list[str]:
    names = METHODS[knobs.method].knobs
    first = [name for name in ALWAYS if name in names]
    return [*first, *(name for name in names if name not in first)]


def summed_up(knobs: Knobs) -> str:
    """The knobs that the choice depends on, in short: k and the lambdas, and what was changed."""
    parts, method = [], METHODS[knobs.method]
    for name in _in_order(knobs):
        knob, value = method.knob(name), method.value_of(knobs, name)
        if name in ALWAYS:
            parts.append(f"{name} {lambda_text(value) if knob.is_weight else value}")
        elif value != knob.default:
            parts.append(_changed(name, value))
    return ", ".join(parts)


def _changed(name: str, value: Any) -> str:
    if name == "candidates":
        return f"of {value:,}"
    if name == "embed":
        return str(Embed(value).value)
    if name == "one_per_query":
        return "one per query"
    if name == "bias_scale":
        return str(BiasScale(value).value)
    return name.replace("_", " ") if value is True else f"{name.replace('_', ' ')} {value}"


def _draw_knob(state: RowState, knob: Knob, value: Any, shared: Knobs) -> None:
    """One knob of the row; what it is, and what it is in rows without a value of their own."""
    of_all = getattr(shared, knob.name) if knob.name in KNOBS else knob.default
    key = _key(state, knob.name, value)
    args = [state.id, knob.name, key, of_all]
    kept: _Kept = {"key": key, "on_change": change_knob, "args": args}
    help = plain(knob.explanation)
    if knob.is_weight:
        decimals = max(DECIMALS, len(lambda_text(value).split(".")[1]))
        st.slider(
            f"{knob.label}: {knob.ends}",
            knob.low,
            knob.high,
            step=10.0**-decimals,
            format=f"%.{decimals}f",
            help=help,
            **kept,
        )
    elif knob.is_switch:
        st.toggle(knob.label, help=help, **kept)
    elif knob.names:
        read, names = knob.read, knob.names
        options = [read(name) for name in names]
        st.selectbox(knob.label, options, format_func=_choice, help=help, **kept)
    elif isinstance(knob.default, int):
        # A link may ask for more than is offered.
        st.number_input(knob.label, int(knob.low), max(int(knob.high), value), help=help, **kept)
    else:
        st.number_input(knob.label, float(knob.low), float(knob.high), help=help, **kept)


def _choice(value: Any) -> str:
    if isinstance(value, BiasScale):
        return SCALES[value]
    return EMBEDS[value] if isinstance(value, Embed) else str(value)
