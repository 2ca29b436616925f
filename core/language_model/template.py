"""Templates: how a context and a query become a prompt."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InvalidInput
from ..text import content_hash

_FIELD = re.compile(r"\{(query|answer)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """The parts of a prompt, as data.

    `{query}` and `{answer}` are the only fields; the text put into them is never read again, so
    a query that contains "{answer}" or any other brace stands in the prompt as it was written.

    Attributes:
        name: What it is called in the interface and in recorded runs.
        demonstration: One demonstration; holds `{query}` and `{answer}`.
        query: What stands at the end and is to be answered; holds `{query}` and ends without
            white space: the space before an answer belongs to the answer (`answer_prefix`),
            since tokenizers join it to the word that follows.
        separator: Between instruction, demonstrations and query.
        instruction: Stands first when it is not empty.
        answer_prefix: Stands before every scored answer.
    """

    name: str
    demonstration: str = "Q: {query}\nA: {answer}"
    query: str = "Q: {query}\nA:"
    separator: str = "\n\n"
    instruction: str = ""
    answer_prefix: str = " "

    def __post_init__(self) -> None:
        """Refuse parts that would lose the query or the answer."""
        for part, text, allowed in (
            ("demonstration", self.demonstration, {"query", "answer"}),
            ("query", self.query, {"query"}),
        ):
            if set(_FIELD.findall(text)) != allowed:
                fields = " and ".join(f"{{{field}}}" for field in sorted(allowed, reverse=True))
                raise InvalidInput(
                    f"The {part} part of template {self.name!r} is {text!r}; it must contain "
                    f"{fields} and no other field."
                )
        if self.query != self.query.rstrip():
            raise InvalidInput(
                f"The query part of template {self.name!r} is {self.query!r}; it must not end "
                "with white space: put that into answer_prefix."
            )

    def prompt(self, pairs: Sequence[tuple[str, str]], query: str) -> str:
        """The final string sent to the model.

        Args:
            pairs: (query, answer) of each demonstration in the order in which they stand; may be
                empty.
            query: The query to answer.
        """
        blocks = [self.instruction] if self.instruction else []
        blocks += [_filled(self.demonstration, query=q, answer=a) for q, a in pairs]
        blocks.append(_filled(self.query, query=query))
        return self.separator.join(blocks)

    def answer(self, text: str) -> str:
        """The answer as it continues the prompt."""
        return self.answer_prefix + text

    @property
    def fingerprint(self) -> str:
        """32 hex digits of everything but the name: equal for templates that make equal prompts."""
        return content_hash(
            self.demonstration, self.query, self.separator, self.instruction, self.answer_prefix
        )


def _filled(text: str, **values: str) -> str:
    return _FIELD.sub(lambda field: values[field[1]], text)


DEFAULT_TEMPLATE = "qa"

TEMPLATES: dict[str, Template] = {
    template.name: template
    for template in (
        Template("qa"),
        Template("qa-instruction", instruction="Answer the questions truthfully and briefly."),
        Template(
            "question-answer",
            demonstration="Question: {query}\nAnswer: {answer}",
            query="Question: {query}\nAnswer:",
        ),
    )
}
"""Every template by its name; the first is the default."""
