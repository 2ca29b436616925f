"""The rows of a comparison: a setting each, under a name, written and read as one line of text."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ...retrieval.knobs import KNOBS, Knob, Knobs
from ...retrieval.registry import find_method, settled

MODEL = "model"
"""The key that names a row's language model."""
EXAMPLE = "'close: rel+div lambda_d=0.9 k=4'"


@dataclass(frozen=True)
class Row:
    """A setting under a name: a method with its knobs, for the model of that name.

    `model` None is the model that the comparison is made with.
    """

    name: str
    knobs: Knobs
    model: str | None = None

    @property
    def setting(self) -> tuple[Any, ...]:
        """All that the row's figures depend on: two rows with the same are the same."""
        method = find_method(self.knobs.method)
        knobs = method.settle(self.knobs)
        values = tuple(
            method.among(knobs) if name == "candidates" else value_of(knobs, name)
            for name in method.knobs
        )
        return (self.model, method.name, *values)


def rows_of_methods(methods: Sequence[str], knobs: Knobs) -> tuple[Row, ...]:
    """A row for each method under its own name, with knobs that all of them share.

    Raises:
        InvalidInput: A method is unknown.
    """
    return tuple(Row(name, replace(knobs, method=find_method(name).name)) for name in methods)


def check_rows(rows: Sequence[Row]) -> None:
    """Refuse rows that cannot be distinguished.

    Raises:
        InvalidInput: None, two of one name, or two that are the same setting.
    """
    if not rows:
        raise InvalidInput("No setting to compare was given; name at least one method.")
    first: dict[tuple[Any, ...], str] = {}
    names = set[str]()
    for row in rows:
        other = first.get(row.setting)
        if other is not None:
            given = (
                f"setting {other!r} is named twice"
                if other == row.name
                else f"settings {other!r} and {row.name!r} are the same"
            )
            raise InvalidInput(f"The {given}; change a knob of one of them, or leave one out.")
        first[row.setting] = row.name
        if row.name in names:
            raise InvalidInput(
                f"Two settings have the name {row.name!r}; give each a name of its own."
            )
        names.add(row.name)


def parse_row(text: str, shared: Knobs) -> Row:
    """The row of a line: `NAME: METHOD key=value ...`, or without a name `METHOD key=value ...`.

    `METHOD@key=value,key=value` means the same. A row without a name is called by its method and
    by the knobs that it gives. A value with a space is written in quotes, and so is a name with a
    colon or an equals sign of its own.

    Args:
        text: The line.
        shared: The knobs that the line does not give.

    Raises:
        InvalidInput: It names no method or an unknown one, gives a knob twice or one that the
            method does not have, or a value that is not allowed.
    """
    name, words = _named(_words(text))
    if not words:
        raise InvalidInput(f"The setting {text!r} names no method; write it as {EXAMPLE}.")
    method, _, settings = words[0].partition("@")
    keys = [*filter(None, settings.split(",")), *words[1:]]
    find_method(method)
    values: dict[str, str] = {}
    for key, value in (_key_and_value(each, text) for each in keys):
        if key in values:
            raise InvalidInput(f"The setting {text!r} gives {key} twice; leave one of them out.")
        values[key] = value
    model = values.pop(MODEL, None)
    if model == "":
        raise InvalidInput(
            f"The setting {text!r} names no model after model=; leave it out for the chosen one."
        )
    knobs = _with_values(replace(shared, method=method), values)
    return Row(name or name_of(knobs, shared, model), knobs, model)


def write_row(row: Row, shared: Knobs) -> str:
    """The line that `parse_row` reads as this row, with the same shared knobs."""
    words = [row.knobs.method, *(f"{key}={value}" for key, value in _differing(row.knobs, shared))]
    if row.model is not None:
        words.append(f"{MODEL}={row.model}")
    return shlex.join([f"{row.name}:", *words])


def name_of(knobs: Knobs, shared: Knobs, model: str | None = None) -> str:
    """The name of a setting: its method, and what differs from the shared knobs.

    A model is called by the last part of its folder or of its name on the hub.
    """
    settings = [f"{key}={value}" for key, value in _differing(knobs, shared)]
    if model is not None:
        settings.append(f"{MODEL}={Path(model).name or model}")
    return f"{knobs.method}@{','.join(settings)}" if settings else knobs.method


def value_of(knobs: Knobs, name: str) -> Any:
    """The value of a knob that all methods share, or of one that is the method's own."""
    return getattr(knobs, name) if name in KNOBS else settled(knobs).own(name)


def knob_of(method: str, name: str) -> Knob:
    """The metadata of a knob that the method's choice depends on.

    Raises:
        InvalidInput: It depends on no such knob.
    """
    found = find_method(method)
    if name not in found.knobs:
        offered = ", ".join((*found.knobs, MODEL))
        raise InvalidInput(f"The method {method!r} has no knob {name!r}; it has {offered}.")
    own = {knob.name: knob for knob in found.own}
    return own[name] if name in own else KNOBS[name]


def with_value(knobs: Knobs, name: str, value: Any) -> Knobs:
    """The knobs with one of the method's knobs changed; the value may be a text.

    Raises:
        InvalidInput: The method has no such knob, or the value is not allowed.
    """
    found = knob_of(knobs.method, name).checked(value)
    if name in KNOBS:
        return replace(knobs, **{name: found})
    knobs = replace(knobs, own_values=(*dict(knobs.own_values, **{name: found}).items(),))
    return replace(knobs, own_values=find_method(knobs.method).own_changes(knobs))


def _with_values(knobs: Knobs, values: dict[str, str]) -> Knobs:
    for name, value in values.items():
        knobs = with_value(knobs, name, value)
    return knobs


def _differing(knobs: Knobs, shared: Knobs) -> list[tuple[str, Any]]:
    other = replace(shared, method=knobs.method, own_values=())
    values = ((name, value_of(knobs, name)) for name in find_method(knobs.method).knobs)
    return [(name, value) for name, value in values if value != value_of(other, name)]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        raise InvalidInput(
            f"The setting {text!r} opens a quote and does not close it; write it as {EXAMPLE}."
        ) from None


def _named(words: list[str]) -> tuple[str, list[str]]:
    """The name, up to the first word that ends with a colon, and the words after it."""
    for place, word in enumerate(words):
        if word.endswith(":"):
            return " ".join(words[: place + 1])[:-1], words[place + 1 :]
        if "=" in word:
            break
    return "", words


def _key_and_value(text: str, row: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise InvalidInput(
            f"{text!r} in the setting {row!r} is no key=value; write it as {EXAMPLE}."
        )
    return key.replace("-", "_"), value
