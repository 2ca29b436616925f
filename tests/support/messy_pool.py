"""Faults planted in a pool, and texts that look like faults: what each check has to find or not.

Used with few rows by a test, which knows every planted fault by its check, and with the rows of a
real pool by `benchmarks/findings.py`.
"""

import csv
import io
import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.demonstration.demonstration import Draft

Row = tuple[str, str]
"""A query and its answer."""


class Planted(NamedTuple):
    """A demonstration that is added to a pool because of one of its rows.

    Attributes:
        check: The name of the check that is to find it, or not.
        kind: What was done, as "number".
        is_fault: Whether the check is to find it.
        row: The row that it was made of, which is in the pool as well.
        draft: What is added.
    """

    check: str
    kind: str
    is_fault: bool
    row: Row
    draft: Draft


Change = Callable[[Row, random.Random], Row | None]
"""A row that is added for a row; None where it cannot be made of this one."""

PLACEHOLDERS = ("TODO", "n/a", "N/A.", "test", "asdf", "tbd", "See above.", "[your answer here]",
                "Lorem ipsum dolor sit amet", "xxxx", "TODO: ask Bob", "blah blah")  # fmt: skip
MAILS = ("anna.meier@mail.example.org", "info@acme.co.uk", "j_d+list@uni-bonn.de")
PHONES = ("+44 20 7946 0958", "(555) 123-4567", "555-123-4567", "+49 (0)30 901820",
          "phone 030 901820", "1-800-555-0199", "+15551234567")  # fmt: skip
WORDS = dict(enumerate(("two", "three", "four", "five", "six", "seven", "eight", "nine"), start=2))
_NUMBER = re.compile(r"(?<![\w.,-])\d{1,3}(?![\w.,:/%°-])")
_YES_OR_NO = re.compile(r"(Yes|No|True|False)(?=$|[,.])")
_DENIED = {"Yes": "No", "No": "Yes", "True": "False", "False": "True"}


def denied(row: Row, draw: random.Random) -> Row | None:
    """The same query with "No" for "Yes", or the other way round."""
    query, answer = row
    if not _YES_OR_NO.match(answer):
        return None
    return query, _YES_OR_NO.sub(lambda found: _DENIED[found[0]], answer, count=1)


def negated(row: Row, draw: random.Random) -> Row | None:
    """The same query with the answer's first "is", "are" or "can" negated."""
    query, answer = row
    if re.search(r"\bnot\b|n't|\bno\b", answer, re.IGNORECASE) or len(answer.split()) < 3:
        return None
    changed, count = re.subn(r"\b(is|are|was|were|can)\b", r"\1 not", answer, count=1)
    return (query, changed) if count else None


def other_number(row: Row, draw: random.Random) -> Row | None:
    """The same query with another number in the answer, if that has one."""
    query, answer = row
    if len(_NUMBER.findall(answer)) != 1 or len(re.findall(r"\d+", answer)) != 1:
        return None
    return query, _NUMBER.sub(lambda found: str(int(found[0]) + draw.randrange(2, 60)), answer)


def number_in_words(row: Row, draw: random.Random) -> Row | None:
    """The same query with the answer's number in words."""
    query, answer = row
    numbers = re.findall(r"\d+", answer)
    if len(numbers) != 1 or not _NUMBER.search(answer) or int(numbers[0]) not in WORDS:
        return None
    return query, _NUMBER.sub(lambda found: WORDS[int(found[0])], answer)


def in_a_sentence(row: Row, draw: random.Random) -> Row | None:
    """The same query with the answer in a sentence."""
    query, answer = row
    return query, f"The answer is {answer}"


def other_answer_of(answers: Sequence[str]) -> Change:
    """The same query with the short answer of another one."""
    short = [each for each in answers if len(each.split()) <= 4 and not re.search(r"\d", each)]

    def change(row: Row, draw: random.Random) -> Row | None:
        query, answer = row
        fits = len(answer.split()) <= 4 and not re.search(r"\d|^(?:Yes|No)\b", answer)
        return (query, draw.choice(short)) if fits and short else None

    return change


def placeholder(row: Row, draw: random.Random) -> Row | None:
    """The query with an answer that nobody wrote."""
    return row[0], draw.choice(PLACEHOLDERS)


def asked_for(row: Row, draw: random.Random) -> Row | None:
    """A query about a placeholder, which is its answer."""
    word = draw.choice(("TODO", "n/a", "tbd"))
    return f"What do people write for a missing text, {word} or 0? ({row[0]})", word


def repeated(row: Row, draw: random.Random) -> Row | None:
    """The query as its own answer, in another case or without its mark."""
    return row[0], draw.choice((row[0], row[0].upper(), row[0].rstrip("?.! "), f"{row[0]}!"))


def turned(row: Row, draw: random.Random) -> Row | None:
    """An answer with the query's words in another order."""
    words = row[0].rstrip("?.! ").split()
    return (row[0], " ".join([*words[1:], words[0]])) if len(set(words)) > 2 else None


def tagged(row: Row, draw: random.Random) -> Row | None:
    """The answer with tags or entities of HTML."""
    query, answer = row
    ways = ("<p>{}</p>", "<b>{}</b>", '<a href="https://a.org">{}</a>', "{}<br>", "&quot;{}&quot;",
            "<ul><li>{}</li></ul>", "<p>{}", "{}&nbsp;", '<span class="x">{}</span>')  # fmt: skip
    return query, draw.choice(ways).format(answer)


def in_brackets(row: Row, draw: random.Random) -> Row | None:
    """The answer with signs that are no HTML, or HTML that is asked for."""
    query, answer = row
    if draw.random() < 0.5:
        return query, draw.choice(("a < {} > b", "<{}>", "{} -> <b", "List<b> {}")).format(answer)
    return f"How is this written in HTML? {query}", f"<b>{answer}</b>"


def personal(row: Row, draw: random.Random) -> Row | None:
    """The answer with a mail address, a phone number or the number of a card."""
    data = draw.choice((draw.choice(MAILS), draw.choice(PHONES), card(draw)))
    return row[0], f"{row[1].rstrip('.')}, {data}."


def numbered(row: Row, draw: random.Random) -> Row | None:
    """The answer with numbers that are no such data: one of them is a card but for its digit."""
    whole = card(draw)
    wrong = f"{whole[:-1]}{(int(whole[-1]) + 1) % 10}"
    ways = ("1,234,567,890", "ISBN 978-3-16-148410-0", "3.14159265358979", "2020-05-01", "@home",
            "192.168.100.200", "1939-1945", "10 000 000 000", wrong)  # fmt: skip
    return row[0], f"{row[1].rstrip('.')}, {draw.choice(ways)}"


def card(draw: random.Random) -> str:
    """A number of 16 digits with the right check digit, in groups of four."""
    digits = [4, *(draw.randrange(10) for _ in range(14))]
    doubled = [2 * digit - 9 * (digit > 4) for digit in digits[::2]]
    digits.append(-(sum(doubled) + sum(digits[1::2])) % 10)
    return " ".join("".join(map(str, digits[at : at + 4])) for at in range(0, 16, 4))


def planted(rows: Sequence[Row], each: int, draw: random.Random) -> list[Planted]:
    """Of each kind so many faults, or texts that are none; each for a query of its own."""
    kinds: tuple[tuple[str, str, bool, Change], ...] = (
        ("disagreement", "denied", True, denied),
        ("disagreement", "negated", True, negated),
        ("disagreement", "other number", True, other_number),
        ("disagreement", "other answer", True, other_answer_of([answer for _, answer in rows])),
        ("disagreement", "number in words", False, number_in_words),
        ("disagreement", "in a sentence", False, in_a_sentence),
        ("placeholder", "placeholder", True, placeholder),
        ("placeholder", "asked for", False, asked_for),
        ("repeated-query", "repeated", True, repeated),
        ("repeated-query", "turned", False, turned),
        ("escaped", "tags", True, tagged),
        ("escaped", "brackets", False, in_brackets),
        ("personal-data", "personal data", True, personal),
        ("personal-data", "numbers", False, numbered),
    )
    found = []
    used: set[str] = set()
    for check, kind, is_fault, change in kinds:
        made = 0
        for row in draw.sample(list(rows), len(rows)):
            new = change(row, draw) if made < each and row[0] not in used else None
            if new and new != row:
                draft = Draft(*new, tags=(kind,))
                found.append(Planted(check, kind, is_fault, row, draft))
                used.add(row[0])
                made += 1
    return found


HEADER = ("Customer question", "Agent reply", "Bad replies seen", "Category")
"""Columns as people name them."""


def messy_file(drafts: Sequence[Draft], each: int, draw: random.Random) -> str:
    """A csv file of these demonstrations, under HEADER, with so many faults of each kind.

    Among them are rows that come twice, rows with damaged letters and rows with spaces at their
    ends; nothing is planted that only looks like a fault.
    """
    rows = [(draft.query, draft.answer) for draft in drafts]
    wrong = {draft.query: "; ".join(bad.text for bad in draft.incorrect) for draft in drafts}
    lines = [(*row, wrong[row[0]], draw.choice(("health", "history", "nature"))) for row in rows]
    found = [each.draft for each in planted(rows, each, draw) if each.is_fault]
    faults = [(draft.query, draft.answer, "", "nature") for draft in found]
    twice = draw.sample(lines, each)
    damaged = [(query, answer.replace("’", "'") + " â€“ really", "", tag)
               for query, answer, _, tag in draw.sample(lines, each)]  # fmt: skip
    spaced = [(f" {query}", f"{answer} ", bad, tag)
              for query, answer, bad, tag in draw.sample(lines, each)]  # fmt: skip
    lines = lines + faults + twice + damaged + spaced
    draw.shuffle(lines)
    text = io.StringIO()
    csv.writer(text).writerows((HEADER, *lines))
    return text.getvalue()
