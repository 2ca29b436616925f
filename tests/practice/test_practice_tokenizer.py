"""The tokenizer: any text comes back, and the task's words are whole tokens."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.language_model.template import TEMPLATES
from practice.dialects import BUNDLED_DIALECT, held_out_names
from practice.episodes import EpisodeStyle, Part, draw_episode, marked_text
from practice.training.batches import NOTHING, encode
from practice.training.curriculum import draw_texts
from practice.training.tokenizer import build_tokenizer
from practice.words import FIRST_PARTS, SECOND_PARTS, VALUES

TOKENIZER = build_tokenizer()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(text):
    ids = TOKENIZER(text)["input_ids"]
    assert TOKENIZER.decode(ids, skip_special_tokens=True) == text


def test_it_is_the_same_at_every_call():
    again = build_tokenizer()
    assert again.backend_tokenizer.to_str() == TOKENIZER.backend_tokenizer.to_str()


def test_words_of_the_task_are_one_token():
    words = [f" {value}" for values in VALUES.values() for value in values]
    words += [f" {part}" for part in FIRST_PARTS] + list(SECOND_PARTS)
    assert [word for word in words if len(TOKENIZER.tokenize(word)) != 1] == []


def test_held_out_names_are_two_tokens():
    assert {len(TOKENIZER.tokenize(f" {name}")) for name in held_out_names()} == {2}


def test_a_text_begins_with_its_own_token():
    assert TOKENIZER("Q: a")["input_ids"][0] == TOKENIZER.bos_token_id


def test_an_episode_is_the_default_template():
    blocks = draw_episode(Random(1), EpisodeStyle((4,), (2,)), blocks=4, dialect=BUNDLED_DIALECT)
    pairs = [(block.worded.query, str(block.call)) for block in blocks]
    template = TEMPLATES["qa"]
    whole = template.prompt(pairs[:-1], pairs[-1][0]) + template.answer(pairs[-1][1])
    assert marked_text(blocks).text == f"{whole}\n\n"


def test_a_names_tokens_end_where_its_prompt_and_answer_do():
    prompt, answer = "Q: book a table\nA:", " book_table { Thai as kitchen_style }"
    together = TOKENIZER(prompt + answer)["input_ids"]
    apart = TOKENIZER(answer, add_special_tokens=False)["input_ids"]
    assert together == TOKENIZER(prompt)["input_ids"] + apart


def test_tokens_are_marked_with_what_they_belong_to():
    blocks = draw_episode(Random(2), EpisodeStyle((5,), (1,)), blocks=5, dialect=BUNDLED_DIALECT)
    ids, parts = encode(TOKENIZER, [marked_text(blocks), marked_text(blocks[:1])])
    assert ids.shape == parts.shape
    assert (parts[1] == NOTHING).sum() == (ids[1] == TOKENIZER.pad_token_id).sum() > 0
    function = blocks[0].call.function
    marked = [TOKENIZER.decode(ids[0][parts[0] == part]) for part in Part]
    assert marked[Part.FUNCTION_NEW] == f" {function}"
    assert marked[Part.FUNCTION_SHOWN] == f" {function}" * 4
    values = [value for block in blocks for value, _ in block.call.arguments]
    assert marked[Part.VALUE].split() == values
    fields = [field for block in blocks for _, field in block.call.arguments]
    assert sorted((marked[Part.FIELD_NEW] + marked[Part.FIELD_SHOWN]).split()) == sorted(fields)
    assert len(marked[Part.FIELD_NEW].split()) == len(set(fields))


@pytest.mark.parametrize("progress", [0.0, 0.2, 0.3, 0.99, 1.0, 2.5])
def test_every_stage_fits_the_window(progress):
    for seed in range(20):
        texts = draw_texts(Random(seed), progress, 2500)
        ids, _ = encode(TOKENIZER, texts)
        assert ids.shape[1] <= 1024
        assert 800 <= ids.numel() <= 7000
