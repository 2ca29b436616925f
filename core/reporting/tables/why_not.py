"""Why a demonstration is in a context or not: a sentence, and the steps as a table."""

from collections.abc import Mapping

from markupsafe import Markup

from ...retrieval.every_context import Trial, Why, WhyNot
from .explore import explore_html

REASONS = {
    Why.ITS_OWN: "It has the query of this example, whose own demonstrations are never in its "
    "context.",
    Why.PINNED: "It is pinned: every context of this pool begins with it.",
    Why.UNSCORABLE: "The model can score none of its answer, so it is never chosen while quality "
    "counts.",
}


def why_sentence(found: WhyNot) -> str:
    """The reason in a sentence."""
    if found.why in REASONS:
        return REASONS[found.why]
    if not found.trials:
        return "Nothing is chosen: k leaves no room."
    last = found.trials[-1]
    if found.why is Why.CHOSEN:
        return f"It is chosen at step {last.step}."
    if found.why is Why.SAME_QUERY:
        return (
            f"Another answer of its query is chosen at step {last.step}, and only one of each "
            "query may be."
        )
    best = min(found.trials, key=lambda trial: trial.place)
    closest = (
        "" if best is last else f" It came closest at step {best.step}, as number {best.place:,}."
    )
    return (
        f"At the last step, {last.step}, it is number {last.place:,}: "
        f"{last.winner_value - last.value:.3f} below the one that is chosen.{closest}"
    )


def parts_sentence(found: WhyNot) -> str:
    """Its relevance and, where that counts, its quality bias on the scale of the knobs."""
    quality = f", quality bias {found.weighed_quality:.3f}" if found.weighed_quality else ""
    return f"Relevance {found.relevance:.3f}{quality}."


def triangle_sentence(contexts: int, share: float) -> str:
    """Where in the triangle of weights it is chosen."""
    if not contexts:
        return "No weights at all choose it for this query."
    many = "1 context" if contexts == 1 else f"{contexts:,} contexts"
    part = "less than 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"
    return f"It is in {many} of the triangle, on {part} of it."


def why_table(trials: tuple[Trial, ...], queries: Mapping[int, str]) -> Markup:
    """One row a step: what was chosen there and its value, and this one's parts and place."""
    head = [
        ("Step", ""),
        ("Chosen", ""),
        ("Value", "of the chosen"),
        ("Value", "of this one"),
        ("Redundancy", "of the chosen"),
        ("Redundancy", "of this one"),
        ("Place", "of this one"),
    ]
    return explore_html("why_table", trials, queries, head)
