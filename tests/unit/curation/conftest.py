import contextlib
import gzip
import json

import pytest

from core.errors import InvalidInput


@pytest.fixture
def write(tmp_path):
    """Writes a file (text as UTF-8, bytes, or an object as JSON) and gives its path."""

    def write(name, content, *, encoding="utf-8"):
        if not isinstance(content, str | bytes):
            content = json.dumps(content, ensure_ascii=False)
        if isinstance(content, str):
            content = content.encode(encoding)
        path = tmp_path / name
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return path

    return write


@pytest.fixture
def one_sentence():
    """The block raises InvalidInput with the message, as one sentence on one line."""

    @contextlib.contextmanager
    def one_sentence(message):
        with pytest.raises(InvalidInput, match=message) as caught:
            yield caught
        sentence = str(caught.value)
        assert "\n" not in sentence
        assert sentence.endswith(".")
        assert ": " in sentence or ";" in sentence, "it should say what to do"

    return one_sentence


def advice_of(problem):
    """The mapping that a sentence ends with."""
    return problem.rpartition("name them, as in ")[2].rstrip(".")
