"""The tables of Explore as HTML: the context, why one is not in it, a prompt in colours."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...metrics.registry import METRICS
from ...retrieval.method import Method
from ...retrieval.why_not import ChoiceStep, Why, WhyNot
from ...text import counted, lambda_text, number
from ..figures.query import mark_place
from ..results.query import AnswerRow, Effect, PathStep, Pick, PromptPart, TaskOrder
from ..templates.rendering import macros
from ..words.cautions import LEAK

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


DASH = "\N{EN DASH}"


def figures_row(
    effect: Effect | None, *, diversity: float | None, tokens: int | None, window: int | None
) -> Markup:
    """The few numbers of this query in one line, with their explanations as tooltips."""
    names = ["dpo_per_triple", "dpo", "delta"]
    if effect is not None and not effect.triples:
        names = ["dpo_correct_only", "gain_per_token", "gain_per_answer"]
    values = {name: None if effect is None else getattr(effect, name) for name in names}
    figures = [
        (facts.label, facts.unit, _number(value), facts.explanation)
        for name, value in (values | {"diversity": diversity}).items()
        for facts in (METRICS[name],)
    ]
    counted = DASH if tokens is None else f"{tokens:,}"
    room = "" if window is None else f"of {window:,} in the window"
    figures.append(("Tokens of the prompt", room, counted, "The window must fit the answers, too."))
    return explore_html("figures_row", figures)


def context_table(
    picks: Iterable[Pick],
    leaks: Collection[int],
    lambda_d: float,
    method: Method,
    order: TaskOrder | None = None,
) -> Markup:
    """The chosen demonstrations, numbered in the order chosen, with the parts of their values.

    Args:
        picks: In the order chosen.
        leaks: The ids of those that give a correct answer away.
        lambda_d: The value that chose them.
        method: The method that chose them; its name for the value heads a column.
        order: How a task ordered them after a first stage: then both ranks are shown instead of
            the parts that this order does not depend on.
    """
    head: list[tuple[str, str]] = [("#", ""), ("Query and answer", "")]
    if order is None:
        head += [("Relevance", "to the query"), ("Quality bias", "nats per token")]
        head.append(("Redundancy", "to earlier picks"))
    else:
        head += [("Stage 1", f"of {order.candidates:,}, by text"), ("Stage 2", "by the task")]
        head.append(("Relevance", "to the query"))
    if method.value:
        head.append((method.value, method.value_note))
    words = () if order is None else order.words
    return explore_html(
        "context_table", picks, leaks, lambda_text(lambda_d), LEAK, head, method.value, order, words
    )


def answers_table(effect: Effect) -> Markup:
    """Each answer's log-probability alone and with the context, in nats, and the change."""
    return explore_html("answers_table", effect.rows)


def kinds_table(effect: Effect) -> Markup:
    """DPO per triple against the incorrect answers of each kind; empty where none has a kind."""
    if not effect.by_kind:
        return Markup()
    counts = Counter(row.kind for row in effect.rows)
    kinds = [(kind, counts[kind], value) for kind, value in effect.by_kind.items()]
    return explore_html("kinds_table", kinds, METRICS["dpo_per_triple"].label)


def tokens_table(row: AnswerRow, pieces: Sequence[str]) -> Markup:
    """One answer token by token: log-probability alone and with the context, and the change.

    Args:
        row: The answer.
        pieces: The text of each of its tokens (`effect.pieces_of`).
    """
    alone, after = row.alone.tokens, row.with_context.tokens
    # The same text can have other tokens after another prompt; then they cannot be compared.
    same = len(alone) == len(after)
    tokens = [
        (
            _shown(piece),
            alone[place] if same else None,
            after[place],
            after[place] - alone[place] if same else None,
        )
        for place, piece in enumerate(pieces)
    ]
    return explore_html("tokens_table", tokens)


def steps_table(steps: Sequence[PathStep], here: PathStep | None, knob: str = "lambda_d") -> Markup:
    """The steps of a path; the current one is marked."""
    return explore_html("steps_table", steps, here, knob)


def curve_mark(figure: "Figure", lambda_d: float) -> Markup:
    """A line over the figure of the curve at the current lambda_d."""
    return explore_html("curve_mark", *mark_place(figure, lambda_d), lambda_text(lambda_d))


def _shown(piece: str) -> str:
    """A token's text with its spaces and line ends made visible."""
    return piece.replace(" ", "\N{MIDDLE DOT}").replace("\n", "\\n")


def _number(value: float | None, *, sign: bool = False, places: int = 2) -> str:
    shown = "+" if sign and value is not None and round(value, places) else ""
    text = number(value, places, sign=shown, none=DASH)
    return text.replace("-", "\N{MINUS SIGN}")


@cache
def _macros(template: str) -> Any:
    return macros(template, number=_number, dash=DASH)


def explore_html(macro: str, *values: Any) -> Markup:
    """What a macro of the template makes of the values."""
    return Markup(getattr(_macros("explore.html"), macro)(*values))


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
    many = counted(contexts, "context")
    part = "less than 0.1 %" if share < 0.001 else f"{100 * share:.1f} %"
    return f"It is in {many} of the triangle, on {part} of it."


def why_table(trials: tuple[ChoiceStep, ...], queries: Mapping[int, str]) -> Markup:
    """One row a step: what was chosen there and its value, and this one's parts and place."""
    head = [
        ("PathStep", ""),
        ("Chosen", ""),
        ("Value", "of the chosen"),
        ("Value", "of this one"),
        ("Redundancy", "of the chosen"),
        ("Redundancy", "of this one"),
        ("Place", "of this one"),
    ]
    return explore_html("why_table", trials, queries, head)


def prompt_parts(parts: Sequence[PromptPart]) -> Markup:
    """The prompt with its parts, each named where it begins."""
    return Markup(_macros("prompt.html").prompt(parts))
