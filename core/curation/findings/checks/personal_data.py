"""Mail addresses, phone numbers and numbers of payment cards."""

import re
from collections.abc import Iterator

from ..finding import Check, Fault, PoolContents, repairable

EMAIL, PHONE, CARD = "[email]", "[phone number]", "[card number]"

_EMAIL = re.compile(r"(?<![\w.%+-])\w[\w.%+-]*@(?:[a-z0-9-]+\.)+[a-z]{2,24}(?![\w-])", re.I)
_CARD = re.compile(r"(?<![\w.,+-])(?<!\d )[2-6](?:[ -]?\d){12,18}(?! ?[\d\w]|[.,-]\d)")
_LENGTHS = {"2": {16}, "3": {14, 15}, "4": {13, 16, 19}, "5": {16}, "6": {16, 17, 18, 19}}
"""How many digits a card has, by its first: Mastercard, Diners and American Express, Visa ..."""
_PHONES = (
    re.compile(r"(?<![\w.,+)-])()(?<!\d )\+[1-9](?:[ ./()-]{0,2}\d){7,14}(?![\w-]|[.,]\d)"),
    re.compile(
        r"(?<![\w.,+-])()(?:\+?1[ .-])?(?:\(\d{3}\)[ -]?\d{3}[ .-]|\d{3}([.-])\d{3}\2)\d{4}"
        r"(?![\w-])"
    ),
    re.compile(
        r"\b((?:tel|telephone|phone|mobile|cell|fax|call|dial|whatsapp)(?: us)?(?: number)?"
        r"(?: at| on| is)?[.:]{0,2} ?)\(?\d(?:[ ./()-]{0,2}\d){5,14}(?![\w-]|[.,]\d)",
        re.I,
    ),
)
"""With a country's code; three, three and four digits; after a word such as "call", which stays."""


def find(checked: PoolContents) -> Iterator[Fault]:
    """The demonstrations with such data, each with the first of these texts masked."""
    return repairable(checked, lambda row: mask)


def mask(text: str) -> str:
    """The text with its personal data masked, as in "[email]"; one without any as it is."""
    if "@" in text:
        text = _EMAIL.sub(EMAIL, text)
    if sum(map(str.isdigit, text)) >= 6:
        text = _CARD.sub(_masked_card, text)
        for phone in _PHONES:
            text = phone.sub(rf"\1{PHONE}", text)
    return text


def _masked_card(number: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", number[0])
    fits = len(digits) in _LENGTHS[digits[0]] and luhn(digits)
    return CARD if fits else number[0]


def luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it (ISO/IEC 7812-1)."""
    doubled = [2 * int(digit) for digit in digits[-2::-2]]
    return (sum(map(int, digits[::-2])) + sum(sum(divmod(each, 10)) for each in doubled)) % 10 == 0


CHECK = Check(
    "personal-data",
    "Personal data",
    "A text has a mail address, a phone number (with a country's code, as 555-123-4567 or after a "
    'word such as "call") or the number of a payment card, whose check digit is right. A model may '
    "repeat it. The text is shown with it masked, and can be masked so.",
    "texts and tags of the demonstration with such data",
    find,
)
