"""The fake itself: what the other tests rely on."""

import numpy as np
import pytest

from core.errors import InvalidInput
from tests.support.hashing_encoder import HashingEncoder


def test_it_remembers_what_it_computed():
    encoder = HashingEncoder()
    encoder.encode(["b", "a", "b"])
    encoder.encode(["c"])
    assert encoder.encoded == ["b", "a", "c"]


def test_two_of_them_agree_and_differ_by_name_only_in_the_fingerprint():
    one, two, other = HashingEncoder(), HashingEncoder(), HashingEncoder(name="other")
    assert np.array_equal(one.encode(["text"]), two.encode(["text"]))
    assert one.fingerprint == two.fingerprint != other.fingerprint
    assert HashingEncoder(dimensions=8).encode(["text"]).shape == (1, 8)


def test_the_empty_text_has_no_vector():
    with pytest.raises(InvalidInput, match="''"):
        HashingEncoder().encode(["fine", ""])
