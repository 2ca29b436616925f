"""What a server can do, found by asking it for the log-probabilities of one short text."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ...generation import GenerationRequest
from .about import Catalogue
from .asking import Asked, Endpoint, write
from .connection import Connection
from .echo import Way, read_echo
from .failures import HalfAnswer, failures, is_passing, status_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI

TEXT = "Q: What colour is the sky?\nA: Blue"
QUICK = 10.0
"""Seconds for the list of models, which needs no model: a server that hangs shows here."""
_NO_SUCH = (404, 405)


@dataclass(frozen=True, slots=True)
class Found:
    """What was found out about a model behind a server.

    Attributes:
        endpoint: Where it continues a prompt: completions, or chat where it has none.
        way: How it gives log-probabilities of a prompt; None where it does not.
        catalogue: What the server lists.
    """

    endpoint: Endpoint
    way: Way | None
    catalogue: Catalogue


async def probe(connection: Connection, model: str, catalogue: Catalogue) -> Found:
    """What the model behind the server can do.

    The first way whose answer has the log-probabilities of the whole text is taken, so a server
    that can score is asked once. One that answers without them, or refuses every way, cannot; then
    one token is asked for, where it did not even answer, to see whether it writes there at all.

    Raises:
        Exception: One of `failures`: the server is not there, refuses the key, or has no
            such model.
    """
    answers = False
    for way in Way:
        try:
            if await _scores(connection, model, way):
                return Found(Endpoint.COMPLETIONS, way, catalogue)
            answers = True
        except failures() as error:
            status = status_of(error)
            if status in _NO_SUCH:
                break  # no endpoint, or no model: the next question tells which
            if status is None or status in (401, 403) or _comes_back(error):
                raise
    if answers or await _writes(connection, model, Endpoint.COMPLETIONS):
        return Found(Endpoint.COMPLETIONS, None, catalogue)
    await connection.ask(partial(_write_one, model, Endpoint.CHAT))
    return Found(Endpoint.CHAT, None, catalogue)


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


async def _scores(connection: Connection, model: str, way: Way) -> bool:
    """Whether the server answers this way with the log-probabilities of the whole text."""
    from openai.types import Completion

    body = way.to_json(model, TEXT)

    async def ask(client: "AsyncOpenAI") -> Completion:
        return await client.post("/completions", cast_to=Completion, body=body)

    answer = await connection.ask(ask, may_pass=_comes_back)
    try:
        echoed = read_echo(way, answer)
    except HalfAnswer:
        return False
    # Some servers give the tokens that they wrote instead (llama.cpp does), which are too few.
    return len(echoed.log_probs) > 2 and None not in echoed.log_probs[1:]


async def _writes(connection: Connection, model: str, endpoint: Endpoint) -> bool:
    try:
        await connection.ask(partial(_write_one, model, endpoint))
    except failures() as error:
        if status_of(error) in _NO_SUCH:
            return False
        raise
    return True


async def _write_one(model: str, endpoint: Endpoint, client: "AsyncOpenAI") -> None:
    request = GenerationRequest(TEXT, max_new_tokens=1)
    await write(client, Asked(model, request, 0, endpoint, log_probs=False), lambda text: None)


def _comes_back(error: Exception) -> bool:
    """Whether the server is only busy or away: a plain 500 can be its way to refuse a field."""
    return status_of(error) != 500 and is_passing(error)
