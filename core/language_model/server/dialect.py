"""Which fields of the protocol a server takes: what it refuses is asked for in another way."""

import re
from dataclasses import dataclass, replace

from .failures import is_too_long, status_of, words_of

_REFUSED = (400, 404, 422)
_OPTIONAL = {
    "stream_options": r"stream_options|include_usage",
    "logprobs": "logprobs",
    "stop": r"\bstop\b",
    "seed": r"\bseed\b",
}
"""Fields without which a text is still what was asked for, and how a refusal names them.

Stop texts are looked for here as well, so without `stop` a text only takes longer.
"""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The fields that a server takes.

    Attributes:
        max_completion_tokens: It takes the most tokens of a text under this name only.
        left_out: Fields that it refuses.
    """

    max_completion_tokens: bool = False
    left_out: frozenset[str] = frozenset()

    def after(self, error: Exception) -> "Dialect | None":
        """What to ask instead where the server refused a field; None where it refused none."""
        if status_of(error) not in _REFUSED or is_too_long(error):
            return None
        said = words_of(error).lower()
        if not self.max_completion_tokens and "max_completion_tokens" in said:
            return replace(self, max_completion_tokens=True)
        for name, pattern in _OPTIONAL.items():
            if name not in self.left_out and re.search(pattern, said):
                return replace(self, left_out=self.left_out | {name})
        return None
