"""Thoughts of a local model: no part of its answer, and a stop text within them is none."""

import pytest

from core.generation import EndedBy, Generation, GenerationRequest
from core.language_model.local.continuation import Continuation

END = 0


class Letters:
    """A tokenizer whose tokens are the letters."""

    def continued(self, prompt, tokens):
        return "".join(map(chr, tokens))


def written(text, stop=(), most=100):
    """What a model gives that writes the text letter by letter, each a little less likely."""
    request = GenerationRequest("p", stop=stop, max_new_tokens=most)
    found = Continuation(prompt=[1], request=request, number=0, encoder=Letters())
    for place, letter in enumerate(text):
        found.add(ord(letter), -float(place), frozenset([END]), 1000)
        if found.ended_by is not None:
            break
    else:
        found.add(END, 0.0, frozenset([END]), 1000)
    return found.generation()


def expected(text, start, ended_by, thoughts=""):
    tokens = tuple(map(ord, text))
    log_probs = tuple(-float(start + place) for place in range(len(text)))
    return Generation(text, tokens, log_probs, ended_by=ended_by, thoughts=thoughts)


def test_thoughts_and_their_tokens_are_no_part_of_the_answer():
    text = "<think>so</think>\n\nLima"
    assert written(text) == expected("Lima", text.index("Lima"), EndedBy.END, "so")


@pytest.mark.parametrize("most", [3, 9, 12])
def test_a_budget_that_thoughts_use_up_gives_no_answer(most):
    found = written("<think>so it is</think>Lima", most=most)
    if most < len("<think>"):
        assert found == expected("<th", 0, EndedBy.LENGTH)
    else:
        thoughts = "<think>so it is"[7:most].strip()
        assert found == Generation("", (), (), ended_by=EndedBy.THOUGHTS, thoughts=thoughts)


def test_a_stop_text_counts_after_the_thoughts_only():
    text = "<think>a\nQ: b</think>Lima\nQ: c"
    assert written(text, stop=("\nQ:",)) == expected(
        "Lima", text.index("Lima"), EndedBy.STOP, "a\nQ: b"
    )
    assert written("Lima\nQ: c", stop=("\nQ:",)) == expected("Lima", 0, EndedBy.STOP)
