"""The two-hop example: a generated pool and the passages that answer it, with a scripted model."""

from ...settings import data_folder
from ..passages import collections
from ..pools import pools
from ..session.studio import Studio

TWO_HOP = "two-hop"
"""The name of its pool, and of its collection of passages."""


def load_example(studio: Studio) -> None:
    """Import the pool and the passages; what is there under that name already stays as it is."""
    folder = data_folder()
    if TWO_HOP not in {summary.name for summary in pools.summaries(studio)}:
        pools.run_import(studio, pools.ImportRequest(folder / "two-hop.jsonl", TWO_HOP))
    if TWO_HOP not in collections.names(studio):
        file = folder / "two-hop-passages.jsonl"
        collections.run_import(studio, collections.ImportRequest(file, TWO_HOP))
