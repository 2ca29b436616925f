"""The task of a pool on Demonstrations: its line, choosing, one of one's own, taking it back."""

import pytest

from core.demonstration.demonstration import Draft
from core.language_model.task import TASKS, LabelWord, Task, plain_task
from core.studio.pools import tasks
from tests.pages.conftest import errors, press
from tests.support.gated import gated

POOL = "moods *of* <b>films</b>"
SENTENCE = (
    "A classification pool: 2 labels (positive 67 %, negative 33 %). Task: sentiment (suggested by "
    "the labels)."
)


EXEMPLAR = (
    "Does the following sentence have a positive or negative sentiment?\ntext 0 of *{x}*\n"
    "The answer is positive."
)


@pytest.fixture
def moods(workspace, workspace_with):
    answers = ["positive", "negative", "positive"] * 12
    drafts = [Draft(f"text {i} of *{{x}}*", answer) for i, answer in enumerate(answers)]
    workspace_with(workspace, POOL, drafts)
    return POOL


@pytest.fixture
def open_line(open_page):
    """Opens Demonstrations with the line of the task open."""

    def opened(line="task_line", **link):
        app = open_page("demonstrations", **link)
        app.session_state[line] = True
        return app.run()

    return opened


def task_of(studio, pool=POOL):
    return tasks.pool_task(tasks.read(studio, pool))


def line(app):
    """What the line says, without what keeps markdown from being read."""
    labels = [each.label.replace("\\", "") for each in app.expander]
    return [label for label in labels if "Task: " in label]


def captions(app):
    return [each.value.replace("\\", "") for each in app.caption]


PLAIN = plain_task(["negative", "positive"])


def value_of(task):
    """What stands for a task on offer in the choice."""
    return f"{task.name} {task.fingerprint}"


def place(app, kind, name, pool=POOL, turn=0):
    return getattr(app, kind)(key=f"task_{name}_{turn}_{pool}")


def test_a_classification_pool_says_so_in_one_line(moods, open_page):
    app = open_page("demonstrations")
    assert line(app) == [SENTENCE]
    assert not app.code  # nothing is drawn in it before it is opened
    assert not [each for each in app.button if each.key.startswith("task_")]


def test_a_pool_of_free_answers_has_no_line_but_can_be_given_a_task(
    small_pool, open_page, open_line, the_studio
):
    assert line(open_page("demonstrations")) == []
    app = open_line("task_give", section="pool")
    assert "Give this pool a task" in [each.label for each in app.expander]
    assert place(app, "text_area", "words", small_pool).value == ""
    assert any("Not complete yet. The label words of task 'own'" in each for each in captions(app))
    press(app, "task_use")
    assert errors(app) == ["The label words of task 'own' are none; give two or more."]
    place(app, "text_area", "words", small_pool).set_value("a\nb").run()
    press(app, "task_use")
    assert "name no answer of pool 'small pool <script>'" in errors(app)[0]
    words = 'no = "No, says the book (0)"\nyes'
    place(app, "text_area", "words", small_pool).set_value(words).run()
    assert app.code[0].value == "Is the moon made of cheese?\nThe answer is no"
    press(app, "task_use")
    assert not errors(app)
    assert line(app) == [
        "Task: own (chosen). 9 of 10 demonstrations have answers that the task does not name."
    ]
    assert "Give this pool a task" not in [each.label for each in app.expander]
    found = task_of(the_studio(), small_pool)
    assert found.task.label_words == (
        LabelWord("no", ("No, says the book (0)",)),
        LabelWord("yes"),
    )


def test_the_tasks_on_offer_each_with_what_a_model_reads(moods, open_line):
    app = open_line()
    choice = place(app, "selectbox", "choice")
    assert choice.options == ["sentiment (suggested by the labels)", "plain", "a task of your own"]
    assert app.code[0].value == EXEMPLAR
    choice.set_value(value_of(PLAIN)).run()
    assert app.code[0].value == "text 0 of *{x}*\nThe answer is positive"
    assert "Label words:\nnegative\npositive" in [each.value for each in app.text]


def test_a_task_is_chosen_and_taken_back(moods, open_line, the_studio):
    app = open_line()
    version = task_of(the_studio()).pool_version
    place(app, "selectbox", "choice").set_value(value_of(PLAIN)).run()
    press(app, "task_use")
    found = task_of(the_studio())
    assert (found.task.name, found.chosen) == ("plain", True)
    assert found.pool_version > version
    assert line(app) == [SENTENCE.replace("sentiment (suggested by the labels)", "plain (chosen)")]
    assert [each.value for each in app.success] == ["The task of this pool is 'plain'\\."]
    choice = place(app, "selectbox", "choice", turn=1)
    assert choice.options == ["plain (chosen)", "sentiment", "a task of your own"]
    assert app.button(key="task_use").disabled
    press(app, "task_take_back")
    assert line(app) == [SENTENCE]
    assert not task_of(the_studio()).chosen
    assert "task_take_back" not in [each.key for each in app.button]


def test_the_suggested_task_can_be_chosen_too(moods, open_line, the_studio):
    app = open_line()
    press(app, "task_use")
    assert line(app) == [SENTENCE.replace("suggested by the labels", "chosen")]
    assert task_of(the_studio()).chosen


def write_own(app, turn=0, **typed):
    place(app, "selectbox", "choice", turn=turn).set_value(tasks.OWN).run()
    for name, value in typed.items():
        kind = "text_area" if name in ("question", "words") else "text_input"
        place(app, kind, name, turn=turn).set_value(value)
    return app.run()


def test_a_task_of_ones_own_begins_with_the_pools_labels_and_becomes_the_pools(
    moods, open_line, the_studio
):
    app = write_own(open_line())
    assert place(app, "text_area", "words").value == "negative = 0\npositive = 1"
    assert place(app, "text_area", "question").value == TASKS["sentiment"].question
    app = write_own(
        app,
        name="moods",
        question="How is it? {x}",
        words="sad = negative\n\nglad = positive, so",
        ending="It is",
    )
    place(app, "checkbox", "stop").check().run()
    assert app.code[0].value == "How is it? text 0 of *{x}*\nIt is glad."
    press(app, "task_use")
    words = (LabelWord("sad", ("negative",)), LabelWord("glad", ("positive", "so")))
    assert task_of(the_studio()).task == Task("moods", "How is it? {x}", words, "It is", True)
    choice = place(app, "selectbox", "choice", turn=1)
    assert choice.options == ["moods (chosen)", "sentiment", "plain", "a task of your own"]
    app = write_own(app, turn=1)
    assert place(app, "text_area", "words", turn=1).value == "sad = negative\nglad = positive, so"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    gated(
        [
            ({"question": "How is it?"}, "it must contain {x} once, where the text belongs."),
            ({"words": "a\nb"}, "name no answer of pool"),
            ({"name": ""}, "The task has no name; give it one, such as 'moods'."),
            ({"name": "plain"}, "The name 'plain' is reserved for a built-in task; give yours"),
            ({"ending": " "}, "it must have some text and no white space at its end"),
            ({"words": "sad = negative"}, "give two or more"),
        ],
        first=2,
    ),
)
def test_a_mistake_is_one_sentence_and_nothing_typed_is_lost(
    moods, open_line, the_studio, typed, sentence
):
    app = write_own(open_line(), **{"words": "sad = negative\nglad = positive", **typed})
    version = task_of(the_studio()).pool_version
    assert any(each.startswith("Not complete yet. ") for each in captions(app))
    press(app, "task_use")
    (error,) = errors(app)
    assert sentence in error
    assert task_of(the_studio()).pool_version == version
    for name, value in typed.items():
        kind = "text_area" if name in ("question", "words") else "text_input"
        assert place(app, kind, name).value == value
    app.session_state["task_line"] = False
    app.run()
    app.session_state["task_line"] = True
    app.run()
    for name, value in typed.items():
        kind = "text_area" if name in ("question", "words") else "text_input"
        assert place(app, kind, name).value == value


def test_each_pool_keeps_its_own_draft(moods, open_line, the_studio):
    write_own(app := open_line(pool=POOL), name="draft")
    drafts = [Draft(f"q {i}", "01"[i % 2]) for i in range(30)]
    the_studio().store.demonstrations.add_to_named("other", drafts)
    app.run()
    app.selectbox(key="sidebar_pool").set_value("other").run()
    assert line(app)[0].startswith(
        "A classification pool: 2 labels ('0' 50 %, '1' 50 %). Task: plain"
    )
    place(app, "selectbox", "choice", "other").set_value(tasks.OWN).run()
    assert place(app, "text_area", "words", "other").value == "0 = 0\n1 = 1"
    assert place(app, "text_input", "name", "other").value == "own"
    app.selectbox(key="sidebar_pool").set_value(POOL).run()
    assert place(app, "text_input", "name").value == "draft"
