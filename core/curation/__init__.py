"""Importing: files of many formats become demonstrations of a pool, with a report."""

from ..settings import OnDifference
from .drafts import Drafted, count_triples, to_drafts
from .files.delimiters import DELIMITERS
from .files.encodings.decoding import Encoding, Sureness, encoding_in_words
from .files.tables import FORMATS, Table, find_encoding
from .guess import guess_mapping
from .importing import ImportPreview, ImportReport, import_file, preview
from .mapping import WHOLE, Mapping, parse_mapping
from .oddities import Oddity, OddRow
from .reading import read_table
from .sentences import how_it_differs, how_it_was_read, what_became_of_it, what_it_can_show

__all__ = [
    "DELIMITERS",
    "FORMATS",
    "WHOLE",
    "Drafted",
    "Encoding",
    "ImportPreview",
    "ImportReport",
    "Mapping",
    "OnDifference",
    "OddRow",
    "Oddity",
    "Sureness",
    "Table",
    "count_triples",
    "encoding_in_words",
    "find_encoding",
    "guess_mapping",
    "how_it_differs",
    "how_it_was_read",
    "import_file",
    "parse_mapping",
    "preview",
    "read_table",
    "to_drafts",
    "what_became_of_it",
    "what_it_can_show",
]
