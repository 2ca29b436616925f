"""Lines of a label and a text, as classification sets come: `0 a dull film`, `LOC:city Where ?`."""

import re
from collections import Counter

from ...errors import InvalidInput
from .grid import Grid

LABEL, FINE_LABEL, TEXT = "label", "fine_label", "text"
"""The columns; `fine_label` only where the file has fine labels."""

_LABEL = re.compile(r"(?P<fine>(?P<coarse>[A-Z]+):\w+)(?!\S)|(?P<number>[+-]?\d{1,3})(?!\S)")
"""A whole number of at most three digits, or TREC's COARSE:fine, before white space or the end."""

_LINE_END = re.compile(r"\r\n?|\n")
"""Latin-1 texts contain other letters at which `str.splitlines` would split them."""

_NEARLY_ALL = 0.95
_MOST_LABELS = 50
_LINES_PER_LABEL = 2


def read_labelled_lines(text: str, name: str) -> Grid:
    """A row for each line that is not blank; the text without the white space around it.

    Tokenised texts often end in a space, which is no part of their content. A line with a label
    alone has an empty text. The label of `LOC:city` is `LOC`, its fine label the whole.

    Raises:
        InvalidInput: A line begins with no label.
    """
    rows: list[dict[str, str]] = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        line = line.strip()
        if not line:
            continue
        label = _LABEL.match(line)
        if label is None:
            raise InvalidInput(
                f"{name}: line {number} begins with no label: write a whole number of at most "
                "three digits (or a label such as LOC:city), a space and the text, or name "
                "another format."
            )
        fine = {FINE_LABEL: label["fine"]} if label["fine"] else {}
        coarse = label["number"] or label["coarse"]
        rows.append({LABEL: coarse, **fine, TEXT: line[label.end() :].lstrip()})
    has_fine = any(FINE_LABEL in row for row in rows)
    return Grid([LABEL, *([FINE_LABEL] if has_fine else []), TEXT], rows)


def are_labelled_lines(text: str) -> bool:
    """Whether nearly every line begins with a label, followed by a text, and the labels are few.

    A numbered list has as many numbers as lines, so each label needs two lines on average. A file
    with only one label may be anything.
    """
    lines = [line for line in map(str.strip, _LINE_END.split(text)) if line]
    labels: Counter[str] = Counter()
    for line in lines:
        label = _LABEL.match(line)
        if label is not None and label.end() < len(line):
            labels[label["number"] or label["coarse"]] += 1
    few = 2 <= len(labels) <= min(_MOST_LABELS, len(lines) // _LINES_PER_LABEL)
    return few and labels.total() >= _NEARLY_ALL * len(lines)
