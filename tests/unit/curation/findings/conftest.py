import pytest

from core.curation.findings.finding import PoolContents
from core.curation.findings.near import near_texts
from core.curation.findings.registry import find_all
from core.demonstration.demonstration import Draft, IncorrectAnswer, Status
from core.retrieval.pool_view import load_pool_view


def draft(query, answer, *incorrect, **more):
    return Draft(query, answer, incorrect=tuple(map(IncorrectAnswer, incorrect)), **more)


@pytest.fixture
def checked(store, hashing_encoder):
    """A pool of these drafts, or of (query, answer, incorrect, ...) each, for the checks."""

    def make(*rows, threshold=0.95, retrieved=None, name="pool"):
        pool = store.pools.create(name)
        drafts = [row if isinstance(row, Draft) else draft(*row) for row in rows]
        store.demonstrations.add(pool.id, drafts)
        view = load_pool_view(store, name, hashing_encoder)
        _, included = store.demonstrations.snapshot(pool.id, status=Status.INCLUDED)
        firsts = [view.groups.tolist().index(group) for group in range(len(set(view.groups)))]
        queries = [view.queries[place] for place in firsts]
        near = near_texts(queries, view.embeddings[view.rows[firsts]], view.services.is_cut)
        return PoolContents(
            rows=included,
            view=view,
            near=near,
            retrieved=retrieved,
            threshold=threshold,
            encode=hashing_encoder.encode,
        )

    return make


@pytest.fixture
def found(checked):
    """What a check finds, each as the queries and answers of its demonstrations."""

    def find(check, *rows, **more):
        pool = checked(*rows, **more)
        by_id = {row.id: (row.query, row.answer) for row in pool.rows}
        return [
            ([by_id[id] for id in each.ids], each.measure, each.text)
            for each in find_all(pool)[check]
        ]

    return find
