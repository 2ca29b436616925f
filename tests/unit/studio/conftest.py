"""What tests of the services share."""

import pytest

from core.studio import Studio
from tests.unit.studio.exploring import drafts


@pytest.fixture
def pool_drafts():
    """What the pool `small` has; a test file may say otherwise."""
    return drafts()


@pytest.fixture
def encoder(hashing_encoder):
    """The encoder of every name."""
    return hashing_encoder


@pytest.fixture
def load_model(load_once):
    """Loads the language model of a name; a test file may give a fake one."""
    return load_once


@pytest.fixture
def studio(tmp_path, encoder, load_model, workspace_with, pool_drafts):
    """A studio with the pool `small`, on a fake encoder."""
    workspace_with(tmp_path / "workspace", "small", pool_drafts)
    with Studio.open(
        tmp_path / "workspace", load_encoder=lambda name: encoder, load_model=load_model
    ) as opened:
        yield opened
