"""Examples are values: copies, further texts, what a stage saw, and their JSON."""

import copy
import json
import pickle

import pytest

from core.programs import Example, Passage, Turn

PASSAGE = Passage(3, "The tower has five storeys.", "Tower")


def test_a_copy_leaves_the_original_as_it_is():
    first = Example("How tall?", ("five storeys",))
    second = first.copy(question="How high?", rationale="It says so.", passages=(PASSAGE,))
    assert (first.question, first.texts, first.passages) == ("How tall?", {}, ())
    assert (second.question, second.rationale) == ("How high?", "It says so.")
    assert second.answers == ("five storeys",)
    third = second.copy(rationale="Another.", query="tower")
    assert (second.rationale, third.rationale, third.query) == ("It says so.", "Another.", "tower")
    assert third.copy(texts={"a": "b"}).texts == {"a": "b"}


def test_what_an_example_lacks():
    example = Example("How tall?").copy(rationale="x")
    with pytest.raises(AttributeError, match="no 'summary'"):
        _ = example.summary
    assert (example.get("summary"), example.get("rationale")) == ("", "x")
    with pytest.raises(TypeError, match="'score' of an example must be a text, not 3"):
        example.copy(score=3)


def test_without_leaves_out_texts_and_puts_defaults_in_place_of_attributes():
    example = Example("How tall?", ("five",), pred="six").copy(rationale="x", query="y")
    bare = example.without("answers", "rationale", "pred", "unknown")
    assert bare == Example("How tall?").copy(query="y")
    assert example.answers == ("five",)


def test_equal_whatever_the_order_of_the_texts():
    assert Example("q").copy(a="1").copy(b="2") == Example("q").copy(b="2").copy(a="1")


def test_a_stage_is_remembered_with_what_it_saw():
    example = Example("q", passages=(PASSAGE,), summaries=("s",))
    after = example.completed("hop 1", {"query": "one"}).copy(passages=(), summaries=("s", "t"))
    after = after.completed("hop 2", {"query": "two", "summary": "u"})
    assert (after.query, after.passages) == ("two", ())
    seen = after.at("hop 1")
    assert (seen.query, seen.passages, seen.summaries) == ("one", (PASSAGE,), ("s",))
    assert after.at("hop 2").summaries == ("s", "t")
    assert after.at("qa") is after
    again = after.completed("hop 1", {"query": "three"})
    assert [each.stage for each in again.stages] == ["hop 2", "hop 1"]
    assert again.at("hop 1").query == "three"


def test_its_json_comes_back_equal():
    inner = Example("a", ("b", "c"), augmented=True).completed("qa", {"rationale": "d"})
    example = Example(
        "q",
        ("x",),
        (Turn("before", "yes"),),
        train=(inner,),
        demos=(inner, Example("z")),
        summaries=("s",),
        passages=(PASSAGE,),
    ).copy(further="text", pred="p")
    row = json.loads(json.dumps(example.to_json()))
    assert row["demos"][0]["stages"][0]["texts"] == {"rationale": "d"}
    assert Example.from_json(row) == example
    assert copy.deepcopy(example) == pickle.loads(pickle.dumps(example)) == example


def test_a_passage_shows_its_title_where_it_has_one():
    assert PASSAGE.shown == "Tower | The tower has five storeys."
    assert Passage(1, "Alone.").shown == "Alone."
