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

_ONE_A_FILE = (
    own_incorrect, contradiction, disagreement, placeholder, repeated_query, personal_data,
    encoding, escaped, wordless, duplicate, other_answer, leak, long_answer, outlier,
)  # fmt: skip
_CHECKS = (*(module.CHECK for module in _ONE_A_FILE), retrieval.OFTEN, retrieval.NEVER)
CHECKS = {check.name: check for check in _CHECKS}
"""By name, the worst first."""


def find_all(checked: PoolContents) -> dict[str, tuple[Finding, ...]]:
    """The findings of every check by its name, the gravest first."""
    found = {}
    for name, check in CHECKS.items():
        findings = [finding_of(check, checked, each) for each in check.find(checked)]
        found[name] = tuple(sorted(findings, key=lambda each: (-each.measure, each.ids)))
    return found
