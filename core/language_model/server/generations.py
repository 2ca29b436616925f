"""A text that a server wrote as a generation: answer and thoughts apart, its end, and doubts."""

import re
from collections.abc import Iterator, Sequence

from ...generation import Disagreement, EndedBy, Generation, GenerationRequest, ServerDoubt
from ..thoughts import thoughts_in
from .asking import message_of
from .written import WrittenText

_LETTERS_PER_TOKEN = 8
_TOKENS_PER_WORD = 0.75
"""Hardly any text has more letters a token, or fewer tokens a word, with any tokenizer."""
_VERSION = re.compile(r"([-:@_](\d|v\d|latest)[\w.:-]*|@\S+)?")


def generation_of(request: GenerationRequest, written: WrittenText, model: str) -> Generation:
    """The generation.

    Args:
        request: What was asked for.
        written: What came.
        model: The name of the model that was asked.
    """
    doubts = tuple(_doubts(request, written, model))
    before, thought = written.thoughts.strip(), thoughts_in(written.text)
    thoughts = "\n".join(filter(None, (before, thought.text)))
    answer, stopped = cut(written.text[thought.answer_at :], request.stop)
    ended_by = _ended_by(request, written, answer, stopped=stopped, thinking=not thought.ended)
    if not ended_by.is_answer:
        instead = "\n".join(filter(None, map(str.strip, (written.refusal, written.tools, answer))))
        return Generation("", (), (), ended_by, thoughts, instead, doubts)
    log_probs = _log_probs_of(written, answer, thoughts=bool(thoughts), stopped=stopped)
    return Generation(answer, (), log_probs, ended_by, thoughts, doubts=doubts)


def cut(text: str, stop: Sequence[str]) -> tuple[str, bool]:
    """The text before the first stop text, and whether there is one.

    A character whose last tokens are not written is left out, as the local model leaves it out.
    """
    text = text.rstrip("\ufffd")
    places = [place for place in map(text.find, stop) if place >= 0]
    return (text[: min(places)], True) if places else (text, False)


def is_same_model(asked: str, answered: str) -> bool:
    """Whether two names may be those of one model: a path, a version or a file's ending apart.

    A server that does not say its model's name is not doubted.
    """
    if not asked or not answered:
        return True
    short, long = sorted(map(_plain_name, (asked, answered)), key=len)
    return long.startswith(short) and _VERSION.fullmatch(long, len(short)) is not None


def least_tokens(text: str) -> int:
    """How many tokens a text has at least, about, with any tokenizer."""
    return int(max(len(text) / _LETTERS_PER_TOKEN, len(text.split()) * _TOKENS_PER_WORD))


def _ended_by(
    request: GenerationRequest, written: WrittenText, answer: str, *, stopped: bool, thinking: bool
) -> EndedBy:
    ended_by = written.ended_by
    if written.refusal.strip():
        return EndedBy.REFUSED
    if written.tools and not answer.strip():
        return EndedBy.TOOL_CALL
    if not ended_by.is_answer:
        return ended_by
    only_thoughts = bool(written.thoughts.strip()) and not answer.strip()
    if thinking or (only_thoughts and not stopped):
        return EndedBy.THOUGHTS
    if stopped:
        return EndedBy.STOP
    if ended_by is EndedBy.LENGTH:
        short = (written.tokens or request.max_new_tokens) < request.max_new_tokens
        return EndedBy.WINDOW if short else EndedBy.LENGTH
    if ended_by is EndedBy.END and written.stopped_at is not None:
        return EndedBy.STOP
    return ended_by


def _log_probs_of(
    written: WrittenText, answer: str, *, thoughts: bool, stopped: bool
) -> tuple[float, ...]:
    """The log-probabilities of the answer's tokens; none where they are not told apart."""
    pieces, log_probs = written.pieces, written.log_probs
    if thoughts:
        rest = written.text[thoughts_in(written.text).answer_at :]
        all_of_it = "".join(pieces)
        if not all_of_it.endswith(rest):
            return ()
        first = _tokens_up_to(len(all_of_it) - len(rest), pieces)
        pieces, log_probs = pieces[first:], log_probs[first:]
    return log_probs[: _tokens_up_to(len(answer), pieces)] if stopped else log_probs


def _tokens_up_to(length: int, pieces: Sequence[str]) -> int:
    """How many tokens begin before so many letters."""
    begun, at = 0, 0
    for piece in pieces:
        if at >= length:
            break
        begun, at = begun + 1, at + len(piece)
    return begun


def _doubts(request: GenerationRequest, written: WrittenText, model: str) -> Iterator[ServerDoubt]:
    if not is_same_model(model, written.model):
        yield ServerDoubt(Disagreement.MODEL, model, written.model)
    least, read = least_tokens(message_of(request.prompt)), written.prompt_tokens
    if read is not None and read < least:
        yield ServerDoubt(Disagreement.PROMPT, str(least), str(read))


def _plain_name(name: str) -> str:
    """The last part of a path, in small letters, without what names a file or the usual version."""
    last = name.lower().rstrip("/").rpartition("/")[2]
    return last.removesuffix(".gguf").removesuffix(":latest")
