"""A program that was stopped goes on behind the store: nothing is asked twice."""

import pytest

from core.engines import LocalEngine
from core.errors import Cancelled
from core.language_model import TEMPLATES
from core.programs import Example, Run
from core.programs.paper import open_domain
from core.programs.primitives import branch
from core.store import Store
from core.watcher import Watcher
from tests.support.scripted_model import TableRetriever
from tests.unit.evaluation.fake_language_model import FakeLanguageModel

NAMES = ("Ax", "Box", "Cup", "Dot")
TRAIN = tuple(Example(f"Who made {name}?", (f"{name}smith",)) for name in NAMES)
ASKED = Example("Who made Eel?", train=TRAIN)
TABLE = {
    f"Who made {name}?": [(place, f"{name} was made by {name}smith.", 1.0)]
    for place, name in enumerate((*NAMES, "Eel"))
}


class Answering(FakeLanguageModel):
    def answer_to(self, prompt):
        name = prompt.rsplit("Who made ", 1)[1].split("?")[0]
        return f"It says so.\n\nAnswer: {name}smith"


def stopped_after(calls):
    asked = iter(range(1_000))
    return lambda: next(asked) >= calls


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path) as opened:
        yield opened


def test_a_stopped_program_goes_on_where_it_was(store):
    whole = Run(Answering(), TableRetriever(TABLE))
    expected = open_domain(whole, ASKED)
    assert expected.pred == "Eelsmith"
    assert sum(demo.augmented for demo in expected.demos) == 3

    model = Answering()
    retriever = TableRetriever(TABLE)
    engine = LocalEngine(store, model, TEMPLATES["qa"])
    with pytest.raises(Cancelled):
        open_domain(Run(engine, retriever, watcher=Watcher(cancelled=stopped_after(9))), ASKED)
    before = len(model.generated)
    assert 0 < before < len(whole.model.generated)
    resumed = Run(engine, retriever)
    assert open_domain(resumed, ASKED) == expected
    assert len(model.generated) == len(set(model.generated)) == len(whole.model.generated)
    assert resumed.trace.steps == whole.trace.steps


def test_fewer_branches_are_known_from_more(store):
    model = Answering()
    engine = LocalEngine(store, model, TEMPLATES["qa"])
    run = Run(engine, TableRetriever(TABLE))
    five = branch(run, open_domain, ASKED)
    asked = len(model.generated)
    assert branch(Run(engine, TableRetriever(TABLE)), open_domain, ASKED, n=2) == five[:2]
    assert len(model.generated) == asked
