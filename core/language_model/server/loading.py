"""Reaching a language model by the name that it has on a server."""

from ...errors import InvalidInput
from .about import Catalogue
from .address import PREFIX, Address, find_address
from .connection import TIMEOUT, Connection
from .failures import Patience, failures, refusal
from .probing import listed, probe
from .server import ServerLanguageModel


def load_server(
    name: str,
    *,
    address: Address | None = None,
    patience: Patience | None = None,
    timeout: float = TIMEOUT,
) -> ServerLanguageModel:
    """The model with this name on a server, ready to be asked.

    Args:
        name: As the server calls it, without `openai:`.
        address: The server's; None is what the environment names.
        patience: When a request is sent again; None is the usual.
        timeout: Seconds without a byte after which a request is given up.

    Raises:
        InvalidInput: No name, no base URL, no server there, a wrong key, no such model, or the
            package to ask with is missing.
    """
    if not name.strip():
        raise InvalidInput(
            f"After {PREFIX} comes the model's name on the server, such as {PREFIX}llama3."
        )
    where = address or find_address()
    try:
        connection = Connection(where, patience=patience, timeout=timeout)
    except ImportError as error:
        raise InvalidInput(
            "A model behind a server needs the package openai, which is not here or too old "
            f"({error}); run pip install -r requirements.txt and start again."
        ) from error
    catalogue = Catalogue()
    try:
        catalogue = connection.one(listed(connection))
        found = connection.one(probe(connection, name, catalogue))
    except failures() as error:
        # Not raised here: the library's error knows the request, and so the key.
        refused = refusal(error, where, name, known=catalogue.names)
    else:
        return ServerLanguageModel(name, connection, found)
    raise refused
