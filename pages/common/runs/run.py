"""What Calibrate and Compare share: which examples, a run to watch, its words, figures, report."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.background import Job, JobSnapshot
from core.evaluation.runs.evaluate import ScoredComparison
from core.evaluation.runs.running import FIRST_LOOK
from core.reporting.words.cautions import LEAK
from core.reporting.words.reading import Reading
from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS, BiasScale, Knobs
from core.studio.pools.pools import suggested_name
from core.studio.runs.duration import ScoringRequest
from core.studio.runs.running import LiveSummary, Request, RunKind, Settings
from core.studio.session.models import why_not_scored
from pages.common.frame.look import draw_figure
from pages.common.frame.page import Frame
from pages.common.frame.text import plain
from pages.common.frame.watching import draw_again_when_timed
from pages.common.runs.earlier import show_latest
from pages.common.runs.limit import choose_limit
from pages.common.runs.progress import running, start_button, watch
from pages.common.state.address import Link
from pages.common.state.examples import choose_pool_of_examples
from pages.common.state.knobs import SCALES, choose_switch, kept_key, reader
from pages.common.state.readers import switch
from pages.common.state.state import SHARED, keeper, remember

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

LEFT_OUT = "out"
"""The value in a link where leaks are left out."""
SCORED = "what was scored"
"""What a run that is stopped keeps."""
LEAKS = ", and a context that leaks is judged without its leaks, too"


@dataclass(frozen=True)
class ExampleChoice:
    """Which evaluation examples a run takes, and the knobs that are chosen along with them."""

    examples: str | None
    limit: int
    seed: int
    bias_scale: BiasScale
    leave_out_leaks: bool
    one_per_query: bool

    def link(self) -> Link:
        """The same for the address."""
        return {
            "examples": self.examples,
            "limit": self.limit,
            "leaks": LEFT_OUT if self.leave_out_leaks else None,
        }


def choose_examples(frame: Frame, page: str, limit_place: Any) -> ExampleChoice:
    """Draw the rarely used choices here and the limit into its place."""
    examples = choose_pool_of_examples(frame.studio, frame.setup.pool, page)
    seed, scale = KNOBS["seed"], KNOBS["bias_scale"]
    seed_key = kept_key(page, "seed", seed.default, reader(seed), owner=SHARED)
    chosen_seed = st.number_input(
        seed.label,
        min_value=int(seed.low),
        max_value=int(seed.high),
        key=seed_key,
        on_change=keeper(seed_key, SHARED, "seed"),
        help="The order in which examples are drawn; the same seed draws the same ones.",
    )
    chosen_scale = st.selectbox(
        "Scale of the quality bias",
        list(SCALES),
        format_func=SCALES.__getitem__,
        key=kept_key(page, "scale", scale.default, reader(scale), owner=SHARED),
        help=scale.explanation,
    )
    leaks = st.toggle(
        "Leave out leaks",
        key=kept_key(page, "leaks", False, switch(on=LEFT_OUT, off="")),
        help=plain(
            f"A leak: {LEAK}. Left out, it is never chosen; otherwise it is counted, and a context "
            "that has one is judged without it, too."
        ),
    )
    one_per_query = choose_switch(page, "one_per_query")
    limit = choose_limit(
        frame,
        page,
        "Examples",
        limit_place,
        examples=examples,
        help="A random sample of that size. More examples take longer and give narrower "
        "intervals; raising the number keeps what was scored.",
    )
    remember(page, "examples", examples)
    remember(page, "leaks", leaks)
    remember(SHARED, "seed", int(chosen_seed))
    remember(SHARED, "scale", chosen_scale)
    return ExampleChoice(
        examples or None,
        limit,
        int(chosen_seed),
        BiasScale(chosen_scale),
        leaks,
        one_per_query,
    )


def can_run(frame: Frame) -> bool:
    """Whether a run can start now; shows why not."""
    if frame.readiness.view is None:
        st.info("The pool is being embedded, see the side bar. Then this can start.")
        return False
    if not len(frame.readiness.view):
        st.info("The pool has no included demonstration. Import or include some first.")
        return False
    if why := why_not_scored(frame.studio.loaded_model(frame.setup.model)):
        st.info(plain(why))
        return False
    return True


def start_row(
    frame: Frame,
    kind: RunKind[Request, Settings, Any],
    request: Request | None,
    *,
    verb: str,
    cost: Callable[[], str],
    kept: str = SCORED,
    unit: str = "examples",
) -> Job | None:
    """The one primary action, its cost, and the offer to go on where a run was cut off.

    Args:
        frame: The page's.
        kind: What is started.
        request: What it is started with; None where nothing can be started now.
        verb: The button's words.
        cost: Makes the sentence of what it costs.
        kept: What a run that is stopped keeps, as "what was scored".
        unit: What a run goes through, as "examples".

    Returns:
        The pool's run since the server started, finished or not.
    """
    job = kind.job(frame.studio, frame.setup.pool)
    busy = running(job)
    pressed, place = start_button(verb, disabled=busy or request is None)
    if pressed and request is not None:
        show_latest(kind)
        kind.start(frame.studio, request)
        st.rerun()
    if request is None or busy:
        return job
    place.caption(cost())
    cut_off = kind.unfinished(frame.studio, frame.setup.pool)
    if cut_off is not None:
        message = (
            f"A run over {cut_off.size:,} {unit} with model {cut_off.model} was cut off before its "
            f"end. {kept[0].upper()}{kept[1:]} is kept."
        )
        st.info(plain(message))
        if st.button("Go on with it"):
            kind.start(frame.studio, kind.resumed(frame.setup, cut_off))
            st.rerun()
    return job


def cost_of_scoring(frame: Frame, request: ScoringRequest, contexts: str, also: str = LEAKS) -> str:
    """What scoring so many contexts means; the page is drawn again once the model was timed.

    Args:
        frame: The page's.
        request: What is timed.
        contexts: How many there are, in words.
        also: What else to know of the cost, as the end of a sentence.
    """
    draw_again_when_timed(frame.studio, request)
    return (
        f"{contexts} for the model to judge, each with all answers of its example. Equal contexts "
        f"are judged once, what was judged before costs nothing{also}."
    )


def which_contexts(knobs: Knobs) -> str:
    """The contexts of a run with the knobs of Explore, as a sentence without its full stop."""
    if not METHODS[knobs.method].chooses:
        return f"The contexts are empty, since {knobs.method} is the method set on Explore"
    return f"The contexts are those that {knobs.method} chooses with k {knobs.k}, as set on Explore"


def watch_scoring(job: Job, draw: Callable[[Any], None]) -> None:
    """How far the run is, and the picture of its summary so far."""

    def draw_summary(now: JobSnapshot) -> None:
        live = st.session_state.setdefault(f"live_{now.slot}", LiveSummary())
        summary = live.of(now)
        if summary is not None:
            draw(summary)

    watch(job, SCORED, "examples", draw_summary, _lead)


def _lead(now: JobSnapshot) -> str:
    if not getattr(now.partial, "first_look", False):
        return ""
    figures, compares = now.partial.figures, isinstance(now.partial, ScoredComparison)
    if figures.done >= min(FIRST_LOOK, figures.total):
        return "Every method: " if compares else "Every lambda_d: "
    return f"First look at a few {'methods' if compares else 'lambda_d'}: "


def show_finding(reading: Reading) -> None:
    """The finding in a sentence or two, and what to mind."""
    with st.container(border=True):
        st.markdown(f"##### {plain(reading.headline)}")
        for warning in reading.warnings:
            st.warning(plain(warning), icon=":material/warning:")


def show_grounds(reading: Reading) -> None:
    """What the finding is based on, a line a sentence."""
    st.markdown("**What it is based on**")
    st.markdown("\n".join(f"- {plain(sentence)}" for sentence in reading.sentences))


def show_figure(figure: "Figure", key: str, provenance: str) -> None:
    """A figure with the line of its provenance."""
    draw_figure(figure, key, config={"displaylogo": False})
    st.caption(plain(provenance))


def offer_report(make: Callable[[], str], kind: str, pool: str) -> None:
    """A button that makes the report when it is pressed, and downloads it."""
    st.download_button(
        "Download report",
        data=make,
        file_name=f"{kind}-{suggested_name(pool)}.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/download:",
        help="One HTML file with figures, tables, settings and reading, to hand on. It opens "
        "in any browser, without network.",
    )
