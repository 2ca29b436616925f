"""Importing: files of many formats become demonstrations of a pool, with a report."""

from ..settings import OnDifference
from .drafts import TableDrafts, count_triples, to_drafts
from .files.decoding import Encoding, Sureness
from .files.delimited import DELIMITERS
from .files.tables import FORMATS, FileTable, find_encoding
from .guess import guess_mapping, read_table
from .guess_by_words import Undecided
from .importing import ImportPreview, ImportReport, import_file, preview
from .mapping import WHOLE, Mapping, parse_mapping
from .oddities import Oddity, OddRow

__all__ = [
    "DELIMITERS", "FORMATS", "WHOLE", "TableDrafts", "Encoding", "ImportPreview", "ImportReport",
    "Mapping", "OnDifference", "OddRow", "Oddity", "Sureness", "Undecided", "FileTable",
    "count_triples", "find_encoding", "guess_mapping", "import_file", "parse_mapping", "preview",
    "read_table", "to_drafts",
]  # fmt: skip
