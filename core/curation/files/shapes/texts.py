"""Tables of texts as rows: conversations in one text, and pairs whose beginning is the query.

Conversations are written as `Human: ... Assistant: ...`, ChatML or `[INST]`.
"""

import os
import re
from collections.abc import Mapping, Sequence

from ....demonstration.fields import FIELD
from ..grid import Cells, Grid, ShapedRows, beside, plain
from .chats import chats, chats_with_answers

_TURNS = tuple(
    map(
        re.compile,
        (
            r"(?:\A|\n)\s*(?P<role>Human|User|Assistant|AI|Bot|System) ?: ?",
            r"(?:\A|\s*)#{2,3} ?(?P<role>Human|User|Assistant|Bot|System) ?: ?",
            r"(?:\A|\s*)#{2,3} ?(?P<role>Instruction|Input|Response) ?:\s*",
            r"(?:\A|\n)(?P<role>Q|A|Question|Answer) ?: ?",
            r"<\|im_start\|>(?P<role>\w+)\n",
            r"<\|start_header_id\|>(?P<role>\w+)<\|end_header_id\|>\s*",
            r"<start_of_turn>(?P<role>\w+)\n",
            r"<\|(?P<role>system|user|assistant)\|>\s*",
            r"\[(?P<role>/?INST)\]\s*",
        ),
    )
)
"""How a turn begins, in each of the ways in which conversations are written."""
_END = re.compile(
    r"\s*(?:<\|(?:im_end|eot_id|endoftext|end|end_of_text)\|>|<end_of_turn>|</s>\s*(?:<s>)?)?\s*\Z"
)
_FIRST = re.compile(r"\s*(?:<s>|<bos>|<\|begin_of_text\|>)?\s*")
_ROLES = {
    **dict.fromkeys(("human", "user", "instruction", "input", "q", "question", "inst"), "user"),
    **dict.fromkeys(
        ("assistant", "ai", "bot", "model", "response", "a", "answer", "/inst"), "assistant"
    ),
    "system": "system",
}


def transcripts(grid: Grid) -> ShapedRows | None:
    """A row a conversation, whose last turn answers those before it.

    Read are pairs of `chosen` and `rejected` conversations, or the only column of texts where no
    other is named like an answer.
    """
    called = {plain(column): column for column in grid.columns}
    pair = [called[name] for name in ("chosen", "rejected") if name in called]
    columns = pair if len(pair) == 2 else _only_texts(grid)
    if not columns:
        return None
    read: list[Cells] = []
    for row in grid.rows:
        messages = {column: messages_written_in(row.get(column)) for column in columns}
        if any(found is None for found in messages.values()):
            return None
        read.append({**row, **messages})
    return chats_with_answers(read) if len(pair) == 2 else chats(read)


def messages_written_in(cell: object) -> list[Mapping[str, str]] | None:
    """The turns that a text writes out, where the last one is the assistant's; else None."""
    if not isinstance(cell, str):
        return None
    for turn in _TURNS:
        marks = list(turn.finditer(cell))
        roles = [_ROLES.get(mark["role"].lower()) for mark in marks]
        if len(marks) < 2 or None in roles or roles[-1] != "assistant" or "user" not in roles:
            continue
        before = _FIRST.sub("", cell[: marks[0].start()], count=1)
        ends = [*(mark.start() for mark in marks[1:]), len(cell)]
        turns = [cell[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
        texts = [_END.sub("", text).strip() for text in turns]
        found = _joined(list(zip(map(str, roles), texts, strict=True)))
        if before.strip():
            if found[0]["role"] == "system":
                return None
            found.insert(0, {"role": "system", "content": before.strip()})
        return found
    return None


def _joined(turns: Sequence[tuple[str, str]]) -> list[Mapping[str, str]]:
    """The turns as messages, neighbours of one role as one: an instruction and its input."""
    messages: list[Mapping[str, str]] = []
    for role, text in turns:
        if messages and messages[-1]["role"] == role:
            text = f"{messages.pop()['content']}\n{text}"
        messages.append({"role": role, "content": text})
    return messages


def _only_texts(grid: Grid) -> list[str]:
    """The only column with texts of more than three words, where none is named like an answer."""
    if any(plain(column) in FIELD["answer"].synonyms for column in grid.columns):
        return []
    found: set[str] = set()
    for row in grid.rows:
        found |= {key for key, cell in row.items() if isinstance(cell, str) and cell.count(" ") > 3}
        if len(found) > 1:
            return []
    return list(found)


def implicit_prompts(grid: Grid) -> ShapedRows | None:
    """A row a pair: the words that both begin with, and the rest of each.

    A pair without a common beginning has an empty query. None where another column may be the
    query, or where fewer than half of the pairs have a common beginning.
    """
    names = {plain(column): column for column in grid.columns}
    chosen, rejected = names.get("chosen"), names.get("rejected")
    if chosen is None or rejected is None or set(names) & set(FIELD["query"].synonyms):
        return None
    others = [column for column in grid.columns if column not in (chosen, rejected)]
    if any(_has_sentences(grid.rows, column) for column in others):
        return None
    reshaped: list[Cells] = []
    common = 0
    for row in grid.rows:
        right, wrong = row.get(chosen), row.get(rejected)
        if not isinstance(right, str) or not isinstance(wrong, str):
            return None
        query = _common_beginning(right, wrong)
        common += bool(query)
        reshaped.append(
            {
                "query": query.strip(),
                "answer": right[len(query) :].strip(),
                "incorrect": wrong[len(query) :].strip(),
                **beside(row, chosen, rejected, own=("query", "answer", "incorrect")),
            }
        )
    return ShapedRows(reshaped) if 2 * common >= len(grid.rows) else None


def _has_sentences(rows: Sequence[Cells], column: str) -> bool:
    """Whether most cells of the column are texts of several words."""
    several = sum(isinstance(cell := row.get(column), str) and " " in cell for row in rows)
    return 2 * several > len(rows)


def _common_beginning(one: str, other: str) -> str:
    """The words that both texts begin with, with the white space after them."""
    common = os.path.commonprefix([one, other])
    if len(common) in (len(one), len(other)):
        common = common.rstrip()  # one begins the other: its last word is the answer
    return common[: max(common.rfind(" "), common.rfind("\n")) + 1]
