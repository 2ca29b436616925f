"""Columns of values as Arrow arrays, laid out here: pyarrow's own conversion first imports pandas.

That import takes a third of a second, which a person would wait for at the first page.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pyarrow import Array, Buffer

Column: TypeAlias = Sequence[Any] | NDArray[Any]
"""The values of a column, one for each row."""


def to_arrow(kind: str, values: Column) -> "Array":
    """An Arrow array of the values, None as null.

    Args:
        kind: text, bytes, integer, number, flag, or `texts`, `integers`, `numbers` for lists
            without None.
        values: As Python objects; integers and numbers also as a numpy array.

    Raises:
        UnicodeEncodeError: A text contains half of a surrogate pair.
    """
    import pyarrow as pa

    if kind in ("texts", "integers", "numbers"):
        items = to_arrow(kind.removesuffix("s"), [item for value in values for item in value or ()])
        return pa.Array.from_buffers(
            pa.large_list(items.type),
            len(values),
            [_present(values), _ends([len(value or ()) for value in values])],
            children=[items],
        )
    if kind in ("text", "bytes"):
        cells = [value.encode() if isinstance(value, str) else value or b"" for value in values]
        ends = _ends([len(cell) for cell in cells])
        buffers = [_present(values), ends, pa.py_buffer(b"".join(cells))]
        of_cells = pa.large_string() if kind == "text" else pa.large_binary()
        return pa.Array.from_buffers(of_cells, len(values), buffers)
    if kind == "flag":
        bits = _bits([bool(value) for value in values])
        return pa.Array.from_buffers(pa.bool_(), len(values), [_present(values), bits])
    name = {"integer": "int64", "number": "float64"}[kind]
    filled = values if isinstance(values, np.ndarray) else [value or 0 for value in values]
    column = pa.py_buffer(np.ascontiguousarray(filled, dtype=name))
    return pa.Array.from_buffers(pa.type_for_alias(name), len(values), [_present(values), column])


def _present(values: Column) -> "Buffer | None":
    """Which values are not None, a bit each; None where all are there."""
    if isinstance(values, np.ndarray) or not any(value is None for value in values):
        return None
    return _bits([value is not None for value in values])


def _bits(flags: list[bool]) -> "Buffer":
    import pyarrow as pa

    return pa.py_buffer(np.packbits(np.asarray(flags, dtype=bool), bitorder="little"))


def _ends(lengths: list[int]) -> "Buffer":
    """Where each of the consecutive parts begins, and where the last one ends."""
    import pyarrow as pa

    return pa.py_buffer(np.cumsum([0, *lengths], dtype=np.int64))
