"""Tasks as data: the exact strings of the built-in ones, what is refused, JSON, fingerprints."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.language_model.task import (
    TASKS,
    LabelWord,
    Task,
    plain_task,
)

MOODS = Task(
    "moods", "Sad or glad? {x}", (LabelWord("sad", ("0",)), LabelWord("glad", ("1", "happy")))
)

# Table 13 of the paper, with the line breaks of the authors' code.
EXEMPLARS = {
    "sentiment": "Does the following sentence have a positive or negative sentiment?\nA text.\n"
    "The answer is negative.",
    "sentiment-5": "What sentiment does this sentence have? terrible, bad, okay, good or great\n"
    "A text.\nThe answer is terrible",
    "acceptability": 'The following sentence is either "acceptable", meaning it is grammatically '
    'correct and makes sense, or "unacceptable". Which is it?\nA text.\n'
    "The answer is unacceptable",
    "subjectivity": "Is this a subjective or objective description?\nA text.\n"
    "The answer is subjective",
    "question-type": "Which category best describes the following question: A text.\nChoose from "
    "the following list: Description, Entity, Abbreviation, Person, Quantity, Location.\n"
    "The answer is Description.",
}
WORDS = {
    "sentiment": {"0": "negative", "1": "positive"},
    "sentiment-5": {"0": "terrible", "1": "bad", "2": "okay", "3": "good", "4": "great"},
    "acceptability": {"0": "unacceptable", "1": "acceptable"},
    "subjectivity": {"0": "subjective", "1": "objective"},
    "question-type": {
        "DESC": "Description",
        "ENTY": "Entity",
        "ABBR": "Abbreviation",
        "HUM": "Person",
        "LOC": "Location",
        "NUM": "Quantity",
    },
}


@pytest.mark.parametrize("name", TASKS)
def test_the_papers_exemplars_to_the_letter(name):
    task = TASKS[name]
    assert task.exemplar("A text.", task.words[0]) == EXEMPLARS[name]
    assert task.text("A text.") == EXEMPLARS[name].rpartition(" ")[0]
    assert task.name == name


@pytest.mark.parametrize("name", TASKS)
def test_the_papers_labels_and_their_words(name):
    assert {label: TASKS[name].word_of(label) for label in WORDS[name]} == WORDS[name]
    assert set(TASKS[name].words) == set(WORDS[name].values())


def test_an_exemplar_a_text_and_a_prefix():
    assert MOODS.text("I sing") == "Sad or glad? I sing\nThe answer is"
    assert MOODS.exemplar("I sing", "glad") == "Sad or glad? I sing\nThe answer is glad"
    assert replace(MOODS, full_stop=True).exemplar("I sing", "glad").endswith(" is glad.")
    assert MOODS.prefix([]) == ""
    assert MOODS.prefix([("I sing", "glad"), ("I weep", "sad")]) == (
        "Follow the demonstrations:\n\n"
        "Sad or glad? I sing\nThe answer is glad\n\n"
        "Sad or glad? I weep\nThe answer is sad\n\n"
    )


@pytest.mark.parametrize("x", ["{x}", "{query}", "{answer}", "{", "\\1", "%s", "a\nb"])
def test_fields_in_a_text_are_text(x):
    assert MOODS.text(x) == f"Sad or glad? {x}\nThe answer is"
    assert MOODS.template.prompt([], x).endswith(MOODS.text(x))


@pytest.mark.parametrize("task", [*TASKS.values(), MOODS], ids=lambda task: task.name)
def test_the_templates_prompt_is_prefix_and_text(task):
    pairs = [("I sing", task.words[1]), ("I {answer} weep", task.words[0])]
    assert task.template.prompt(pairs, "I hum") == task.prefix(pairs) + task.text("I hum")
    assert task.template.answer(task.words[0]) == f" {task.words[0]}"


def test_without_exemplars_only_the_templates_prompt_has_the_header():
    assert MOODS.prefix([]) + MOODS.text("I hum") == MOODS.text("I hum")
    header = "Follow the demonstrations:\n\n"
    assert MOODS.template.prompt([], "I hum") == header + MOODS.text("I hum")


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        ("glad", "glad"),
        (" GLAD\n", "glad"),
        ("Ｇlad", "glad"),
        ("1", "glad"),
        ("Happy", "glad"),
        ("0", "sad"),
        ("gladly", None),
        ("2", None),
        ("", None),
    ],
)
def test_the_word_of_a_label_by_the_loose_fold(answer, word):
    assert MOODS.word_of(answer) == word


def test_the_words_of_answers_are_in_their_order_and_empty_for_no_label():
    first, second = MOODS.words
    assert MOODS.words_of([second, "no label", first, second]) == (second, "", first, second)
    assert MOODS.words_of([]) == ()


def test_the_answers_that_it_names():
    assert MOODS.names == ("sad", "0", "glad", "1", "happy")
    assert plain_task(["a", "b"]).names == ("a", "b")
    assert Task("t", "{x}", (LabelWord("a", ("A", "1")), LabelWord("b"))).names == ("a", "1", "b")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"name": " "}, "has no name"),
        ({"question": "Sad or glad?"}, "must contain {x} once"),
        ({"question": "{x} or {x}?"}, "must contain {x} once"),
        ({"question": "{query}: {x}"}, "has {query}, which"),
        ({"ending": "So {answer} is"}, "has {answer}, which"),
        ({"ending": ""}, "must have some text"),
        ({"ending": "So "}, "no white space at its end"),
        ({"ending": "\n"}, "must have some text"),
        ({"label_words": ()}, "are none; give two or more"),
        ({"label_words": (LabelWord("sad"),)}, "are 'sad'; give two or more"),
        ({"label_words": (LabelWord("sad"), LabelWord(" SAD"))}, "' SAD' appears twice"),
        ({"label_words": (LabelWord("sad"), LabelWord("glad", ("Sad",)))}, "'Sad' appears twice"),
        (
            {"label_words": (LabelWord("sad", ("0",)), LabelWord("glad", ("0",)))},
            "'0' appears twice",
        ),
        ({"label_words": (LabelWord("sad"), LabelWord(" "))}, "is empty; write some text"),
        (
            {"label_words": (LabelWord("sad"), LabelWord("glad", ("",)))},
            "is empty; write some text",
        ),
    ],
)
def test_what_would_lose_something_is_refused(parts, words):
    with pytest.raises(InvalidInput) as refused:
        replace(MOODS, **parts)
    assert words in str(refused.value)


@pytest.mark.parametrize("task", [*TASKS.values(), MOODS, plain_task(["a", "b"])])
def test_json_gives_the_same_task_back(task):
    again = Task.from_json(json.loads(json.dumps(task.to_json())))
    assert again == task
    assert again.fingerprint == task.fingerprint


def test_the_fingerprint_is_of_what_changes_prompts_and_not_of_the_name():
    assert replace(MOODS, name="mine").fingerprint == MOODS.fingerprint
    same = (LabelWord("sad", ("0", "SAD")), LabelWord("glad", ("1", "happy")))
    assert replace(MOODS, label_words=same).fingerprint == MOODS.fingerprint
    sad, glad = MOODS.label_words
    changed = [
        replace(MOODS, question="Glad or sad? {x}"),
        replace(MOODS, ending="So it is"),
        replace(MOODS, full_stop=True),
        replace(MOODS, label_words=(glad, sad)),
        replace(MOODS, label_words=(LabelWord("Sad", ("0",)), glad)),
        replace(MOODS, label_words=(LabelWord("sad"), glad)),
        replace(MOODS, label_words=(sad, glad, LabelWord("calm"))),
    ]
    prints = {task.fingerprint for task in [MOODS, *changed, *TASKS.values()]}
    assert len(prints) == 1 + len(changed) + len(TASKS)


def test_the_plain_task_is_the_text_and_its_label():
    task = plain_task(["no", "yes"])
    assert task.exemplar("A text.", "no") == "A text.\nThe answer is no"
    assert (task.name, task.words, task.word_of("YES")) == ("plain", ("no", "yes"), "yes")
    with pytest.raises(InvalidInput, match="two or more"):
        plain_task(["no"])


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("positive = 1, pos", LabelWord("positive", ("1", "pos"))),
        ("positive=1", LabelWord("positive", ("1",))),
        ("  positive  ", LabelWord("positive")),
        ("positive =", LabelWord("positive")),
        ("positive = ,, 1 ,", LabelWord("positive", ("1",))),
        ("very good = 4", LabelWord("very good", ("4",))),
        ('yes = "Yes, always", "say ""yes"""', LabelWord("yes", ("Yes, always", 'say "yes"'))),
        ('"a = b" = c=d', LabelWord("a = b", ("c=d",))),
        ('"a" b = 1', LabelWord('"a" b', ("1",))),
        ("= 1", LabelWord("", ("1",))),
        ("", LabelWord("")),
    ],
)
def test_a_line_is_read_as_a_label_word(line, word):
    assert LabelWord.read(line) == word


TEXTS = st.text(st.sampled_from("ab1 =,\"'\\"), min_size=1).filter(
    lambda text: text == " ".join(text.split()) and text
)


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_what_is_written_as_a_line_is_read_back(word, labels):
    one = LabelWord(word, tuple(labels))
    assert LabelWord.read(one.line) == one
    assert "\n" not in LabelWord(f"{word}\n{word}", tuple(labels)).line
