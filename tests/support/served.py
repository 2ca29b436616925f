"""A model of a folder, loaded here, through a GGUF file, or through a server of the tests' own."""

from contextlib import contextmanager

from core.language_model import load
from core.language_model.server.address import address_of
from core.language_model.server.failures import Patience
from core.language_model.server.server import load_server
from tests.support.gguf_files import write_gguf
from tests.support.openai_server import NAME, Network, serving

SERVED = "served-"
"""What begins the name of an architecture whose model is behind a server."""


GGUF = "gguf-"
"""What begins the name of an architecture whose model is loaded from a GGUF file."""


@contextmanager
def served_or_loaded(folder):
    """The model of the folder, from a GGUF file or a server where the folder above says so."""
    if folder.parent.name.startswith(GGUF):
        yield load(write_gguf(folder, folder.parent / f"{folder.name}.F32.gguf"), device="cpu")
        return
    local = load(folder, device="cpu")
    if not folder.parent.name.startswith(SERVED):
        yield local
        return
    with serving(Network(folder, local)) as (url, _):
        yield load_server(NAME, address=address_of(url), patience=Patience(base=0.0))
