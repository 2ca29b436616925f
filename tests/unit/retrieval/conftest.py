import pytest

from core.demonstration.demonstration import Draft
from core.retrieval.pool_view import load_pool_view

QUERIES = (
    "What happens if you swallow gum?",
    "what happens if you  swallow GUM?",
    "Can cats see in the dark?",
    "Do goldfish forget everything?",
    "How tall is Mount Everest?",
    "Is glass a liquid?",
    "Who discovered penicillin?",
    "Does sugar make children wild?",
)


@pytest.fixture
def pool(store):
    created = store.pools.create("small", seed=3)
    drafts = [
        Draft(query, f"{query} answer {number}", best=number == 1)
        for query in QUERIES
        for number in range(2)
    ]
    store.demonstrations.add(created.id, drafts)
    return store.pools.get("small")


@pytest.fixture
def view(store, pool, hashing_encoder):
    return load_pool_view(store, "small", hashing_encoder)
