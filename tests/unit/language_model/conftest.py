"""Tiny models of every architecture, built once, and how to hold one in the hand."""

import pytest

from tests.support.tiny_language_model import ARCHITECTURES, build_tiny_language_model


@pytest.fixture(scope="session")
def architecture_folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("architectures")
    return {name: build_tiny_language_model(folder / name, name) for name in ARCHITECTURES}
