"""What to mind of a run's examples, in sentences: those passed over, and contexts that leak."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..evaluation.skipping import SkipReason
from ..retrieval.answer_index import LABEL_RULE

NAMED = 3
"""So many of the examples that were passed over are named."""
_WHY = {
    SkipReason.TOO_LONG: "did not fit the window even without context",
    SkipReason.WITHOUT_TOKENS: "had an answer of which this model's tokenizer makes no tokens",
}
LEAK = (
    "a demonstration in the context gives a correct answer of the example under another query "
    "(answers compared like queries: case, white space and invisible characters aside; "
    f"{LABEL_RULE})"
)
"""What a leak is, in words."""


def skipped_sentences(summary: Mapping[str, Any]) -> list[str]:
    """A sentence for each reason why examples were passed over, with the first ones by name."""
    rows = summary.get("skipped_examples")
    if rows is None:  # runs of old knew one reason and no names
        rows = [{"reason": SkipReason.TOO_LONG}] * summary.get("skipped", 0)
    sentences = []
    for reason, why in _WHY.items():
        found = [row for row in rows if row["reason"] == reason]
        if found:
            named = _named([row for row in found if "query" in row])
            sentences.append(f"{_examples(len(found))} {why} and could not be used{named}.")
    return sentences


def leak_sentence(summary: Mapping[str, Any]) -> str:
    """How many contexts leak, where most do, and what DPO is there; empty where none does."""
    worst = max(_leaks_by_name(summary).items(), key=lambda each: each[1]["contexts"], default=None)
    if worst is None or not worst[1]["contexts"]:
        return ""
    name, leaks = worst
    words = (
        f"Leaks: with {name}, in {leaks['contexts']:,} of {_examples(leaks['examples'])} the "
        "context gives a correct answer away under another query."
    )
    there, elsewhere = leaks["dpo_per_triple"], leaks["dpo_per_triple_elsewhere"]
    if there is not None and elsewhere is not None:
        words += f" There DPO per triple is {there:.2f}, elsewhere {elsewhere:.2f}."
    return f"{words} Leaks can be left out."


def leaks_left_out(summary: Mapping[str, Any]) -> bool:
    """Whether the run kept demonstrations out of contexts that would have leaked."""
    return bool(summary["settings"].get("leave_out_leaks"))


def leaks_counted(summary: Mapping[str, Any]) -> str:
    """Each method's contexts that leak, or how many at most at one combination of knobs."""
    rows = _leaks_by_name(summary)
    if not rows:
        return "not counted by this run"
    if "methods" in summary:
        return ", ".join(
            f"{name} {row['contexts']:,} of {row['examples']:,}" for name, row in rows.items()
        )
    most = max(row["contexts"] for row in rows.values())
    return f"at most {most:,} of {summary['examples']:,} at one combination"


def _leaks_by_name(summary: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The count of each method or cell that has one; runs of old have none."""
    if "methods" in summary:
        named = summary["methods"].items()
    else:
        named = (
            (f"lambda_d {row['lambda_d']:.2f}, lambda_b {row['lambda_b']:.2f}, k {row['k']}", row)
            for row in summary["curve"]
        )
    return {name: row["leaks"] for name, row in named if row.get("leaks") is not None}


def _named(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return ""
    words = [
        f"{_short(row['query'])} with the answer {_short(row['answer'])}"
        if row.get("answer")
        else _short(row["query"])
        for row in rows[:NAMED]
    ]
    more = [f"and {len(rows) - NAMED:,} more"] if len(rows) > NAMED else []
    return f": {'; '.join([*words, *more])}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def _examples(count: int) -> str:
    return f"{count:,} example{'' if count == 1 else 's'}"
