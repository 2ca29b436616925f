"""Which fields of the protocol a server takes: what it refuses is asked for in another way."""

from dataclasses import dataclass, replace

from .failures import is_too_long, status_of, words_of

_REFUSED = (400, 404, 422)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The fields that a server takes.

    Attributes:
        log_probs: It takes the question for log-probabilities of what it writes.
        max_completion_tokens: It takes the most tokens of a text under this name only.
        stream_usage: It takes the question for its counts of tokens at the end of a stream.
    """

    log_probs: bool = True
    max_completion_tokens: bool = False
    stream_usage: bool = True

    def after(self, error: Exception) -> "Dialect | None":
        """What to ask instead where the server refused a field; None where it refused none."""
        if status_of(error) not in _REFUSED or is_too_long(error):
            return None
        said = words_of(error).lower()
        if self.stream_usage and ("stream_options" in said or "include_usage" in said):
            return replace(self, stream_usage=False)
        if not self.max_completion_tokens and "max_completion_tokens" in said:
            return replace(self, max_completion_tokens=True)
        if self.log_probs and "logprobs" in said:
            return replace(self, log_probs=False)
        return None
