"""Labels that a file writes as numbers and names elsewhere: the names are read."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from core.curation import preview
from core.curation.files.labels import declared_features, with_label_names


def label(*names):
    return {"names": list(names), "_type": "ClassLabel"}


TEXT = {"dtype": "string", "_type": "Value"}


@pytest.fixture
def parquet(tmp_path):
    """A parquet file of rows, with the types that `datasets` would write into it."""

    def parquet(rows, features):
        written = json.dumps({"info": {"features": features}})
        table = pa.Table.from_pylist(rows).replace_schema_metadata({"huggingface": written})
        pq.write_table(table, tmp_path / "f.parquet")
        return tmp_path / "f.parquet"

    return parquet


def answers(found):
    return [each.answer for each in found.drafts]


@pytest.mark.parametrize("column", ["label", "sentiment", "coarse_label"])
@pytest.mark.parametrize("names", [("neg", "pos"), ("dull", "fair", "fine")])
def test_the_names_of_labels_are_read_from_parquet(parquet, column, names):
    numbers = [place % len(names) for place in range(7)]
    rows = [{"text": f"film {n}", column: number} for n, number in enumerate(numbers)]
    found = preview(parquet(rows, {"text": TEXT, column: label(*names)}))
    assert answers(found) == [names[number] for number in numbers]
    assert found.report.warnings == (
        f'Numbers of labels that the file names: "{column}" ({", ".join(names)}); the names were '
        "read.",
    )


def test_labels_that_are_kept_secret_count_as_empty(parquet):
    rows = [{"text": f"film {n}", "label": n - 1} for n in range(4)]
    found = preview(parquet(rows, {"label": label("neg", "pos")}))
    assert answers(found) == ["neg", "pos", "2"]
    assert found.report.dropped == {"empty answer": 1}
    assert found.report.warnings[1] == (
        'Labels of -1, which stands for none, in "label": 1; they count as empty.'
    )


@pytest.mark.parametrize(
    ("value", "feature", "read"),
    [
        (1, label("a", "b"), "b"),
        ("1", label("a", "b"), "b"),
        (None, label("a", "b"), None),
        (2, label("a", "b"), 2),
        ("b", label("a", "b"), "b"),
        ([0, 1], {"feature": label("a", "b"), "_type": "Sequence"}, ["a", "b"]),
        ([0, 1], {"feature": label("a", "b"), "_type": "List"}, ["a", "b"]),
        ([0, 1], [label("a", "b")], ["a", "b"]),
        ({"k": 1, "o": 1}, {"k": label("a", "b"), "o": TEXT}, {"k": "b", "o": 1}),
        ([{"k": 1}], [{"k": label("a", "b")}], [{"k": "b"}]),
        (
            {"k": [1, 0], "o": ["x", "y"]},
            {"feature": {"k": label("a", "b"), "o": TEXT}, "_type": "Sequence"},
            {"k": ["b", "a"], "o": ["x", "y"]},
        ),
        (1, TEXT, 1),
    ],
)
def test_a_label_is_named_however_deep_it_is(value, feature, read):
    rows, _ = with_label_names([{"column": value}], {"column": feature})
    assert rows == [{"column": read}]


@pytest.mark.parametrize(
    "metadata", [None, {}, {b"huggingface": b"no json"}, {b"huggingface": b"[1]"},
                 {b"huggingface": b'{"info": {"features": 3}}'}]
)  # fmt: skip
def test_metadata_of_another_kind_declares_nothing(metadata):
    assert declared_features(metadata) == {}


def test_a_quiz_whose_key_is_a_label_is_resolved_by_its_name(parquet):
    options = ["oak", "elm", "ash", "yew"]
    rows = [
        {"question": f"Which is {n}?", "choices": options, "answer": n % len(options)}
        for n in range(8)
    ]
    found = preview(parquet(rows, {"answer": label("A", "B", "C", "D")}))
    assert answers(found) == options * 2


def test_the_viewer_of_the_hub_names_labels_too_and_says_what_it_has_cut(write):
    features = [
        {"feature_idx": 0, "name": "text", "type": TEXT},
        {"feature_idx": 1, "name": "label", "type": label("neg", "pos")},
    ]
    rows = [
        {"row_idx": n, "row": {"text": f"film {n}", "label": n % 2},
         "truncated_cells": ["text"] if n == 1 else []}
        for n in range(4)
    ]  # fmt: skip
    document = {"features": features, "rows": rows, "num_rows_total": 900, "partial": False}
    found = preview(write("f.json", document))
    assert answers(found) == ["neg", "pos", "neg", "pos"]
    assert found.report.shape == "rows of Hugging Face's viewer"
    assert found.report.unread_keys == ("num_rows_total", "partial")
    assert found.report.warnings == (
        'Cells that the viewer has cut: 1, in "text"; they are incomplete: take the data '
        "set's own files.",
        'Numbers of labels that the file names: "label" (neg, pos); the names were read.',
    )
