"""Thoughts before an answer: taken off, in each of the ways in which models mark them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generation import NO_THOUGHTS, Thoughts, thoughts_in

WAYS = {
    "think": ("<think>", "</think>"),
    "thinking": ("<thinking>", "</thinking>"),
    "thought": ("<thought>", "</thought>"),
    "reasoning": ("<reasoning>", "</reasoning>"),
    "Magistral": ("[THINK]", "[/THINK]"),
    "Kimi": ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    "Sky": ("<|begin_of_thought|>", "<|end_of_thought|>"),
    "harmony": ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
}


def parts(text):
    found = thoughts_in(text)
    return found.text, text[found.answer_at :], found.ended


@pytest.mark.parametrize("way", WAYS)
def test_thoughts_are_no_part_of_the_answer(way):
    opening, closing = WAYS[way]
    assert parts(f"{opening}\nIt is\nLima.\n{closing}\n\nLima\n") == (
        "It is\nLima.", "Lima\n", True,
    )  # fmt: skip
    assert parts(f" {opening}a{closing} Lima") == ("a", "Lima", True)
    assert parts(f"{opening}{closing}Lima") == ("", "Lima", True)
    assert parts(f"{opening}\nIt is") == ("It is", "", False)
    assert parts(f"{opening}a{closing}") == ("a", "", True)


@pytest.mark.parametrize("way", WAYS)
def test_thoughts_that_begin_in_the_prompt(way):
    opening, closing = WAYS[way]
    assert parts(f"It is Lima.\n{closing}\n\nLima") == ("It is Lima.", "Lima", True)
    text = f"The tag {opening} is closed by {closing}."
    assert thoughts_in(text) == NO_THOUGHTS


def test_several_blocks_are_all_thoughts():
    assert parts("<think>a</think>\n<think>b</think> c <think>d</think>") == (
        "a\nb", "c <think>d</think>", True,
    )  # fmt: skip
    assert parts("<think>a</think><think>b") == ("a\nb", "", False)


@given(st.text())
def test_a_text_without_marks_is_all_answer(text):
    if not any(mark in text for pair in WAYS.values() for mark in pair):
        assert thoughts_in(text) == NO_THOUGHTS
    assert 0 <= thoughts_in(text).answer_at <= len(text)


@given(st.text("ab \n"), st.text("ab \n"))
def test_thoughts_and_answer_are_all_that_was_written(thought, answer):
    found = thoughts_in(f"<think>{thought}</think>{answer}")
    at = len(f"<think>{thought}</think>{answer}") - len(answer.lstrip())
    assert found == Thoughts(thought.strip(), at, ended=True)
