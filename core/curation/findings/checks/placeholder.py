"""Queries and answers that hold the place of a text that nobody wrote."""

import re
from collections.abc import Iterator

from ....text import normalised
from ..finding import Check, Fault, PoolContents

_WHOLE = (
    "todo|to do|tbd|tba|tbc|fixme|to be done|to be decided|to be determined|to be announced|"
    "to be confirmed|to be added|to be written|to be completed|to be filled in|to fill in|fill in|"
    "fill me in|fill this in|n/a|n.a|not available|not applicable|no answer|no answer yet|"
    "no answer given|no data|not specified|none given|unanswered|placeholder|dummy|dummy answer|"
    "dummy text|sample answer|sample text|example answer|your answer|answer here|your answer here|"
    "insert answer here|enter answer here|type your answer here|write here|text here|"
    "insert text here|question here|your question here|coming soon|work in progress|wip|test|tests|"
    "testing|test test|test answer|test question|this is a test|just a test|test123|test 123|"
    "testing 123|foobar|foo bar|blah|blah blah|blah blah blah|bla|bla bla|bla bla bla|see above|"
    "same as above|as above|see below|see previous|see previous answer|see attached|see link|"
    "click here|abc123"
)
_PLACEHOLDERS = frozenset(_WHOLE.split("|"))
"""The whole text, but for case and the punctuation around it."""
_BEGINS = re.compile(
    r"lorem ipsum|(?:todo|fixme|tbd)\s*[:(–—-]"
    r"|[\[{<]+\s*(?:(?:your|the|insert|enter|add|type)\s+)*(?:answer|response|query|question|text)"
    r"(?:\s+here)?\s*[\]}>]+$"
    r"|([^\W\d_])\1{3,}$"  # xxxx
    r"|(?!qwerty$)(?:asdf|sdfg|dfgh|qwer|zxcv|hjkl|jkl;)[asdfghjklqwertyuiopzxcvbnm;]*$"
)
_AROUND = " .,!?:;*_~#\"'`()[]{}<>…-–—"


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations with such a query or answer; no answer that its query speaks of."""
    for place, row in enumerate(checked.rows):
        query = normalised(row.query)
        held = [row.query] if is_placeholder(row.query) else []
        if is_placeholder(row.answer) and not _speaks_of(query, normalised(row.answer)):
            held.append(row.answer)
        if held:
            yield Fault((place,), float(len(held)), held[0])


def is_placeholder(text: str) -> bool:
    """Whether a text is one of the words that people type until they know better."""
    folded = normalised(text)
    return folded.strip(_AROUND) in _PLACEHOLDERS or _BEGINS.match(folded) is not None


def _speaks_of(query: str, answer: str) -> bool:
    """Whether a query has the answer's words, as "What does n/a mean?": then it is an answer."""
    return re.search(rf"\b{re.escape(answer.strip(_AROUND))}\b", query) is not None


CHECK = Check(
    "placeholder",
    "Placeholders",
    'A query or an answer holds the place of one that nobody wrote: "TODO", "n/a", "test", "asdf", '
    '"see above", lorem ipsum and the like. Edit it, or exclude the demonstration. Punctuation '
    "alone is another finding.",
    "how many of the two",
    find,
)
