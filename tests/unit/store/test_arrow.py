"""Columns laid out by hand equal those of pyarrow's own conversion."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.exchange import to_arrow

INTEGERS = st.integers(-(2**63), 2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.floats(allow_nan=False)
CASES = [
    ("integer", INTEGERS, pa.int64()),
    ("number", NUMBERS, pa.float64()),
    ("flag", st.booleans(), pa.bool_()),
    ("text", TEXTS, pa.large_string()),
    ("bytes", st.binary(max_size=8), pa.large_binary()),
    ("texts", st.lists(TEXTS, max_size=3), pa.large_list(pa.large_string())),
    ("numbers", st.lists(NUMBERS, max_size=3), pa.large_list(pa.float64())),
]


@pytest.mark.parametrize(("kind", "values", "arrow"), CASES, ids=[case[0] for case in CASES])
@given(data=st.data())
def test_as_pyarrow_would_have_it(kind, values, arrow, data):
    column = data.draw(st.lists(st.none() | values, max_size=20))
    found = to_arrow(kind, column)
    found.validate(full=True)
    assert found.equals(pa.array(column, arrow))


def test_half_a_character_is_refused():
    with pytest.raises(UnicodeEncodeError):
        to_arrow("text", ["\ud800"])
