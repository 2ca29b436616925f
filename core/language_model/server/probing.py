"""What a server says of its models, and what it can do, found by asking it for one text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from ...generation import GenerationRequest
from ...text import content_hash
from .asking import Dialect, Endpoint, WritingRequest, write
from .connection import Connection, Show
from .failures import (
    AboveZero,
    HalfAnswer,
    failures,
    is_not_reached,
    is_passing,
    is_sent,
    status_of,
)
from .results import EchoWay, TokenLogProbs, is_same_model, read_echo
from .written import ROUNDING, WrittenText, check_no_error

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Completion


WINDOW = 4096
"""Tokens that prompt and answer may have together where a server does not say it."""

_DECIDES = ("id", "root", "parent", "owned_by", "max_model_len", "meta")
"""What belongs to the fingerprint. Not `created`: vLLM and llama.cpp put the time of the question
there."""
_WINDOWS = (("max_model_len",), ("meta", "n_ctx"), ("meta", "n_ctx_train"), ("context_length",))
"""Where servers say how much a model reads: vLLM, llama.cpp twice, routers."""


@dataclass(frozen=True, slots=True)
class About:
    """What a server says of one model.

    Attributes:
        window: The most tokens of prompt and answer; None where it does not say.
        parameters: How many parameters the model has; None where it does not say.
        identity: What tells it from another one of the same name, as JSON.
    """

    window: int | None = None
    parameters: int | None = None
    identity: str = ""

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What an entry of the list says."""
        window = next(filter(None, (_whole(row, *path) for path in _WINDOWS)), None)
        decides = {key: row[key] for key in _DECIDES if row.get(key) is not None}
        return cls(window, _whole(row, "meta", "n_params"), json.dumps(decides, sort_keys=True))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The models that a server lists: none where it has no list."""

    names: tuple[str, ...] = ()
    about: tuple[About, ...] = ()

    @classmethod
    def from_json(cls, given: object) -> Self:
        """The list as the protocol has it; an empty one where it is something else."""
        rows = given.get("data") if isinstance(given, dict) else None
        found = [
            row
            for row in (rows if isinstance(rows, list) else ())
            if isinstance(row, dict) and isinstance(row.get("id"), str)
        ]
        return cls(tuple(row["id"] for row in found), tuple(map(About.from_json, found)))

    def of(self, name: str) -> About:
        """What it says of a model; nothing where the model is not in it.

        Ollama lists `llama3:latest` and answers to `llama3` as well.
        """
        for listed, about in zip(self.names, self.about, strict=True):
            if listed in (name, f"{name}:latest"):
                return about
        return About()


def fingerprint_of(url: str, name: str, endpoint: str, about: About, other_model: str = "") -> str:
    """32 hex digits of the server, the model's name and what the server says of it.

    Args:
        url: The base URL without user name and password.
        name: The model's name on the server.
        endpoint: Where it writes: a chat format changes every text.
        about: What the server says of the model. One that says nothing but the name gives other
            weights under the same name the same fingerprint: what was stored of the old ones is
            then taken for theirs.
        other_model: The name of the model that answers in its place; empty where none does.
    """
    other = (other_model,) if other_model else ()
    return content_hash("openai", url, name, endpoint, about.identity, *other)


def _whole(row: Mapping[str, object], *path: str) -> int | None:
    value: object = row
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, int) and value > 0 else None


_BEGINNING = (
    "Questions and their short answers.\n\n"
    "Q: What colour is the sky on a clear day?\nA: Blue\n\n"
    "Q: How many legs does a spider have?\nA: Eight\n\n"
    "Q: Which planet of ours is nearest to the sun?\nA: Mercury\n\n"
)
TEXT = f"{_BEGINNING}Q: What do we call water that is frozen hard?\nA: Ice"
"""More than 40 words, so that a server's cache of beginnings has parts of it."""
OTHER_TEXT = f"{_BEGINNING}Q: How many days are there in a week?\nA: Seven"
_IN_TURN = (TEXT, OTHER_TEXT, TEXT)
"""What is asked for after the text itself: its log-probabilities must come out the same."""
_ONE_TOKEN = GenerationRequest("Q: What colour is the sky?\nA: Blue", max_new_tokens=1)
QUICK = 10.0
"""Seconds for the list of models, which needs no model: a server that hangs shows here."""
_NO_SUCH = (404, 405)
_NO_LOG_PROBS = Dialect(left_out=frozenset({"logprobs"}))


class WhyNoScores(StrEnum):
    """Why a server's log-probabilities are not taken, as the end of a sentence."""

    NOT_GIVEN = "the server gives no log-probabilities of the prompt"
    UNSTEADY = "the server gives other log-probabilities when it is asked for the same again"
    ABOVE_ZERO = "the server gives log-probabilities above 0, which no probability has"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What was found out about a model behind a server.

    Attributes:
        endpoint: Where it continues a prompt: completions, or chat where it has none.
        way: How it gives log-probabilities of a prompt; None where it does not.
        why_not: Why they are not taken; None where they are.
        catalogue: What the server lists.
        dialect: Which fields it takes.
        other_model: The name under which another model answers; empty where the one asked for does.
    """

    endpoint: Endpoint
    way: EchoWay | None
    why_not: WhyNoScores | None
    catalogue: Catalogue
    dialect: Dialect = Dialect()
    other_model: str = ""


async def probe(connection: Connection, model: str, catalogue: Catalogue) -> Capabilities:
    """What the model behind the server can do.

    The first way whose answer has the log-probabilities of the whole text is taken, if they are the
    same, within 1e-3, when they are asked for again and after another text with the same beginning.
    A server that answers without them, or refuses every way, cannot score; then one token is asked
    for, to see whether it writes there at all and which fields it takes.

    Raises:
        Exception: One of `failures`: the server is not there, refuses the key, or has no
            such model.
    """
    why_not = WhyNoScores.NOT_GIVEN
    for way in EchoWay:
        try:
            echo = await _echo(connection, model, way, TEXT)
            doubt = await _doubt(connection, model, way, echo)
        except failures() as error:
            status = status_of(error)
            if status in _NO_SUCH:
                break  # no endpoint, or no model: the next question tells which
            gone = status is None and not is_sent(error)
            if gone or status in (401, 403) or _comes_back(error):
                raise
            continue
        if doubt is None:
            other = _other_than(model, getattr(echo, "model", None))
            return Capabilities(
                endpoint=Endpoint.COMPLETIONS,
                way=way,
                why_not=None,
                catalogue=catalogue,
                other_model=other,
            )
        why_not = doubt if why_not is WhyNoScores.NOT_GIVEN else why_not
    for endpoint in Endpoint:
        asked = WritingRequest(
            model=model, request=_ONE_TOKEN, number=0, endpoint=endpoint, dialect=_NO_LOG_PROBS
        )
        try:
            written, dialect = await write_in_its_dialect(connection, asked, lambda text: None)
        except failures() as error:
            if status_of(error) in _NO_SUCH and endpoint is Endpoint.COMPLETIONS:
                continue
            raise
        dialect = replace(dialect, left_out=dialect.left_out - _NO_LOG_PROBS.left_out)
        other = _other_than(model, written.model)
        return Capabilities(
            endpoint=endpoint,
            way=None,
            why_not=why_not,
            catalogue=catalogue,
            dialect=dialect,
            other_model=other,
        )
    raise AssertionError("the last endpoint answers or raises")


async def write_in_its_dialect(
    connection: Connection, asked: WritingRequest, show: Show
) -> tuple[WrittenText, Dialect]:
    """What the server writes, asked without the fields that it refuses, and the dialect found.

    Raises:
        Exception: One of `failures`.
    """
    while True:
        try:
            return await connection.ask(partial(write, asked=asked, show=show)), asked.dialect
        except failures() as error:
            dialect = asked.dialect.after(error)
            if dialect is None:
                raise
        asked = replace(asked, dialect=dialect)


async def listed(connection: Connection) -> Catalogue:
    """The server's list of models; an empty one where it has none or cannot make it.

    Raises:
        Exception: One of `failures`: the server is not there, or refuses the key.
    """

    async def ask(client: "AsyncOpenAI") -> object:
        return await client.get("/models", cast_to=object, options={"timeout": QUICK})

    try:
        # Here nothing was answered yet: whoever set a wrong address or proxy learns of it at once.
        return Catalogue.from_json(
            await connection.ask(
                ask, may_pass=lambda error: _comes_back(error) and not is_not_reached(error)
            )
        )
    except failures() as error:
        if status_of(error) in (None, 401, 403) and not isinstance(error, ValueError | HalfAnswer):
            raise
        return Catalogue()


async def _echo(connection: Connection, model: str, way: EchoWay, text: str) -> "Completion":
    """The server's answer to the question for the log-probabilities of a text."""
    from openai.types import Completion

    body = way.to_json(model, text)

    async def ask(client: "AsyncOpenAI") -> Completion:
        answer: Completion = await client.post("/completions", cast_to=Completion, body=body)
        check_no_error(answer)
        return answer

    return await connection.ask(ask, may_pass=_comes_back)


async def _doubt(
    connection: Connection, model: str, way: EchoWay, answer: "Completion"
) -> WhyNoScores | None:
    """Why what an answer has are no log-probabilities to rely on; None where they are.

    Raises:
        Exception: One of `failures`.
    """
    first = _log_probs_of(way, answer)
    if isinstance(first, WhyNoScores):
        return first
    for text in _IN_TURN:
        again = _log_probs_of(way, await _echo(connection, model, way, text))
        if isinstance(again, WhyNoScores):
            return again
        if text == TEXT and not _are_same(first, again):
            return WhyNoScores.UNSTEADY
    return None


def _log_probs_of(way: EchoWay, answer: "Completion") -> TokenLogProbs | WhyNoScores:
    """The log-probabilities of the whole text, or why there are none."""
    try:
        echoed = read_echo(way, answer)
    except AboveZero:
        return WhyNoScores.ABOVE_ZERO
    except HalfAnswer:
        return WhyNoScores.NOT_GIVEN
    # Some servers give the tokens that they wrote instead (llama.cpp does), which are too few.
    whole = len(echoed.log_probs) > 2 and None not in echoed.log_probs[1:]
    return echoed if whole else WhyNoScores.NOT_GIVEN


def _are_same(one: TokenLogProbs, other: TokenLogProbs) -> bool:
    pairs = zip(one.log_probs[1:], other.log_probs[1:], strict=False)
    return one.pieces == other.pieces and all(
        abs((a or 0.0) - (b or 0.0)) <= ROUNDING for a, b in pairs
    )


def _other_than(asked: str, answered: object) -> str:
    """The name of the model that answered, where it is another one."""
    name = answered if isinstance(answered, str) else ""
    return "" if is_same_model(asked, name) else name


def _comes_back(error: Exception) -> bool:
    """Whether the server is only busy or away: a plain 500 can be its way to refuse a field.

    So can be an error without a status.
    """
    status = status_of(error)
    return status != 500 and is_passing(error) and not (is_sent(error) and status is None)
