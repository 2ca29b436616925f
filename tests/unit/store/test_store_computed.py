"""What models computed: embeddings, token vectors, quality, log-probabilities, coordinates."""

from contextlib import contextmanager

import numpy as np
import pytest

from core.errors import InvalidInput
from core.store.caches.vectors import KEPT
from core.store.database import Database
from core.types import LogProb


def unit_rows(n, d, seed=0):
    rows = np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def names(n):
    return [f"hash {i}" for i in range(n)]


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 384), (700, 8), (5000, 3)])
def test_embeddings_come_back_bit_for_bit_in_the_order_asked(store, n, d):
    rows = unit_rows(n, d)
    hashes = names(n)
    store.embeddings.put("e", hashes, rows)
    order = np.random.default_rng(1).integers(0, n, size=2 * n)
    found = store.embeddings.get("e", [hashes[i] for i in order])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, rows[order])
    found[0] = 0  # the caller's own copy
    np.testing.assert_array_equal(store.embeddings.get("e", names(n)), rows)


def test_encoders_do_not_mix(store):
    store.embeddings.put("small", names(2), unit_rows(2, 4))
    store.embeddings.put("large", names(3), unit_rows(3, 6, seed=1))
    np.testing.assert_array_equal(store.embeddings.get("small", names(2)), unit_rows(2, 4))
    np.testing.assert_array_equal(store.embeddings.get("large", names(3)), unit_rows(3, 6, seed=1))
    assert (store.embeddings.count("small"), store.embeddings.count("large")) == (2, 3)
    assert store.embeddings.missing("small", names(3)) == ["hash 2"]
    with pytest.raises(InvalidInput, match="4 dimensions so far and now gives 6"):
        store.embeddings.put("small", ["new"], unit_rows(1, 6))


def test_what_is_missing_is_named_once_in_order(store):
    store.embeddings.put("e", ["b"], unit_rows(1, 4))
    assert store.embeddings.missing("e", ["c", "b", "a", "c"]) == ["c", "a"]
    assert store.embeddings.missing("e", []) == []
    assert store.embeddings.missing("other", ["b"]) == ["b"]
    with pytest.raises(InvalidInput, match="1 of 2 texts have no embedding"):
        store.embeddings.get("e", ["a", "b"])


def test_nothing_asked_is_nothing_given(store):
    assert store.embeddings.get("e", []).shape == (0, 0)
    store.embeddings.put("e", [], np.zeros((0, 4), np.float32))
    store.embeddings.put("e", ["a"], unit_rows(1, 4))
    assert store.embeddings.get("e", []).shape == (0, 4)


def test_a_text_keeps_its_first_embedding(store):
    first, second = unit_rows(2, 4), unit_rows(2, 4, seed=1)
    store.embeddings.put("e", ["a", "b"], first)
    store.embeddings.put("e", ["b", "c"], second)
    np.testing.assert_array_equal(
        store.embeddings.get("e", ["a", "b", "c"]), [first[0], first[1], second[1]]
    )
    store.embeddings.put("e", ["d", "d"], np.stack([first[0], first[0]]))
    assert store.embeddings.count("e") == 4


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf, -np.inf])
def test_a_useless_embedding_is_named_and_nothing_is_kept(store, bad):
    rows = unit_rows(3, 4)
    rows[1, :] = 0
    rows[1, 2] = bad
    with pytest.raises(InvalidInput, match="text hash 1 is zero or not finite"):
        store.embeddings.put("e", names(3), rows)
    assert store.embeddings.count("e") == 0


@pytest.mark.parametrize("shape", [(2, 4), (4, 4), (12,), (3, 2, 2)])
def test_embeddings_and_hashes_pair_up(store, shape):
    with pytest.raises(ValueError, match="3 hashes"):
        store.embeddings.put("e", names(3), np.ones(shape, np.float32))


def test_other_number_types_and_memory_orders_are_taken(store):
    rows = np.asfortranarray(unit_rows(6, 4).astype(np.float64))[::2]
    store.embeddings.put("e", names(3), rows)
    np.testing.assert_array_equal(store.embeddings.get("e", names(3)), rows.astype(np.float32))


def token_lists(lengths, d, seed=0):
    return [unit_rows(t, d, seed + place) for place, t in enumerate(lengths)]


@pytest.mark.parametrize("d", [1, 8, 384])
def test_token_vectors_come_back_as_half_precision_keeps_them_at_unit_length(store, d):
    lists = token_lists([3, 1, 0, 12], d)
    store.token_vectors.put("e", names(4), lists)
    found = store.token_vectors.get("e", [*names(4)[::-1], "absent", "hash 0"])
    assert set(found) == set(names(4))
    for name, given_rows in zip(names(4), lists, strict=True):
        rounded = given_rows.astype(np.float16).astype(np.float64)
        kept = rounded / np.linalg.norm(rounded, axis=1, keepdims=True)
        assert found[name].shape == given_rows.shape
        assert found[name].dtype == np.float32
        np.testing.assert_allclose(found[name], kept, atol=1e-6)
        np.testing.assert_allclose(np.vecdot(found[name], given_rows), 1.0, atol=1e-5)


def test_token_vectors_of_encoders_do_not_mix_and_the_first_are_kept(store):
    (first, second), (other,) = token_lists([2, 3], 4), token_lists([5], 6, seed=9)
    store.token_vectors.put("small", ["a"], [first])
    store.token_vectors.put("small", ["a", "b", "b"], [second, second, first])
    store.token_vectors.put("large", ["a"], [other])
    store.token_vectors.put("large", [], [])
    small, large = (store.token_vectors.get(name, ["a", "b"]) for name in ("small", "large"))
    assert {key: rows.shape for key, rows in small.items()} == {"a": (2, 4), "b": (3, 4)}
    np.testing.assert_allclose(small["a"], first, atol=1e-3)
    np.testing.assert_allclose(large.pop("a"), other, atol=1e-3)
    assert large == store.token_vectors.get("neither", ["a"]) == {}
    assert store.token_vectors.get("small", []) == {}
    assert [store.token_vectors.count(name) for name in ("small", "large", "x")] == [2, 1, 0]


@pytest.mark.parametrize("many", [249, 250, 251, 501])
def test_token_vectors_are_looked_up_in_portions(store, many):
    lists = token_lists([1 + place % 3 for place in range(many)], 2)
    store.token_vectors.put("e", names(many), lists)
    found = store.token_vectors.get("e", names(many))
    assert [len(found[name]) for name in names(many)] == [len(rows) for rows in lists]


@pytest.mark.parametrize(
    "rows",
    [
        [np.ones((1, 2))],
        [np.ones((1, 2))] * 3,
        [np.ones((1, 2)), np.ones(2)],
        [np.ones((1, 2)), np.array([[np.nan, 1.0]])],
    ],
)
def test_token_vectors_are_one_finite_table_a_text(store, rows):
    with pytest.raises(ValueError, match="2 hashes|hash 1 has rows"):
        store.token_vectors.put("e", names(2), rows)
    assert store.token_vectors.count("e") == 0


def test_quality_is_nan_where_absent(store):
    store.quality.put("m", "t", ["a", "b"], [-1.25, -2.5])
    found = store.quality.get("m", "t", ["b", "x", "a", "b"])
    np.testing.assert_array_equal(found, [-2.5, np.nan, -1.25, -2.5])
    assert found.dtype == np.float64
    assert store.quality.missing("m", "t", ["x", "a", "x", "y"]) == ["x", "y"]
    for model, template in (("m", "u"), ("n", "t")):
        assert np.isnan(store.quality.get(model, template, ["a"])).all()
        assert store.quality.count(model, template) == 0
    assert store.quality.get("m", "t", []).shape == (0,)
    assert store.quality.count("m", "t") == 2


def test_quality_is_counted_anew_after_every_put(store):
    for number, text in enumerate("abca", start=1):
        store.quality.put("m", "t", [text], [-1.0])
        assert store.quality.count("m", "t") == min(number, 3)
        assert store.quality.count("m", "t") == min(number, 3)
        assert store.quality.count("m", "u") == 0
    store.quality.put("m", "u", ["a"], [-1.0])
    assert (store.quality.count("m", "t"), store.quality.count("m", "u")) == (3, 1)


def test_quality_keeps_the_first_value(store):
    store.quality.put("m", "t", ["a", "a"], [-1.0, -2.0])
    store.quality.put("m", "t", ["a", "b"], [-3.0, -4.0])
    store.quality.put("m", "t", [], [])
    np.testing.assert_array_equal(store.quality.get("m", "t", ["a", "b"]), [-1.0, -4.0])


def test_minus_infinity_marks_what_no_window_can_hold(store):
    store.quality.put("m", "t", ["a", "b"], [-np.inf, -1.0])
    assert store.quality.get("m", "t", ["a", "b"]).tolist() == [-np.inf, -1.0]
    assert store.quality.missing("m", "t", ["a", "b", "c"]) == ["c"]


@pytest.mark.parametrize("values", [[-1.0], [-1.0, np.nan], [np.inf, -1.0], [[-1.0, -1.0]]])
def test_quality_is_one_number_a_text(store, values):
    with pytest.raises(ValueError, match="2 hashes"):
        store.quality.put("m", "t", ["a", "b"], values)
    assert store.quality.count("m", "t") == 0


def test_log_probs_come_back_exactly(store):
    rows = {
        ("p", "a"): LogProb(-3.3000000000000003, 2, (-1.1, -2.2)),
        ("p", "b"): LogProb(-0.1, 1, (-0.1,)),
        ("q", "a"): LogProb(-1e-300, 3, (0.0, -1e-300, 0.0)),
    }
    store.log_probs.put("m", rows)
    assert store.log_probs.get("m", [*rows, ("q", "b"), ("a", "p")]) == rows
    assert store.log_probs.get("m", [("p", "b")] * 3) == {("p", "b"): rows["p", "b"]}
    assert store.log_probs.get("other", list(rows)) == {}
    assert store.log_probs.get("m", []) == {}
    assert store.log_probs.count("m") == 3


def test_log_probs_keep_the_first(store):
    first, second = LogProb(-1.0, 1, (-1.0,)), LogProb(-2.0, 1, (-2.0,))
    store.log_probs.put("m", {("p", "a"): first})
    store.log_probs.put("m", {("p", "a"): second, ("p", "b"): second})
    store.log_probs.put("m", {})
    store.log_probs.put("n", {("p", "a"): second})
    assert store.log_probs.get("m", [("p", "a"), ("p", "b")]) == {
        ("p", "a"): first,
        ("p", "b"): second,
    }
    assert store.log_probs.get("n", [("p", "a")]) == {("p", "a"): second}


def test_ten_thousand_pairs_at_once(store):
    rows = {
        (f"p{i % 100}", f"a{i}"): LogProb(-float(i), 2, (-i / 2, -i / 2)) for i in range(10_000)
    }
    store.log_probs.put("m", rows)
    assert store.log_probs.get("m", list(rows)) == rows


def test_a_look_up_of_few_prompts_does_not_read_all_log_probs(store, monkeypatch):
    one = LogProb(-1.0, 1, (-1.0,))
    for model in ("m" * 40, "n" * 40):
        store.log_probs.put(model, {(f"p{i}", "a"): one for i in range(5_000)})
    plans = []

    class Explained:
        """A cursor that also has every statement explained as it ran."""

        def __init__(self, cursor):
            self.cursor = cursor

        def execute(self, statement, values):
            ran = self.cursor.execute(f"EXPLAIN ANALYZE {statement}", values)
            plans.append(ran.fetchall()[0][1])
            return self.cursor.execute(statement, values)

    @contextmanager
    def explained(self):
        with really_read(self) as cursor:
            yield Explained(cursor)

    really_read = Database.read
    monkeypatch.setattr(Database, "read", explained)
    pairs = [("p7", "a"), ("p4999", "a"), ("p7", "b")]
    assert set(store.log_probs.get("m" * 40, pairs)) == set(pairs[:2])
    assert ["Index Scan" in plan for plan in plans] == [True]


@pytest.mark.parametrize("prompts", [249, 250, 251, 501])
def test_prompts_are_looked_up_in_portions(store, prompts):
    rows = {
        (f"p{i}", answer): LogProb(-float(i), 1, (-float(i),))
        for i in range(prompts)
        for answer in ("a", "b")
    }
    store.log_probs.put("m", rows)
    store.log_probs.put("m", rows)
    assert store.log_probs.count("m") == len(rows)
    wanted = [("p0", "b"), *[pair for pair in rows if pair[1] == "a"]]
    assert store.log_probs.get("m", wanted) == {pair: rows[pair] for pair in wanted}


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_coordinates_come_back_under_their_key(store, n):
    ids = np.arange(n)[::-1] * 7
    xy = np.random.default_rng(0).standard_normal((n, 2)).astype(np.float32)
    store.coordinates.put("k", ids.tolist(), xy)
    found = store.coordinates.get("k")
    np.testing.assert_array_equal(found[0], ids)
    np.testing.assert_array_equal(found[1], xy)
    assert (found[0].dtype, found[1].dtype) == (np.int64, np.float32)
    assert store.coordinates.get("other") is None


def test_newer_coordinates_take_the_place_of_older_ones(store):
    store.coordinates.put("k", [1, 2], np.zeros((2, 2), np.float32))
    store.coordinates.put("k", [3], np.ones((1, 2), np.float32))
    ids, xy = store.coordinates.get("k")
    assert (ids.tolist(), xy.tolist()) == ([3], [[1.0, 1.0]])
    for number in range(KEPT):
        store.coordinates.put(f"n{number}", [number], np.zeros((1, 2), np.float32))
    assert store.coordinates.get("k") is None
    kept = [store.coordinates.get(f"n{number}")[0].tolist() for number in range(KEPT)]
    assert kept == [[number] for number in range(KEPT)]


@pytest.mark.parametrize("xy", [np.zeros((2, 2)), np.zeros((3, 3)), np.full((3, 2), np.nan)])
def test_coordinates_are_finite_points_one_an_id(store, xy):
    with pytest.raises(ValueError, match="3 ids"):
        store.coordinates.put("k", [1, 2, 3], xy)


@pytest.mark.parametrize("many", [1, 249, 250, 251, 501])
def test_task_states_come_back_whatever_their_number(store, many):
    rows = np.random.default_rng(0).normal(size=(many, 3)).astype(np.float32)
    store.task_states.put("m", "p", names(many), rows)
    found = store.task_states.get("m", "p", [*names(many)[::-1], "absent"])
    assert set(found) == set(names(many))
    np.testing.assert_array_equal([found[name] for name in names(many)], rows)
    assert next(iter(found.values())).dtype == np.float32
    few = store.task_states.get("m", "p", names(1))
    np.testing.assert_array_equal(few["hash 0"], rows[0])


def test_task_states_of_models_and_prefixes_do_not_mix_and_the_first_are_kept(store):
    put, get = store.task_states.put, store.task_states.get
    put("m", "p", ["a", "a"], np.array([[1.0, 0.0], [1.0, 0.0]]))
    put("m", "p", ["a", "b"], np.array([[9.0, 9.0], [2.0, 0.0]]))
    put("m", "q", ["a"], np.array([[3.0, 0.0]]))
    put("n", "p", ["a"], np.array([[4.0, 0.0, 1.0]]))
    put("n", "p", [], np.empty((0, 3)))
    assert get("m", "p", ["a", "b"])["a"].tolist() == [1.0, 0.0]
    assert get("m", "p", ["b"])["b"].tolist() == [2.0, 0.0]
    assert get("m", "q", ["a", "b"])["a"].tolist() == [3.0, 0.0]
    assert get("n", "p", ["a"])["a"].tolist() == [4.0, 0.0, 1.0]
    assert get("n", "q", ["a"]) == get("m", "p", []) == {}
    assert [store.task_states.count(name) for name in ("m", "n", "x")] == [3, 1, 0]


@pytest.mark.parametrize("rows", [np.ones((3, 2)), np.ones(2), np.array([[1.0], [np.nan]])])
def test_task_states_and_hashes_pair_up_and_are_finite(store, rows):
    with pytest.raises(ValueError, match="2 hashes"):
        store.task_states.put("m", "p", ["a", "b"], rows)
    assert store.task_states.count("m") == 0
