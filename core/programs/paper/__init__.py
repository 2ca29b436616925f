"""The programs of the Demonstrate-Search-Predict paper, each on one screen."""

from .catalogue import CATALOGUE, CatalogueEntry, offered
from .conversational import conversational, converse, retrieve_then_read, vanilla
from .multi_hop import multi_hop
from .open_domain import comparing, open_domain
from .self_ask import refined_self_ask, self_ask

__all__ = [
    "CATALOGUE",
    "CatalogueEntry",
    "comparing",
    "conversational",
    "converse",
    "multi_hop",
    "offered",
    "open_domain",
    "refined_self_ask",
    "retrieve_then_read",
    "self_ask",
    "vanilla",
]
