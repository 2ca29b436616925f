"""The tables of Explore as HTML: numbers with two decimals, undefined ones as a dash.

Every text is escaped: what came from a user is shown, never interpreted.
"""

import html
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from ...text import lambda_text
from ..figures.query import mark_place
from ..results.path import Step
from ..results.query import AnswerRow, Effect, Pick
from ..words.cautions import LEAK
from ..words.metric_facts import metric_facts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

DASH = "\N{EN DASH}"
LEAK_TITLE = html.escape(f"A leak: {LEAK}.", quote=True)
LOG_PROBS = (("Alone", "nats"), ("With context", "nats"), ("Change", "nats"))


def figures_row(
    effect: Effect | None, *, diversity: float | None, tokens: int | None, window: int | None
) -> str:
    """The few numbers of this query in one line; their explanations show when pointed at."""
    names = ["dpo_per_triple", "dpo", "delta"]
    if effect is not None and not effect.triples:
        names = ["dpo_correct_only"]
    figures = [
        _figure(
            facts.label,
            facts.unit,
            _number(None if effect is None else getattr(effect, facts.name)),
            facts.explanation,
        )
        for facts in map(metric_facts, names)
    ]
    facts = metric_facts("diversity")
    figures.append(_figure(facts.label, facts.unit, _number(diversity), facts.explanation))
    counted = DASH if tokens is None else f"{tokens:,}"
    room = "" if window is None else f"of {window:,} in the window"
    figures.append(_figure("Tokens of the prompt", room, counted, "The window also holds answers."))
    return f'<div class="explore-figures">{"".join(figures)}</div>'


def context_table(picks: Iterable[Pick], leaks: Collection[int], lambda_d: float) -> str:
    """The chosen demonstrations, numbered in the order chosen, with the parts of their values.

    Args:
        picks: In the order chosen.
        leaks: The ids of those that give a correct answer away.
        lambda_d: The one that chose them.
    """
    head = (
        ("#", ""),
        ("Query and answer", ""),
        ("Relevance", "to the query"),
        ("Quality bias", "nats per token"),
        ("Redundancy", "to earlier picks"),
        ("Value", "largest next"),
    )
    table = _table("context", head, (_pick_cells(pick, leaks) for pick in picks))
    # What a test or a benchmark waits for: for which lambda_d the table stands.
    return table.replace("<table ", f'<table data-lambda-d="{lambda_text(lambda_d)}" ', 1)


def answers_table(effect: Effect) -> str:
    """Each answer's log-probability alone and with the context, in nats, and the change."""
    head = (("Answer", ""), ("", ""), *LOG_PROBS)
    return _table("answers", head, (_answer_cells(row) for row in effect.rows))


def kinds_table(effect: Effect) -> str:
    """DPO per triple against the incorrect answers of each kind; empty where none has a kind."""
    facts = metric_facts("dpo_per_triple")
    head = (("Kind of incorrect answer", ""), ("Answers", ""), (facts.label, "nats"))
    counts = Counter(row.kind for row in effect.rows)
    lines = (
        _cells(html.escape(kind), str(counts[kind]), _number(value))
        for kind, value in effect.by_kind.items()
    )
    return _table("kinds", head, lines) if effect.by_kind else ""


def tokens_table(row: AnswerRow, pieces: Sequence[str]) -> str:
    """One answer token by token: log-probability alone and with the context, and the change.

    Args:
        row: The answer.
        pieces: The text of each of its tokens (`effect.pieces_of`).
    """
    head = (("Token", ""), *LOG_PROBS)
    alone, after = row.alone.tokens, row.with_context.tokens
    # The same text can make other tokens behind another prompt; then they cannot be set side
    # by side.
    same = len(alone) == len(after)
    lines = (
        _cells(
            f"<code>{_shown(piece)}</code>",
            *_number_cells(alone[place] if same else None, after[place]),
            _number(after[place] - alone[place] if same else None, sign=True),
        )
        for place, piece in enumerate(pieces)
    )
    return _table("tokens", head, lines)


def steps_table(steps: Sequence[Step], here: Step | None, knob: str = "lambda_d") -> str:
    """The pieces of a path; the one in use is marked."""
    head = ((f"{knob} from", ""), ("to", ""), ("Enters", ""), ("Leaves", ""))
    return _table(
        "steps",
        head,
        (_step_cells(step, first=not place) for place, step in enumerate(steps)),
        marked=next((place for place, step in enumerate(steps) if step is here), None),
    )


def curve_mark(figure: "Figure", lambda_d: float) -> str:
    """A line over the figure of the curve where lambda_d stands now."""
    left, top, height = mark_place(figure, lambda_d)
    place = f"left:{left};top:{top}px;height:{height}px"
    return (
        f'<div class="explore-mark" style="{place}"><span>now {lambda_text(lambda_d)}</span></div>'
    )


def _figure(label: str, unit: str, number: str, explanation: str) -> str:
    title = html.escape(explanation, quote=True)
    return (
        f'<div title="{title}">{html.escape(label)}<strong>{number}</strong>'
        f"<small>{html.escape(unit)}</small></div>"
    )


def _pick_cells(pick: Pick, leaks: Collection[int]) -> str:
    leak = f'<div class="leak" title="{LEAK_TITLE}">leak</div>' if pick.id in leaks else ""
    return _cells(
        f'<span class="rank">{pick.rank}</span>',
        _pair(pick.query, pick.answer) + leak,
        _bar(pick.relevance),
        _number(pick.quality_bias),
        _bar(pick.redundancy),
        _number(pick.value),
    )


def _answer_cells(row: AnswerRow) -> str:
    side = "correct" if row.correct else "incorrect"
    kind = f'<div class="quiet">{html.escape(row.kind)}</div>' if row.kind else ""
    return _cells(
        html.escape(row.text),
        f'<span class="{side}">{side}</span>{kind}',
        *_number_cells(row.alone.total, row.with_context.total),
        _number(row.change, sign=True),
    )


def _step_cells(step: Step, *, first: bool) -> str:
    enters = "".join(_pair(*pair) for pair in step.enters)
    leaves = "".join(_pair(*pair) for pair in step.leaves)
    if not first and not step.enters and not step.leaves:
        enters = '<span class="quiet">the same set, chosen in another order</span>'
    return _cells(f"{step.low:.3f}", f"{step.high:.3f}", enters or DASH, leaves or DASH)


def _pair(query: str, answer: str) -> str:
    below = f'<div class="quiet">{html.escape(answer)}</div>'
    return f'<div class="pair">{html.escape(query)}{below}</div>'


def _shown(piece: str) -> str:
    """A token's text with its spaces and line ends made visible."""
    if not piece:
        return '<span class="quiet">part of a character</span>'
    return html.escape(piece).replace(" ", "\N{MIDDLE DOT}").replace("\n", "\\n")


def _number(value: float | None, *, sign: bool = False) -> str:
    if value is None:
        return DASH
    text = f"{value:+.2f}" if sign else f"{value:.2f}"
    # Rounding must not leave a zero with a sign.
    return text.lstrip("+-") if float(text) == 0.0 else text.replace("-", "\N{MINUS SIGN}")


def _number_cells(*values: float | None) -> tuple[str, ...]:
    return tuple(_number(value) for value in values)


def _bar(value: float | None) -> str:
    """A cosine with a bar of its length; negative ones have none."""
    width = 0.0 if value is None else 100.0 * min(max(value, 0.0), 1.0)
    return f'{_number(value)}<div class="bar"><div style="width:{width:.0f}%"></div></div>'


def _cells(*cells: str) -> str:
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _table(
    name: str, head: Iterable[tuple[str, str]], lines: Iterable[str], marked: int | None = None
) -> str:
    titles = "".join(
        f'<th scope="col">{title}{f"<small>{note}</small>" if note else ""}</th>'
        for title, note in head
    )
    rows = "".join(
        f"<tr{' class=here' if place == marked else ''}>{line}</tr>"
        for place, line in enumerate(lines)
    )
    return (
        f'<div class="explore-scroll"><table class="explore {name}">'
        f"<thead><tr>{titles}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )
