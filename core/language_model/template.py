"""Templates: how a context and a query become a prompt; the chat format that a model may have."""

import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

from ..errors import InvalidInput
from ..text import content_hash

_MESSAGE, _REPLY = "MessageOfTheUser", "ReplyOfTheAssistant"


@dataclass(frozen=True, slots=True)
class ChatFormat:
    """The text around one message of a user, up to where the assistant's answer begins.

    Attributes:
        before: Comes before the message, without the token that the tokenizer itself puts before
            every text: it would be read twice.
        after: Comes between the message and the answer: it opens the assistant's turn, and contains
            all that the format adds there by itself, such as an empty block of thoughts.
        answer_prefix: What every answer begins with, mostly nothing, else a space: tokenizers
            join it to the word that follows.
    """

    before: str
    after: str
    answer_prefix: str = ""


def chat_format(tokenizer: Any) -> ChatFormat | None:
    """The chat format of a tokenizer of `transformers`; None where it has none that can be used.

    A model's template may write the day's date into its format: then so do the prompts of the day.
    """
    from jinja2 import TemplateError

    if not tokenizer.chat_template:
        return None
    asked = [{"role": "user", "content": _MESSAGE}]
    answered = [*asked, {"role": "assistant", "content": _REPLY}]
    try:
        prompt = _rendered(tokenizer, asked, add_generation_prompt=True)
        whole = _rendered(tokenizer, answered, add_generation_prompt=False)
    except (TemplateError, ValueError, TypeError):
        return None
    if prompt.count(_MESSAGE) != 1:
        return None
    before, opened = prompt.split(_MESSAGE)
    # A template may add more when it writes the answer than when it asks for it. Where the two
    # disagree, what it asks with is what the model would continue.
    follows = whole.removeprefix(prompt) if whole.startswith(prompt) else ""
    opening = opened + (follows.partition(_REPLY)[0] if _REPLY in follows else "")
    after = opening.rstrip(" ")
    return ChatFormat(_without_opening(tokenizer, before), after, opening.removeprefix(after))


def _rendered(tokenizer: Any, messages: list[dict[str, str]], **options: bool) -> str:
    return str(tokenizer.apply_chat_template(messages, tokenize=False, **options))


def _without_opening(tokenizer: Any, before: str) -> str:
    opening = tokenizer("a")["input_ids"][0]
    if tokenizer.bos_token is not None and opening == tokenizer.bos_token_id:
        return before.removeprefix(tokenizer.bos_token)
    return before


_FIELD = re.compile(r"\{(query|answer)\}")


@dataclass(frozen=True, slots=True)
class Template:
    """The parts of a prompt, as data.

    `{query}` and `{answer}` are the only fields; the text put into them is never read again, so
    a query that contains "{answer}" or any other brace is in the prompt as it was written.

    Attributes:
        name: What it is called in the interface and in recorded runs.
        demonstration: One demonstration; contains `{query}` and `{answer}`.
        query: What comes last and is to be answered; contains `{query}` and ends without
            white space: the space before an answer belongs to the answer (`answer_prefix`),
            since tokenizers join it to the word that follows.
        separator: Between instruction, demonstrations and query.
        instruction: Comes first when it is not empty.
        answer_prefix: Comes before every scored answer.
        chat: Whether all of this is one message in the chat format of the model: see `within`.
        before: Comes before everything else, as a chat format has it.
        after: Comes between the query and the answer, likewise.
    """

    name: str
    demonstration: str = "Q: {query}\nA: {answer}"
    query: str = "Q: {query}\nA:"
    _: KW_ONLY
    separator: str = "\n\n"
    instruction: str = ""
    answer_prefix: str = " "
    chat: bool = False
    before: str = ""
    after: str = ""

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
            pairs: (query, answer) of each demonstration, in the order of the prompt; may be empty.
            query: The query to answer.
        """
        blocks = [self.instruction] if self.instruction else []
        blocks += [_filled(self.demonstration, query=q, answer=a) for q, a in pairs]
        blocks.append(_filled(self.query, query=query))
        return f"{self.before}{self.separator.join(blocks)}{self.after}"

    def answer(self, text: str) -> str:
        """The answer as it continues the prompt."""
        return self.answer_prefix + text

    @property
    def stop(self) -> tuple[str, ...]:
        """The texts that end a generated answer: the beginning of what would follow it.

        Another demonstration begins on a line of its own after the separator. Within a chat format
        nothing ends an answer but the model's own token for the end of its turn.
        """
        if self.chat:
            return ()
        opening = self.demonstration.partition("{query}")[0].rstrip()
        return (self.separator[-1:] + opening if opening else self.separator,)

    def within(self, format: ChatFormat) -> Self:
        """The template whose prompts are the same text as a message in the chat format."""
        return replace(
            self, before=format.before, after=format.after, answer_prefix=format.answer_prefix
        )

    @property
    def fingerprint(self) -> str:
        """32 hex digits of everything but the name: equal for templates that make equal prompts."""
        around = ("chat", self.before, self.after) if self.chat else ()
        return content_hash(
            self.demonstration,
            self.query,
            self.separator,
            self.instruction,
            self.answer_prefix,
            *around,
        )


def _filled(text: str, **values: str) -> str:
    return _FIELD.sub(lambda field: values[field[1]], text)


_INSTRUCTION = "Answer the questions truthfully and briefly."

TEMPLATES: dict[str, Template] = {
    template.name: template
    for template in (
        Template("qa"),
        Template("qa-instruction", instruction=_INSTRUCTION),
        Template(
            "question-answer",
            demonstration="Question: {query}\nAnswer: {answer}",
            query="Question: {query}\nAnswer:",
        ),
        Template("chat", instruction=_INSTRUCTION, chat=True),
    )
}
"""Every template by its name; the first is the default."""


def find_template(name: str, model: str, format: ChatFormat | None) -> Template:
    """The template of that name, ready for a model.

    Args:
        name: One of `TEMPLATES`.
        model: The model's name, for the sentence that refuses.
        format: The model's chat format, None where it has none.

    Raises:
        InvalidInput: There is no such template, or it needs a chat format and there is none.
    """
    template = known_template(name)
    if not template.chat:
        return template
    if format is None:
        others = ", ".join(other.name for other in TEMPLATES.values() if not other.chat)
        raise InvalidInput(
            f"The model {model!r} has no chat template that can be used, so the template {name!r} "
            f"has nothing to put the prompt into; choose one of {others}, or a chat model."
        )
    return template.within(format)


def known_template(name: str) -> Template:
    """The template of that name as the registry has it.

    Raises:
        InvalidInput: There is no such template.
    """
    if name not in TEMPLATES:
        raise InvalidInput(f"There is no template {name!r}; choose one of {', '.join(TEMPLATES)}.")
    return TEMPLATES[name]
