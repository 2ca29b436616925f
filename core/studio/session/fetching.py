"""Fetching a real model in the background, after which the workspace uses it by itself."""

from ...background import Job, Urgency
from ...language_model.fetching.fetch import fetch
from ...language_model.fetching.from_hub import hub_offers
from ...language_model.fetching.offers import SMOLLM2, Offer
from .jobs import submit_once
from .studio import Studio

FETCH, HUB = "fetch", "hub"
"""The slots of the two jobs: what is fetched, and what the hub offers."""
MB = 1_000_000
_SHARE_OF_MEMORY = 0.7
"""A model that takes more of the machine's memory is too large for it."""


def is_too_large(offer: Offer) -> bool:
    """Whether the machine has too little memory for the model."""
    import psutil

    total: int = psutil.virtual_memory().total
    return offer.memory > _SHARE_OF_MEMORY * total


def fetch_in_background(studio: Studio, offer: Offer = SMOLLM2) -> Job:
    """The job that fetches the model and then makes it the workspace's own.

    It counts megabytes, then converts what arrived, which counts nothing. There is one at a time;
    what it has published is the offer.
    """

    def work(job: Job) -> str:
        job.publish(offer)

        def report(done: int, total: int) -> None:
            job.progress(round(done / MB), round(total / MB))

        def prepare() -> None:
            job.enter("reading it for the first time")

        fetch(offer, on_progress=report, cancelled=lambda: job.cancel_asked, on_arrival=prepare)
        studio.choose_model(offer.name)
        return offer.name

    label = f"Fetching {offer.title}, in MB"
    job = submit_once(studio.fetch_worker, FETCH, label, work, urgency=Urgency.WANTED)
    if job.partial is None:  # it may be cancelled before it begins
        job.publish(offer)
    return job


def fetching(studio: Studio) -> Job | None:
    """The job that fetches a model, also one that failed or was stopped; None otherwise."""
    job = studio.fetch_worker.latest(FETCH)
    return None if job is None or job.state == "finished" else job


def hub_in_background(studio: Studio) -> Job:
    """The job that asks the hub once for what it offers: its result are `Offer`s, none without."""
    return studio.fetch_worker.latest(HUB) or studio.fetch_worker.submit(
        HUB, "Asking the hub", lambda job: hub_offers()
    )
