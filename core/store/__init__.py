"""The workspace's database: pools, their history, passages, and everything computed once."""

from .ordering import CHANGED, ID, QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH, Order
from .records import (
    Action,
    Added,
    AddedPassages,
    Change,
    Collection,
    CollectionSummary,
    Page,
    PassageDraft,
    Pool,
    PoolSummary,
    ProgramRun,
    ReviewQueue,
    RevisionRow,
    Run,
    StoredPassage,
    StoredResult,
)
from .store import Store
from .transfer.codec import Json

__all__ = [
    "CHANGED",
    "ID",
    "QUALITY_BIAS",
    "RETRIEVED",
    "SIMILARITY",
    "WORTH",
    "Action",
    "Added",
    "AddedPassages",
    "Change",
    "Collection",
    "CollectionSummary",
    "Json",
    "Order",
    "Page",
    "PassageDraft",
    "Pool",
    "PoolSummary",
    "ProgramRun",
    "ReviewQueue",
    "RevisionRow",
    "Run",
    "Store",
    "StoredPassage",
    "StoredResult",
]
