"""The oracle of the kinds of mistakes: what is wrong with an answer, from the answers alone."""

import re

from practice.calls import Call
from practice.mistakes import Mistake

_CALL = re.compile(r"(\S+) \{ (.+) \}")
_ARGUMENT = re.compile(r"(\S+) as (\S+)")


def parse_call(text):
    """The call that is written there, or None when it is not one."""
    found = _CALL.fullmatch(text.strip())
    if found is None:
        return None
    arguments = [_ARGUMENT.fullmatch(part) for part in found[2].split(", ")]
    if not all(arguments):
        return None
    return Call(found[1], tuple((part[1], part[2]) for part in arguments if part))


def classify(incorrect, correct, known_fields):
    """What is wrong with an incorrect answer, or None when it is no call or of another kind.

    Args:
        incorrect: The answer.
        correct: The query's correct answers.
        known_fields: Every field name of the dialect: in a pool, those of its correct answers.
    """
    call = parse_call(incorrect)
    right = next(filter(None, map(parse_call, correct)), None)
    if call is None or right is None:
        return None
    found, wanted = set(call.arguments), set(right.arguments)
    if call.function == right.function and found == wanted:
        return None
    if call.function != right.function:
        return Mistake.WRONG_FUNCTION if found == wanted else None
    if found < wanted:
        return Mistake.MISSING_FIELD
    wrong = found - wanted
    same_values = {value for value, _ in found} == {value for value, _ in wanted}
    if same_values and len(found) == len(wanted):
        known = all(field in known_fields for _, field in wrong)
        return Mistake.WRONG_FIELD if known else Mistake.INVENTED_FIELD
    if {field for _, field in found} == {field for _, field in wanted} and wrong:
        return Mistake.WRONG_VALUE
    return None


def known_fields(correct):
    """The field names that calls use."""
    calls = filter(None, map(parse_call, correct))
    return {field for call in calls for _, field in call.arguments}
