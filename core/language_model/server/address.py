"""Where a model's server is, by the environment, and the proxy before it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from urllib.parse import SplitResult, unquote, urlsplit
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


BASE_URL = "SHOTLIST_OPENAI_BASE_URL"
API_KEY = "OPENAI_API_KEY"
CONCURRENCY = "SHOTLIST_OPENAI_CONCURRENCY"
PREFIX = "openai:"
"""What a name begins with that means a model behind a server."""
EXAMPLE = "http://127.0.0.1:8000/v1"
AT_ONCE = 8
"""Requests that are in flight together, where the environment names no other number."""

NO_KEY = "no-key"
"""Sent where there is no key: the protocol requires one, and local servers ignore it."""
HIDDEN = "***"
_SECRET = 8
"""Letters that a secret has at least: shorter ones are parts of ordinary words."""
_SENT = {
    API_KEY: "the key",
    "OPENAI_ORG_ID": "the organization",
    "OPENAI_PROJECT_ID": "the project",
}
"""What the library sends with every request, by the variables that it reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A server and how it is asked; printed, it shows neither the key nor a password.

    Attributes:
        url: The base URL as it was given, with a user name and password where it has them.
        key: The API key; empty where there is none.
        shown: The base URL without user name, password, query and fragment.
        host: The server's host, with its port where the URL has one.
        at_once: How many requests may be in flight together, >= 1.
        proxy: The proxy through which it is reached; None where it is reached directly.
    """

    url: str = field(repr=False)
    key: str = field(repr=False)
    shown: str
    host: str
    at_once: int = AT_ONCE
    proxy: Proxy | None = None

    @property
    def where(self) -> str:
        """The server as a sentence names it, with the proxy before it."""
        through = f" (through the proxy {self.proxy.shown})" if self.proxy else ""
        return f"{self.shown}{through}"

    def without_secrets(self, text: str) -> str:
        """The text with the key, and what else is secret in the URLs, replaced by stars.

        Secrets of fewer than 8 letters are left: they are in too many ordinary words.
        """
        parts = urlsplit(self.url)
        of_proxy = urlsplit(self.proxy.url).password if self.proxy else None
        written = (self.key, parts.password or "", parts.query, of_proxy or "")
        secrets = {each for each in (*written, *map(unquote, written)) if len(each) >= _SECRET}
        for secret in sorted(secrets, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return text


def find_address(environment: Mapping[str, str] = os.environ) -> Address:
    """The server that the environment names: base URL, key, how many requests at once.

    Raises:
        InvalidInput: There is no base URL, or it is none, or the number is none; the key, or what
            else is sent with it, has letters that cannot be sent; or its proxy cannot be used.
    """
    url = environment.get(BASE_URL, "").strip()
    if not url:
        raise InvalidInput(
            f"A model behind a server needs the server's base URL; set {BASE_URL}, such as "
            f"{EXAMPLE}, and {API_KEY} where the server wants a key."
        )
    for variable, what in _SENT.items():
        _check_sendable(environment.get(variable, "").strip(), what, variable)
    return address_of(
        url, environment.get(API_KEY, "").strip(), _at_once(environment.get(CONCURRENCY, ""))
    )


def address_of(url: str, key: str = "", at_once: int = AT_ONCE) -> Address:
    """The address of a base URL.

    Raises:
        InvalidInput: The URL does not begin with http:// or https://, has no host, or has blanks
            or line ends in it; or the proxy that the environment names cannot be used.
    """
    try:
        parts = urlsplit(url)
        host = _host(parts)
    except ValueError:
        parts, host = urlsplit(""), ""
    broken = " " in url or not url.isprintable()
    if parts.scheme not in ("http", "https") or not host or broken:
        # It is not shown: what cannot be read may have a password anywhere.
        raise InvalidInput(
            f"The base URL of the model's server cannot be read; set {BASE_URL} to one that "
            f"begins with http:// or https://, such as {EXAMPLE}."
        )
    shown = f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
    return Address(
        url=url, key=key, shown=shown, host=host, at_once=at_once, proxy=find_proxy(parts)
    )


def _check_sendable(given: str, what: str, variable: str) -> None:
    """Refuse what no header of a request can have: only the letters of ASCII are sent."""
    place = next((at for at, letter in enumerate(given) if not " " <= letter <= "~"), None)
    if place is None:
        return
    letter = given[place]
    name = "a line end" if letter in "\r\n" else f"{letter!r}, which cannot be sent,"
    raise InvalidInput(
        f"{what.capitalize()} in {variable} has {name} at place {place + 1} of {len(given)}; copy "
        f"{what} again, and set {variable} to it alone."
    )


def _host(parts: SplitResult) -> str:
    name = parts.hostname or ""
    if ":" in name:
        name = f"[{name}]"
    return name if parts.port is None or not name else f"{name}:{parts.port}"


def _at_once(given: str) -> int:
    if not given.strip():
        return AT_ONCE
    try:
        number = int(given)
    except ValueError:
        number = 0
    if number < 1:
        raise InvalidInput(
            f"{CONCURRENCY} is {given!r}; it must be a whole number of 1 or more: how many "
            "requests the server gets at the same time."
        )
    return number
