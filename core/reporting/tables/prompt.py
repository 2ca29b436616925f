"""A prompt as HTML, its parts coloured and named."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from ..results.prompt import PromptPart
from ..templates.rendering import macros


def prompt_parts(parts: Sequence[PromptPart]) -> Markup:
    """The prompt with its parts, each named where it begins."""
    return Markup(_macros().prompt(parts))


@lru_cache(maxsize=1)
def _macros() -> Any:
    return macros("prompt.html")
