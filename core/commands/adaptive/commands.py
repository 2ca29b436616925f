"""`neighbours` and `fixed`: settings chosen query by query, and a fixed set found by trying."""

import argparse

from ...language_model import known_template
from ...studio.adaptive.fixed_sets import FixedRequest, find_fixed
from ...studio.adaptive.neighbours import NeighboursRequest, worth_of_choosing
from ...studio.pools.demonstrations import name_fixed
from ...studio.session.studio import Setup, Studio
from ..console import say
from ..progress import watcher
from .documents import Choosing, Sets


def run_neighbours(studio: Studio, options: argparse.Namespace) -> Choosing:
    """`neighbours`: whether choosing a setting for each query pays, cross-validated."""
    request = NeighboursRequest(_setup(options), options.run, options.nearest)
    return Choosing(worth_of_choosing(studio, request))


def run_fixed(studio: Studio, options: argparse.Namespace) -> Sets:
    """`fixed`: the best of random sets, judged on held-out examples."""
    request = FixedRequest(
        _setup(options), options.sets, options.k, options.limit, options.held_out, options.seed
    )
    found = find_fixed(studio, request, watcher("scores"), say)
    if options.choose:
        name_fixed(studio, options.pool, found.best.ids)
    return Sets(found, options.choose)


def _setup(options: argparse.Namespace) -> Setup:
    template = known_template(options.template).name
    return Setup(options.pool, options.encoder, options.model, template)
