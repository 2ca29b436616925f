"""All checks, the worst faults first, and what they find in a pool."""

from .checks import (
    contradiction,
    disagreement,
    duplicate,
    encoding,
    escaped,
    leak,
    long_answer,
    other_answer,
    outlier,
    own_incorrect,
    personal_data,
    placeholder,
    repeated_query,
    retrieval,
    wordless,
)
from .finding import Finding, PoolContents, finding_of

CHECKS = {
    check.name: check
    for check in (
        own_incorrect.CHECK,
        contradiction.CHECK,
        disagreement.CHECK,
        placeholder.CHECK,
        repeated_query.CHECK,
        personal_data.CHECK,
        encoding.CHECK,
        escaped.CHECK,
        wordless.CHECK,
        duplicate.CHECK,
        other_answer.CHECK,
        leak.CHECK,
        long_answer.CHECK,
        outlier.CHECK,
        retrieval.OFTEN,
        retrieval.NEVER,
    )
}
"""By name, the worst first."""


def find_all(checked: PoolContents) -> dict[str, tuple[Finding, ...]]:
    """The findings of every check by its name, the gravest first."""
    found = {}
    for name, check in CHECKS.items():
        findings = [finding_of(check, checked, each) for each in check.find(checked)]
        found[name] = tuple(sorted(findings, key=lambda each: (-each.measure, each.ids)))
    return found
