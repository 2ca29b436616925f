"""The rows of a comparison: a setting each, as one line of text, and those of each model."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from ...errors import InvalidInput
from ...retrieval.choosing import METHODS, find_method
from ...retrieval.knobs import Knobs

MODEL = "model"
"""The key that names a row's language model."""
EXAMPLE = "'close: rel+div lambda_d=0.9 k=4'"


@dataclass(frozen=True)
class ComparisonRow:
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
            method.among(knobs) if name == "candidates" else method.value_of(knobs, name)
            for name in method.knobs
        )
        return (self.model, method.name, *values)

    @classmethod
    def parse(cls, text: str, shared: Knobs) -> Self:
        """The row of a line: `NAME: METHOD key=value ...`, or the same without a name.

        `METHOD@key=value,key=value` means the same. A row without a name is called by its method
        and by the knobs that it gives. A value with a space is written in quotes, and so is a name
        with a colon or an equals sign of its own.

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
                raise InvalidInput(
                    f"The setting {text!r} gives {key} twice; leave one of them out."
                )
            values[key] = value
        model = values.pop(MODEL, None)
        if model == "":
            raise InvalidInput(
                f"The setting {text!r} names no model after model=; leave it out for the chosen "
                "one."
            )
        row = cls(name, _with_values(replace(shared, method=method), values), model)
        return row if name else replace(row, name=row.usual_name(shared))

    def line(self, shared: Knobs) -> str:
        """The line that `parse` reads as this row, with the same shared knobs."""
        settings = (f"{key}={value}" for key, value in _differing(self.knobs, shared))
        words = [self.knobs.method, *settings]
        if self.model is not None:
            words.append(f"{MODEL}={self.model}")
        return shlex.join([f"{self.name}:", *words])

    def usual_name(self, shared: Knobs) -> str:
        """What it is called without a name: its method, and what differs from the shared knobs.

        A model is called by the last part of its folder or of its name on the hub.
        """
        settings = [f"{key}={value}" for key, value in _differing(self.knobs, shared)]
        if self.model is not None:
            settings.append(f"{MODEL}={Path(self.model).name or self.model}")
        return f"{self.knobs.method}@{','.join(settings)}" if settings else self.knobs.method


def rows_of_methods(methods: Sequence[str], knobs: Knobs) -> tuple[ComparisonRow, ...]:
    """A row for each method under its own name, with knobs that all of them share.

    Raises:
        InvalidInput: A method is unknown.
    """
    return tuple(
        ComparisonRow(name, replace(knobs, method=find_method(name).name)) for name in methods
    )


def check_rows(rows: Sequence[ComparisonRow]) -> None:
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


def _with_values(knobs: Knobs, values: dict[str, str]) -> Knobs:
    method = METHODS[knobs.method]
    for name, value in values.items():
        if name not in method.knobs:
            offered = ", ".join((*method.knobs, MODEL))
            raise InvalidInput(
                f"The method {method.name!r} has no knob {name!r}; it has {offered}."
            )
        knobs = method.with_value(knobs, name, value)
    return knobs


def _differing(knobs: Knobs, shared: Knobs) -> list[tuple[str, Any]]:
    method = find_method(knobs.method)
    other = replace(shared, method=knobs.method, own_values=())
    values = ((name, method.value_of(knobs, name)) for name in method.knobs)
    return [(name, value) for name, value in values if value != method.value_of(other, name)]


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


@dataclass(frozen=True)
class RowsOfModel:
    """What is compared for one model: its rows, and those of them that are its references.

    No `references` leaves it to the comparison, which takes the first row.
    """

    model: str
    rows: tuple[ComparisonRow, ...]
    references: tuple[str, ...] = ()


def by_model(
    rows: Sequence[ComparisonRow], references: Sequence[str], chosen: str
) -> tuple[RowsOfModel, ...]:
    """The rows of each model, the models in the order in which they first appear.

    A reference counts for every model: for one that has no row of that name, its row of the same
    setting is the reference, where it has one.

    Args:
        rows: The rows of all models, with names of their own.
        references: Names of rows; one that no row has goes to every model, to be refused.
        chosen: The model of the rows that name none.

    Raises:
        InvalidInput: No rows, two of one name, or two of one setting under one model.
    """
    named = [replace(row, model=row.model or chosen) for row in rows]
    check_rows(named)
    groups: dict[str, list[ComparisonRow]] = {}
    for row in named:
        groups.setdefault(row.model or chosen, []).append(row)
    by_name = {row.name: row for row in named}
    return tuple(
        RowsOfModel(
            model,
            tuple(group),
            tuple(
                dict.fromkeys(
                    found
                    for name in references
                    if (found := _among(group, name, by_name.get(name))) is not None
                )
            ),
        )
        for model, group in groups.items()
    )


def setting_of(row: ComparisonRow) -> tuple[Any, ...]:
    """All that the row's figures depend on except the model: what rows of two models share."""
    return replace(row, model=None).setting


def _among(
    group: Sequence[ComparisonRow], name: str, reference: ComparisonRow | None
) -> str | None:
    """The name in the group of the reference of that name; None where the group has none."""
    if reference is None or reference in group:
        return name
    wanted = setting_of(reference)
    return next((row.name for row in group if setting_of(row) == wanted), None)
