"""The text of each token of an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language_model import load
from core.language_model.local.rows import PairEncoder
from tests.support.tiny_language_model import build_tokenizer

PLAIN = PairEncoder(build_tokenizer(adds_bos=False))
OPENING = PairEncoder(build_tokenizer(adds_bos=True))
ENCODERS = pytest.mark.parametrize("encoder", [PLAIN, OPENING], ids=["plain", "opening"])
TEXT = st.text(alphabet="What is the capital?\n:é漢🎈", max_size=30)


@ENCODERS
def test_pieces_of_known_words(encoder):
    assert encoder.pieces("Q: What?\nA:", " The capital of") == (" The", " capital", " of")
    assert encoder.pieces("Q: What?\nA:", " Zx") == (" ", "Z", "x")


@ENCODERS
def test_a_character_of_several_tokens_has_its_text_once(encoder):
    pieces = encoder.pieces("A:", "漢!")
    assert pieces == ("", "", "漢", "!")


@ENCODERS
def test_no_tokens_no_pieces(encoder):
    assert encoder.pieces("A:", "") == ()


def test_the_empty_prompt():
    assert PLAIN.pieces("", "The capital") == OPENING.pieces("", "The capital")
    assert "".join(PLAIN.pieces("", "The capital")) == "The capital"


@given(TEXT, st.sampled_from([PLAIN, OPENING]))
def test_as_many_pieces_as_tokens_and_together_they_are_the_answer(answer, encoder):
    prompt = "Q: Where?\nA:"
    _, (tokens,) = encoder.encode_pair(prompt, [" " + answer])
    pieces = encoder.pieces(prompt, " " + answer)
    assert len(pieces) == len(tokens)
    assert "".join(pieces) == " " + answer


def test_a_token_over_the_boundary_leaves_the_pieces_where_the_answers_tokens_begin():
    # " capital" is one token, shorter than " capi" alone: the first answer's token is " of".
    opening, (tokens,) = PLAIN.encode_pair(" capi", ["tal of the red"])
    pieces = PLAIN.pieces(" capi", "tal of the red")
    assert len(pieces) == len(tokens) < len(PLAIN.encode(["tal of the red"])[0])
    assert " of the red".endswith("".join(pieces))


def test_the_local_model_has_the_pieces_of_its_tokenizer(tiny_lm_folder):
    model = load(tiny_lm_folder, device="cpu")
    assert model.pieces("Q: What?\nA:", " The capital of") == (" The", " capital", " of")


@pytest.mark.parametrize("name", ["stories260k", "tinystories-656k", "practice-prototype"])
def test_pieces_of_the_models_at_hand(shared, name):
    model = load(shared / "models" / name, device="cpu")
    prompt, answer = "Q: Where is the moon?\nA:", " In the sky, above us."
    pieces = model.pieces(prompt, answer)
    assert len(pieces) == model.count_tokens(prompt, answer) - model.count_tokens(prompt)
    # tinystories-656k has one token for the colon and the space after it.
    assert "".join(pieces).strip() == answer.strip()


def test_a_character_that_the_tokenizer_drops_is_in_no_piece(shared):
    model = load(shared / "models" / "tinystories-656k", device="cpu")
    assert "".join(model.pieces("A:", " In 漢 and us.")).replace(" ", "") == "Inandus."
