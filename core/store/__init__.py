"""The workspace's database: pools, demonstrations, their history, and everything computed once."""

from .records import (
    Action,
    Added,
    Change,
    Page,
    Pool,
    PoolSummary,
    RevisionRow,
    Run,
    StoredLogProb,
)
from .store import Store

__all__ = [
    "Action",
    "Added",
    "Change",
    "Page",
    "Pool",
    "PoolSummary",
    "RevisionRow",
    "Run",
    "Store",
    "StoredLogProb",
]
