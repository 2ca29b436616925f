"""The picture of the start page as HTML, on the page and as a file to hand on.

Every text is escaped: what came from a pool is shown, never interpreted.
"""

import html
from itertools import groupby

from ..figures import palette
from ..results.idea import Idea, Shown, Way
from ..words import start_page as words
from .report_style import STYLE as REPORT_STYLE

TITLES = {"none": "No demonstrations", "rel": "Similar only", "rel+div+bias": "A mix"}
MEANINGS = {
    "rel": "the demonstrations most like the query",
    "rel+div+bias": "like the query, but unlike each other",
}


def picture(idea: Idea) -> str:
    """Query, both contexts side by side, and what the model prefers with none and with each."""
    columns = "".join(_context(way) for way in (idea.similar, idea.mix))
    bars = "".join(_bar(way) for way in idea.ways)
    usual = " ".join(words.usual(idea.chosen))
    return (
        f'<div class="idea"><h2>{html.escape(words.headline(idea))}</h2>'
        f'<p class="idea-query"><b>Query</b> {html.escape(idea.query)}</p>'
        f'<div class="idea-contexts">{columns}</div>'
        '<p class="idea-asked"><b>Which answer the model then finds more probable:</b> '
        f'<span class="idea-right">the right answer</span> <cite>{html.escape(idea.right_answer)}'
        '</cite> or <span class="idea-wrong">the strongest wrong one</span></p>'
        f'<div class="idea-bars">{bars}</div>'
        f'<p class="idea-usual">{html.escape(usual)}</p></div>'
    )


def document(idea: Idea) -> str:
    """The same as one HTML file that needs nothing else, to hand to someone who decides."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Shotlist: what the choice of demonstrations does</title>
<style>{REPORT_STYLE}{STYLE}</style>
</head>
<body>
<header><h1>What the choice of demonstrations does</h1><p>{html.escape(words.WHAT)}</p></header>
<main>{picture(idea)}</main>
<footer>{html.escape(words.small_print(idea))} Made by Shotlist.</footer>
</body>
</html>
"""


def _context(way: Way) -> str:
    groups = groupby(way.shown, key=lambda each: each.again or -each.rank)
    rows = "".join(_row(list(group)) for _, group in groups)
    sameness = html.escape(words.sameness(way))
    return (
        f'<section data-method="{way.method}"><h3>{TITLES[way.method]}: '
        f"{MEANINGS[way.method]}</h3>"
        f"<p><b>{html.escape(words.repeats(way))}</b>{sameness}</p>"
        f"<ol>{rows}</ol></section>"
    )


def _row(shown: list[Shown]) -> str:
    """One demonstration, or those that follow each other and repeat the same earlier one."""
    ranks = "".join(f'<span class="idea-rank">{each.rank}</span>' for each in shown)
    first = shown[0]
    if first.again is None:
        texts = f"{html.escape(first.query)} <cite>{html.escape(first.answer)}</cite>"
        return f"<li>{ranks}<div>{texts}</div></li>"
    verb = "says" if len(shown) == 1 else "say"
    return (
        f'<li class="again">{ranks}<div><b>{verb} the same as {first.again} again:</b> '
        f"{html.escape(first.query)}</div></li>"
    )


def _bar(way: Way) -> str:
    found = way.preference
    label = f"<b>{TITLES[way.method]}</b>"
    if found is None:
        return f'<div class="idea-bar">{label}<span></span><span>{words.WAITING}</span></div>'
    share = 100 * found.right
    return (
        f'<div class="idea-bar" data-method="{way.method}" data-right="{found.right:.6f}">{label}'
        f'<span class="idea-track"><i class="right" style="width:{share:.2f}%"></i>'
        f'<i class="wrong" style="width:{100 - share:.2f}%"></i></span>'
        f"<span>{html.escape(words.verdict(found))}"
        f"{', against' if found.wins else ' for'} "
        f"<cite>{html.escape(found.wrong_answer)}</cite></span></div>"
    )


STYLE = f"""
.idea {{ line-height: 1.3; font-size: 0.875rem; overflow-wrap: anywhere; }}
.idea h2 {{ font-size: 1.2rem; font-weight: 600; margin: 0 0 0.3rem; padding: 0; }}
.idea h3 {{ font-size: 0.95rem; font-weight: 600; margin: 0; padding: 0; }}
.idea p {{ margin: 0 0 0.3rem; font-size: 0.875rem; }}
.idea cite {{ font-style: normal; font-size: 0.75rem; opacity: 0.8; }}
.idea-query {{ border-left: 4px solid {palette.QUERY}; padding-left: 0.5rem; }}
.idea-contexts {{ display: grid; grid-template-columns: 1fr 1fr; gap: 1.2rem; }}
.idea-contexts ol {{ list-style: none; margin: 0 0 0.4rem; padding: 0; }}
.idea-contexts li {{ display: flex; gap: 0.3rem; margin: 0; padding: 0.12rem 0;
  font-size: 0.8125rem; line-height: 1.25; }}
.idea-contexts li div {{ min-width: 0; }}
.idea-contexts .again {{ border-left: 4px solid {palette.DIVERSITY}; padding-left: 0.4rem;
  background: rgba(230, 159, 0, 0.14); margin-left: -0.6rem; }}
.idea-rank {{ flex: none; align-self: flex-start; min-width: 1.3rem; text-align: center;
  border-radius: 0.7rem; font-weight: 600; font-size: 0.75rem; line-height: 1.2rem; color: #fff;
  background: {palette.CHOSEN}; }}
.idea-right::before, .idea-wrong::before {{ content: ""; display: inline-block; width: 0.7rem;
  height: 0.7rem; margin-right: 0.25rem; background: {palette.CORRECT}; }}
.idea-wrong::before {{ background: {palette.INCORRECT}; }}
.idea-bar {{ display: grid; grid-template-columns: 8.5rem 1fr 2fr; gap: 0.8rem;
  align-items: center; padding: 0.15rem 0; }}
.idea-track {{ display: flex; height: 1.1rem; }}
.idea-track .right {{ background: {palette.CORRECT}; }}
.idea-track .wrong {{ background: {palette.INCORRECT}; }}
.idea-usual {{ margin-top: 0.3rem; }}
@media (max-width: 900px) {{
  .idea-contexts {{ grid-template-columns: 1fr; }}
  .st-key-start_doors [data-testid="stColumn"] {{ min-width: 100%; }}
  .idea-bar {{ grid-template-columns: 1fr; gap: 0.15rem; padding: 0.35rem 0; }}
}}
"""
"""How the picture looks; the colours of text and background are those of the page."""
