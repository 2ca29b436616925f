"""Importing: files of many formats become demonstrations of a pool, with a report."""

from .drafts import Drafted, count_triples, to_drafts
from .files.encodings import Encoding, Sureness, encoding_in_words
from .files.tables import FORMATS, Table, find_encoding, read_table
from .importing import ImportPreview, ImportReport, import_file, preview
from .mapping import Mapping, guess_mapping, parse_mapping
from .oddities import Oddity, OddRow

__all__ = [
    "FORMATS",
    "Drafted",
    "Encoding",
    "ImportPreview",
    "ImportReport",
    "Mapping",
    "OddRow",
    "Oddity",
    "Sureness",
    "Table",
    "count_triples",
    "encoding_in_words",
    "find_encoding",
    "guess_mapping",
    "import_file",
    "parse_mapping",
    "preview",
    "read_table",
    "to_drafts",
]
