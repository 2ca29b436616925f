"""How far an encoder serves a pool, and when another one is offered for it."""

import pytest

from core.embedding import load_encoder
from core.retrieval.doubts import PoolReading, how_read
from core.settings import DEFAULT_ENCODER, MULTILINGUAL
from tests.support.hashing_encoder import HashingEncoder

ENGLISH = HashingEncoder(name=DEFAULT_ENCODER)
GERMAN = ["Wo ist mein Paket?", "Ich möchte mein Abo kündigen.", "Passwort vergessen"]


def test_a_pool_of_another_language_is_offered_another_encoder():
    found = how_read(ENGLISH, GERMAN)
    assert (found.foreign, found.language, found.offered) == (pytest.approx(2 / 3), "German", True)
    mixed = ["Where is it?"] * 8
    assert how_read(ENGLISH, [*mixed, *GERMAN]) == PoolReading(0.0, 2 / 11, "German", False)
    assert how_read(ENGLISH, []) == PoolReading()


def test_only_the_encoder_of_english_is_judged_by_languages():
    assert how_read(HashingEncoder(name="owner/german"), GERMAN) == PoolReading()


def test_letters_that_are_not_known_by_either_are_not_offered_it():
    minilm = load_encoder(device="cpu")
    chinese = ["如何重置路由器的密码？", "食堂几点开门？"]
    greek = ["Πού είναι το δέμα μου;"]
    assert how_read(minilm, chinese) == PoolReading(1.0, 1.0, "Chinese", True)
    assert how_read(minilm, greek) == PoolReading(0.0, 1.0, "Greek letters", False)
    georgian = ["სად არის ჩემი ამანათი?", "როგორ შევცვალო პაროლი?"]
    assert how_read(load_encoder(MULTILINGUAL), georgian) == PoolReading(1.0, 0.0, "", False)
    assert how_read(minilm, ["🌕 🌕", "∰ ∱"]) == PoolReading(1.0, 0.0, "", False)


def test_of_many_texts_a_sample_decides():
    # Every third of 3,000 is looked at.
    assert how_read(ENGLISH, ["Where is it?", *GERMAN[:2]] * 1000).foreign == 0.0
