"""What is asked for when text is generated, and what comes out."""

import pytest

from core.errors import InvalidInput
from core.generation import EndedBy, Generation, GenerationRequest


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("n", 0, "1 or more"),
        ("temperature", -0.1, "0 to 100"),
        ("temperature", float("nan"), "0 to 100"),
        ("top_p", 0.0, "above 0 and at most 1"),
        ("top_p", 1.5, "above 0 and at most 1"),
        ("stop", ("\n", ""), "texts that are not empty"),
        ("max_new_tokens", 0, "1 or more"),
        ("seed", -1, "0 or more"),
    ],
)
def test_what_is_out_of_range_is_refused_in_a_sentence(name, value, allowed):
    with pytest.raises(InvalidInput) as refused:
        GenerationRequest("Q:", **{name: value})
    assert str(refused.value) == f"To generate, {name} is {value!r}; it must be {allowed}."


def test_settings_are_those_that_decide_a_text():
    greedy = GenerationRequest("Q:")
    assert greedy.settings == GenerationRequest("A:", 3, top_p=0.5, seed=4).settings
    drawn = GenerationRequest("Q:", temperature=1.0)
    assert drawn.settings == GenerationRequest("A:", 9, temperature=1.0).settings
    others = [
        GenerationRequest("Q:", temperature=0.5),
        GenerationRequest("Q:", temperature=1.0, top_p=0.9),
        GenerationRequest("Q:", temperature=1.0, seed=1),
        GenerationRequest("Q:", temperature=1.0, max_new_tokens=3),
        GenerationRequest("Q:", temperature=1.0, stop=("\n",)),
        GenerationRequest("Q:", temperature=1.0, stop=("\n", "Q:")),
        greedy,
    ]
    assert len({each.settings for each in [drawn, *others]}) == 8


def test_the_mean_is_over_the_tokens_and_undefined_without_any():
    found = Generation(" Yes", (4, 7), (-0.5, -1.0), ended_by=EndedBy.END)
    assert (found.log_prob, found.log_prob_per_token) == (-1.5, -0.75)
    nothing = Generation("", (), (), ended_by=EndedBy.END)
    assert (nothing.log_prob, nothing.log_prob_per_token) == (0.0, None)
    assert (found.n_tokens, nothing.n_tokens) == (2, 0)


def test_what_a_server_does_not_say_is_not_known():
    found = Generation(" Yes", (), (), ended_by=EndedBy.END)
    assert (found.n_tokens, found.log_prob, found.log_prob_per_token) == (None, None, None)
    found = Generation(" Yes", (), (-0.5, -1.0), ended_by=EndedBy.END)
    assert (found.n_tokens, found.log_prob, found.log_prob_per_token) == (2, -1.5, -0.75)
