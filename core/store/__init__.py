"""The workspace's database: pools, demonstrations, their history, and everything computed once."""

from .ordering import CHANGED, ID, QUALITY_BIAS, Order
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
from .transfer.codec import Json

__all__ = [
    "CHANGED",
    "ID",
    "QUALITY_BIAS",
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
    "Store",
    "StoredResult",
]
