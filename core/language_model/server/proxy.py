"""The proxy between here and a server, as the environment or the system names it."""

import os
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from ...errors import InvalidInput

NO_PROXY = "NO_PROXY"
_SYSTEM = "the system"
_SCHEMES = ("http", "https", "socks5", "socks5h")


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy; printed, it does not show its password.

    Attributes:
        url: As it was given, with `http://` before it where it had no scheme.
        shown: The same without user name, password and path.
        named_by: The environment variable that names it, or "the system".
    """

    url: str = field(repr=False)
    shown: str
    named_by: str


def find_proxy(server: SplitResult) -> Proxy | None:
    """The proxy through which a server is reached; None where it is reached directly.

    The server is reached directly where it is on this machine, whatever the environment says, and
    where `NO_PROXY` has its host: as a name, the end of one, a pattern, an address or a network.

    Args:
        server: The parts of the server's URL.

    Raises:
        InvalidInput: The proxy cannot be used: its URL is none, it is of an unknown kind, or it
            needs a package that is not installed.
    """
    host, known = server.hostname or "", getproxies()
    given = known.get(server.scheme) or known.get("all")
    if not given or is_here(host) or _is_left_out(host, server.netloc.rpartition("@")[2], known):
        return None
    url = given if "://" in given else f"http://{given}"
    variables = (f"{scheme}_proxy" for scheme in (server.scheme, "all"))
    names = (name for each in variables for name in (each, each.upper()))
    return _checked(url, next(filter(os.environ.get, names), _SYSTEM), host)


def is_here(host: str) -> bool:
    """Whether a host is this machine, so that no proxy can know it."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _is_left_out(host: str, with_port: str, known: dict[str, str]) -> bool:
    if proxy_bypass(with_port):
        return True
    entries = [each.strip().lower() for each in known.get("no", "").split(",")]
    return any(fnmatchcase(host, each) or _is_in(host, each) for each in entries if each)


def _is_in(host: str, network: str) -> bool:
    try:
        return ip_address(host) in ip_network(network, strict=False)
    except ValueError:
        return False


def _checked(url: str, named_by: str, host: str) -> Proxy:
    try:
        parts = urlsplit(url)
        name, port = parts.hostname, parts.port
    except ValueError:
        parts, name, port = urlsplit(""), None, None
    # It is not shown where it cannot be read: it may have a password anywhere.
    instead = f"or put {host} into {NO_PROXY} if the server is reached without a proxy"
    if not name or not url.isprintable() or " " in url:
        raise InvalidInput(
            f"The proxy that {named_by} names cannot be read: write it as http://host:port, "
            f"{instead}."
        )
    address = f"[{name}]" if ":" in name else name
    shown = f"{parts.scheme}://{address}" + ("" if port is None else f":{port}")
    if parts.scheme not in _SCHEMES:
        raise InvalidInput(
            f"The proxy {shown} that {named_by} names is of the kind {parts.scheme!r}; write one "
            f"that begins with {'://, '.join(_SCHEMES[:-1])}:// or {_SCHEMES[-1]}://, {instead}."
        )
    if parts.scheme.startswith("socks") and find_spec("socksio") is None:
        raise InvalidInput(
            f"The proxy {shown} that {named_by} names needs the package socksio, which is not "
            f"installed: run pip install socksio and start again, {instead}."
        )
    return Proxy(url, shown, named_by)
