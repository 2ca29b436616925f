"""One service a page and a command: a request goes in, a result comes out."""

from .session.studio import Setup, Studio

__all__ = ["Setup", "Studio"]
