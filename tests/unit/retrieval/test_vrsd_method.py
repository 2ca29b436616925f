"""VRSD as a method: the picks of `vrsd` over the rows that are allowed."""

import numpy as np

from core.selection.vrsd import vrsd
from tests.contracts.test_method_contract import choose, pool, query_vector


def test_it_chooses_what_vrsd_chooses_among_the_other_queries():
    view = pool()
    allowed = np.flatnonzero(~view.same_query("Alpha?"))
    expected = vrsd(query_vector(), view.matrix[allowed], 4)
    context = choose(view, "vrsd", 4)
    assert context.indices.tolist() == allowed[expected.indices].tolist()
    np.testing.assert_allclose(context.values, expected.values, atol=1e-12)


def test_its_value_is_the_cosine_of_the_sum_so_far():
    view = pool([f"query {i}" for i in range(12)])
    context = choose(view, "vrsd", 5, query="another")
    sums = np.cumsum(context.embeddings.astype(np.float64), axis=0)
    cosines = sums @ query_vector() / np.linalg.norm(sums, axis=1)
    np.testing.assert_allclose(context.values, cosines, atol=1e-6)
    np.testing.assert_allclose(context.cos_sum, context.values[-1], atol=1e-6)
