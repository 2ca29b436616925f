"""What tests of the services share."""

import pytest

import core.studio.session.studio
from core.studio import Studio
from tests.unit.studio.exploring import drafts


@pytest.fixture
def studio(tmp_path, monkeypatch, hashing_encoder, load_once):
    """A studio with a pool of ten, named small; a test file with another pool has its own."""
    monkeypatch.setattr(core.studio.session.studio, "load_encoder", lambda name: hashing_encoder)
    monkeypatch.setattr(core.studio.session.studio, "load", load_once)
    with Studio.open(tmp_path / "workspace") as opened:
        opened.store.demonstrations.add(opened.store.pools.create("small").id, drafts())
        yield opened
