"""Chats as rows: the last message answers those before it."""

from collections.abc import Callable, Iterable, Sequence

from ..grid import Cells, ShapedRows, beside, series
from .messages import (
    ASSISTANT,
    SYSTEM,
    USER,
    Message,
    messages_in,
    messages_of,
    transcript,
    unread_in,
)

_CHATS = ("messages", "conversations", "conversation", "chat", "dialogue", "dialog", "turns")
"""The usual names of a chat's column, the clearest first; others are taken where none occurs."""
_PROMPTS = ("prompt", "input")
_ANSWERS = ("completion", "chosen", "preferred_output")
_INCORRECT = ("rejected", "non_preferred_output")


def chats(rows: Sequence[Cells]) -> ShapedRows | None:
    """A row a chat, its answer empty where the assistant does not have the last word."""
    names = dict.fromkeys((*_CHATS, *(key for row in rows for key in row)))
    column = next((name for name in names if _has_messages(rows, name, messages_in)), None)
    if column is None:
        return None
    read = [_split(messages_in(row.get(column)) or []) for row in rows]
    return ShapedRows(
        [
            {
                "query": transcript(earlier),
                "answer": answer,
                **beside(row, column, own=("query", "answer")),
            }
            for row, (earlier, answer) in zip(rows, read, strict=True)
        ],
        _warnings(rows, (column,), (earlier for earlier, _ in read)),
        _unread(rows, (column,)),
    )


def chats_side_by_side(rows: Sequence[Cells]) -> ShapedRows | None:
    """Chats that differ in their answers, as `conversation_a` and `conversation_b`: a column each.

    What they have in common is the query; where they go on after the first answers that differ, the
    rest is left out.
    """
    names = dict.fromkeys(key for row in rows for key in row)
    chats = [name for name in names if _has_messages(rows, name, messages_in)]
    for labels in series(chats).values():
        own = [f"answer_{label}" for label in labels]
        reshaped: list[Cells] = []
        longer = 0
        for row in rows:
            sides = [messages_in(row.get(column)) or [] for column in labels.values()]
            same = _common(sides)
            answers = [_text_of(side[same : same + 1]) for side in sides]
            longer += any(len(side) > same + 1 for side in sides)
            cells = {"query": transcript(sides[0][:same]), **dict(zip(own, answers, strict=True))}
            reshaped.append({**cells, **beside(row, *labels.values(), own=("query", *own))})
        warning = (
            f"Chats that go on after their first different answers: {longer:,}; the rest was left "
            "out."
        )
        unread = _unread(rows, labels.values())
        return ShapedRows(reshaped, (warning,) if longer else (), unread)
    return None


def _common(sides: Sequence[list[Message]]) -> int:
    """How many messages all sides begin with, without the last answer of sides that are equal."""
    same = 0
    for messages in zip(*sides, strict=False):
        if len(set(messages)) > 1:
            break
        same += 1
    return same - 1 if same and same == min(map(len, sides)) else same


def _text_of(messages: Sequence[Message]) -> str:
    return messages[0].text if messages and messages[0].role == ASSISTANT else ""


def chats_with_answers(rows: Sequence[Cells]) -> ShapedRows | None:
    """A prompt, what is chosen and what is rejected, at least one of them written as messages.

    What is chosen may repeat the prompt or add to it. A prompt by itself makes the query only.
    """
    prompt = _first_of(_PROMPTS, rows)
    chosen = _first_of(_ANSWERS, rows)
    rejected = _first_of(_INCORRECT, rows)
    used = [name for name in (prompt, chosen, rejected) if name]
    if not any(_has_messages(rows, name, messages_of) for name in used):
        return None
    if chosen is None and (prompt is None or _ends_with_an_answer(rows, prompt)):
        return None
    own = [name for name, column in (("answer", chosen), ("incorrect", rejected)) if column]
    reshaped = []
    queries = []
    for row in rows:
        asked = _messages_in(row.get(prompt), USER) if prompt else []
        before, answer = _split(_messages_in(row.get(chosen), ASSISTANT)) if chosen else ([], "")
        repeats = before[: len(asked)] == asked or isinstance(row.get(prompt or ""), str)
        query = before if before and repeats else [*asked, *before]
        cells: dict[str, object] = {"query": transcript(query)}
        if chosen:
            cells["answer"] = answer
        if rejected:
            cells["incorrect"] = _split(_messages_in(row.get(rejected), ASSISTANT))[1]
        reshaped.append({**cells, **beside(row, *used, own=("query", *own))})
        queries.append(query)
    return ShapedRows(list(reshaped), _warnings(rows, used, queries), _unread(rows, used))


def _unread(rows: Sequence[Cells], columns: Iterable[str]) -> tuple[str, ...]:
    """The keys of the messages in these columns that were not read."""
    return tuple(
        key for column in columns for key in unread_in((row.get(column) for row in rows), column)
    )


def _messages_in(value: object, role: str) -> list[Message]:
    """The messages of a cell; a plain text is a message of the role."""
    return [Message(role, value)] if isinstance(value, str) else messages_of(value) or []


def _split(messages: list[Message]) -> tuple[list[Message], str]:
    """What comes before the answer, and the answer; empty when the assistant is not the last.

    An answer of weight 0 is none.
    """
    if messages and messages[-1].role == ASSISTANT:
        return messages[:-1], messages[-1].text if messages[-1].learned else ""
    return messages, ""


def _first_of(names: Sequence[str], rows: Sequence[Cells]) -> str | None:
    return next((name for name in names if any(name in row for row in rows)), None)


def _has_messages(
    rows: Sequence[Cells], column: str, read: Callable[[object], list[Message] | None]
) -> bool:
    """Whether the column has messages in every row in which its cell is not a text or empty."""
    found = False
    for row in rows:
        value = row.get(column)
        if isinstance(value, str) or not value:
            continue
        if not read(value):
            return False
        found = True
    return found


def _ends_with_an_answer(rows: Sequence[Cells], column: str) -> bool:
    return any(_split(messages_of(row.get(column)) or [])[1] for row in rows)


def _warnings(
    rows: Sequence[Cells], columns: Sequence[str], queries: Iterable[Sequence[Message]]
) -> tuple[str, ...]:
    several = system = 0
    for query in queries:
        spoken = [message for message in query if message.text.strip()]
        systems = sum(message.role == SYSTEM for message in spoken)
        system += systems > 0
        several += len(spoken) - systems > 1
    left_out = sum(
        message.left_out
        for row in rows
        for column in columns
        for message in messages_of(row.get(column)) or []
    )
    untaught = sum(
        bool(messages) and messages[-1].role == ASSISTANT and not messages[-1].learned
        for row in rows
        for column in columns
        for messages in [messages_of(row.get(column)) or []]
    )
    warnings = []
    if untaught:
        warnings.append(
            "Chats whose last answer is not to be learned, because its weight is 0 or its flag "
            f"false: {untaught:,}; they have no answer here."
        )
    if several:
        warnings.append(
            f"Chats with several turns: {several:,}; all that comes before the last answer is "
            'the query, each message on a line such as "User: ...".'
        )
    if system:
        warnings.append(
            f"Chats with a system message: {system:,}; it is part of the query, on a line "
            '"System: ...".'
        )
    if left_out:
        warnings.append(f"Parts of messages that are no text: {left_out:,}; they were left out.")
    return tuple(warnings)
