import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.language_model.local.rows import PairEncoder
from tests.support.tiny_language_model import build_tokenizer

PLAIN = build_tokenizer(adds_bos=False)
OPENING = build_tokenizer(adds_bos=True)
WORDS = st.text(alphabet="What is the capital?\nQA:é漢 ", max_size=30)


def encode_pair(tokenizer, context, continuation):
    """The rule of lm-evaluation-harness without its moving of white space."""
    whole = tokenizer(context + continuation)["input_ids"]
    context_ids = tokenizer(context)["input_ids"]
    return tuple(context_ids), tuple(whole[len(context_ids) :])


@given(WORDS.filter(bool), st.lists(WORDS, max_size=3), st.sampled_from([PLAIN, OPENING]))
def test_splits_as_the_rule_says(prompt, answers, tokenizer):
    opening, found = PairEncoder(tokenizer).encode_pair(prompt, answers)
    expected = [encode_pair(tokenizer, prompt, answer) for answer in answers]
    assert found == [continuation for _, continuation in expected]
    assert all(opening == context for context, _ in expected)


def test_token_that_spans_the_boundary_leaves_the_prompt_as_it_is():
    encoder = PairEncoder(PLAIN)
    (whole,) = encoder.encode([" capital"])
    opening, (answer,) = encoder.encode_pair(" capi", ["tal"])
    assert len(whole) < len(opening) + len(encoder.encode(["tal"])[0])
    assert opening == encoder.encode([" capi"])[0]
    assert answer == whole[len(opening) :]


def test_empty_prompt_reads_what_begins_a_text():
    bos = PLAIN.bos_token_id
    for tokenizer in (PLAIN, OPENING):
        opening, (answer,) = PairEncoder(tokenizer).encode_pair("", [" Paris"])
        assert opening == (bos,)
        assert answer == tuple(PLAIN(" Paris")["input_ids"])


def test_empty_prompt_falls_back_to_eos_and_then_is_refused():
    tokenizer = build_tokenizer(adds_bos=False)
    tokenizer.bos_token = None
    assert PairEncoder(tokenizer).encode_pair("", ["a"])[0] == (tokenizer.eos_token_id,)
    tokenizer.eos_token = None
    with pytest.raises(InvalidInput, match="prompt has no tokens"):
        PairEncoder(tokenizer).encode_pair("", ["a"])


def test_closing_token_is_left_out():
    from tokenizers import processors

    closing = build_tokenizer(adds_bos=False)
    closing.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="<bos> $A <eos>", special_tokens=[("<bos>", 0), ("<eos>", 1)]
    )
    assert closing("a")["input_ids"][-1] == closing.eos_token_id
    expected = PairEncoder(OPENING).encode_pair("Q: What?\nA:", [" Paris", " No"])
    assert PairEncoder(closing).encode_pair("Q: What?\nA:", [" Paris", " No"]) == expected


def test_answer_without_tokens_has_none():
    _, (answer,) = PairEncoder(PLAIN).encode_pair("Q:", [""])
    assert answer == ()


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(InvalidInput, match="surrogate"):
        PairEncoder(PLAIN).encode(["a\ud800b"])


def test_token_that_the_model_does_not_know_is_refused():
    known = max(PLAIN("hello")["input_ids"])
    PairEncoder(PLAIN, vocabulary=known + 1).encode(["hello"])
    with pytest.raises(InvalidInput, match="the model knows only"):
        PairEncoder(PLAIN, vocabulary=known).encode(["hello"])


def test_threads_get_what_one_thread_gets():
    encoder = PairEncoder(OPENING)
    texts = [f"Q: What is {i}?\nA:" for i in range(40)]
    expected = [encoder.encode([text])[0] for text in texts]
    found = {}

    def work(number):
        found[number] = [encoder.encode([text])[0] for text in texts]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[i] == expected for i in range(8))
