"""When two texts are the same."""

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.text import is_blank, normalised

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
        assert normalised(seen[:place] + invisible + seen[place:]) == normalised(seen)
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
