"""The task of a pool as a service: what is shown and on offer, choosing and taking back."""

import pytest

from core.demonstration.demonstration import Draft
from core.errors import InvalidInput
from core.language_model.task import TASKS, LabelWord, Task, plain_task
from core.retrieval.pool_view import PoolView
from core.studio.pools import tasks
from core.studio.pools.tasks import LabelCount
from core.studio.session.studio import Setup

MOODS = Task(
    "moods", "Sad or glad? {x}", (LabelWord("sad", ("negative",)), LabelWord("glad", ("positive",)))
)


def given(answers):
    return tuple(Draft(f"text {i:02}", answer) for i, answer in enumerate(answers))


@pytest.fixture
def pool_drafts():
    """Twenty-six positive, thirteen negative, one that is no label."""
    return given(["fine", *["positive", "negative", "positive"] * 13])


@pytest.fixture
def add(studio):
    """Adds a pool of these answers, each to a query of its own; its texts."""

    def added(name, answers):
        studio.store.demonstrations.add_to_named(name, given(answers))
        return tasks.read(studio, name)

    return added


def test_what_is_shown_of_a_classification_pool(studio):
    found = tasks.pool_task(tasks.read(studio, "small"))
    assert (found.pool, found.demonstrations, found.chosen) == ("small", 40, False)
    assert found.pool_version == studio.store.pools.get("small").version
    assert found.task == TASKS["sentiment"]
    assert found.labels == (
        LabelCount("negative", 13, 0.325, "negative"),
        LabelCount("positive", 26, 0.65, "positive"),
    )
    assert found.named == 39
    assert found.exemplar == TASKS["sentiment"].exemplar("text 01", "positive")
    assert found.sentence == (
        "A classification pool: 2 labels (positive 65 %, negative 32 %). Task: sentiment "
        "(suggested by the labels). 1 of 40 demonstrations has an answer that the task does not "
        "name."
    )
    assert found.to_json() == {
        "pool": "small",
        "pool_version": found.pool_version,
        "demonstrations": 40,
        "task": TASKS["sentiment"].to_json(),
        "chosen": False,
        "labels": [
            {"label": "negative", "count": 13, "share": 0.325, "word": "negative"},
            {"label": "positive", "count": 26, "share": 0.65, "word": "positive"},
        ],
        "named": 39,
        "exemplar": found.exemplar,
    }


def test_a_view_and_what_is_read_without_an_encoder_say_the_same(studio):
    view, texts = studio.view(Setup("small")), tasks.read(studio, "small")
    assert isinstance(view, PoolView)
    assert tasks.pool_task(view) == tasks.pool_task(texts)
    assert tasks.offered(view) == tasks.offered(texts)
    assert texts.answer_index.labels.tolist() == view.answer_index.labels.tolist()


def test_demonstrations_of_one_query_count_once_for_a_label(studio):
    drafts = [Draft("Is it?", f"yes{' ' * i}no") for i in range(3)]
    drafts += [Draft(" is  IT? ", "maybe"), Draft("other", "maybe")]
    studio.store.demonstrations.add_to_named("one", drafts)
    assert tasks.pool_task(tasks.read(studio, "one")).labels == ()


def test_many_labels_are_named_by_their_size(add):
    answers = [f"class {i}" for i in range(5) for _ in range(10 + 10 * (i == 3))]
    sentence = tasks.pool_task(add("five", answers)).sentence
    assert sentence == (
        "A classification pool: 5 labels ('class 3' 33 %, 'class 0' 17 %, 'class 1' 17 %, 2 more). "
        "Task: plain (suggested by the labels)."
    )
    rare = [*["a"] * 2000, *["b"] * 9990, *["c"] * 10]
    assert "(b 83 %, a 17 %, c under 1 %)" in tasks.pool_task(add("rare", rare)).sentence
    long = [*["yes"] * 10, *["I have no comment, " + "as I have often had occasion to say"] * 20]
    shown = "(I have no comment, as I have often ha... 67 %, yes 33 %)"
    assert shown in tasks.pool_task(add("long", long)).sentence


def test_a_pool_of_free_answers_has_neither_labels_nor_a_task(studio, add):
    texts = add("free", [f"answer {i}" for i in range(20)])
    found = tasks.pool_task(texts)
    assert (found.labels, found.task, found.exemplar, found.named) == ((), None, None, 0)
    assert found.sentence == (
        "The answers are not labels that many queries share, so the pool has no task."
    )
    assert found.to_json()["task"] is None
    assert tasks.offered(texts) == ()
    assert tasks.first_own_task(texts) == ("{x}", ())
    studio.store.pools.create("empty")
    assert tasks.pool_task(tasks.read(studio, "empty")).demonstrations == 0
    assert tasks.offered(tasks.read(studio, "empty")) == ()


def test_choosing_and_taking_back(studio):
    versions = [studio.store.pools.get("small").version]

    def now():
        versions.append(studio.store.pools.get("small").version)
        return tasks.pool_task(tasks.read(studio, "small"))

    tasks.choose(studio, tasks.read(studio, "small"), MOODS)
    found = now()
    assert (found.task, found.chosen, found.named) == (MOODS, True, 39)
    assert found.exemplar == "Sad or glad? text 01\nThe answer is glad"
    assert [each.word for each in found.labels] == ["sad", "glad"]
    assert "Task: moods (chosen)." in found.sentence
    tasks.choose(studio, tasks.read(studio, "small"), MOODS)  # the same again is nothing new
    assert now() == found
    assert versions[1] == versions[2] > versions[0]
    tasks.take_back(studio, "small")
    assert (now().task, now().chosen) == (TASKS["sentiment"], False)
    assert versions[-1] > versions[2]
    tasks.take_back(studio, "small")
    now()
    assert versions[-1] == versions[-2]
    assert [action.what for action in studio.store.history.actions(1)] == ["import"]


def test_a_task_that_names_no_answer_is_refused_and_nothing_is_written(studio, add):
    version = studio.store.pools.get("small").version
    with pytest.raises(InvalidInput) as refused:
        tasks.choose(studio, tasks.read(studio, "small"), TASKS["acceptability"])
    assert str(refused.value) == (
        "The label words of task 'acceptability' ('unacceptable', 'acceptable') name no answer of "
        "pool 'small', whose answers are such as 'fine', 'positive', 'negative'; choose another "
        "task, or give one of your own whose label words name the answers that they represent."
    )
    assert studio.store.pools.get("small").version == version
    studio.store.pools.create("empty")
    with pytest.raises(InvalidInput, match="such as none at all"):
        tasks.choose(studio, tasks.read(studio, "empty"), MOODS)
    texts = add("free", ["positive", *(f"answer {i}" for i in range(20))])
    tasks.choose(studio, texts, MOODS)  # one is enough
    found = tasks.pool_task(tasks.read(studio, "free"))
    assert (found.task, found.labels, found.named) == (MOODS, (), 1)
    assert found.sentence == (
        "Task: moods (chosen). 20 of 21 demonstrations have answers that the task does not name."
    )


def names(found):
    return [task.name for task in found]


@pytest.mark.parametrize(
    ("answers", "on_offer"),
    [
        (["positive", "negative"] * 12, ["sentiment", "plain"]),
        (
            ["0", "1"] * 12,
            ["sentiment", "acceptability", "subjectivity", "sentiment-5", "question-type", "plain"],
        ),
        (["good", "bad"] * 12, ["sentiment-5", "plain"]),
        (["good", "awful"] * 12, ["plain", "sentiment-5"]),
        (["sports", "business"] * 12, ["plain"]),
        (["objective", *(f"answer {i}" for i in range(20))], ["subjectivity"]),
    ],
)
def test_what_fits_is_offered_before_what_names_some_answers(add, answers, on_offer):
    assert names(tasks.offered(add("offer", answers))) == on_offer


def test_a_chosen_task_of_ones_own_is_offered_first(studio, add):
    texts = tasks.read(studio, "small")
    assert tasks.offered(texts)[0] == tasks.pool_task(texts).task
    tasks.choose(studio, texts, MOODS)
    assert names(tasks.offered(tasks.read(studio, "small"))) == ["moods", "sentiment", "plain"]
    old = plain_task(["positive", "neutral"])
    for plain, offer in (
        (plain_task(["negative", "positive"]), ["plain", "sentiment"]),
        (old, ["plain", "sentiment", "plain"]),
    ):
        tasks.choose(studio, tasks.read(studio, "small"), plain)
        found = tasks.offered(tasks.read(studio, "small"))
        assert names(found) == offer
        assert found[0] == plain


def test_a_task_by_its_name(studio, add):
    texts = tasks.read(studio, "small")
    assert tasks.named_task(texts, "subjectivity") == TASKS["subjectivity"]
    assert tasks.named_task(texts, "plain") == plain_task(["negative", "positive"])
    with pytest.raises(InvalidInput, match="no task 'x'; choose one of sentiment, .*, plain"):
        tasks.named_task(texts, "x")
    with pytest.raises(InvalidInput, match="answers of pool 'free' are not labels"):
        tasks.named_task(add("free", ["a", "b"]), "plain")


def test_a_task_of_ones_own_is_cleaned_and_its_name_is_free():
    task = tasks.own_task(" moods\n", " Sad or glad? {x}\n", MOODS.label_words, ending=" So ")
    assert (task.name, task.question, task.ending) == ("moods", "Sad or glad? {x}", "So")
    for name in ("sentiment", "plain", "pool"):
        with pytest.raises(InvalidInput, match=f"The name '{name}' is reserved"):
            tasks.own_task(name, "{x}", MOODS.label_words)
    same = TASKS["subjectivity"]
    assert tasks.own_task(same.name, same.question, same.label_words) == same
    with pytest.raises(InvalidInput, match="no name"):
        tasks.own_task("", "{x}", MOODS.label_words)


def test_a_task_of_ones_own_begins_with_the_pools_labels(studio, add):
    question, words = tasks.first_own_task(tasks.read(studio, "small"))
    assert question == TASKS["sentiment"].question
    assert [word.line for word in words] == ["negative = 0", "positive = 1"]
    question, words = tasks.first_own_task(add("numbers", ["0", "1", "2"] * 12))
    assert question == "{x}"
    assert [word.line for word in words] == ["0 = 0", "1 = 1", "2 = 2"]
    texts = add("three", [*["positive", "negative", "so, so"] * 12])
    tasks.choose(studio, texts, MOODS)
    _, words = tasks.first_own_task(tasks.read(studio, "three"))
    assert [word.line for word in words] == [
        "sad = negative",
        "glad = positive",
        '"so, so" = "so, so"',
    ]
    mixed = add("mixed", [*["yes", "no"] * 12, *(f"answer {i}" for i in range(20))])
    assert [word.word for word in tasks.first_own_task(mixed)[1]] == ["no", "yes"]
