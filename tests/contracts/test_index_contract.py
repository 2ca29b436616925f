"""What every kind of index promises, held against numpy over every row."""

import numpy as np
import pytest

from core.index import INDEXES, measure_recall

KINDS = sorted(INDEXES)


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def random_unit(n, d, seed):
    return unit(np.random.default_rng(seed).standard_normal((n, d)))


def best_by_brute_force(values, c):
    return sorted(range(len(values)), key=lambda i: (-values[i], i))[:c]


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def pool():
    # 240 rows from 60 directions: near ones, and every tenth row a double of the one before.
    rng = np.random.default_rng(3)
    rows = unit(np.repeat(random_unit(60, 24, 1), 4, axis=0) + 0.3 * rng.standard_normal((240, 24)))
    rows[9::10] = rows[8::10]
    return rows


def test_values_are_the_cosines_of_the_rows_found(kind, pool):
    index = INDEXES[kind].build(pool)
    for query in random_unit(20, 24, 2):
        indices, values = index.search(query, 12)
        assert indices.dtype == np.int64
        assert values.dtype == np.float32
        expected = pool[indices].astype(np.float64) @ query.astype(np.float64)
        np.testing.assert_allclose(values, expected, atol=1e-5)
        assert (np.diff(values) <= 0).all()
        assert len(set(indices.tolist())) == len(indices)


def test_small_pools_are_searched_as_by_brute_force(kind, pool):
    # Small enough that the approximate kinds reach every row.
    rows = pool[:40]
    index = INDEXES[kind].build(rows)
    for query in random_unit(10, 24, 4):
        values = np.round(rows.astype(np.float64) @ query, 6)
        assert index.search(query, 9)[0].tolist() == best_by_brute_force(values, 9)


def test_recall_is_high_on_a_larger_pool(kind):
    rows, queries = random_unit(3000, 16, 5), random_unit(30, 16, 6)
    index = INDEXES[kind].build(rows)
    assert measure_recall(index, rows, queries, 50) >= (1.0 if index.exact else 0.9)


def test_equal_rows_come_lowest_index_first(kind):
    a, b, c = np.eye(3, 24, dtype=np.float32)
    index = INDEXES[kind].build(np.array([b, a, c, a, a, b]))
    indices, values = index.search(a, 3)
    assert indices.tolist() == [1, 3, 4]
    assert values.tolist() == [1.0, 1.0, 1.0]
    assert index.search(a, 2)[0].tolist() == [1, 3]
    assert index.search(a, 1)[0].tolist() == [1]


@pytest.mark.parametrize("c", [1, 7, 150, 299])
def test_a_pool_of_one_row_only_keeps_the_lowest_indices(kind, c):
    row = random_unit(1, 24, 7)
    index = INDEXES[kind].build(np.repeat(row, 300, axis=0))
    assert index.search(row[0], c)[0].tolist() == list(range(c))


def test_more_candidates_than_rows_gives_every_row(kind, pool):
    index = INDEXES[kind].build(pool[:30])
    indices, values = index.search(pool[0], 1000)
    assert sorted(indices.tolist()) == list(range(30))
    assert len(values) == 30


def test_no_candidates_asked_for_gives_none(kind, pool):
    indices, values = INDEXES[kind].build(pool).search(pool[0], 0)
    assert indices.tolist() == []
    assert values.tolist() == []


def test_an_empty_index_finds_nothing(kind, tmp_path):
    index = INDEXES[kind].build(np.empty((0, 24), np.float32))
    assert (index.size, index.dimensions) == (0, 24)
    index.save(tmp_path)
    for empty in (index, INDEXES[kind].load(tmp_path)):
        indices, values = empty.search(np.eye(1, 24)[0], 5)
        assert (indices.tolist(), values.tolist()) == ([], [])


def test_one_row_is_found(kind):
    index = INDEXES[kind].build(np.eye(1, 24, dtype=np.float32))
    indices, values = index.search(np.eye(1, 24)[0], 5)
    assert (indices.tolist(), values.tolist()) == ([0], [1.0])


def test_queries_need_not_be_unit(kind, pool):
    index = INDEXES[kind].build(pool[:40])
    query = random_unit(1, 24, 8)[0]
    np.testing.assert_allclose(
        index.search(3 * query, 5)[1], 3 * index.search(query, 5)[1], rtol=1e-5
    )


def test_saved_and_loaded_answers_the_same(kind, pool, tmp_path):
    bias = np.linspace(-5, -1, len(pool))
    index = INDEXES[kind].build(pool, bias)
    index.save(tmp_path, key="some key")
    loaded = INDEXES[kind].load(tmp_path)
    assert (loaded.size, loaded.dimensions, loaded.biased) == (240, 24, index.biased)
    for query in random_unit(10, 24, 9):
        for before, after in zip(index.search(query, 20), loaded.search(query, 20), strict=True):
            assert np.array_equal(before, after)


def test_nothing_else_is_left_in_the_folder(kind, pool, tmp_path):
    INDEXES[kind].build(pool).save(tmp_path)
    INDEXES[kind].build(pool[:50]).save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"{kind}.npz"]
    assert INDEXES[kind].load(tmp_path).size == 50


def test_a_missing_index_and_a_damaged_one_are_told_apart(kind, pool, tmp_path):
    with pytest.raises(FileNotFoundError):
        INDEXES[kind].load(tmp_path)
    INDEXES[kind].build(pool).save(tmp_path)
    path = tmp_path / f"{kind}.npz"
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    for damaged in (b"", b"no zip", whole[: len(whole) // 2], bytes(flipped)):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="damaged"):
            INDEXES[kind].load(tmp_path)


@pytest.mark.parametrize(
    ("query", "c", "lambda_b", "message"),
    [
        (np.ones(23), 5, 1.0, "shape"),
        (np.ones((1, 24)), 5, 1.0, "shape"),
        (np.full(24, np.nan), 5, 1.0, "finite"),
        (np.ones(24), -1, 1.0, "at least 0"),
        (np.ones(24), 5, 1.01, "lambda_b"),
        (np.ones(24), 5, -0.01, "lambda_b"),
        (np.ones(24), 5, float("nan"), "lambda_b"),
        (np.ones(24), 5, 0.99, "quality bias"),
    ],
)
def test_wrong_searches_are_refused(kind, pool, query, c, lambda_b, message):
    with pytest.raises(ValueError, match=message):
        INDEXES[kind].build(pool[:40]).search(query, c, lambda_b=lambda_b)


@pytest.mark.parametrize(
    ("rows", "bias", "message"),
    [
        (np.ones(4), None, "shape"),
        (np.ones((4, 0)), None, "shape"),
        (np.array([[1.0, np.inf]]), None, "finite"),
        (np.eye(3), np.zeros(2), "quality_bias"),
        (np.eye(3), np.array([0.0, np.nan, 0.0]), "score every demonstration"),
    ],
)
def test_wrong_rows_are_refused(kind, rows, bias, message):
    with pytest.raises(ValueError, match=message):
        INDEXES[kind].build(rows, bias)


def test_each_kind_says_what_it_is(kind):
    index = INDEXES[kind]
    assert index.kind == kind
    assert index.label
    assert index.explanation.endswith(".")
    assert index.exact is (kind == "flat")
