"""The studio with a small pool, as the tests of the services have it."""

from tests.unit.studio.conftest import encoder, load_model, pool_drafts, studio

__all__ = ["encoder", "load_model", "pool_drafts", "studio"]
