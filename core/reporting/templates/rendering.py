"""Fills the templates: every text is escaped, what is HTML already is `Markup`."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.environment import TemplateModule

_FOLDER = Path(__file__).parent


def render(template: str, **values: Any) -> Markup:
    """A template of this folder with these values in it.

    A text among them is shown as it is, never interpreted; only what another template or plotly
    made comes as `Markup`.
    """
    return Markup(_environment().get_template(template).render(**values))


def macros(template: str, **values: Any) -> "TemplateModule":
    """The macros of a template, each a function of its own, with these values at hand."""
    return _environment().get_template(template).make_module(values)


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
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
