"""One service a page and a command: a request goes in, a result comes out."""

from .studio import Setup, Studio

__all__ = ["Setup", "Studio"]
