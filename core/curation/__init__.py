"""Importing: files of many formats become demonstrations of a pool, with a report."""

from .drafts import Drafted, count_triples, to_drafts
from .importing import ImportPreview, ImportReport, import_file, preview
from .mapping import Mapping, guess_mapping, parse_mapping
from .oddities import Oddity, OddRow
from .tables import FORMATS, Table, read_table

__all__ = [
    "FORMATS",
    "Drafted",
    "ImportPreview",
    "ImportReport",
    "Mapping",
    "OddRow",
    "Oddity",
    "Table",
    "count_triples",
    "guess_mapping",
    "import_file",
    "parse_mapping",
    "preview",
    "read_table",
    "to_drafts",
]
