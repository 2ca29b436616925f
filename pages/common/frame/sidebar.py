"""The side bar: which pool, encoder and language model, and what runs in the background."""

from collections.abc import Callable, Collection

import streamlit as st

from core.background import Job
from core.language_model import TEMPLATES
from core.settings import DEFAULT_ENCODER, DEFAULT_TEMPLATE, MULTILINGUAL, PRACTICE
from core.studio import Setup, Studio
from core.studio.pools.pools import first_shown, summaries
from core.studio.session.models import describe, model_choices
from core.studio.session.readiness import Readiness
from pages.common.frame.offer import SWITCH_ENCODER, SWITCH_MODEL, offer_real_model, show_hub
from pages.common.frame.run_mark import mark_waiting
from pages.common.frame.text import plain
from pages.common.frame.watching import WAITS
from pages.common.state.readers import one_of
from pages.common.state.state import SHARED, keeper, last_value, remember, remembered

ANOTHER, ANOTHER_ENCODER = "Another folder, file or hub name", "Another folder or hub name"
ENCODERS = {
    DEFAULT_ENCODER: f"{DEFAULT_ENCODER} (English)",
    MULTILINGUAL: f"{MULTILINGUAL} (16 languages)",
}
ABOUT_PRACTICE = (
    "A toy that comes with Shotlist: it answers service-desk calls, and only from its context."
)
SWITCH_TO = "sidebar_turn_to"
_OWN_SEEN = "sidebar_own_model"


def choose_setup(studio: Studio) -> Setup:
    """Draw the choices and return them; they apply to every page and are in the link."""
    with st.sidebar:
        pool = _choose_pool(studio)
        model = _choose_model(studio)
        with st.expander("Encoder and template"):
            encoder = _choose_encoder()
            template = _choose_template()
    return Setup(pool, encoder, model, template)


def _choose_encoder() -> str | None:
    key, wanted = "sidebar_encoder", st.session_state.pop(SWITCH_ENCODER, None)
    if wanted is not None:
        remember(SHARED, "encoder", wanted)
    before = last_value(SHARED, "encoder", "")
    linked = remembered(SHARED, "encoder", "")
    kept = linked or DEFAULT_ENCODER
    # A widget's value can only be set before the widget is drawn.
    if wanted is not None or key not in st.session_state or linked != before:
        st.session_state[key] = kept
    picked = st.selectbox(
        "Encoder",
        list(dict.fromkeys([*ENCODERS, kept, ANOTHER_ENCODER])),
        format_func=lambda name: ENCODERS.get(name, name),
        key=key,
        help="It turns queries into the vectors whose cosine is relevance. Of English texts the "
        "first finds more, of German, Chinese, Russian and other ones the second.",
    )
    if picked == ANOTHER_ENCODER:
        picked = st.text_input(
            ANOTHER_ENCODER,
            key="sidebar_encoder_name",
            placeholder="sentence-transformers/LaBSE",
            help="A sentence-transformers folder, or a name on the Hugging Face hub.",
        ).strip()
    encoder = "" if picked == DEFAULT_ENCODER else picked
    remember(SHARED, "encoder", encoder)
    return encoder or None


def template_link(setup: Setup) -> dict[str, str | None]:
    """The template for the address; the default is left out."""
    return {"template": None if setup.template == DEFAULT_TEMPLATE else setup.template}


def _choose_template() -> str:
    names = list(TEMPLATES)
    template = st.selectbox(
        "Prompt template",
        names,
        index=names.index(remembered(SHARED, "template", DEFAULT_TEMPLATE, one_of(*names))),
        key="sidebar_template",
        help="How demonstrations and query become a prompt; Explore shows all of it. chat puts it "
        "into the language model's own chat format. Every template has a quality bias of its own.",
    )
    remember(SHARED, "template", template)
    return str(template)


def switch_pool(name: str | None) -> None:
    """Switch to another pool with the next run; None switches to the one shown at first."""
    st.session_state[SWITCH_TO] = name


def _choose_pool(studio: Studio) -> str:
    counts = {summary.name: summary.demonstrations for summary in summaries(studio)}
    if not counts:
        st.info("There is no pool yet. Import a file on the Demonstrations page.")
        return ""
    names, key = list(counts), "sidebar_pool"
    linked = remembered(SHARED, "pool", first_shown(names), _reader_of_pools(names))
    # A widget's value can only be set before the widget is drawn.
    wanted = st.session_state.pop(SWITCH_TO, linked)
    if wanted not in names:
        if wanted:
            st.toast(plain(f"There is no pool {wanted[:60]!r}; {first_shown(names)!r} is shown."))
        wanted = first_shown(names)
    st.session_state[key] = wanted
    pool = st.selectbox(
        "Pool",
        names,
        format_func=lambda name: f"{name} ({counts[name]:,})",
        key=key,
        on_change=keeper(key, SHARED, "pool"),
        help="The demonstrations that may be retrieved.",
    )
    remember(SHARED, "pool", pool)
    return pool


def _reader_of_pools(names: Collection[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError("there is no such pool")
        return text

    return read


def _choose_model(studio: Studio) -> str:
    key, fetched = "sidebar_model", _newly_fetched(studio)
    wanted = st.session_state.pop(SWITCH_MODEL, fetched)
    if wanted is not None:
        remember(SHARED, "model", wanted)
    before = last_value(SHARED, "model")
    kept = remembered(SHARED, "model", "") or studio.default_model
    # A widget's value can only be set before the widget is drawn.
    if wanted is not None or key not in st.session_state or kept != (before or kept):
        st.session_state[key] = kept
    labels = {choice.name: choice.label for choice in model_choices(kept)}
    options = [*labels, ANOTHER]
    picked = st.selectbox(
        "Language model",
        options,
        format_func=lambda name: labels.get(name, name),
        key=key,
        help="The model that judges contexts: its log-probabilities make every DPO figure. The "
        "list includes those of the local hub cache, each with the size of its weights.",
    )
    if picked == ANOTHER:
        picked = st.text_input(
            "Folder, GGUF file or hub name",
            key="sidebar_model_name",
            placeholder="HuggingFaceTB/SmolLM2-135M",
            help="A folder with config.json, tokenizer and safetensors, a GGUF file of llama.cpp, "
            "LM Studio or Ollama, a name on the hub, or openai:NAME, a model on the server that "
            "SHOTLIST_OPENAI_BASE_URL names.",
        ).strip()
    model = picked or studio.default_model
    remember(SHARED, "model", model)
    if model == PRACTICE:
        st.caption(ABOUT_PRACTICE)
        offer_real_model(studio, model, "sidebar")
        show_hub(studio)
    return model


def _newly_fetched(studio: Studio) -> str | None:
    """The model that was fetched since this visitor's last run, in this window or another."""
    own = studio.own_model
    before = st.session_state.setdefault(_OWN_SEEN, own)
    st.session_state[_OWN_SEEN] = own
    return own if own != before else None


def show_background(studio: Studio, setup: Setup, found: Readiness) -> None:
    """What the model is and what runs: loading, embedding, quality; with cancel."""
    with st.sidebar:
        model = studio.loaded_model(setup.model)
        if model is not None:
            st.caption(plain(describe(model).words))
        jobs = [job for job in (found.embedding, found.loading, found.quality) if job is not None]
        if jobs:
            _watch(studio, jobs, [])


@st.fragment(run_every=0.5)
def _watch(studio: Studio, jobs: list[Job], drawn: list[bool]) -> None:
    for job in jobs:
        now = job.snapshot()
        if now.state in ("failed", "cancelled"):
            if now.state == "failed":
                st.error(plain(now.error or f"{now.label} failed."))
            else:
                st.caption(plain(f"{now.label} was cancelled; what is done is kept."))
            if st.button("Go on", key=f"sidebar_retry_{now.slot}"):
                studio.model_worker.forget(now.slot)
                studio.pool_worker.forget(now.slot)
                st.rerun()
        elif not now.over:
            if now.state == "waiting":
                st.caption(plain(f"{now.label}: {WAITS}"))
                continue
            share = now.done / now.total if now.total else 0.0
            count = f": {now.count}" if now.count else ""
            st.progress(share, text=f"{plain(now.label)}{count}")
            if now.total:
                st.button("Cancel", key=f"sidebar_cancel_{now.slot}", on_click=job.cancel)
    # Not in the run of the page itself: that would drop the click which it is there for.
    if drawn and any(job.snapshot().state == "finished" for job in jobs):
        st.rerun()
    drawn.append(True)
    if any(job.snapshot().state not in ("failed", "cancelled") for job in jobs):
        mark_waiting()
