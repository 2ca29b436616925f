"""Hashes of model files: the same content has the same fingerprint in every folder."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

_digests: dict[tuple[Path, int, int], str] = {}


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, 64 hex digits; remembered until its size or time of change differs."""
    status = path.stat()
    key = (path.resolve(), status.st_size, status.st_mtime_ns)
    if key not in _digests:
        with path.open("rb") as file:
            _digests[key] = hashlib.file_digest(file, "sha256").hexdigest()
    return _digests[key]


def folder_fingerprint(
    folder: Path, files: Iterable[Path], known: Mapping[Path, str] | None = None
) -> str:
    """32 hex digits that identify the files' names inside the folder and their content.

    Args:
        folder: Their folder.
        files: Those that count.
        known: SHA-256 of files that need not be read for it.
    """
    given = known or {}
    digest = hashlib.sha256()
    for path in sorted(files):
        content = given.get(path) or file_sha256(path)
        digest.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return digest.hexdigest()[:32]
