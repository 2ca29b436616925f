"""An encoder that loads when a text is encoded, and not before."""

import threading

import numpy as np

from core.embedding import DeferredEncoder
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
