"""What goes wrong between here and a server: tried again, or said, and why unreached."""

import socket
import ssl
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from random import random
from time import time

from ...errors import InvalidInput
from ...text import listed, short
from .address import API_KEY, BASE_URL, CONCURRENCY, NO_PROXY, Address, Proxy

CERTIFICATES = "SSL_CERT_FILE"


def is_not_reached(error: Exception) -> bool:
    """Whether no request got as far as the server."""
    import httpx2

    kinds = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ProxyError)
    return any(isinstance(each, kinds) for each in _chain(error))


def no_connection(error: Exception, address: Address) -> str:
    """Why the server was not reached or does not answer, without a full stop; else empty.

    Args:
        error: What the last try ended with.
        address: The server's.
    """
    import httpx2
    from openai import APITimeoutError

    chain, proxy, where = tuple(_chain(error)), address.proxy, address.where
    refused = next((each for each in chain if isinstance(each, httpx2.ProxyError)), None)
    if refused is not None and proxy is not None:
        return proxy_refused(proxy, str(refused)).removesuffix(".")
    if any(isinstance(each, ssl.SSLError) for each in chain):
        return _no_trust(chain, where)
    if any(isinstance(each, httpx2.ConnectError | httpx2.ConnectTimeout) for each in chain):
        if proxy is not None:
            return (
                f"The proxy {proxy.shown}, which {proxy.named_by} names, does not answer, and "
                f"{address.shown} is reached through it: {_instead(proxy)}"
            )
        if any(isinstance(each, socket.gaierror) for each in chain):
            return (
                f"The name of the host in {where} is not known here: set {BASE_URL} to the "
                "server's right name or address"
            )
    if isinstance(error, APITimeoutError):
        return f"The server at {where} did not answer in time"
    if any(isinstance(each, httpx2.ConnectError | httpx2.UnsupportedProtocol) for each in chain):
        return (
            f"Nothing answers at {where}: start the server, or set {BASE_URL} to where it listens"
        )
    return ""


def proxy_refused(proxy: Proxy, said: str) -> str:
    """That a proxy lets nothing through, as a sentence."""
    return (
        f"The proxy {proxy.shown}, which {proxy.named_by} names, refused the connection "
        f"({said.strip()}): {_instead(proxy)}."
    )


def _instead(proxy: Proxy) -> str:
    return (
        f"correct it, with name and password where it wants them, or put the server's host into "
        f"{NO_PROXY} if it is reached without one"
    )


def _no_trust(chain: tuple[BaseException, ...], where: str) -> str:
    """The sentence for a connection that could not be made secure."""
    untrusted = next((each for each in chain if isinstance(each, ssl.SSLCertVerificationError)), 0)
    if isinstance(untrusted, ssl.SSLCertVerificationError):
        return (
            f"The certificate of the server at {where} cannot be trusted "
            f"({untrusted.verify_message}): set {CERTIFICATES} to a file that has the certificate "
            "of who signed it"
        )
    return (
        f"The server at {where} speaks no https: set {BASE_URL} to an address that begins with "
        "http:// if it is on a network that you trust"
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it comes from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


PASSING = (408, 409, 425, 429)
"""Statuses below 500 that another try may end: too slow, in conflict, too early, too many."""
NEVER_PASSING = (501, 505)
_TOO_LONG = ("context length", "context size", "context window", "maximum context", "too long")
_SHOWN = 12
"""Names of models that a sentence lists at most."""


class HalfAnswer(Exception):
    """An answer that is cut off, or is not what the protocol says."""


class ServerError(HalfAnswer):
    """An error that the server sent in place of an answer, or at the end of one.

    Attributes:
        said: The server's sentence.
        status: The HTTP status that it names in it; None where it names none.
    """

    def __init__(self, said: str, status: int | None = None) -> None:
        super().__init__(said)
        self.said, self.status = said, status


class AboveZero(HalfAnswer):
    """A log-probability that is more than rounding above 0: no probability is above 1."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and after which pauses a request is sent again.

    Attributes:
        tries: How often a request is sent at most, >= 1; 1 never tries again.
        base: Seconds before the second try; each later pause is twice as long. A random part of up
            to a half is taken off, so that many requests do not come back together. 0 never waits.
        longest: Seconds that a pause has at most. A server that asks for more (`Retry-After`) is
            not asked again.
    """

    tries: int = 6
    base: float = 0.5
    longest: float = 60.0

    def pause(self, tried: int, asked: float | None) -> float | None:
        """Seconds to wait after so many tries; None where there is no other one.

        Args:
            tried: How often the request was sent, >= 1.
            asked: The seconds that the server asks for; None where it names none.
        """
        if tried >= self.tries or (asked or 0.0) > self.longest:
            return None
        if asked is not None:
            return max(asked, 0.0)
        return min(self.base * 2.0 ** (tried - 1), self.longest) * (1.0 - 0.5 * random())


@cache
def failures() -> tuple[type[Exception], ...]:
    """The exceptions with which a request can end."""
    import httpx2
    from openai import OpenAIError

    return (OpenAIError, httpx2.HTTPError, HalfAnswer, ValueError)


def status_of(error: Exception) -> int | None:
    """The HTTP status that the server answered with, or names in the error that it sent.

    None where it did not get so far.
    """
    from openai import APIStatusError

    if isinstance(error, APIStatusError):
        return error.status_code
    row = _body_of(error)
    named = error.status if isinstance(error, ServerError) else row.get("code") or row.get("status")
    return named if isinstance(named, int) and 400 <= named < 600 else None


def is_passing(error: Exception) -> bool:
    """Whether the same request may succeed when it is sent again."""
    status = status_of(error)
    if status is None:
        return not isinstance(error, AboveZero)
    if getattr(error, "code", None) == "insufficient_quota":
        return False  # a 429 that stays until somebody pays
    return status in PASSING or (status >= 500 and status not in NEVER_PASSING)


def asked_pause(error: Exception) -> float | None:
    """The seconds that the server asks to wait (`Retry-After`); None where it names none."""
    from openai import APIStatusError

    if not isinstance(error, APIStatusError):
        return None
    given = error.response.headers.get("retry-after", "")
    try:
        return float(given)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(given).timestamp() - time()
    except (TypeError, ValueError):
        return None


def is_too_long(error: Exception) -> bool:
    """Whether the server refused a prompt for its length."""
    said = words_of(error).lower()
    return status_of(error) in (400, 413, 422, 500) and (
        getattr(error, "code", None) == "context_length_exceeded"
        or any(each in said for each in _TOO_LONG)
    )


def refusal(
    error: Exception,
    address: Address,
    model: str,
    *,
    known: Sequence[str] = (),
    window: int | None = None,
) -> InvalidInput:
    """The sentence that says what went wrong and what to do.

    Args:
        error: What the last try ended with.
        address: The server's.
        model: The model's name on the server.
        known: The names of the models that the server lists; empty where it lists none.
        window: The most tokens that the model takes; None where the server does not say it.
    """
    status, where = status_of(error), address.where
    if isinstance(error, AboveZero):
        return InvalidInput(
            f"The server at {where} sent something that cannot be right: {error}, and none is "
            "above 0; what was answered before is kept: start the server anew, or use another."
        )
    if status == 407 and address.proxy is not None:
        return InvalidInput(proxy_refused(address.proxy, "status 407"))
    if status in (401, 403):
        return InvalidInput(
            f"The server at {where} refused the key (status {status}); set {API_KEY} to one "
            f"that may use {model!r}."
        )
    misnamed = status in (400, 422) and bool(known) and model not in known
    if status in (404, 405) or (misnamed and not is_too_long(error)):
        return InvalidInput(_not_there(where, model, known))
    most = "" if window is None else f", which is at most {window} tokens"
    if is_too_long(error):
        return InvalidInput(
            f"A prompt with its answer is longer than {model!r} at {where} takes{most}: use fewer "
            "demonstrations or shorter text."
        )
    kept = "what was answered before is kept"
    if status == 429:
        return InvalidInput(
            f"The server at {where} takes no more requests for now (status 429); {kept}: start "
            f"again later, or with a smaller {CONCURRENCY}."
        )
    if status is not None and status >= 500:
        return InvalidInput(
            f"The server at {where} failed again and again (status {status}{_words(error, address)}"
            f"); {kept}: look at the server's own log, and start again."
        )
    if status is not None:
        return InvalidInput(
            f"The server at {where} refused a request to {model!r} (status {status}"
            f"{_words(error, address)}); see docs/servers.md for what a server must offer."
        )
    if is_sent(error):
        return InvalidInput(
            f"The server at {where} sent an error in place of an answer"
            f"{_words(error, address)}; {kept}: start again, or choose another model."
        )
    return InvalidInput(f"{no_connection(error, address) or _half(where)}; {kept}.")


def _half(where: str) -> str:
    return f"The server at {where} sent answers that are cut off or no JSON of the OpenAI protocol"


def _not_there(where: str, model: str, known: Sequence[str]) -> str:
    if not known:
        return (
            f"The server at {where} has no model {model!r}, or does not speak the OpenAI protocol "
            f"there; check the name, and that {BASE_URL} ends as the server says, mostly in /v1."
        )
    more = len(known) - _SHOWN
    names = listed([*known[:_SHOWN], *([f"{more:,} more"] if more > 0 else [])])
    return f"The server at {where} has no model {model!r}; it has {names}."


def words_of(error: Exception) -> str:
    """What the server says, as the protocol has it or as FastAPI does."""
    if isinstance(error, ServerError):
        return error.said
    row = _body_of(error)
    return str(row.get("message") or row.get("detail") or getattr(error, "message", ""))


def is_sent(error: Exception) -> bool:
    """Whether the server sent an error, rather than none or half of an answer."""
    return isinstance(error, ServerError) or bool(_body_of(error))


def _body_of(error: Exception) -> Mapping[str, object]:
    """What the server sent as an error, as an object; empty where it sent none."""
    body = getattr(error, "body", None)
    return body if isinstance(body, dict) else {}


def _words(error: Exception, address: Address) -> str:
    said = short(address.without_secrets(words_of(error)), 160)
    return f": {said}" if said else ""
