"""The messages of a chat: recognised among other objects, and written as a text."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..grid import keys_beside

USER, ASSISTANT, SYSTEM = "User", "Assistant", "System"
_ROLES = {
    "user": USER, "human": USER, "prompter": USER,
    "assistant": ASSISTANT, "gpt": ASSISTANT, "chatgpt": ASSISTANT, "bot": ASSISTANT,
    "model": ASSISTANT, "ai": ASSISTANT, "chatbot": ASSISTANT,
    "system": SYSTEM, "developer": SYSTEM,
    "tool": "Tool", "function": "Tool", "observation": "Tool",
}  # fmt: skip
_ROLE_KEYS = ("role", "from", "type")
_TEXT_KEYS = ("content", "value", "text")
_LEARNED_KEYS = ("weight", "train", "training", "trainable", "train_on_turn", "loss")
"""What says whether a turn is to be imitated: a weight of OpenAI's, or a flag of a trainer's."""
_ALONE = {*_ROLE_KEYS, *_TEXT_KEYS, *_LEARNED_KEYS, "name", "tool_calls", "tool_call_id"}


class Message(NamedTuple):
    """A role and its text.

    `left_out` counts parts that are no text, such as images; `learned` is false for a turn that is
    not to be imitated: one of weight 0, or whose flag for training is false.
    """

    role: str
    text: str
    left_out: int = 0
    learned: bool = True


def messages_in(value: object) -> list[Message] | None:
    """The messages that the value lists, none for nothing; None when it is no list of messages."""
    if value is None:
        return []
    if not isinstance(value, list):
        return None
    found = [_message(each) for each in value]
    messages = [each for each in found if each is not None]
    return messages if len(messages) == len(found) else None


def messages_of(value: object) -> list[Message] | None:
    """The messages of a list, of an object with one, or of one message; None for others."""
    if isinstance(value, dict):
        return messages_in(value.get("messages", [value]))
    return messages_in(value)


def unread_in(values: Iterable[object], column: str) -> list[str]:
    """The keys of a column's messages that say more than who speaks and what, after its name."""
    unread: dict[str, None] = {}
    for value in values:
        if isinstance(value, dict) and "messages" in value:
            unread |= dict.fromkeys(keys_beside([value], "messages", under=column))
            value = value["messages"]
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, dict):
                continue
            role = next((key for key in _ROLE_KEYS if isinstance(each.get(key), str)), "")
            text = next((key for key in _TEXT_KEYS if key in each), "")
            unread |= dict.fromkeys(keys_beside([each], role, text, *_LEARNED_KEYS, under=column))
            parts = each.get(text)
            of_parts = parts if isinstance(parts, list) else []
            under = f"{column}.{text}"
            unread |= dict.fromkeys(keys_beside(of_parts, "type", "text", under=under))
    return list(unread)


def is_one_chat(rows: Sequence[object]) -> bool:
    """Whether the rows are nothing but messages, which makes all of them one chat."""
    return bool(rows) and all(
        isinstance(row, dict) and _ALONE.issuperset(row) and _message(row) is not None
        for row in rows
    )


def transcript(messages: Sequence[Message]) -> str:
    """The messages as a query: a single one that is not the system's is its text alone.

    Several are a line each that begins with the role: "System: Be brief.", "User: Who keeps bees?".
    """
    spoken = [message for message in messages if message.text.strip()]
    if len(spoken) == 1 and spoken[0].role != SYSTEM:
        return spoken[0].text
    return "\n".join(f"{message.role}: {message.text}" for message in spoken)


def _message(value: object) -> Message | None:
    if not isinstance(value, dict):
        return None
    role = next((value[key] for key in _ROLE_KEYS if isinstance(value.get(key), str)), None)
    text_key = next((key for key in _TEXT_KEYS if key in value), None)
    if role is None or (text_key is None and "tool_calls" not in value):
        return None
    known = _ROLES.get(role.strip().lower())
    if known is None and not ("role" in value or ("from" in value and text_key == "value")):
        return None  # "type" and "from" mean many things
    content = value[text_key] if text_key else None
    texts, left_out = _texts(content)
    learned = all(_is_set(value[key]) for key in _LEARNED_KEYS if key in value)
    return Message(known or role.strip(), "\n".join(texts), left_out, learned)


def _is_set(value: object) -> bool:
    """Whether a weight is above 0, or a flag true; what is neither counts as set."""
    return str(value).strip().lower() not in ("0", "0.0", "false", "no")


def _texts(content: object) -> tuple[list[str], int]:
    """The texts of a message's content, which may come in parts, and how many parts are none."""
    if content is None:
        return [], 0
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    found = [text for text in texts if isinstance(text, str)]
    return found, len(texts) - len(found)
