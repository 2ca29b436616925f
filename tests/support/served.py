"""A model of a folder, loaded here or asked through a server of the tests' own."""

from contextlib import contextmanager

from core.language_model import load
from core.language_model.server.address import address_of
from core.language_model.server.failures import Patience
from core.language_model.server.loading import load_server
from tests.support.openai_server import NAME, Network, serving

SERVED = "served-"
"""What begins the name of an architecture whose model is behind a server."""


@contextmanager
def served_or_loaded(folder):
    """The model of the folder; behind a server where the folder above is named so."""
    local = load(folder, device="cpu")
    if not folder.parent.name.startswith(SERVED):
        yield local
        return
    with serving(Network(folder, local)) as (url, _):
        yield load_server(NAME, address=address_of(url), patience=Patience(base=0.0))
