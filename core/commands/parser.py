"""The options of the command line, command by command."""

import argparse
from pathlib import Path
from typing import Any, NoReturn

from ..generation import MAX_NEW_TOKENS
from ..retrieval.knobs import LAMBDAS
from ..settings import K, OnDifference
from .console import say
from .curation import check_options, suggest_options, worth_options
from .flags import (
    IN_INDEX,
    add_encoder,
    add_examples,
    add_knobs,
    add_methods,
    add_model,
    add_own_knobs,
    add_pool,
    add_setup,
    add_template,
    commands_of,
    name_in_help,
    positive,
)
from .models import model_options
from .options import bootstrap_options, fixed_options, neighbours_options, run_options
from .passages import passages_options


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line without the usage."""

    own_knobs = False
    """Whether the command takes the knobs that single methods have of their own."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As in the base class, after adding the flags that need the registry of methods."""
        if self.own_knobs:
            add_own_knobs(self)
            self.own_knobs = False
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Write the error to standard error and exit with the status of a user's mistake."""
        say(f"{self.prog}: {message}; see '{self.prog} --help'.")
        raise SystemExit(2)


def shared_options(*, workspace: bool = True) -> Parser:
    """The options of every command: a parent of its parser.

    Args:
        workspace: Whether the command reads or writes a workspace.
    """
    shared = Parser(add_help=False)
    shared.add_argument("--json", action="store_true", help="print one JSON document")
    if workspace:
        shared.add_argument(
            "--workspace",
            metavar="FOLDER",
            type=Path,
            help="folder of the database (default: SHOTLIST_WORKSPACE, else data/workspace)",
        )
    return shared


def argument_parser() -> argparse.ArgumentParser:
    """The parser of all commands; it needs neither numbers nor the database."""
    shared = shared_options()
    parser = Parser(
        prog="shotlist", description="Choose the demonstrations that a language model is shown."
    )
    command = commands_of(parser, shared)
    _import_options(command("import", "import a file of demonstrations into a pool"))
    command("pools", "list the pools")
    suggest = command("suggest", "suggest incorrect answers, above all for queries that have none")
    suggest.own_knobs = True
    suggest_options(suggest)
    check = command(
        "check", "what is wrong with a pool: duplicates, contradictions, leaks and more"
    )
    check.own_knobs = True
    check_options(check)
    worth = command("worth", "what each demonstration contributes to the contexts that it is in")
    worth.own_knobs = True
    worth_options(worth)
    _task_options(command("task", "the task of a pool of classified texts, and choosing another"))
    _embed_options(command("embed", "embed what is not embedded yet"))
    _quality_options(command("quality", "score the quality bias of each demonstration"))
    _retrieve_options(command("retrieve", "choose one context, with each pick's parts"))
    _path_options(command("path", "every context of a query, as one lambda goes from 0 to 1"))
    _prompt_options(command("prompt", "the final prompt of a query and its token count"))
    _answer_options(
        command("answer", "what the model itself answers to a query, with its context and without")
    )
    _evaluate_options(command("evaluate", "compare methods on evaluation examples"))
    _calibrate_options(command("calibrate", "DPO and diversity over lambda_d"))
    neighbours_options(
        command("neighbours", "whether it pays to choose a setting for each query, by a run")
    )
    fixed_options(command("fixed", "find the demonstrations that the method fix shows"))
    _export_options(command("export", "write a pool to a file"))
    passages_options(
        command("passages", "texts to search: import, list, embed, search, remove"), shared
    )
    bootstrap_options(
        command("bootstrap", "let a program write demonstrations of queries with known answers")
    )
    run_options(
        command("run", "run the programs of Demonstrate-Search-Predict over a pool's questions")
    )
    model_options(command("model", "the language models at hand: list, get"), shared)
    return parser


def _query(parser: argparse.ArgumentParser) -> None:
    add_setup(parser)
    parser.add_argument("--query", required=True, metavar="TEXT", help="the text to answer")


def _examples(parser: argparse.ArgumentParser) -> None:
    add_setup(parser)
    add_examples(parser)
    parser.add_argument("--report", type=Path, metavar="HTML", help="write an HTML report as well")
    _force(parser)


def _import_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="the file to import")
    add_pool(parser)
    parser.add_argument("--format", metavar="F", help="the file's format (default: guessed)")
    parser.add_argument(
        "--map",
        metavar="query=COL,answer=COL,incorrect=COL,tags=COL",
        help="which column contains what (default: guessed from the columns); query=COL+COL and "
        "answer=COL+COL join columns, options=COL names candidates of which some are right, "
        "split=none keeps every cell whole, split_in=COL names the columns whose cells split=; "
        "separates, strip=yes takes white space around texts away, empty=WORD leaves out texts "
        "that stand for an empty cell",
    )
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="the encoding of a text file, such as cp1251 or shift_jis (default: UTF-8 or UTF-16 "
        "where it is that, else guessed)",
    )
    difference = parser.add_argument(
        "--on-difference",
        choices=[how.value for how in OnDifference],
        default=OnDifference.LEAVE.value,
        help="what to do with demonstrations that the pool has with other values of these: "
        "%(names)s; leave them, add what is new, or replace them by the file's (default: leave); "
        "the pool's history can undo it",
    )
    name_in_help(difference, _compared_fields)
    parser.add_argument(
        "--delimiter",
        metavar="D",
        help="what separates the cells of a csv or tsv file: a letter, or comma, semicolon, tab or "
        "pipe (default: the one that makes its rows equally long)",
    )
    parser.add_argument(
        "--sheet",
        metavar="NAME",
        help="the sheet of a workbook to read (default: the first visible one with a query and an "
        "answer among its columns)",
    )
    parser.add_argument(
        "--fixed",
        action="store_true",
        help=f"the method fix shows the file's first {K} demonstrations from now on, in its order",
    )


def _task_options(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--choose",
        metavar="TASK",
        help="make this the pool's task: sentiment, sentiment-5, acceptability, subjectivity, "
        "question-type, or plain, which has no question",
    )
    which.add_argument(
        "--question",
        metavar="TEXT",
        help="give the pool a task of your own: what is asked of every text, with {x} for the text",
    )
    which.add_argument(
        "--suggested",
        action="store_true",
        help="forget the chosen task: the pool's labels suggest one again",
    )
    parser.add_argument(
        "--label",
        action="append",
        metavar='"WORD=LABEL,LABEL"',
        help="for a task of your own: a label word, and the answers that mean the same; given once "
        "for each label word (default: the pool's labels)",
    )
    parser.add_argument(
        "--ending",
        metavar="TEXT",
        help="for a task of your own: the words before the label word (default: The answer is)",
    )
    parser.add_argument(
        "--full-stop",
        action="store_true",
        help="for a task of your own: an exemplar ends in a full stop",
    )
    parser.add_argument(
        "--name", metavar="NAME", help="for a task of your own: its name (default: own)"
    )


def _embed_options(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    add_encoder(parser)


def _quality_options(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    add_model(parser)
    add_template(parser)


def _retrieve_options(parser: Parser) -> None:
    _query(parser)
    parser.own_knobs = True
    add_knobs(parser, without=())


def _path_options(parser: argparse.ArgumentParser) -> None:
    _query(parser)
    add_knobs(parser, without=("method", *IN_INDEX))
    # The lambda that the path runs over is not to be given.
    parser.set_defaults(**dict.fromkeys(LAMBDAS))
    parser.add_argument(
        "--over",
        choices=LAMBDAS,
        default="lambda_d",
        help="the lambda that goes from 0 to 1; the other one keeps its value (default lambda_d)",
    )


def _prompt_options(parser: Parser) -> None:
    _query(parser)
    parser.own_knobs = True
    add_knobs(parser)


def _answer_options(parser: Parser) -> None:
    _prompt_options(parser)
    parser.add_argument(
        "--max-tokens",
        type=positive,
        metavar="N",
        default=MAX_NEW_TOKENS,
        help="the most tokens of an answer (default: %(default)s)",
    )


def _evaluate_options(parser: argparse.ArgumentParser) -> None:
    _examples(parser)
    add_methods(parser)
    parser.add_argument(
        "--reference",
        metavar="A,...",
        help="the methods that all others are compared with, in pairs (default: the first method)",
    )
    parser.add_argument(
        "--generate",
        action="store_true",
        help="let the model also answer each example itself, after every context, and add exact "
        f"match, F1, precision, ROUGE-L and nF1 (greedy, at most {MAX_NEW_TOKENS} tokens)",
    )
    add_knobs(parser, without=("method", *IN_INDEX))


def _calibrate_options(parser: argparse.ArgumentParser) -> None:
    _examples(parser)
    add_knobs(parser, without=("method", "lambda_d", *IN_INDEX))
    parser.add_argument(
        "--margin",
        type=float,
        metavar="M",
        help="differences up to this many nats per triple count as none (default: a twentieth of "
        "the largest difference, at least a fiftieth of what the best contexts change)",
    )
    parser.add_argument(
        "--until-settled",
        action="store_true",
        help="end before --limit once nothing can be better than the best by more than the margin",
    )


def _force(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="replace a file that is there already")


def _export_options(parser: argparse.ArgumentParser) -> None:
    add_pool(parser)
    format = parser.add_argument(
        "--format", required=True, metavar="F", help="the format of the file: %(names)s"
    )
    name_in_help(format, _export_formats)
    parser.add_argument("--out", required=True, type=Path, metavar="PATH", help="the file to write")
    _force(parser)


def _compared_fields() -> tuple[str, ...]:
    from ..demonstration.fields import COMPARED

    return tuple(field.label for field in COMPARED)


def _export_formats() -> tuple[str, ...]:
    from ..exporting import EXPORTERS

    return tuple(EXPORTERS)
