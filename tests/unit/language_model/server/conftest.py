"""A server of words and the model behind it; waits between tries take no time."""

import pytest

from core.language_model.server.address import address_of
from core.language_model.server.failures import Patience
from core.language_model.server.server import load_server
from tests.support.openai_server import KEY, NAME, Words, serving


@pytest.fixture(scope="session")
def words():
    return Words()


@pytest.fixture
def server(words):
    """(base URL, what it offers) of a server of words."""
    with serving(words) as opened:
        yield opened


@pytest.fixture
def reach():
    """Loads the model of a server, asked at most three times for everything, without pauses."""

    def load(url, *, name=NAME, at_once=4, tries=3, timeout=30.0, key=KEY):
        patience = Patience(tries=tries, base=0.0)
        address = address_of(url, key, at_once)
        return load_server(name, address=address, patience=patience, timeout=timeout)

    return load
