"""The programs of the Demonstrate-Search-Predict paper, each on one screen."""

from ..run import Program
from .baselines import retrieve_then_read, vanilla
from .conversational import conversational, converse
from .multi_hop import multi_hop
from .open_domain import comparing, open_domain
from .self_ask import self_ask

PROGRAMS: dict[str, Program] = {
    "vanilla": vanilla,
    "retrieve-then-read": retrieve_then_read,
    "self-ask": self_ask,
    "open-domain": open_domain,
    "open-domain-comparing": comparing,
    "multi-hop": multi_hop,
    "conversational": conversational,
}
"""Every program by its name, with the paper's numbers."""

__all__ = [
    "PROGRAMS",
    "comparing",
    "conversational",
    "converse",
    "multi_hop",
    "open_domain",
    "retrieve_then_read",
    "self_ask",
    "vanilla",
]
