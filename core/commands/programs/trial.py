"""`run`: programs over the questions of a pool, with scores, intervals, traces and costs."""

from argparse import Namespace

from ...errors import InvalidInput
from ...passages.search import By
from ...programs.paper import CATALOGUE
from ...studio.programs.trial_records import TrialRequest
from ...studio.programs.trials import run
from ...studio.session.studio import Studio
from ...text import listed
from ..console import say
from ..flags import names_in
from ..progress import watcher
from .trial_document import TrialDocument
from .trial_options import KNOBS


def run_run(studio: Studio, options: Namespace) -> TrialDocument:
    """`run`: what each program reached, and how they differ."""
    programs = names_in(options.programs)
    request = TrialRequest(
        programs=programs,
        pool=options.pool,
        passages=options.passages,
        knobs=_knobs(programs, options),
        ablate=options.ablate,
        question=options.question,
        examples=options.examples,
        seeds=options.seeds,
        limit=options.limit,
        by=By(options.by),
        encoder=options.encoder,
        model=options.model,
        sampling=options.temperature,
        max_new_tokens=options.max_tokens,
    )
    report = run(studio, request, watcher("answering"))
    for note in report.notes:
        say(note)
    return TrialDocument(report, traced=options.question is not None)


def _knobs(programs: tuple[str, ...], options: Namespace) -> dict[str, int]:
    """The numbers that were given.

    Raises:
        InvalidInput: One that no program has.
    """
    given = {knob: getattr(options, knob) for knob in KNOBS}
    found = {knob: value for knob, value in given.items() if value is not None}
    chosen = [CATALOGUE[name] for name in programs if name in CATALOGUE]
    for knob in found if chosen else ():
        if not any(knob in each.knobs for each in chosen):
            have = [each.name for each in CATALOGUE.values() if knob in each.knobs]
            raise InvalidInput(
                f"{KNOBS[knob]} was given, which {listed(programs)} does not have; leave it out, "
                f"or choose {listed(have, 'or')}."
            )
    return found
