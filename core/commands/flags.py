"""Options of several commands: knobs, the methods' names, and types that refuse in one line."""

import argparse
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..retrieval.knobs import KNOBS, Knob, Knobs
from ..settings import DEFAULT_TEMPLATE
from .console import say

if TYPE_CHECKING:
    from ..evaluation.plan.comparison_rows import ComparisonRow
    from ..studio.session.studio import Setup


class Choices(Collection[str]):
    """The values of an option, computed when needed: the list of commands needs no numbers."""

    def __init__(self, names: Callable[[], Sequence[str]]) -> None:
        self._names = names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._names()

    def __str__(self) -> str:
        return ", ".join(self._names())


Parser = TypeVar("Parser", bound=argparse.ArgumentParser)


def commands_of(
    parser: Parser, shared: Parser, *, named: str = "command", metavar: str | None = None
) -> Callable[..., Parser]:
    """What adds a command to the parser, given its name, its help and its shared options.

    Args:
        parser: The parser of all commands.
        shared: The parent of a command for which no other is given.
        named: The option that the command's name becomes.
        metavar: What stands for the name in the help; None takes `named`.
    """
    commands = parser.add_subparsers(dest=named, required=True, metavar=metavar or named.upper())

    def add(name: str, help: str, shared: Parser = shared) -> Parser:
        return commands.add_parser(name, help=help, description=help, parents=[shared])

    return add


def name_in_help(flag: argparse.Action, names: Callable[[], Sequence[str]]) -> None:
    """Let `%(names)s` in the help of an option be replaced by names, computed when needed."""
    # argparse fills its help from the attributes of the flag; its type knows none that we add.
    flag.names = Choices(names)  # type: ignore[attr-defined]


IN_INDEX = ("index",)
"""The knobs that only a command with a single query offers: runs choose without an index."""


def add_pool(parser: argparse.ArgumentParser) -> None:
    """The name of a pool."""
    parser.add_argument("--pool", required=True, metavar="NAME", help="the pool's name")


def add_encoder(parser: argparse.ArgumentParser) -> None:
    """The encoder."""
    parser.add_argument(
        "--encoder",
        metavar="E",
        help="a sentence-transformers folder or hub name, or use-multilingual-v3, bundled, for 16 "
        "languages (default: the bundled all-MiniLM-L6-v2)",
    )


def add_model(parser: argparse.ArgumentParser) -> None:
    """The language model."""
    parser.add_argument(
        "--model",
        metavar="M",
        help="folder, GGUF file or hub name of a causal language model, practice, the bundled one, "
        "or openai:NAME, a model on the server at SHOTLIST_OPENAI_BASE_URL, known by its name "
        "alone (default: SHOTLIST_MODEL, else practice)",
    )


def add_template(parser: argparse.ArgumentParser) -> None:
    """The prompt template."""
    template = parser.add_argument(
        "--template",
        metavar="T",
        default=DEFAULT_TEMPLATE,
        help="how demonstrations and query become a prompt: %(names)s (default %(default)s)",
    )
    name_in_help(template, _templates)


def add_setup(parser: argparse.ArgumentParser) -> None:
    """The pool, the encoder, the model and the template: what `setup_of` reads."""
    add_pool(parser)
    add_encoder(parser)
    add_model(parser)
    add_template(parser)


def _templates() -> tuple[str, ...]:
    from ..language_model import TEMPLATES

    return tuple(TEMPLATES)


def add_examples(parser: argparse.ArgumentParser) -> None:
    """Which evaluation examples a run takes, and whether leaks are left out."""
    parser.add_argument(
        "--examples",
        metavar="POOL",
        help="take the evaluation examples from this pool (default: the pool's own queries)",
    )
    add_limit(parser, "a seeded random sample of N evaluation examples")
    parser.add_argument(
        "--leave-out-leaks",
        action="store_true",
        help="leave out of an example's context the demonstrations that give one of its correct "
        "answers under another query, or whose query is much the same; those with its own query "
        "are always left out",
    )


def add_knobs(
    parser: argparse.ArgumentParser,
    *,
    without: Collection[str] = IN_INDEX,
    needs_method: bool = True,
) -> None:
    """A flag for each knob that the command line offers, except those named in `without`.

    The knobs that single methods have of their own are offered by `add_own_knobs`. The method must
    be given unless the command does not need one.
    """
    for knob in KNOBS.values():
        if knob.flag and knob.name not in without:
            _add_knob(parser, knob, required=needs_method and knob.name == "method")


def add_own_knobs(parser: argparse.ArgumentParser) -> None:
    """A flag for each knob that a method has of its own; it reads the registry of methods."""
    from ..retrieval.choosing import METHODS

    of_method = {knob.name: (method, knob) for method in METHODS.values() for knob in method.own}
    for name, (method, knob) in of_method.items():
        help_text = _in_a_help(knob.explanation)
        if knob.choices is not None:
            help_text += f": {', '.join(knob.names)}"
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            metavar=name.upper().replace("_", "-"),
            help=f"of the method {method.name}: {help_text} (default {knob.default})",
        )


def _add_knob(parser: argparse.ArgumentParser, knob: Knob, *, required: bool) -> None:
    help_text = _in_a_help(knob.ends if knob.is_weight else knob.explanation)
    if knob.is_choice:
        help_text += ": %(choices)s"
    if knob.default is not None and not required and not knob.is_switch:
        help_text += f" (default {knob.default})"
    flag = "-k" if knob.name == "k" else f"--{knob.name.replace('_', '-')}"
    if knob.is_switch:
        parser.add_argument(flag, help=help_text, action="store_true")
        return
    add = partial(
        parser.add_argument, flag, help=help_text, default=knob.default, required=required
    )
    if knob.is_choice:
        add(choices=Choices(partial(_names_of, knob)), metavar=knob.name.rpartition("_")[2].upper())
    elif knob.is_weight:
        add(type=weight, metavar="W")
    else:
        add(type=partial(_from, int(knob.low)))


def _names_of(knob: Knob) -> tuple[str, ...]:
    if knob.name != "method":
        return knob.names
    from ..retrieval.choosing import METHODS

    return tuple(METHODS)


def _in_a_help(sentence: str) -> str:
    """The sentence as the continuation of a line of help."""
    return sentence[0].lower() + sentence[1:].rstrip(".")


def knobs_of(options: argparse.Namespace) -> Knobs:
    """The knobs of the flags; at their defaults where the command lacks them or none was given.

    Candidates that the method does not take are named on standard error.

    Raises:
        InvalidInput: One is out of its range.
    """
    from ..reporting.words.cautions import unused_candidates
    from ..retrieval.choosing import find_method, knobs_from_json

    knobs = knobs_from_json(vars(options))
    ignored = find_method(knobs.method).unused_candidates(knobs)
    if ignored:
        say(unused_candidates([knobs.method], ignored))
    return knobs


def setup_of(options: argparse.Namespace) -> "Setup":
    """The pool, its encoder, the model and the template; the usual encoder where none is asked for.

    Raises:
        InvalidInput: There is no such template.
    """
    from ..language_model import known_template
    from ..studio.session.studio import Setup

    template = known_template(options.template).name
    return Setup(options.pool, getattr(options, "encoder", None), options.model, template)


def rows_of(options: argparse.Namespace) -> "tuple[ComparisonRow, ...]":
    """The rows of `--methods`, then those of `--settings`; all share the knobs of the other flags.

    Raises:
        InvalidInput: A knob out of its range, or a row that cannot be read.
    """
    from ..evaluation.plan.comparison_rows import ComparisonRow, rows_of_methods

    shared = knobs_of(options)
    named = rows_of_methods(names_in(options.methods), shared)
    return (*named, *(ComparisonRow.parse(text, shared) for text in options.settings or ()))


def names_in(text: str | None) -> tuple[str, ...]:
    """The names between commas; none without a text."""
    return tuple(name.strip() for name in text.split(",")) if text else ()


def add_folder(parser: argparse.ArgumentParser, content: str) -> None:
    """The folder that the command writes `content` into."""
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FOLDER", help=f"the folder that gets {content}"
    )


def add_seed(parser: argparse.ArgumentParser, of: str) -> None:
    """The seed of a training or of a check."""
    parser.add_argument("--seed", type=whole, default=0, help=f"the seed of {of} (default 0)")


def add_limit(parser: argparse.ArgumentParser, sample: str) -> None:
    """How many are drawn at most, >= 1; `sample` says what of, for help."""
    parser.add_argument("--limit", type=positive, metavar="N", help=f"{sample} (default: all)")


def add_number(
    parser: argparse.ArgumentParser,
    flag: str,
    default: int,
    help: str,
    *,
    least: int = 1,
    metavar: str | None = None,
) -> None:
    """A whole number from `least`, with its default in its help."""
    parser.add_argument(
        flag,
        type=partial(_from, least),
        default=default,
        metavar=metavar,
        help=f"{help} (default {default})",
    )


def add_methods(parser: argparse.ArgumentParser) -> None:
    """The rows of a comparison; their number and order matter, so the command checks them."""
    parser.add_argument(
        "--settings",
        action="append",
        metavar='"NAME: METHOD key=value ..."',
        help="one more row: a method with knobs of its own (k, lambda_d, lambda_b, bias_scale, "
        "candidates, embed, seed, one_per_query, and those that the method names) or for a model "
        "of its own (model), under a name; without 'NAME:' it is called by what differs; may be "
        "given again",
    )
    methods = parser.add_argument(
        "--methods",
        metavar="A,B,...",
        help="names of methods, joined by commas, that share the knobs below: %(names)s",
    )
    name_in_help(methods, partial(_names_of, KNOBS["method"]))


def weight(text: str) -> float:
    """A number from 0 to 1."""
    return number_from_zero(1, text)


def number_from_zero(most: int, text: str) -> float:
    """A number from 0 to `most`."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 <= value <= most:
        message = f"{text!r} was given; it must be a number from 0 to {most}"
        raise argparse.ArgumentTypeError(message)
    return value


def whole(text: str) -> int:
    """A whole number from 0."""
    return _from(0, text)


def positive(text: str) -> int:
    """A whole number from 1."""
    return _from(1, text)


def _from(least: int, text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(
            f"{text!r} was given; it must be a whole number from {least}"
        )
    return value
