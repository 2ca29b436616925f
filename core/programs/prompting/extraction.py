"""What a model wrote after a prompt, as the fields of the template.

A field ends where the label of the next one begins a line. Where any other label or the separator
begins a line, another example begins, and all from there on is cut.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ...generation import EndedBy, Generation
from .template import ProgramTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One completion as fields.

    Attributes:
        fields: The generated fields that it has, by name; never blank. One that another follows
            may be missing only where nothing was written for it.
        last_field: The name of the template's last field.
        log_prob: Natural logarithm of the probability of all that was written, <= 0, in nats,
            with what was cut; None where a server did not give it.
        n_tokens: How many tokens that is; None where only the server knows.
        ended_by: Why the model ended there.
        sample: Which of the n texts it is, from 0.
    """

    fields: Mapping[str, str]
    last_field: str
    log_prob: float | None
    n_tokens: int | None
    ended_by: EndedBy
    sample: int = 0

    def __getitem__(self, name: str) -> str:
        """The field of that name; "" where it is missing."""
        return self.fields.get(name, "")

    @property
    def last(self) -> str:
        """The last field, the one that is voted on; "" where it is missing."""
        return self[self.last_field]

    @property
    def mean_log_prob(self) -> float | None:
        """The mean over its tokens, <= 0, in nats; None without tokens, and where not known."""
        return (
            self.log_prob / self.n_tokens if self.n_tokens and self.log_prob is not None else None
        )


def extracted(template: ProgramTemplate, text: str, begun: Mapping[str, str]) -> dict[str, str]:
    """The generated fields of a text that continues the template's query.

    Args:
        template: Whose query it continues.
        text: What was written.
        begun: The first generated fields, which the query had already; the text continues after
            the label of the next one.

    Returns:
        `begun` with the further fields that are not blank, without white space around them; a text
        of several lines stays so.

    Source: `extract` of `template_v2` in DSP's code, which cuts at the next field's label only.
    """
    found = dict(begun)
    names = [field.name for field in template.generated]
    labels = {field.label: field.name for field in template.fields}
    line = template.separator.strip()
    endings = sorted([*labels, *([line] if line else [])], key=len, reverse=True)
    ending = re.compile(rf"^[^\S\n]*({'|'.join(map(re.escape, endings))})", re.MULTILINE)
    at, rest = len(begun), text
    while at < len(names):
        end = ending.search(rest)
        value = (rest[: end.start()] if end else rest).strip()
        if value:
            found[names[at]] = value
        at += 1
        if not end or at == len(names) or labels.get(end[1]) != names[at]:
            break
        rest = rest[end.end() :]
    return found


def completion_of(
    template: ProgramTemplate, generation: Generation, sample: int, begun: Completion | None = None
) -> Completion:
    """A generated text as fields; it goes on from `begun` where that is given."""
    fields = extracted(template, generation.text, begun.fields if begun else {})
    return Completion(
        fields=fields,
        last_field=template.fields[-1].name,
        log_prob=_sum(generation.log_prob, begun.log_prob if begun else 0.0),
        n_tokens=_sum(generation.n_tokens, begun.n_tokens if begun else 0),
        ended_by=generation.ended_by,
        sample=sample,
    )


def best(completions: Sequence[Completion]) -> Completion:
    """The completion of the highest mean log-probability; the first among equals.

    One without tokens, or whose log-probability a server did not give, comes last.

    Raises:
        ValueError: There is none.

    Source: Khattab et al. 2022, Demonstrate-Search-Predict, section 3.4.
    """
    if not completions:
        raise ValueError("there is no completion to choose from")

    def value(completion: Completion) -> float:
        mean = completion.mean_log_prob
        return float("-inf") if mean is None else mean

    return max(completions, key=value)


Number = TypeVar("Number", int, float)


def _sum(some: Number | None, others: Number | None) -> Number | None:
    return None if some is None or others is None else some + others
