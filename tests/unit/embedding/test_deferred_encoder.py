"""An encoder that loads when a text is encoded, and not before."""

import threading

import numpy as np
import pytest

from core.embedding import DeferredEncoder
from core.embedding.deferred import TextWindow
from tests.support.hashing_encoder import HashingEncoder


def deferred(loads):
    def load():
        loads.append(threading.current_thread())
        return HashingEncoder()

    return DeferredEncoder("hashing", "abc", load)


def test_its_name_and_fingerprint_need_no_loading():
    loads = []
    encoder = deferred(loads)
    assert (encoder.name, encoder.fingerprint, encoder.ready) == ("hashing", "abc", False)
    assert loads == []


def test_it_encodes_as_the_loaded_one_and_loads_once_for_many_threads():
    loads, rows = [], []
    encoder = deferred(loads)
    threads = [threading.Thread(target=lambda: rows.append(encoder.encode(["a b"])))]
    threads += [threading.Thread(target=lambda: rows.append(encoder.encode(["a b"])))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    expected = HashingEncoder().encode(["a b"])
    assert len(loads) == 1
    assert encoder.ready
    assert encoder.dimensions == expected.shape[1]
    assert len(rows) == 2
    assert all(np.array_equal(each, expected) for each in rows)


def test_with_a_window_nothing_is_loaded_to_tell_what_is_cut():
    tokenizers = pytest.importorskip("tokenizers")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0, "a": 1}, "[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    words.enable_truncation(4)
    read, loads = [], []

    def read_once():
        read.append(words)
        return words

    window = TextWindow(read_once, 12, unknown="[UNK]")
    encoder = DeferredEncoder("hashing", "abc", lambda: loads.append(1), window)
    assert encoder.cut(["a a", ""]).tolist() == [False, False]
    assert read == []  # texts of so few bytes have no more tokens than that
    texts = ["a " * 12, "a " * 13, "a b c d"]
    assert encoder.cut(texts).tolist() == [False, True, False]
    assert encoder.unknown(texts).tolist() == [0.0, 0.0, 0.75]
    assert (len(read), loads) == (1, [])


def test_without_a_window_the_loaded_one_tells():
    loads = []
    encoder = deferred(loads)
    assert encoder.cut(["a " * 1000]).tolist() == [False]
    assert encoder.unknown(["b"]).tolist() == [0.0]
    assert len(loads) == 1


def test_tokens_are_those_of_the_loaded_one():
    loads = []
    encoder = deferred(loads)
    (found,), (expected,) = (each.encode_tokens(["a b"]) for each in (encoder, HashingEncoder()))
    assert (len(loads), found.shape) == (1, (2, 64))
    assert np.array_equal(found, expected)
