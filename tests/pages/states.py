"""The states of every page: what is chosen by its link, and what can be read and chosen there."""

from collections.abc import Iterator
from pathlib import PurePath

from core.retrieval.choosing import METHODS
from core.retrieval.knobs import KNOBS
from pages.common.frame.navigation import PAGES

NAMES = [PurePath(path).stem for path, *_ in PAGES]
STATES = {
    "start": [{}],
    "demonstrations": [
        {}, *({"section": each} for each in ("import", "history", "fixed", "pool", "suggest")),
        {"section": "suggest", "source": "own"},
    ],
    "review": [{}, {"part": "coverage"}, {"part": "by_tag"}, {"part": "worth"}],
    "map": [{}, {"from": "typed"}, {"passages": "facts"}, {"method": "pgra"}],
    "explore": [{}, {"from": "typed"}, {"method": "mdl"}, {"method": "pgra"}],
    "calibrate": [{}],
    "compare": [{}],
    "programs": [{}, {"program": "multi-hop"}, {"do": "answer"}],
}  # fmt: skip
"""The links by which each page is opened so that all of its parts are drawn once."""
assert list(STATES) == NAMES, "a page that is added has its states here"

SIDE_BAR = {"pool", "encoder", "model", "template"}
OF_RETRIEVAL = {knob.link for knob in KNOBS.values()} | {
    knob.link or knob.name for method in METHODS.values() for knob in method.own
}
SHARED = SIDE_BAR | OF_RETRIEVAL | {"from", "query", "typed", "search"}
"""What means the same wherever it is chosen. `by` and `seed` are so on pages that retrieve."""
OF_PAGES = {
    "demonstrations": {"section", "ids", "tags", "status", "sort", "descending", "page"},
    "suggest": {"source", "limit"},
    "fixed": {"limit"},
    "review": {
        "part", "threshold", "finding", "stays", "queue", "examples", "below", "limit", "leaks",
        "measured",
    },
    "worth": {"result"},
    "map": {
        "passages", "passage_query", "passages_k", "by", "points", "colour", "coloured", "decides",
    },
    "explore": {"answers", "incorrect", "cell_colour", "view"},
    "calibrate": {"heat", "sweep", "settle", "margin", "examples", "limit", "leaks", "result"},
    "compare": {"rows", "examples", "limit", "leaks", "generate", "metric", "view"},
    "evaluate": {"result"},
    "programs": {
        "do", "program", "examples", "limit", "annotate", "shots", "seed", "passages", "programs",
        "question", "by", "ablate", "measure",
    },
    "answers": {"seeds", "shots", "samples", "p_augmented", "p_k", "p_max_hops", "p_queries"},
}  # fmt: skip
"""What belongs to a page, or to a part of one."""
EVERY = sorted(SHARED.union(*OF_PAGES.values()))
FREE = {
    "encoder", "model", "search", "typed", "answers", "incorrect", "question", "passage_query",
}  # fmt: skip
"""Where every text but the empty one is a value."""
CHOSEN = (
    "text_input", "text_area", "number_input", "slider", "selectbox", "multiselect", "checkbox",
    "toggle", "radio", "button_group",
)  # fmt: skip
"""The kinds of widgets that have a value."""


def every_state() -> Iterator[tuple[str, dict[str, str]]]:
    """Each page with each of its links."""
    for page, links in STATES.items():
        for link in links:
            yield page, link


def name_of(state: tuple[str, dict[str, str]]) -> str:
    """How a test names the state."""
    page, link = state
    return "-".join((page, *link.values()))


def values(app) -> dict[str, object]:
    """What every widget below the title is at, by its key."""
    return {each.key: each.value for kind in CHOSEN for each in getattr(app.main, kind)}
