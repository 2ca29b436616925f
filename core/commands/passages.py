"""`passages`: import, list, embed, search and remove collections of passages.

What an action needs is imported when it runs: the list of commands needs neither numbers nor
models.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .flags import Choices, add_encoder, add_number, commands_of, whole

if TYPE_CHECKING:
    from ..studio import Studio
    from ..watcher import Watcher
    from .documents import CommandDocument

SIZE, OVERLAP, K = 100, 20, 5
BY, FUSE = "fused", "comb-sum"


def passages_options(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """An action for each thing to do with passages."""
    action = commands_of(parser, shared, named="action")
    _import_options(action("import", "split a file's documents into passages of a collection"))
    action("list", "list the collections of passages")
    embed = action("embed", "embed the passages that are not embedded yet")
    _name(embed)
    add_encoder(embed)
    _search_options(action("search", "the passages nearest to a query"))
    _name(action("remove", "remove a collection of passages for good"))


def _import_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="FILE", help="the file to import")
    parser.add_argument(
        "--to",
        required=True,
        metavar="NAME",
        help="the collection, made where there is none; pools have names of their own",
    )
    add_number(parser, "--size", SIZE, "words of a passage, at most", metavar="N")
    overlap = "words that a passage repeats of the one before, less than the size"
    add_number(parser, "--overlap", OVERLAP, overlap, least=0, metavar="N")
    parser.add_argument(
        "--map",
        metavar="text=COL,title=COL",
        help="which column of a table contains what (default: guessed from the columns' names)",
    )
    parser.add_argument(
        "--format",
        metavar="F",
        help="the file's format: txt, md, jsonl, json, tsv, csv, parquet or xlsx (default: by its "
        "name)",
    )
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="the encoding of a text file, such as cp1251 or shift_jis (default: UTF-8 or UTF-16 "
        "where it is that, else guessed)",
    )


def _search_options(parser: argparse.ArgumentParser) -> None:
    _name(parser)
    add_encoder(parser)
    parser.add_argument("--query", required=True, metavar="TEXT", help="the text to search for")
    parser.add_argument(
        "-k", type=whole, default=K, help=f"how many passages, at most (default {K})"
    )
    add_by(parser)
    parser.add_argument(
        "--fuse",
        choices=Choices(_fusions),
        default=FUSE,
        metavar="F",
        help="how one list is made of two: %(choices)s; the sum of their probabilities, or of "
        "1 / (60 + rank) (default %(default)s)",
    )


def add_by(parser: argparse.ArgumentParser) -> None:
    """What passages are compared with a query by."""
    parser.add_argument(
        "--by",
        choices=Choices(_ways),
        default=BY,
        metavar="BY",
        help="what passages are compared with the query by: %(choices)s; dense compares "
        "embeddings, bm25 words in common, fused makes one list of both (default %(default)s)",
    )


def _name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the collection's name")


def _ways() -> tuple[str, ...]:
    from ..passages.search import SearchBy

    return tuple(map(str, SearchBy))


def _fusions() -> tuple[str, ...]:
    from ..studio.passages import FUSIONS

    return tuple(FUSIONS)


def _import(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "CommandDocument":
    from ..passages.reading import read_documents
    from ..passages.splitting import Lengths
    from ..studio.passages import PassagesImportRequest, run_import
    from .console import say
    from .documents import ResultDocument, passage_import_sheet

    request = PassagesImportRequest(
        lengths=Lengths(options.size, options.overlap),  # refused before the file is read
        source=read_documents(
            options.path, format=options.format, mapping=options.map, encoding=options.encoding
        ),
        collection=options.to,
    )
    report = run_import(studio, request)
    for sentence in report.sentences():
        say(sentence)
    return ResultDocument(report, passage_import_sheet)


def _list(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "CommandDocument":
    from ..studio.passages import summaries
    from .documents import CollectionList

    return CollectionList(tuple(summaries(studio)))


def _embed(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "CommandDocument":
    from ..studio.passages import embed
    from .documents import ResultDocument, embedded_passages_sheet

    found = embed(studio, options.name, options.encoder, watcher)
    return ResultDocument(found, embedded_passages_sheet)


def _search(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "CommandDocument":
    from ..passages.search import SearchBy
    from ..studio.passages import SearchRequest, search
    from .documents import ResultDocument, search_sheet

    request = SearchRequest(
        collection=options.name,
        query=options.query,
        k=options.k,
        by=SearchBy(options.by),
        encoder=options.encoder,
        fuse=options.fuse,
    )
    return ResultDocument(search(studio, request, watcher), search_sheet)


def _remove(studio: "Studio", options: argparse.Namespace, watcher: "Watcher") -> "CommandDocument":
    from ..studio.passages import remove
    from .documents import RemovalDocument

    return RemovalDocument(options.name, remove(studio, options.name))


RUNS: "dict[str, Callable[[Studio, argparse.Namespace, Watcher], CommandDocument]]" = {
    "import": _import,
    "list": _list,
    "embed": _embed,
    "search": _search,
    "remove": _remove,
}
"""What each action runs; its watcher writes the progress to standard error."""
