"""A comparison counts the contexts whose ranking could not distinguish demonstrations."""

import numpy as np
import pytest

from core.evaluation.runs.evaluate import evaluate
from core.retrieval.context import Doubt
from core.retrieval.knobs import Knobs
from tests.support.hashing_encoder import HashingEncoder


class Short(HashingEncoder):
    """Reads twelve letters of a text: "How many legs has ..." are one and the same to it."""

    def __init__(self):
        super().__init__(name="short")

    def encode(self, texts, **options):
        return super().encode([text[:12] for text in texts], **options)

    def cut(self, texts):
        return np.array([len(text) > 12 for text in texts], dtype=bool)


@pytest.fixture
def compared(bench):
    bench.encoder = Short()
    requests = {name: Knobs(name, 3) for name in ("none", "fix", "rel", "bm25")}
    return evaluate(
        bench.store, bench.view(), bench.engine(), bench.examples(), bench.encoder, requests
    )


def test_contexts_are_counted_by_method_and_kind(compared):
    doubts = {name: result.doubts for name, result in compared.methods.items()}
    examples = len(compared.examples)
    assert doubts["none"] == {}
    assert doubts["fix"][Doubt.CUT] == doubts["rel"][Doubt.CUT] == examples
    assert Doubt.SAME_EMBEDDING not in doubts["fix"] | doubts["bm25"]
    # Two queries begin alike: for either the other one is the nearest, with the query's own row.
    assert doubts["rel"][Doubt.SAME_EMBEDDING] >= 2
    legs = [
        outcome.doubts
        for example, outcome in zip(
            compared.examples, compared.methods["rel"].outcomes, strict=True
        )
        if example.query.startswith("How many")
    ]
    assert all(Doubt.SAME_EMBEDDING in each for each in legs)


def test_the_summary_and_its_json_have_the_counts(compared):
    summary = compared.summary()
    row = summary.to_json()["methods"]
    assert row["rel"]["doubts"]["cut"] == len(compared.examples)
    assert "doubts" not in row["none"]
    again = type(summary).from_json(summary.to_json())
    assert again.methods["rel"].doubts == compared.methods["rel"].doubts
