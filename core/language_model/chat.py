"""The chat format of a model: what its tokenizer's own chat template puts around a message."""

from dataclasses import dataclass
from typing import Any

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
