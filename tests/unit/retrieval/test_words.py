"""Words of texts in many scripts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.retrieval.wording import words_of
from core.text import normalised


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("What is C?", ["what", "is", "c"]),
        ("C++, C# or C?", ["c++", "c#", "or", "c"]),
        ("C++17 and a+b", ["c", "17", "and", "a", "b"]),
        ("What's the dogs' name, l'eau?", ["what", "the", "dogs", "name", "eau"]),
        ("vitamin 'C' and \u2018D\u2019", ["vitamin", "c", "and", "d"]),
        ("snake_case, Straße", ["snake_case", "strasse"]),
        ("会议室怎么预订？", ["会议", "议室", "室怎", "怎么", "么预", "预订"]),
        ("月", ["月"]),
        ("3月のPython入門", ["3", "月の", "python", "入門"]),
        ("パスワード", ["パス", "スワ", "ワー", "ード"]),
        ("ﾊﾟｽ", ["パス"]),
        ("ห้องพัก", ["ห้อ", "อง", "งพั", "พัก"]),
        ("ຂໍ້", ["ຂໍ້"]),
        ("ក្រុង", ["ក្រុ", "រុង"]),
        ("비밀번호를 잊었어요", ["비밀번호를", "잊었어요"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("e\u0301te\u0301 soft\u00adhyphen", ["été", "softhyphen"]),
        ("?! 🌕 \u0301", []),
        ("", []),
    ],
)
def test_the_words_of(text, words):
    assert words_of(text) == words


@given(st.text())
def test_each_stands_in_the_text_as_it_is_compared(text):
    compared = normalised(text)
    assert all(word in compared for word in words_of(text))


@given(st.lists(st.text("abcäöüдж", min_size=2), min_size=1))
def test_words_between_spaces_are_found_whole(words):
    assert words_of(" ".join(words)) == words


@given(st.text("如何重置路由器的密码", min_size=2))
def test_han_is_cut_into_all_neighbours(text):
    assert words_of(text) == [text[place : place + 2] for place in range(len(text) - 1)]
