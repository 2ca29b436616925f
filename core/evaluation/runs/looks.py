"""Whether some of a run's examples were judged before: then its end was not planned."""

from ...store import Store
from ..results.run_figures import End, RunSettings

_SAME = (
    "pool",
    "pool_version",
    "encoder",
    "model_fingerprint",
    "template_fingerprint",
    "order",
    "examples_from",
    "seed",
)


def seen_before(store: Store, kind: str, settings: RunSettings) -> bool:
    """Whether an earlier run ended with the first of the same examples.

    Whoever then asks for more may do so because of what was seen, and a verdict at the new end is
    one of several looks.

    Args:
        store: Where the runs are.
        kind: The kind of run.
        settings: Of the run that is about to start.
    """
    pool = store.pools.get(settings.pool).id
    for run in store.runs.latest(kind, pool):
        ended = (run.result or {}).get("end") in (End.ALL, End.SETTLED)
        same = all(run.settings.get(name) == getattr(settings, name) for name in _SAME)
        examples = run.settings["examples"]
        if ended and same and isinstance(examples, int) and examples < settings.examples:
            return True
    return False
