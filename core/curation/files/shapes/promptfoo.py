"""Test cases of promptfoo: what the output is expected to contain or to be is the answer."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ..grid import Cells, Grid, ShapedRows, beside, keys_beside

_EXPECTED = re.compile(r"__expected\d*")
_CHECK = re.compile(
    r"(?P<negated>not-)?(?P<kind>[a-z][\w-]*)(?:\([^)]*\))?(?::\s*(?P<text>.*))?", re.DOTALL
)
_NAMES_AN_ANSWER = ("equals", "contains", "icontains", "similar", "starts-with")
_NAMES_ANY = ("contains-any", "icontains-any")
_OTHERS = {
    "answer-relevance", "bleu", "classifier", "contains-all", "contains-html", "contains-json",
    "contains-sql", "contains-xml", "context-faithfulness", "context-recall", "context-relevance",
    "cost", "eval", "factuality", "file", "finish-reason", "fn", "g-eval", "gleu", "grade",
    "guardrails", "icontains-all", "is-html", "is-json", "is-refusal", "is-sql", "is-xml",
    "is-valid-function-call", "is-valid-openai-function-call", "is-valid-openai-tools-call",
    "javascript", "latency", "levenshtein", "llm-rubric", "max-score", "meteor",
    "model-graded-closedqa", "model-graded-factuality", "moderation", "perplexity",
    "perplexity-score", "pi", "python", "regex", "rouge-n", "ruby", "search-rubric", "select-best",
    "tool-call-f1", "webhook", "word-count",
}  # fmt: skip
"""Checks that name no answer."""


def expectations(grid: Grid) -> ShapedRows | None:
    """A row a test case of a csv: its variables, and the texts that `__expected` names.

    A text that must not be in the output is an incorrect answer.
    """
    columns = [column for column in grid.columns if _EXPECTED.fullmatch(column)]
    if not columns:
        return None
    unread: Counter[str] = Counter()
    reshaped = []
    for row in grid.rows:
        checks = [str(row[column]) for column in columns if row.get(column)]
        found = [answer for check in checks for answer in _answers(check, unread)]
        reshaped.append(_row(beside(row, *columns, own=("answer", "incorrect")), found))
    return ShapedRows(list(reshaped), _about(unread))


def assertions(rows: Sequence[Cells]) -> ShapedRows | None:
    """A row a test case of a yaml or json: its `vars`, and the texts that `assert` names."""
    if not all(isinstance(row.get("vars"), dict) and "assert" in row for row in rows):
        return None
    unread: Counter[str] = Counter()
    reshaped = []
    checks: list[object] = []
    for row in rows:
        given, variables = row["assert"], row["vars"]
        of_row = given if isinstance(given, list) else []
        found = [answer for each in of_row for answer in _answers_of(each, unread)]
        cells = dict(variables) if isinstance(variables, dict) else {}
        cells |= beside(row, "vars", "assert", own=("answer", "incorrect", *cells))
        reshaped.append(_row(cells, found))
        checks += of_row
    keys = keys_beside(checks, "type", "value", under="assert")
    return ShapedRows(list(reshaped), _about(unread), tuple(keys))


def _answers_of(check: object, unread: Counter[str]) -> Iterator[tuple[str, bool]]:
    """The texts that an entry of `assert` names, and whether the output must have them."""
    if not isinstance(check, dict):
        return
    kind, value = str(check.get("type")), check.get("value")
    if isinstance(value, list) and kind.removeprefix("not-") in _NAMES_ANY:
        yield from ((str(text), not kind.startswith("not-")) for text in value)
    else:
        text = ", ".join(map(str, value)) if isinstance(value, list) else value
        yield from _answers(f"{kind}: {'' if text is None else text}", unread)


def _answers(check: str, unread: Counter[str]) -> Iterator[tuple[str, bool]]:
    """The texts that a check names, and whether the output must have them."""
    match = _CHECK.fullmatch(check.strip())
    kind = match["kind"] if match else ""
    text = (match["text"] or "").strip() if match else ""
    wanted = not (match and match["negated"])
    if kind in _NAMES_AN_ANSWER and text:
        yield text, wanted
    elif kind in _NAMES_ANY and text:
        yield from ((part.strip(), wanted) for part in text.split(","))
    elif kind in _OTHERS:
        unread[kind] += 1
    else:
        yield check, True


def _row(cells: dict[str, object], found: Sequence[tuple[str, bool]]) -> Cells:
    incorrect = [text for text, wanted in found if not wanted]
    answers = [text for text, wanted in found if wanted]
    return {**cells, "answer": answers, **({"incorrect": incorrect} if incorrect else {})}


def _about(unread: Counter[str]) -> tuple[str, ...]:
    if not unread:
        return ()
    kinds = ", ".join(f"{kind} ({count:,})" for kind, count in unread.items())
    return (f"Checks that name no answer and were not read: {kinds}.",)
