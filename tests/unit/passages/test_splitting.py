"""Documents as parts: where these begin and end, and that nothing is lost."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.passages.splitting import DocumentPart, Lengths, split, word_spans

LETTERS = st.text(alphabet="ab.!? \n\t\u00a0日本语。กำ'é「」\u200b", max_size=80)


def texts(text, size, overlap=0):
    return [text[part.start : part.end] for part in split(text, Lengths(size, overlap))]


def words(text):
    return [text[start:end] for start, end in word_spans(text)]


def test_words_at_a_size_with_an_overlap():
    assert texts("a b c d e f g", 3, 1) == ["a b c", "c d e", "e f g"]
    assert split("a b c d e", Lengths(3, 1)) == [DocumentPart(0, 0, 5), DocumentPart(4, 6, 9)]


def test_both_ends_of_each_knob():
    assert texts("a b c", 1, 0) == ["a", "b", "c"]
    assert texts("a b c d e", 3, 2) == ["a b c", "b c d", "c d e"]
    assert texts("a b c d e f", 3, 0) == ["a b c", "d e f"]
    assert texts("a b c", 3, 2) == ["a b c"]
    assert texts("a b c", 1_000_000, 999_999) == ["a b c"]


@pytest.mark.parametrize("text", ["", " \n\t \u00a0"])
def test_what_has_no_word_has_no_part(text):
    assert split(text) == []


@pytest.mark.parametrize(
    ("size", "overlap", "what"),
    [(0, 0, "0 words"), (-1, 0, "-1 words"), (3, 3, "from 0 to 2"), (1, 1, "to 0"), (3, -1, "-1")],
)
def test_knobs_out_of_range_are_refused(size, overlap, what):
    with pytest.raises(InvalidInput, match=what):
        Lengths(size, overlap)


def test_a_part_ends_at_the_last_sentence_in_its_last_fifth():
    text = "one two three four five six seven eight. Nine ten eleven twelve"
    assert texts(text, 10) == [
        "one two three four five six seven eight.",
        "Nine ten eleven twelve",
    ]
    # A sentence that ends earlier is passed over, and of two the later one counts.
    assert texts("one two three. Four five six seven eight nine ten eleven", 10) == [
        "one two three. Four five six seven eight nine ten",
        "eleven",
    ]
    assert texts("a b c d e f g h. I. J k", 10)[0] == "a b c d e f g h. I."


def test_a_paragraph_counts_before_a_sentence():
    text = "a b c d e f g h\n\nI j. K l m"
    assert texts(text, 10)[0] == "a b c d e f g h"
    assert texts(text.replace("\n\n", "\n"), 10)[0] == "a b c d e f g h\nI j."


def test_what_ends_a_sentence():
    assert texts('a b c "d!" E f', 5) == ['a b c "d!"', "E f"]
    assert texts("a b c e.g. f g", 5) == ["a b c e.g. f", "g"], "small letters go on"
    assert texts("a b c (d.) 5 f", 5) == ["a b c (d.)", "5 f"]


def test_an_overlap_of_all_but_one_word_still_moves_on():
    # The sentence ends where the part before ended, which would repeat it for ever.
    assert texts("a b c d. E f g h", 5, 4) == [
        "a b c d. E", "b c d. E f", "c d. E f g", "d. E f g h",
    ]  # fmt: skip


def test_scripts_without_spaces_count_characters():
    assert words("東京は「首都」です。Tokyo 2020") == [
        "東", "京", "は", "「首", "都」", "で", "す。", "Tokyo", "2020",
    ]  # fmt: skip
    assert texts("東京は首都です。大阪も大きい。", 8, 0) == ["東京は首都です。", "大阪も大きい。"]
    # A vowel sign stays with its consonant.
    assert words("กินข้าว") == ["กิ", "น", "ข้", "า", "ว"]


@given(LETTERS, st.integers(1, 12), st.data())
def test_the_parts_without_what_they_repeat_are_the_text(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    parts = split(text, Lengths(size, overlap))
    rebuilt, end = "", 0
    for part in parts:
        between = text[end : part.new]
        assert not between.strip(), "between parts there is white space only"
        rebuilt += between + text[part.new : part.end]
        end = part.end
    assert rebuilt + text[end:] == text


@given(LETTERS, st.integers(1, 12), st.data())
def test_parts_are_no_longer_than_asked_and_repeat_as_many_words_as_asked(text, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    spans = word_spans(text)
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    parts = split(text, Lengths(size, overlap))
    assert all(one.start < two.start and one.end < two.end for one, two in pairwise(parts))
    places = [(starts.index(p.start), starts.index(p.new), ends.index(p.end) + 1) for p in parts]
    assert all(last - first <= size for first, _, last in places)
    assert all(last - first >= size - size // 5 for first, _, last in places[:-1])
    assert [new - first for first, new, _ in places[1:]] == [overlap] * len(places[1:])
    assert len(parts) <= 1 or len(spans) > size


@given(st.lists(st.text(alphabet="abc.", min_size=1, max_size=4), max_size=30))
def test_words_with_spaces_are_those_between_white_space(some):
    text = " ".join(some)
    assert words(text) == re.findall(r"\S+", text)
