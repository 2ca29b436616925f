"""A model of the Hugging Face hub: what the hub says of it; fetching it into the cache."""

import json
import os
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

from ...errors import InvalidInput
from ...types import IsCancelled, OnProgress
from ..hub import FILES, HubUnreachable, ask_hub, cached_folder, not_whole
from ..room import refuse_no_room
from .download import bytes_in, download
from .offers import HUB_NAMES, Offer

_PROGRAM = """
import json, sys
from huggingface_hub import snapshot_download
snapshot_download(sys.argv[1], allow_patterns=json.loads(sys.argv[2]))
"""


def hub_offers() -> list[Offer]:
    """The small models of the hub that are offered, in order; none where it cannot be reached."""
    found = []
    for name in HUB_NAMES:
        try:
            found.append(hub_offer(name))
        except HubUnreachable:
            return found
        except InvalidInput:
            continue  # its makers took it away
    return found


def hub_offer(name: str) -> Offer:
    """What the hub says of a model.

    Raises:
        InvalidInput: There is none of that name, it has no safetensors, or the hub is out of reach.
    """
    info = ask_hub(name)
    wanted = [
        file
        for file in info.siblings or []
        if any(fnmatch(file.rfilename, pattern) for pattern in FILES)
    ]
    licences = [tag for tag in info.tags or [] if tag.startswith("license:")]
    return Offer(
        name=name,
        title=name,
        parameters=info.safetensors.total if info.safetensors else 0,
        size=sum(file.size or 0 for file in wanted),
        licence=licences[0].removeprefix("license:") if licences else "not named",
    )


def fetch_from_hub(offer: Offer, *, on_progress: OnProgress, cancelled: IsCancelled) -> None:
    """Fetch a model into the hub's cache; what has arrived is kept when it is stopped.

    Raises:
        InvalidInput: There is no room, or it could not be fetched whole.
        Cancelled: It was stopped.
    """
    from huggingface_hub import constants

    if cached_folder(offer.name) is not None:
        return
    cache = Path(constants.HF_HUB_CACHE)
    cache.mkdir(parents=True, exist_ok=True)
    blobs = cache / f"models--{offer.name.replace('/', '--')}" / "blobs"

    def arrived() -> int:
        return bytes_in(blobs)

    refuse_no_room(offer.name, max(0, offer.size - arrived()), cache)
    with tempfile.TemporaryDirectory(prefix="shotlist-") as beside:
        well, written = download(
            [sys.executable, "-c", _PROGRAM, offer.name, json.dumps(FILES)],
            Path(beside) / "log.txt",
            # Xet puts parts elsewhere; plain files go on where they were cut off.
            os.environ | {"HF_HUB_DISABLE_XET": "1"},
            arrived=arrived,
            size=offer.size,
            on_progress=on_progress,
            cancelled=cancelled,
        )
    if not well:
        lines = written.strip().splitlines()
        raise not_whole(offer.name, lines[-1] if lines else "no reason given")
