"""When two texts are the same, and how texts and lists read in a sentence."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.text import counted, cut, is_blank, listed, normalised, same_text, short

INVISIBLE = {
    "zero-width space": "\u200b",
    "soft hyphen": "\u00ad",
    "byte order mark": "\ufeff",
    "zero-width non-joiner": "\u200c",
    "zero-width joiner": "\u200d",
    "word joiner": "\u2060",
    "left-to-right mark": "\u200e",
    "right-to-left override": "\u202e",
    "variation selector": "\ufe0f",
    "combining grapheme joiner": "\u034f",
    "Hangul filler": "\u3164",
    "tag": "\U000e0041",
}


@pytest.mark.parametrize("invisible", INVISIBLE.values(), ids=INVISIBLE.keys())
def test_texts_that_differ_by_what_nobody_sees_are_the_same(invisible):
    seen = "Who wrote Café Nº 5?"
    for place in range(len(seen) + 1):
        written = seen[:place] + invisible + seen[place:]
        assert normalised(written) == normalised(seen)
        assert same_text(written) == same_text(seen)
    assert is_blank(f" {invisible}\t{invisible}")
    assert not is_blank(f"{invisible}x")


def test_an_invisible_character_does_not_keep_a_letter_from_its_accent():
    assert normalised("cafe\u200b\u0301") == normalised("café")


def test_what_is_seen_still_tells_texts_apart():
    texts = ["a b", "ab", "a-b", "a_b", "a\u2010b", "ä", "a", "a.", ""]
    assert len({normalised(text) for text in texts}) == len(texts)
    assert normalised("ＡＢ\u00a0 Straße") == "ab strasse"


def test_every_format_character_is_dropped_but_signs_that_are_drawn():
    kept = set()
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        if unicodedata.category(letter) == "Cf" and normalised(f"a{letter}b") != "ab":
            kept.add(unicodedata.name(letter).split()[0])
    # Number signs and the like stand round other letters, hieroglyphs are joined by theirs.
    assert kept == {"ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN", "INTERLINEAR"}


@given(st.text(st.sampled_from("aé\u0301\u0345\u0390ΑΙſK\u200b ı") | st.characters(codec="utf-8")))
@example("\u0390\u0301")
@example("\u0345\u0301")
def test_the_normalised_form_of_a_normalised_text_is_itself(text):
    once = normalised(text)
    assert normalised(once) == once


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("  What is it?\n", "What is it?"),
        ("\u00a0cafe\u0301\u2003", "caf\u00e9"),
        ("def f(x):\n    return x\n", "def f(x):\n    return x"),
        ("\ufeff\u200b a\u00adb \u200d", "ab"),
        ("3²", "3²"),
        ("Co", "Co"),
        ("ﬁne", "ﬁne"),
        ("\u2126", "\u03a9"),  # the ohm sign is the letter omega, canonically
        (" \u200b\t", ""),
    ],
)
def test_the_narrow_fold_changes_what_nobody_sees_and_nothing_else(written, key):
    assert same_text(written) == key


texts = st.text(
    st.sampled_from("aA é\u0301\u0345ΑſK\u200b\ufeff\n\u2000²ﬁ") | st.characters(codec="utf-8")
)


@given(texts)
def test_the_narrow_fold_of_a_folded_text_is_itself(text):
    assert same_text(same_text(text)) == same_text(text)


@given(texts, texts)
def test_what_is_the_same_text_is_left_out_together(one, other):
    """The loose fold takes nothing apart that the narrow one joins."""
    assert normalised(same_text(one)) == normalised(one)
    if same_text(one) == same_text(other):
        assert normalised(one) == normalised(other)


@given(texts)
def test_a_text_is_blank_to_both_folds_or_to_none(text):
    assert is_blank(text) == (same_text(text) == "") == (normalised(text) == "")


@given(st.text(st.sampled_from(" \t\n\x1faB") | st.characters(codec="ascii")))
def test_the_loose_fold_of_ascii_is_case_and_white_space(text):
    assert normalised(text) == " ".join(text.casefold().split())


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [
        ("", 5, ""),
        ("abcde", 5, "abcde"),
        ("abcdef", 5, "ab..."),
        ("a" * 61, 60, "a" * 57 + "..."),
        ("a\n b", 5, "a\n b"),
    ],
)
def test_a_long_text_is_cut_to_that_many_letters(text, most, shown):
    assert cut(text, most) == shown


def test_a_short_text_is_on_one_line():
    assert short(" a\n\tb  c ") == "a b c"
    assert short("a " * 40) == "a " * 28 + "a..."


def test_names_in_a_sentence():
    assert [listed(["a", "b", "c"][:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert [listed(["a", "b", "c"][:n], "or") for n in (2, 3)] == ["a or b", "a, b or c"]


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "query", "0 queries"), (1, "query", "1 query"), (2, "query", "2 queries"),
        (1, "incorrect answer", "1 incorrect answer"), (1234, "row", "1,234 rows"),
        (2, "key", "2 keys"),
    ],
)  # fmt: skip
def test_a_noun_agrees_with_its_count(count, noun, text):
    assert counted(count, noun) == text
