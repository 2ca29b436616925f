"""One file per index: a zip of arrays whose checksums show when it is damaged."""

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def index_file(folder: Path, kind: str) -> Path:
    """The file of an index of that kind."""
    return folder / f"{kind}.npz"


def write_index(folder: Path, kind: str, key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays and their key under a temporary name, then rename: whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=folder, prefix=f"{kind}-", suffix=".tmp", delete=False) as file:
        try:
            np.savez(file, allow_pickle=False, key=np.array(key), **arrays)
            file.close()
            os.replace(file.name, index_file(folder, kind))
        except BaseException:
            file.close()
            Path(file.name).unlink(missing_ok=True)
            raise


def read_key(folder: Path, kind: str) -> str | None:
    """The key of the saved index; None when there is none or it is damaged."""
    try:
        with np.load(index_file(folder, kind), allow_pickle=False) as stored:
            return str(stored["key"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def read_arrays(folder: Path, kind: str) -> Arrays:
    """The arrays of the saved index.

    Raises:
        FileNotFoundError: There is none.
        ValueError: The file is damaged.
    """
    path = index_file(folder, kind)
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files if name != "key"}
    except FileNotFoundError:
        raise
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as fault:
        raise ValueError(f"the index file {path} is damaged: {fault}") from fault
