"""Placeholders, repeated queries, HTML and personal data, and what only looks like them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.curation.findings.checks.escaped import repair_of
from core.curation.findings.checks.personal_data import CARD, EMAIL, PHONE, luhn, mask
from core.curation.findings.checks.placeholder import is_placeholder
from tests.unit.curation.findings.conftest import draft

CLEAN = (("Is glass a liquid?", "No, it is solid"), ("Do bats see at night?", "Most of them do"))
NEW = ("placeholder", "repeated-query", "escaped", "personal-data")


@pytest.mark.parametrize("check", NEW)
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_clean_pool_and_an_empty_one_have_none(found, check, number):
    assert found(check, *CLEAN[:number]) == []


@pytest.mark.parametrize(
    "text",
    [
        "TODO", "todo.", "TBD", "N/A", "n.a.", "(n/a)", "test", "Test!", "testing", "asdf",
        "asdfjkl;",
        "qwertyuiop", "See above.", "same as above", "lorem ipsum", "Lorem ipsum dolor sit amet",
        "TODO: ask Bob", "tbd - later", "[your answer here]", "<answer>", "{{response}}", "xxxx",
        "bla bla", "Foo bar", "fill in", "ＴＯＤＯ",
    ],
)  # fmt: skip
def test_placeholders(found, text):
    query = "Which one is it?"
    assert found("placeholder", (query, text), *CLEAN) == [([(query, text)], 1.0, text)]
    assert found("placeholder", (text, "Fine"), *CLEAN, name="b") == [([(text, "Fine")], 1.0, text)]
    both = (text, "See below")
    assert found("placeholder", both, *CLEAN, name="c") == [([both], 2.0, text)]


@pytest.mark.parametrize(
    "text",
    [
        "", "Test cricket", "A test of strength", "None", "null", "Nothing", "todos los días",
        "QWERTY",
        "XXX", "aaa", "Todoist", "See above the fold", "The answer", "[1, 2]", "<b>", "Ditto",
        "NaN",
        "0000", "I do not know", "mmm", "-", "???",
    ],
)  # fmt: skip
def test_answers_that_look_like_placeholders(text):
    assert not is_placeholder(text)


def test_a_placeholder_that_is_asked_for_is_an_answer(found):
    assert found("placeholder", ("What does N/A stand for in a form: n/a?", "n/a")) == []
    assert len(found("placeholder", ("What does NA stand for?", "n/a"), name="b")) == 1


@pytest.mark.parametrize(
    "answer", ["Is glass a liquid?", "IS GLASS A LIQUID", "is  glass, a liquid!"]
)
def test_an_answer_that_repeats_its_query(found, answer):
    row = ("Is glass a liquid?", answer)
    assert found("repeated-query", row, *CLEAN) == [([row], 1.0, answer)]


@pytest.mark.parametrize(
    "row",
    [
        ("Is glass a liquid?", "Glass is a liquid"),
        ("Is glass a liquid?", "Is glass a liquid? No"),
        ("Is glass liquid?", "Is glass a liquid?"), ("-5", "5"), ("What is C?", "What is C++?"),
        ("...", "!!!"), ("Is glass a liquid?", "glass"),
    ],
)  # fmt: skip
def test_an_answer_that_says_something_else(found, row):
    assert found("repeated-query", row, *CLEAN) == []


def test_a_text_may_be_its_own_label(found):
    rows = [(f"review {'abcdefghijkl'[i] * 5}", ("good", "bad")[i % 2]) for i in range(12)]
    assert found("repeated-query", *rows, ("good", "good")) == []
    assert len(found("repeated-query", *CLEAN, ("good", "good"), name="b")) == 1


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("<p>Glass</p>", "Glass"), ("<p>One</p><p>two</p>", "One\ntwo"), ("One<br>two", "One\ntwo"),
        ("<b>bold</b> and <i>not</i>", "bold and not"), ("10<sup>3</sup> m", "10^3 m"),
        ("the 1<sup>st</sup>", "the 1st"), ("H<sub>2</sub>O", "H2O"), ("<p>open", "open"),
        ('<a href="https://a.org/?b=1&amp;c=2">here</a>', "here"), ("a<BR/>b", "a\nb"),
        ("<ul><li>one<li>two</ul>", "onetwo"), ("<td>1</td><td>2</td>", "1 2"),
        ('<span class="x" id=y>word</span>', "word"), ("<b>R&amp;D</b>", "R&D"),
    ],
)  # fmt: skip
def test_html_is_taken_out_and_its_letters_written(found, text, repaired):
    row = ("What was written?", text)
    assert found("escaped", row, *CLEAN) == [([row], 1.0, repaired)]


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("How is bold written in HTML?", "<b>bold</b>"), ("Which tag is it?", "<i>x</i>"),
        ("What is it?", "a < b and c > d"), ("What is it?", "List<b> of them"),
        ("What is it?", "<b>"), ("What is it?", "<br>"), ("What is it?", "<b></b>"),
        ("What is it?", "<p> generates S"), ("What is it?", "x <i> y"),
        ("What is it?", "<user> here"),
        ("How is it rendered in React?", "<ul><li>one</li></ul>"), ("Code?", "```\n<b>x</b>\n```"),
    ],
)  # fmt: skip
def test_what_is_no_html_or_is_about_it_stays(found, query, answer):
    rows = [(query, answer)] if answer != "<p> generates S" else [(query, "index of <p> in S")]
    assert found("escaped", *rows, *CLEAN) == []


def test_letters_are_repaired_in_what_is_about_html():
    repair = repair_of(draft("How is it written in HTML?", "<b>R&amp;D</b>"))
    assert repair("<b>R&amp;D</b>") == "<b>R&D</b>"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Write to anna.meier@example.com.", f"Write to {EMAIL}."),
        ("j_d+list@uni-bonn.de or a@b.co.uk", f"{EMAIL} or {EMAIL}"),
        ("+44 20 7946 0958", PHONE), ("Ring +49 (0)30 901820 now", f"Ring {PHONE} now"),
        ("(555) 123-4567", PHONE), ("555-123-4567", PHONE), ("1-800-555-0199.", f"{PHONE}."),
        ("555.123.4567", PHONE), ("+15551234567", PHONE), ("Tel.: 030 901820", f"Tel.: {PHONE}"),
        ("Call us at 0800 1111", f"Call us at {PHONE}"),
        ("phone number is 555-0134", f"phone number is {PHONE}"),
        ("4111 1111 1111 1111", CARD), ("Card 4111-1111-1111-1111, thanks", f"Card {CARD}, thanks"),
        ("378282246310005", CARD), ("5555555555554444", CARD), ("4222222222222", CARD),
        ("a@b.org 4111111111111111 +4930901820", f"{EMAIL} {CARD} {PHONE}"),
    ],
)  # fmt: skip
def test_personal_data_is_found_and_masked(found, text, masked):
    row = ("Whom do I ask?", text)
    assert found("personal-data", row, *CLEAN) == [([row], 1.0, masked)]
    assert mask(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "", "@home", "a@b", "user@localhost", "4111 1111 1111 1112", "1234567890123456",
        "411111111111111", "ISBN 978-3-16-148410-0", "3.14159265358979", "2020-05-01", "1939-1945",
        "192.168.100.200", "1,234,567,890", "10 000 000 000", "Call 911", "call 12345", "555-1234",
        "x + 12345678", "100 200 3000", "12345.6789", "-4111111111111111",
    ],
)  # fmt: skip
def test_numbers_that_are_no_personal_data(text):
    assert mask(text) == text


@given(st.text(alphabet="0123456789", min_size=1, max_size=18))
def test_one_check_digit_of_ten_is_right(digits):
    right = [last for last in "0123456789" if luhn(digits + last)]
    assert len(right) == 1
    total = 0
    for place, digit in enumerate(reversed(digits + right[0])):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    assert total % 10 == 0


@given(st.text(alphabet="ab.@+-() 0123456789", max_size=40))
def test_what_is_masked_is_masked_once(text):
    assert mask(mask(text)) == mask(text)
