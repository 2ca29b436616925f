"""The workspace's database: pools, their history, passages, and everything computed once."""

from .exchange import Json
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
from .searching import CHANGED, ID, QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH, Order
from .store import Store

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
