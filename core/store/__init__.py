"""The workspace's database: pools, their history, passages, and everything computed once."""

from .exchange import Json
from .records import (
    Action,
    AddedPassages,
    Additions,
    Change,
    Collection,
    CollectionSummary,
    Page,
    PassageDraft,
    Pool,
    PoolSummary,
    ReviewQueue,
    RevisionRow,
    RowChange,
    StoredPassage,
    StoredRun,
)
from .searching import CHANGED, ID, QUALITY_BIAS, RETRIEVED, SIMILARITY, WORTH, SearchOrder
from .store import Store

__all__ = [
    "CHANGED", "ID", "QUALITY_BIAS", "RETRIEVED", "SIMILARITY", "WORTH", "Action", "Additions",
    "AddedPassages", "Change", "Collection", "CollectionSummary", "Json", "SearchOrder", "Page",
    "PassageDraft", "Pool", "PoolSummary", "ReviewQueue", "RevisionRow", "RowChange", "StoredRun",
    "Store", "StoredPassage",
]  # fmt: skip
