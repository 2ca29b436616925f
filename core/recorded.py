"""Dataclasses as JSON: written as their fields, and read back.

A `Recorded` class names the keys of its JSON where they are not its fields. Where that is not
enough it defines its own `to_json` and `from_json`, which are also used where it is nested.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from cattrs import Converter


class Recorded:
    """A dataclass whose JSON has its fields as keys.

    `OPTIONAL` names the fields that are left out while they have their default. A field that a row
    lacks has its default. `KEYS` has the keys in their order where they are not the fields: each
    with the field or property that it holds, or a field of that, as in `"low": "worth.low"`.
    """

    __slots__ = ()
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    KEYS: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The object that `to_json` wrote."""
        kind: Any = cls
        found: Self = _reader(kind)(_fields_from_json(row, cls.KEYS) if cls.KEYS else row, cls)
        return found

    def to_json(self) -> dict[str, Any]:
        """The fields for JSON."""
        kind: Any = type(self)
        row: dict[str, Any]
        if not self.KEYS:
            row = _writer(kind)(self)
            return row
        at_default = {name for name in self.OPTIONAL if getattr(self, name) == _default(kind, name)}
        return record_to_json(
            self, {key: path for key, path in self.KEYS.items() if path not in at_default}
        )


def record_to_json(record: object, keys: Mapping[str, str]) -> dict[str, Any]:
    """What the record has under these keys, as in `KEYS`, for JSON."""
    return {key: write(attrgetter(path)(record)) for key, path in keys.items()}


def same(*names: str) -> dict[str, str]:
    """Keys that are called as what they hold."""
    return dict(zip(names, names, strict=True))


def read(kind: Any, value: Any) -> Any:
    """The value of that type that `write` wrote.

    Raises:
        KeyError: A record lacks a field that has no default.
        TypeError, ValueError: A value is not of the type.
    """
    return _converter().structure(value, kind)


def write(value: object) -> Any:
    """The value for JSON: records as dictionaries, sequences as lists, enums as their values."""
    return _converter().unstructure(value)


def _fields_from_json(row: Mapping[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The row as it would be with the fields as keys."""
    found: dict[str, Any] = {}
    for key, path in keys.items():
        *above, name = path.split(".")
        place = found
        for part in above:
            place = place.setdefault(part, {})
        if key in row:
            place[name] = row[key]
    return found


def _default(kind: Any, name: str) -> Any:
    return next(field.default for field in fields(kind) if field.name == name)


@cache
def _converter() -> "Converter":
    # Imported when first needed: nothing that only starts pays for it.
    from cattrs import Converter
    from cattrs.cols import (
        is_namedtuple,
        namedtuple_dict_structure_factory,
        namedtuple_dict_unstructure_factory,
    )
    from cattrs.strategies import configure_union_passthrough

    made = Converter(
        detailed_validation=False, unstruct_collection_overrides={Sequence: list, tuple: list}
    )
    # JSON has these types itself; an enum is a subclass of str, but no str.
    made.register_structure_hook_func(
        lambda kind: kind in (bool, int, float, str), lambda value, _: value
    )
    made.register_unstructure_hook(StrEnum, lambda value: value.value)
    made.register_unstructure_hook(datetime, datetime.isoformat)
    configure_union_passthrough(int | float | str, made)
    made.register_structure_hook_factory(is_namedtuple, namedtuple_dict_structure_factory)
    made.register_unstructure_hook_factory(is_namedtuple, namedtuple_dict_unstructure_factory)
    made.register_structure_hook_factory(
        _is_a(Recorded), lambda kind: lambda row, _: kind.from_json(row)
    )
    made.register_unstructure_hook_factory(_is_a(Recorded), lambda kind: kind.to_json)
    return made


def _is_a(above: type) -> Callable[[Any], bool]:
    return lambda kind: isinstance(kind, type) and issubclass(kind, above)


@cache
def _reader(kind: type[Recorded]) -> Callable[..., Any]:
    from cattrs.gen import make_dict_structure_fn

    return make_dict_structure_fn(kind, _converter())


@cache
def _writer(kind: type[Recorded]) -> Callable[..., Any]:
    from cattrs.gen import make_dict_unstructure_fn, override

    optional: Any = {name: override(omit_if_default=True) for name in kind.OPTIONAL}
    return make_dict_unstructure_fn(kind, _converter(), **optional)
