"""YAML to columns and rows: as JSON of the same content, and every value stays a text."""

from typing import Any

from ....errors import InvalidInput
from ..grid import Fits, Grid
from .json_decoding import Decoder
from .json_tables import document_grid

_NULL, _MERGE = "tag:yaml.org,2002:null", "tag:yaml.org,2002:merge"
_MOST_PER_LETTER = 20
_ALWAYS_ALLOWED = 100_000
"""Values that are named once and repeated make a small file large: so many may come of one."""


def read_yaml(text: str, name: str, fits: Fits) -> Grid:
    """The rows of a YAML file: a list of objects, or an object that contains one such list.

    Of several documents in one file each is a row. Values stay as they are written: `no`, `1.10`.

    Raises:
        InvalidInput: It is not YAML, or contains no rows or several lists of them.
    """
    import yaml

    builder = _Builder(_ALWAYS_ALLOWED + _MOST_PER_LETTER * len(text))
    try:
        nodes = yaml.compose_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        documents = [value for node in nodes if (value := builder.value_of(node)) is not None]
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark is not None else ""
        problem = " ".join(str(getattr(error, "problem", None) or "it cannot be read").split())
        raise InvalidInput(
            f"{name} is not YAML ({problem}{where}): mend or export it again."
        ) from error
    except RecursionError as error:
        raise InvalidInput(f"{name} nests its YAML too deeply: give a list of objects.") from error
    except OverflowError as error:
        raise InvalidInput(
            f"{name} repeats values by their names too often: write them out."
        ) from error
    if not documents:
        return Grid([], [])
    grid = document_grid(documents[0] if len(documents) == 1 else documents, name, fits)
    return grid._replace(warnings=(*builder.decoder.warnings(), *grid.warnings))


class _Builder:
    """Makes values of nodes as PyYAML composes them, at most so many."""

    def __init__(self, most: int) -> None:
        self.decoder = Decoder()
        self._left = most

    def value_of(self, node: Any) -> Any:
        """A text, a list, an object or None.

        Raises:
            OverflowError: These were too many.
        """
        self._left -= 1
        if self._left < 0:
            raise OverflowError
        if node is None or node.tag == _NULL:
            return None
        if isinstance(node.value, str):
            return node.value
        if node.id == "sequence":
            return [self.value_of(entry) for entry in node.value]
        merged: dict[str, object] = {}
        pairs: list[tuple[str, object]] = []
        for key, entry in node.value:
            value = self.value_of(entry)
            if key.tag == _MERGE:
                for each in value if isinstance(value, list) else [value]:
                    merged = {**(each if isinstance(each, dict) else {}), **merged}
            else:
                pairs.append((str(self.value_of(key) or ""), value))
        return {**merged, **self.decoder.object_of(pairs)}
