"""What annotators' words for a row's state mean: it may be retrieved, may not, or always is."""

from collections.abc import Iterable

from ..demonstration.demonstration import Status

_WORDS = {
    Status.INCLUDED: (
        "included", "include", "accept", "accepted", "approve", "approved", "submitted",
        "completed", "validated", "keep",
    ),
    Status.EXCLUDED: (
        "excluded", "exclude", "reject", "rejected", "discard", "discarded", "ignore", "ignored",
        "skip", "skipped", "pending", "draft",
    ),
    Status.PINNED: ("pinned",),
}  # fmt: skip
_STATUS_OF = {word: status for status, words in _WORDS.items() for word in words}


def status_of(text: str) -> Status | None:
    """The status that a word means, an empty one included; None when it is no such word."""
    word = text.strip().casefold()
    return _STATUS_OF.get(word) if word else Status.INCLUDED


def are_statuses(texts: Iterable[str]) -> bool:
    """Whether every text is such a word or empty, and at least one is not empty."""
    words = {text.strip().casefold() for text in texts} - {""}
    return bool(words) and all(word in _STATUS_OF for word in words)
