"""The notebook of the library runs from first cell to last, and shows what its text says."""

import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[1] / "docs" / "library.ipynb"


@pytest.fixture(scope="module")
def ran():
    """The names that the notebook leaves behind, all of its cells run in order."""
    names = {}
    for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, {cell['id']}", "exec"), names)
    return names


def test_a_mix_leaves_out_what_repeats_the_first_row(ran):
    assert (ran["similar_only"], ran["mix"]) == ([1, 0], [1, 3])
    assert [piece.indices.tolist() for piece in ran["pieces"]][-1] == [1, 0]


def test_the_pool_is_the_files(ran):
    assert ran["report"].queries == 60
    assert len(ran["view"]) == ran["report"].demonstrations


def test_answers_have_log_probabilities(ran):
    scores = ran["scores"]
    for found in (scores.correct, scores.correct_alone, scores.incorrect, scores.incorrect_alone):
        assert len(found) > 0
        assert (found < 0).all()
    assert (scores.correct_tokens > 0).all()


def test_the_comparison_says_what_no_context_does(ran):
    methods = ran["comparison"].methods
    assert list(methods) == ["none", "rel", "rel+div"]
    assert methods["none"].metrics["dpo_per_triple"].mean == pytest.approx(-0.6931, abs=1e-4)
    assert methods["rel"].metrics["dpo_per_triple"].low is None, "too few for an interval"


def test_the_notebook_is_kept_without_output():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)
