"""What tests of the services share."""

import pytest

import core.studio.session.studio
from core.studio import Studio
from tests.unit.studio.exploring import drafts


@pytest.fixture
def studio(tmp_path, monkeypatch, hashing_encoder, load_once, workspace_with):
    """A studio with a pool of ten, named small; a test file with another pool has its own."""
    monkeypatch.setattr(core.studio.session.studio, "load_encoder", lambda name: hashing_encoder)
    monkeypatch.setattr(core.studio.session.studio, "load", load_once)
    workspace_with(tmp_path / "workspace", "small", drafts())
    with Studio.open(tmp_path / "workspace") as opened:
        yield opened
