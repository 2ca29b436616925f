"""Does it pay to choose a setting for each query, by a run's scores on its neighbours?"""

from dataclasses import dataclass

from ...evaluation.adaptive.crossvalidation import ChoicePerQuery, choice_per_query
from ...evaluation.adaptive.reading import OfModel, usable_settings
from ...evaluation.adaptive.recorded import LEAST, RecordedScores, find_run
from ...retrieval.adaptive.neighbours import METHOD, NEAREST
from ...retrieval.embedded_texts import embed_texts
from ...settings import Embed
from ..session.studio import Setup, Studio

NEIGHBOURS: int = next(knob.default for knob in METHOD.own if knob.name == NEAREST)
"""How many examples choose, where nobody says otherwise."""


@dataclass(frozen=True)
class NeighboursRequest:
    """Which run's scores choose, and how many examples choose the setting of a query.

    `run` None is the pool's latest with the setup's model and template.
    """

    setup: Setup
    run: int | None = None
    neighbours: int = NEIGHBOURS


def worth_of_choosing(studio: Studio, request: NeighboursRequest) -> ChoicePerQuery:
    """What choosing per query gains over one setting for all, cross-validated; asks no model.

    The settings are those that compare the query with demonstrations' queries, or where these are
    fewer than two, with queries and answers.

    Raises:
        InvalidInput: There is no such run or pool, or the run has too few settings or examples.
    """
    setup = request.setup
    of_model = OfModel(setup.model_name, setup.template, studio.quality_key(setup))
    run = find_run(studio.store, setup.pool, request.run, of_model.made)
    recorded = RecordedScores.read(studio.store, run)
    names = _names(recorded)
    queries = [example.query for example in recorded.examples]
    embeddings, _ = embed_texts(studio.store, studio.encoder(setup.encoder), queries)
    return choice_per_query(recorded, names, embeddings, request.neighbours)


def _names(recorded: RecordedScores) -> tuple[str, ...]:
    by_queries, _ = usable_settings(recorded, Embed.QUERY)
    if len(by_queries) >= LEAST:
        return tuple(by_queries)
    return tuple(usable_settings(recorded, Embed.QUERY_AND_ANSWER)[0])
