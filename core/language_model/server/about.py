"""What a server says of its models, where it lists them (`/v1/models`)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...text import content_hash

WINDOW = 4096
"""Tokens that prompt and answer may have together where a server does not say it."""

_DECIDES = ("id", "root", "parent", "owned_by", "max_model_len", "meta")
"""What belongs to the fingerprint. Not `created`: vLLM and llama.cpp put the time of the question
there."""
_WINDOWS = (("max_model_len",), ("meta", "n_ctx"), ("meta", "n_ctx_train"), ("context_length",))
"""Where servers say how much a model reads: vLLM, llama.cpp twice, routers."""


@dataclass(frozen=True, slots=True)
class About:
    """What a server says of one model.

    Attributes:
        window: The most tokens of prompt and answer; None where it does not say.
        parameters: How many parameters the model has; None where it does not say.
        identity: What tells it from another one of the same name, as JSON.
    """

    window: int | None = None
    parameters: int | None = None
    identity: str = ""

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """What an entry of the list says."""
        window = next(filter(None, (_whole(row, *path) for path in _WINDOWS)), None)
        decides = {key: row[key] for key in _DECIDES if row.get(key) is not None}
        return cls(window, _whole(row, "meta", "n_params"), json.dumps(decides, sort_keys=True))


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The models that a server lists: none where it has no list."""

    names: tuple[str, ...] = ()
    about: tuple[About, ...] = ()

    @classmethod
    def from_json(cls, given: object) -> Self:
        """The list as the protocol has it; an empty one where it is something else."""
        rows = given.get("data") if isinstance(given, dict) else None
        found = [
            row
            for row in (rows if isinstance(rows, list) else ())
            if isinstance(row, dict) and isinstance(row.get("id"), str)
        ]
        return cls(tuple(row["id"] for row in found), tuple(map(About.from_json, found)))

    def of(self, name: str) -> About:
        """What it says of a model; nothing where the model is not in it.

        Ollama lists `llama3:latest` and answers to `llama3` as well.
        """
        for listed, about in zip(self.names, self.about, strict=True):
            if listed in (name, f"{name}:latest"):
                return about
        return About()


def fingerprint_of(url: str, name: str, endpoint: str, about: About, other_model: str = "") -> str:
    """32 hex digits of the server, the model's name and what the server says of it.

    Args:
        url: The base URL without user name and password.
        name: The model's name on the server.
        endpoint: Where it writes: a chat format changes every text.
        about: What the server says of the model. One that says nothing but the name gives other
            weights under the same name the same fingerprint: what was stored of the old ones is
            then taken for theirs.
        other_model: The name of the model that answers in its place; empty where none does.
    """
    other = (other_model,) if other_model else ()
    return content_hash("openai", url, name, endpoint, about.identity, *other)


def _whole(row: Mapping[str, object], *path: str) -> int | None:
    value: object = row
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, int) and value > 0 else None
