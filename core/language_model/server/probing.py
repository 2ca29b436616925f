"""What a server can do, found by asking it for the log-probabilities of one short text."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from ...generation import GenerationRequest
from .about import Catalogue
from .asking import Endpoint, WritingRequest, write
from .connection import Connection, Show
from .dialect import Dialect
from .echo import Way, read_echo
from .failures import HalfAnswer, failures, is_passing, is_sent, status_of
from .generations import is_same_model
from .written import WrittenText, check_no_error

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types import Completion

TEXT = "Q: What colour is the sky?\nA: Blue"
_ONE_TOKEN = GenerationRequest(TEXT, max_new_tokens=1)
QUICK = 10.0
"""Seconds for the list of models, which needs no model: a server that hangs shows here."""
_NO_SUCH = (404, 405)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What was found out about a model behind a server.

    Attributes:
        endpoint: Where it continues a prompt: completions, or chat where it has none.
        way: How it gives log-probabilities of a prompt; None where it does not.
        catalogue: What the server lists.
        dialect: Which fields it takes.
        other_model: The name under which another model answers; empty where the one asked for does.
    """

    endpoint: Endpoint
    way: Way | None
    catalogue: Catalogue
    dialect: Dialect = Dialect()
    other_model: str = ""


async def probe(connection: Connection, model: str, catalogue: Catalogue) -> Capabilities:
    """What the model behind the server can do.

    The first way whose answer has the log-probabilities of the whole text is taken, so a server
    that can score is asked once. One that answers without them, or refuses every way, cannot; then
    one token is asked for, to see whether it writes there at all and which fields it takes.

    Raises:
        Exception: One of `failures`: the server is not there, refuses the key, or has no
            such model.
    """
    for way in Way:
        try:
            echo = await _echo(connection, model, way)
        except failures() as error:
            status = status_of(error)
            if status in _NO_SUCH:
                break  # no endpoint, or no model: the next question tells which
            gone = status is None and not is_sent(error)
            if gone or status in (401, 403) or _comes_back(error):
                raise
            continue
        if _has_log_probs(way, echo):
            other = _other_than(model, getattr(echo, "model", None))
            return Capabilities(Endpoint.COMPLETIONS, way, catalogue, other_model=other)
    for endpoint in Endpoint:
        asked = WritingRequest(model, _ONE_TOKEN, 0, endpoint, Dialect(log_probs=False))
        try:
            written, dialect = await write_in_its_dialect(connection, asked, lambda text: None)
        except failures() as error:
            if status_of(error) in _NO_SUCH and endpoint is Endpoint.COMPLETIONS:
                continue
            raise
        dialect = replace(dialect, log_probs=True)
        return Capabilities(endpoint, None, catalogue, dialect, _other_than(model, written.model))
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
        return Catalogue.from_json(await connection.ask(ask, may_pass=_comes_back))
    except failures() as error:
        if status_of(error) in (None, 401, 403) and not isinstance(error, ValueError | HalfAnswer):
            raise
        return Catalogue()


async def _echo(connection: Connection, model: str, way: Way) -> "Completion":
    """The server's answer to the question for the log-probabilities of a text."""
    from openai.types import Completion

    body = way.to_json(model, TEXT)

    async def ask(client: "AsyncOpenAI") -> Completion:
        answer: Completion = await client.post("/completions", cast_to=Completion, body=body)
        check_no_error(answer)
        return answer

    return await connection.ask(ask, may_pass=_comes_back)


def _has_log_probs(way: Way, answer: "Completion") -> bool:
    """Whether the answer has the log-probabilities of the whole text."""
    try:
        echoed = read_echo(way, answer)
    except HalfAnswer:
        return False
    # Some servers give the tokens that they wrote instead (llama.cpp does), which are too few.
    return len(echoed.log_probs) > 2 and None not in echoed.log_probs[1:]


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
