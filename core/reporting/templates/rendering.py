"""Fills the templates: every text is escaped, what is HTML already is `Markup`."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment

_FOLDER = Path(__file__).parent


def render(template: str, **values: Any) -> Markup:
    """A template of this folder with these values in it.

    A text among them is shown as it is, never interpreted; only what another template or plotly
    made comes as `Markup`.
    """
    return Markup(_environment().get_template(template).render(**values))


def style_sheet(name: str) -> str:
    """A style sheet of this folder."""
    return (_FOLDER / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _environment() -> "Environment":
    # Not at the top: no page needs it before it draws.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
