"""A language model and an encoder that are loaded at the same time do not spoil each other."""

import threading

import numpy as np

from core.embedding import load_encoder
from core.language_model import AnswerRequest, load
from core.settings import PRACTICE

ASKED = [AnswerRequest("Q: one\nA:", (" two",))]


def test_both_are_whole_and_give_the_same_numbers_as_alone():
    (expected,), row = load(PRACTICE).log_probs(ASKED), load_encoder().encode(["one"])
    models, encoders, faults = [], [], []

    def ready_encoder():
        encoder = load_encoder()
        encoder.make_ready()
        return encoder

    def keep(kept, make):
        try:
            kept.append(make())
        except Exception as fault:  # noqa: BLE001 - a thread's fault is the test's
            faults.append(fault)

    threads = [
        threading.Thread(target=keep, args=pair)
        for pair in [(models, lambda: load(PRACTICE)), (encoders, ready_encoder)] * 4
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert faults == []
    assert [model.log_probs(ASKED)[0] for model in models] == [expected] * 4
    for encoder in encoders:
        assert np.allclose(encoder.encode(["one"]), row, atol=1e-6)
