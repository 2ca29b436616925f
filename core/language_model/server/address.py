"""Where a model's server is, as the environment names it; the key appears in no text."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from ...errors import InvalidInput

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


@dataclass(frozen=True, slots=True)
class Address:
    """A server and how it is asked; printed, it shows neither the key nor a password.

    Attributes:
        url: The base URL as it was given, with a user name and password where it has them.
        key: The API key; empty where there is none.
        shown: The base URL without user name, password, query and fragment.
        host: The server's host, with its port where the URL has one.
        at_once: How many requests may be in flight together, >= 1.
    """

    url: str = field(repr=False)
    key: str = field(repr=False)
    shown: str
    host: str
    at_once: int = AT_ONCE

    def without_secrets(self, text: str) -> str:
        """The text with the key, and what else is secret in the URL, replaced by stars."""
        parts = urlsplit(self.url)
        written = (self.key, parts.password or "", parts.query)
        for secret in sorted({*written, *map(unquote, written)} - {""}, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return text


def find_address(environment: Mapping[str, str] = os.environ) -> Address:
    """The server that the environment names: base URL, key, how many requests at once.

    Raises:
        InvalidInput: There is no base URL, or it is none, or the number is none.
    """
    url = environment.get(BASE_URL, "").strip()
    if not url:
        raise InvalidInput(
            f"A model behind a server needs the server's base URL; set {BASE_URL}, such as "
            f"{EXAMPLE}, and {API_KEY} where the server wants a key."
        )
    return address_of(
        url, environment.get(API_KEY, "").strip(), _at_once(environment.get(CONCURRENCY, ""))
    )


def address_of(url: str, key: str = "", at_once: int = AT_ONCE) -> Address:
    """The address of a base URL.

    Raises:
        InvalidInput: The URL does not begin with http:// or https://, or has no host.
    """
    try:
        parts = urlsplit(url)
        host = _host(parts)
    except ValueError:
        parts, host = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not host:
        # It is not shown: what cannot be read may have a password anywhere.
        raise InvalidInput(
            f"The base URL of the model's server cannot be read; set {BASE_URL} to one that "
            f"begins with http:// or https://, such as {EXAMPLE}."
        )
    return Address(url, key, f"{parts.scheme}://{host}{parts.path.rstrip('/')}", host, at_once)


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
