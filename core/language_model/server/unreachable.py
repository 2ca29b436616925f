"""Why a server is not reached: who does not answer, and what to do about it."""

import socket
import ssl
from collections.abc import Iterator

from .address import BASE_URL, Address
from .proxy import NO_PROXY, Proxy

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
