"""The knobs that several pages share: one value each, kept from page to page and in the link."""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from core.passages.search import SearchBy
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, BiasScale, Knob, Knobs
from core.settings import Embed
from core.text import lambda_text
from pages.common.state.address import Link
from pages.common.state.readers import one_of, switch, whole, within
from pages.common.state.state import SHARED, keeper, last_value, remember, remembered
from pages.common.streamlit_workarounds.callbacks import uninterrupted
from pages.common.streamlit_workarounds.widget_values import keep_sending, set_value, was_set

DECIMALS = 2
"""A lambda's slider moves by hundredths, and finer only where its value is between them."""
SCALES = {
    BiasScale.RAW: "raw (the paper's)",
    BiasScale.Z_SCORE: "z-score (mean 0, deviation 1)",
    BiasScale.RANK: "rank (0 to 1)",
    BiasScale.SURPRISE: "surprise (prefers what the model finds unlikely)",
}
EMBEDS = {
    Embed.QUERY: "queries (RAGSys)",
    Embed.QUERY_AND_ANSWER: "queries with answers (VRSD)",
}


SEARCHES = {
    SearchBy.FUSED.value: "both",
    SearchBy.DENSE.value: "embeddings",
    SearchBy.BM25.value: "words in common",
}
"""What passages are compared with a query by."""


def kept_key(
    page: str, name: str, default: Any, read: Callable[[str], Any] = str, *, owner: str = ""
) -> str:
    """The key of a page's widget, filled with the kept value when the page opens, or a new link.

    The value is the page's own unless another `owner` is named, as `SHARED`.
    """
    key, owner = f"{page}_{name}", owner or page
    before = last_value(owner, name, default)
    kept = remembered(owner, name, default, read)
    if kept != before:
        st.session_state[key] = kept
    keep_sending(key, kept)
    return key


def names_of(knob: Knob) -> tuple[str, ...]:
    """What may be chosen for a knob; empty for a number."""
    return tuple(METHODS) if knob.name == "method" else knob.names


def reader(knob: Knob) -> Callable[[str], Any]:
    """A reader of the knob's value that refuses what is not offered."""
    if knob.is_switch:
        return switch()
    if knob.is_choice:
        return one_of(*names_of(knob))
    return within(knob.low, knob.high) if knob.is_weight else whole(int(knob.low), int(knob.high))


def kept(name: str) -> Any:
    """The value of a knob that the visitor set on any page, else the link's, else the default."""
    return kept_value(KNOBS[name])


def kept_value(knob: Knob) -> Any:
    """The same for a knob that belongs to one method."""
    return remembered(SHARED, knob.link or knob.name, knob.default, reader(knob))


def kept_knobs() -> Knobs:
    """The knobs in use, of whichever page, without those that no page has set."""
    method = METHODS[kept("method")]
    shared = {name: kept(name) for name in KNOBS}
    return method.knobs_from_json(shared | {knob.name: kept_value(knob) for knob in method.own})


def link_of(knobs: Knobs, *names: str) -> Link:
    """The named knobs for the address; without names all but rare ones that were not changed."""
    link = {}
    for name in names or KNOBS:
        knob, value = KNOBS[name], getattr(knobs, name)
        always = not knob.is_switch and (bool(names) or not knob.rare)
        if always or value != knob.default:
            link[knob.link] = value
    return link if names else link | dict(METHODS[knobs.method].own_changes(knobs))


def choose_k(page: str) -> int:
    """How many demonstrations are chosen."""
    key, knob = f"{page}_k", KNOBS["k"]
    k = st.number_input(
        knob.label,
        min_value=int(knob.low),
        max_value=int(knob.high),
        key=key,
        on_change=keeper(key, SHARED, "k"),
        value="min" if was_set(key) else kept("k"),
        help=f"{knob.explanation} The paper uses {knob.default}.",
    )
    remember(SHARED, "k", int(k))
    return int(k)


def choose_candidates(page: str) -> int:
    """Among how many demonstrations, those most similar to the query; 0 is the whole pool."""
    return choose_whole(page, KNOBS["candidates"])


def choose_embed(page: str) -> Embed:
    """Which text of a demonstration the query is compared with."""
    knob = KNOBS["embed"]
    chosen = st.selectbox(
        knob.label,
        list(EMBEDS),
        format_func=EMBEDS.__getitem__,
        key=kept_key(page, knob.link, knob.default, reader(knob), owner=SHARED),
        help=f"{knob.explanation} Texts that are not embedded yet are embedded first.",
    )
    remember(SHARED, knob.link, chosen)
    return Embed(chosen)


def choose_whole(page: str, knob: Knob) -> int:
    """A knob that is a whole number."""
    name = knob.link or knob.name
    key = f"{page}_{name}"
    number = st.number_input(
        knob.label,
        int(knob.low),
        int(knob.high),
        "min" if was_set(key) else kept_value(knob),
        key=key,
        on_change=keeper(key, SHARED, name),
        help=knob.explanation,
    )
    remember(SHARED, name, int(number))
    return int(number)


def choose_switch(page: str, name: str) -> bool:
    """A knob that is on or off."""
    knob = KNOBS[name]
    key = kept_key(page, knob.link, knob.default, reader(knob), owner=SHARED)
    kept_on = keeper(key, SHARED, knob.link)
    on = st.toggle(knob.label, key=key, on_change=kept_on, help=knob.explanation)
    remember(SHARED, knob.link, on)
    return bool(on)


def type_lambda(page: str, name: str, fixed: float | None = None) -> float:
    """A lambda as a number to type; one that is fixed is shown, and cannot be changed."""
    knob, key = KNOBS[name], f"{page}_{name}_typed"
    at = kept(name) if fixed is None else fixed
    if fixed is not None:
        key = f"{key}_fixed_{fixed:.0f}"
    elif st.session_state.get(key) != at:
        set_value(key, at)
    value = st.number_input(
        knob.name,
        knob.low,
        knob.high,
        "min" if was_set(key) else at,
        step=10.0**-DECIMALS,
        format=f"%.{len(lambda_text(at).split('.')[1])}f",
        key=key,
        on_change=keeper(key, SHARED, name),
        disabled=fixed is not None,
        help=f"{knob.ends}. {knob.explanation} The paper uses {knob.default:.2f}.",
    )
    if fixed is None:
        remember(SHARED, name, float(value))
    return float(kept(name))


def choose_lambda(page: str, name: str) -> float:
    """A lambda's slider, both ends named."""
    knob, key, at = KNOBS[name], f"{page}_{name}", kept(name)
    decimals = len(lambda_text(st.session_state.get(key, at)).split(".")[1])
    # Another step makes another widget of it: its value is put there in every run.
    if decimals > DECIMALS or was_set(key):
        set_value(key, st.session_state.get(key, at))
    value = st.slider(
        f"{knob.label}: {knob.ends}",
        knob.low,
        knob.high,
        step=10.0**-decimals,
        format=f"%.{decimals}f",
        key=key,
        value=None if was_set(key) else at,
        help=f"{knob.explanation} The paper uses {knob.default:.2f}.",
    )
    remember(SHARED, name, float(value))
    return float(value)


@uninterrupted
def apply_knobs(pages: Iterable[str], **values: Any) -> None:
    """Keep the values and put them into the widgets of these pages; for callbacks."""
    for name, value in values.items():
        remember(SHARED, name, value)
        for page in pages:
            if f"{page}_{name}" in st.session_state:
                set_value(f"{page}_{name}", value)
