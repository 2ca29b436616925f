"""The workspace's database: pools, demonstrations, their history, and everything computed once."""

from .codec import Json
from .ordering import Order, SortBy
from .records import (
    Action,
    Added,
    Change,
    Page,
    Pool,
    PoolSummary,
    RevisionRow,
    Run,
    StoredResult,
)
from .store import Store

__all__ = [
    "Action",
    "Added",
    "Change",
    "Json",
    "Order",
    "Page",
    "Pool",
    "PoolSummary",
    "RevisionRow",
    "Run",
    "SortBy",
    "Store",
    "StoredResult",
]
