"""Names of columns: when two are the same, and which differ in one letter or number alone."""

import re
from collections.abc import Container, Sequence

NUMBERS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
NUMBERS |= {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6"}

"""What words for the numbers of candidates mean."""


def plain(column: str) -> str:
    """A column's name for comparing: `Is Correct`, `isCorrect` and `is_correct (2)` are one."""
    without_copy = re.sub(r" \(\d+\)$", "", column.strip())
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", without_copy)
    return re.sub(r"[\W_]+", "_", words.casefold()).strip("_")


def unused_name(name: str, taken: Container[str]) -> str:
    """The name, or where it is taken the first of `name (2)`, `name (3)`, ... that is not."""
    copy, unused = 1, name
    while unused in taken:
        copy += 1
        unused = f"{name} ({copy})"
    return unused


def series(columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """The columns that differ in one letter or number: by their name with # in its place.

    Each is named by its letter or number, and they are in the order of these. A series begins with
    a, 0 or 1 and has two or more.
    """
    found: dict[str, dict[str, str]] = {}
    names = set(map(plain, columns))
    for column in columns:
        name = plain(column)
        if re.fullmatch(r".*[a-z]{2}[a-h]", name) and {f"{name[:-1]}a", f"{name[:-1]}b"} <= names:
            name = f"{name[:-1]}_{name[-1]}"  # opa and opb
        words = re.sub(r"(?<=[a-z])(?=\d)", "_", name).split("_")
        spaced = "_".join(NUMBERS.get(word, word) for word in words)
        for label in re.finditer(r"(?:(?<=_)|^)(?:[a-h]|\d{1,2})(?=_|$)", spaced):
            template = f"{spaced[: label.start()]}#{spaced[label.end() :]}"
            found.setdefault(template, {}).setdefault(label[0], column)
    return {
        template: dict(sorted(labels.items(), key=lambda each: (len(each[0]), each[0])))
        for template, labels in found.items()
        if len(labels) > 1 and {"a", "0", "1"} & set(labels)
    }
