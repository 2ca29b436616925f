"""NaN and the infinities become None: of one value, and all through a document."""

import json
import math

import numpy as np
import pytest

from core.interval import defined, without_nan


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan")])
def test_an_undefined_value_is_none(value):
    assert defined(value) is None
    assert without_nan({"a": [value, (value, 1)]}) == {"a": [None, [None, 1]]}


def test_what_is_defined_stays():
    assert (defined(-0.25), defined(np.float64(2))) == (-0.25, 2.0)
    assert type(defined(np.float64(2))) is float
    document = {"a": [1, True, None, "NaN"], "b": 0.5}
    assert without_nan(document) == document


def test_numpy_values_become_plain_ones():
    found = without_nan({"x": np.array([[1.0, np.nan]]), "n": np.int64(3), "f": np.float32(0.5)})
    assert json.dumps(found, allow_nan=False) == '{"x": [[1.0, null]], "n": 3, "f": 0.5}'
