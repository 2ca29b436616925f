import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.language_model import TEMPLATES, Template
from core.settings import DEFAULT_TEMPLATE

QA = TEMPLATES["qa"]


def test_default_is_question_and_answer_in_blocks():
    assert DEFAULT_TEMPLATE == "qa"
    assert QA.prompt([("Is it?", "Yes."), ("Who?", "No one.")], "Why?") == (
        "Q: Is it?\nA: Yes.\n\nQ: Who?\nA: No one.\n\nQ: Why?\nA:"
    )


def test_empty_context_is_the_query_alone():
    assert QA.prompt([], "Why?") == "Q: Why?\nA:"


def test_answer_brings_its_leading_space():
    assert QA.answer("Because.") == " Because."


def test_code_stands_in_the_prompt_as_it_was_written():
    pair = ("def double(x):\n", "    return x + x\n")
    assert QA.prompt([pair], "def triple(x):\n") == (
        "Q: def double(x):\n\nA:     return x + x\n\n\nQ: def triple(x):\n\nA:"
    )
    assert QA.answer("    return 3 * x\n") == "     return 3 * x\n"


def test_scored_answer_continues_the_prompt_as_a_demonstration_reads():
    shown = QA.prompt([("Why?", "Because.")], "x")
    assert shown.startswith(QA.prompt([], "Why?") + QA.answer("Because."))


def test_instruction_stands_first():
    template = TEMPLATES["qa-instruction"]
    assert template.prompt([("a", "b")], "c") == (
        f"{template.instruction}\n\nQ: a\nA: b\n\nQ: c\nA:"
    )


@pytest.mark.parametrize("text", ["{answer}", "{query}", "{", "}", "{0}", "{{query}}", r"\1", "%s"])
def test_fields_in_data_are_text(text):
    prompt = QA.prompt([(text, "yes"), ("no", text)], text)
    assert prompt == f"Q: {text}\nA: yes\n\nQ: no\nA: {text}\n\nQ: {text}\nA:"


@given(st.lists(st.tuples(st.text(), st.text()), max_size=3), st.text())
def test_prompt_is_the_parts_joined(pairs, query):
    expected = "".join("Q: " + q + "\nA: " + a + "\n\n" for q, a in pairs) + "Q: " + query + "\nA:"
    assert QA.prompt(pairs, query) == expected


def test_registry_names_its_templates_and_their_prints_differ():
    assert all(name == template.name for name, template in TEMPLATES.items())
    prints = {template.fingerprint for template in TEMPLATES.values()}
    assert len(prints) == len(TEMPLATES)


def test_fingerprint_is_of_the_parts_not_of_the_name():
    assert Template("mine").fingerprint == QA.fingerprint
    changed = [
        Template("qa", separator="\n"),
        Template("qa", instruction="Answer."),
        Template("qa", answer_prefix=""),
        Template("qa", query="Q: {query}\nB:"),
        Template("qa", demonstration="{query} {answer}"),
    ]
    assert len({template.fingerprint for template in [QA, *changed]}) == 6


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"demonstration": "Q: {query}"}, "demonstration part"),
        ({"demonstration": "{answer}"}, "demonstration part"),
        ({"query": "Q:"}, "query part"),
        ({"query": "{query} {answer}"}, "query part"),
        ({"query": "Q: {query}\nA: "}, "white space"),
    ],
)
def test_parts_that_lose_something_are_refused(parts, words):
    with pytest.raises(InvalidInput, match=words):
        Template("bad", **parts)


def test_a_generated_answer_ends_where_another_demonstration_would_begin():
    assert TEMPLATES["qa"].stop == ("\nQ:",)
    assert TEMPLATES["question-answer"].stop == ("\nQuestion:",)
    assert TEMPLATES["chat"].stop == ()
    bare = Template("bare", demonstration="{query} = {answer}", query="{query} =", separator=" ; ")
    assert bare.stop == (" ; ",)
