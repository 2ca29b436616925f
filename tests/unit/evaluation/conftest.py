"""A small pool in a store, ready to be evaluated."""

from dataclasses import dataclass
from typing import Any

import pytest

from core.engines import LocalEngine
from core.evaluation.plan.examples import examples_of
from core.evaluation.scoring.quality_bias import score_quality
from core.language_model import TEMPLATES
from core.retrieval.pool_view import QualityKey, load_pool_view, with_quality
from core.store import Store
from tests.support.hashing_encoder import HashingEncoder
from tests.unit.evaluation.fake_language_model import FakeLanguageModel
from tests.unit.evaluation.small_pool import drafts

TEMPLATE = TEMPLATES["qa"]


@dataclass
class Bench:
    """A store with the small pool, an encoder and a model; makes what evaluation takes."""

    store: Any
    encoder: Any
    model: Any
    template: Any = TEMPLATE
    pool: str = "small"

    def engine(self, **options):
        return LocalEngine(self.store, self.model, self.template, **options)

    def demonstrations(self):
        return self.store.demonstrations.all(self.store.pools.get(self.pool).id)

    def examples(self):
        return examples_of(self.demonstrations())

    def score_quality(self):
        pool_id = self.store.pools.get(self.pool).id
        return score_quality(self.store, pool_id, self.engine())

    def view(self):
        key = QualityKey(self.model.fingerprint, self.template.fingerprint)
        return with_quality(self.store, load_pool_view(self.store, self.pool, self.encoder), key)


@pytest.fixture
def store(tmp_path, workspace_with):
    """A store with the small pool."""
    workspace_with(tmp_path / "workspace", "small", drafts())
    with Store.open(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture
def bench(store):
    return Bench(store, HashingEncoder(), FakeLanguageModel())
