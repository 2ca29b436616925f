"""A reader over a pool: which evidence it gets, in training and when it is asked."""

import pytest

from core.demonstration.demonstration import Draft
from core.errors import Cancelled, InvalidInput
from core.retrieval.choosing import choose_context
from core.retrieval.knobs import Knobs
from core.store import Store
from core.studio import Studio
from core.studio.session.studio import Setup
from core.watcher import Watcher
from fusion.over_a_pool import EvidenceRequest, answer_query, labels_of, train_on_pool
from fusion.reader import FusionReader
from fusion.training import FineTuning
from tests.support.tiny_t5 import build_tiny_t5

FILMS = ("red house", "old story", "long war", "cold moon", "blue legs", "wet water", "dark sky")
REVIEWS = tuple(
    Draft(f"the film {film} is {word}", label)
    for film in FILMS
    for word, label in (("good", "positive"), ("great", "positive"), ("bad", "negative"))
)
FACTS = (
    Draft("Where is the moon?", "It is in the sky.", best=True),
    Draft("Where is the moon?", "Above."),
    Draft("WHERE is  the moon?", "Up there."),
    Draft("Where is our moon?", "Above."),
    *(Draft(f"How many legs has number {number}?", f"It has {number}.") for number in range(24)),
)
PLAN = FineTuning(steps=20, learning_rate=1e-3, batch=2, check_every=10, patience=0)


class Recording(FusionReader):
    """A reader that keeps the episodes that it is trained on."""

    def losses(self, episodes):
        vars(self).setdefault("met", []).extend(episodes)
        return super().losses(episodes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return build_tiny_t5(tmp_path_factory.mktemp("t5") / "tiny-t5")


@pytest.fixture
def reader(folder):
    return Recording.load(folder, device="cpu")


@pytest.fixture
def studio_with(tmp_path, workspace_with, hashing_encoder):
    opened = []

    def make(drafts):
        workspace_with(tmp_path / "workspace", "pool", drafts)
        store = Store.open(tmp_path / "workspace")
        opened.append(Studio(store, load_encoder=lambda name: hashing_encoder))
        return opened[-1]

    yield make
    for studio in opened:
        studio.close()


def test_evidence_in_training_gives_nothing_away(studio_with, reader, tmp_path):
    """Neither the example's own query, in any spelling, nor its answer under another query."""
    studio = studio_with(FACTS)
    made = train_on_pool(
        studio, reader, EvidenceRequest("pool", k=3), PLAN, tmp_path / "out", Watcher()
    )
    met = {episode.query: episode for episode in reader.met}
    moon = met["Where is the moon?"]
    assert moon.answer == "It is in the sky."
    assert len(moon.evidence) == 3
    assert not any("moon" in piece for piece in moon.evidence)
    assert all("legs" in piece for piece in moon.evidence)
    assert made.labels == 0
    assert all(episode.labels == () for episode in reader.met)
    assert (made.report.episodes + made.report.validation, made.k) == (27, 3)


def test_evidence_is_what_the_method_rel_chooses(studio_with, reader, tmp_path, hashing_encoder):
    studio = studio_with(REVIEWS)
    made = train_on_pool(
        studio, reader, EvidenceRequest("pool", k=4), PLAN, tmp_path / "out", Watcher()
    )
    assert made.labels == 2
    view = studio.view(Setup("pool"))
    for episode in reader.met:
        (vector,) = hashing_encoder.encode([episode.query])
        context = choose_context(view, episode.query, vector, Knobs("rel", 4), leave_out=True)
        assert episode.evidence == tuple(
            f"{view.queries[place]} {view.answers[place]}" for place in context.indices
        )
        assert episode.labels == ("positive", "negative")
        assert len(set(episode.evidence)) == 4


def test_the_queries_of_the_checks_are_not_trained_on(studio_with, reader, tmp_path):
    studio = studio_with(REVIEWS)
    request = EvidenceRequest("pool", k=2)
    made = train_on_pool(studio, reader, request, PLAN, tmp_path / "out", Watcher())
    trained = {episode.query for episode in reader.met}
    assert len(trained) == made.report.episodes
    assert made.report.validation == len(REVIEWS) - len(trained) > 0
    assert [check.step for check in made.report.checks] == [10, 20]


def test_a_stopped_training_goes_on(studio_with, folder, tmp_path):
    studio = studio_with(REVIEWS)
    request, out = EvidenceRequest("pool", k=2), tmp_path / "out"
    steps = []

    def stop():
        return len(steps) == 7

    watcher = Watcher(on_progress=lambda done, total: steps.append(done), cancelled=stop)
    studio.view(Setup("pool"))  # embedded before, so that only steps are counted
    with pytest.raises(Cancelled):
        train_on_pool(studio, Recording.load(folder, device="cpu"), request, PLAN, out, watcher)
    assert steps == [1, 2, 3, 4, 5, 6, 7]
    steps.clear()
    again = Watcher(on_progress=lambda done, total: steps.append(done))
    train_on_pool(studio, Recording.load(folder, device="cpu"), request, PLAN, out, again)
    assert steps == list(range(8, 21))


def test_a_pool_too_small_to_check_on(studio_with, reader, tmp_path):
    studio = studio_with(FACTS[4:6])
    with pytest.raises(InvalidInput, match="has 2 queries, too few to train on most"):
        train_on_pool(studio, reader, EvidenceRequest("pool"), PLAN, tmp_path / "out", Watcher())
    assert not (tmp_path / "out").exists()


def test_an_answer_is_the_best_of_the_pools_labels(studio_with, reader):
    studio = studio_with(REVIEWS)
    query = "the film grey garden is good"
    reply = answer_query(studio, reader, EvidenceRequest("pool", k=5), query)
    scored = reader.log_probs(query, reply.evidence, ["positive", "negative"])
    totals = dict(zip(("positive", "negative"), (each.total for each in scored), strict=True))
    assert dict(reply.ranked) == totals
    assert reply.answer == reply.ranked[0][0] == max(totals, key=totals.get)
    assert len(reply.ids) == len(reply.evidence) == 5


def test_a_query_typed_by_hand_may_read_its_own_demonstration(studio_with, reader):
    studio = studio_with(FACTS)
    reply = answer_query(studio, reader, EvidenceRequest("pool", k=1), "Where is the moon?")
    assert reply.evidence == ("Where is the moon? It is in the sky.",)
    assert reply.ranked == ()
    assert reply.answer == reader.write("Where is the moon?", reply.evidence)


@pytest.mark.parametrize("k", [0, 1, 28, 29])
def test_as_much_evidence_as_there_is(studio_with, reader, k):
    studio = studio_with(FACTS)
    reply = answer_query(
        studio, reader, EvidenceRequest("pool", k=k), "Why is it wet?", ["yes", "no"]
    )
    assert len(reply.evidence) == min(k, 28)
    assert sorted(label for label, _ in reply.ranked) == ["no", "yes"]


def test_an_empty_query_is_refused(studio_with, reader):
    with pytest.raises(InvalidInput, match="The query is empty"):
        answer_query(studio_with(FACTS), reader, EvidenceRequest("pool"), " \n")


def test_answers_that_are_few_and_shared_are_labels(studio_with):
    assert labels_of(studio_with(REVIEWS).view(Setup("pool"))) == ("positive", "negative")
