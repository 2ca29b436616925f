"""Dataclasses as JSON: written as their fields, and read back.

A `Recorded` class that has another shape in JSON defines its own `to_json` and `from_json`, which
are also used where it is nested in another class.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from cattrs import Converter


class Recorded:
    """A dataclass whose JSON has its fields as keys.

    `OPTIONAL` names the fields that are left out while they have their default. A field that a row
    lacks has its default.
    """

    __slots__ = ()
    OPTIONAL: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Self:
        """The object that `to_json` wrote."""
        kind: Any = cls
        found: Self = _reader(kind)(row, cls)
        return found

    def to_json(self) -> dict[str, Any]:
        """The fields for JSON."""
        kind: Any = type(self)
        row: dict[str, Any] = _writer(kind)(self)
        return row


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
