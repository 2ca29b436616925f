"""Every reader by its name, in the order in which they are offered."""

from . import in_context, vote
from .reader import Reader

READERS: dict[str, Reader] = {reader.name: reader for reader in (vote.READER, in_context.READER)}
