"""The pools of the service desk: what the files hold, and what their README promises."""

import json
from collections import Counter
from pathlib import Path

import pytest

from core.curation.importing import import_file
from core.demonstration.demonstration import from_columns
from core.text import normalised
from practice.dialects import held_out_dialect, held_out_names
from practice.mistakes import Mistake
from practice.pools import are_near_doubles, build_pool, curate, write_pool
from tests.practice.mistake_oracle import classify, known_fields

DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture(scope="module")
def pool():
    return build_pool()


@pytest.fixture(scope="module", params=["service-desk", "service-desk-curated"])
def rows(request):
    text = (DATA / f"{request.param}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_the_files_are_what_the_generator_writes(pool, tmp_path):
    for name, made in (("service-desk", pool), ("service-desk-curated", curate(pool))):
        write_pool(tmp_path / name, made)
        assert (tmp_path / name).read_bytes() == (DATA / f"{name}.jsonl").read_bytes()


def test_queries_are_distinct_and_several_hundred(rows):
    assert len(rows) >= 300
    assert len({normalised(row["query"]) for row in rows}) == len(rows)


def test_no_answer_of_a_query_belongs_to_another(rows):
    correct = Counter(answer for row in rows for answer in row["answers"])
    assert max(correct.values()) == 1
    incorrect = {text for row in rows for text in row["incorrect"]}
    assert incorrect.isdisjoint(correct)


def test_incorrect_answers_say_their_kind(rows):
    fields = known_fields(answer for row in rows for answer in row["answers"])
    for row in rows:
        assert len(row["incorrect"]) >= 5
        assert set(row["incorrect_kinds"]) == set(Mistake)
        kinds = [classify(text, row["answers"], fields) for text in row["incorrect"]]
        assert kinds == row["incorrect_kinds"], row["query"]


def test_the_logs_pool_is_redundant_and_the_curated_one_is_not(pool):
    curated = curate(pool)
    assert {len(row.answers) for row in pool} == {2, 3, 4, 5}
    assert {len(row.answers) for row in curated} == {1}
    assert {len(row.request.values) for row in pool} == {3, 4}
    for place, row in enumerate(curated):
        assert not any(are_near_doubles(row.request, other.request) for other in curated[:place])
    near = sum(
        any(are_near_doubles(row.request, other.request) for other in pool[:place])
        for place, row in enumerate(pool)
    )
    assert near > 0.2 * len(pool)


def test_every_name_of_the_pool_is_held_out_of_training(rows):
    names = {
        word
        for row in rows
        for answer in row["answers"]
        for word in answer.replace(",", " ").split()
        if "_" in word
    }
    assert names <= held_out_names()
    assert len(names) > 70


def test_seeds_give_other_pools_in_other_dialects():
    one, same = (build_pool(100, 40, held_out_dialect(100)) for _ in range(2))
    assert one == same
    other = build_pool(101, 40, held_out_dialect(101))
    assert {row.query for row in one}.isdisjoint(row.query for row in other)


def test_the_pools_import_with_their_best_answers(store):
    report = import_file(store, DATA / "service-desk.jsonl", "log")
    assert report.queries == 480
    assert report.dropped == {}
    pool = store.pools.get("log")
    best = [each for each in store.demonstrations.all(pool.id) if each.best]
    assert len(best) == 480
    assert all(each.tags and each.incorrect for each in best)


def test_the_pools_import_with_the_kinds_of_their_incorrect_answers(rows, store, tmp_path):
    path = tmp_path / "pool.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    import_file(store, path, "desk")
    incorrect = {row["query"]: from_columns(row) for row in rows}
    for each in store.demonstrations.all(store.pools.get("desk").id):
        assert each.incorrect == incorrect[each.query]
