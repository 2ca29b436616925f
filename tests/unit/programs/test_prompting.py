"""Prompts to the byte, what fits a window, and completions read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.generation import EndedBy
from core.programs import Example, Passage, Turn
from core.programs.prompting import (
    Completion,
    LeftOut,
    PartKind,
    ProgramTemplate,
    TemplateField,
    best,
    extracted,
    fitted,
)
from core.programs.prompting.templates import CONV_QA, CONV_REWRITE, HOP, MCQ, QA, QA_COT, REWRITE

RAW = Example("Who wrote  it?", ("Ada\nLovelace", "Lovelace"))
AUGMENTED = (
    Example("Where is it?", ("Pisa",), passages=(Passage(1, "The tower is in Pisa."),))
    .completed("qa_cot", {"rationale": "The tower\nis in Pisa."})
    .copy(augmented=True)
)
ASKED = Example(
    "How tall is it?",
    ("never shown",),
    demos=(AUGMENTED, RAW),
    passages=(Passage(2, "It has five storeys.", "Tower"), Passage(3, "It leans.")),
    pred="never shown",
).copy(rationale="never shown")
WHOLE = """\
Answer each question from documents of the web, with a short fact.

---

Question: Who wrote it?
Answer: Ada Lovelace

---

Follow this format.

Context: ${passages that may hold the answer}

Question: ${the question to answer}

Rationale: Let's think step by step. ${the steps that lead to the answer}

Answer: ${a short fact, often 1 to 5 words}

---

Context: «The tower is in Pisa.»

Question: Where is it?

Rationale: Let's think step by step. The tower is in Pisa.

Answer: Pisa

---

Context:
[1] «Tower | It has five storeys.»
[2] «It leans.»

Question: How tall is it?

Rationale: Let's think step by step."""


def prompt_of(template, example, stage=""):
    raw, augmented = template.demonstrations(example.demos, stage or template.name)
    return template.prompt(example, raw, augmented)


def test_a_whole_prompt_to_the_byte():
    prompt = prompt_of(QA_COT, ASKED)
    assert prompt.text == WHOLE
    kinds = ["instruction", "raw", "format", "augmented", "query"]
    assert [part.kind.value for part in prompt.parts] == kinds
    assert "never shown" not in prompt.text
    pieces = [prompt.text[part.start : part.end] for part in prompt.parts]
    assert "\n\n---\n\n".join(pieces) == WHOLE


def test_a_short_template_with_raw_demonstrations_only():
    demos = (RAW, Example("Unknown?"), Example("When?", ("1999",)))
    assert prompt_of(QA, Example("Why?", demos=demos)).text == (
        "Answer each question with a short fact.\n\n---\n\n"
        "Question: Who wrote it?\nAnswer: Ada Lovelace\n\nQuestion: When?\nAnswer: 1999"
        "\n\n---\n\nFollow this format.\n\nQuestion: ${the question to answer}\n"
        "Answer: ${a short fact, often 1 to 5 words}\n\n---\n\nQuestion: Why?\nAnswer:"
    )


def test_a_template_for_a_model_that_knows_pairs_only():
    pairs = ProgramTemplate(
        "pairs",
        "",
        (TemplateField("question", "Q:", ""), TemplateField("answer", "A:", "", generated=True)),
        separator="\n\n",
        describes=False,
    )
    prompt = prompt_of(pairs, Example("Why?", demos=(RAW, RAW.copy(augmented=True))))
    assert prompt.text == (
        "Q: Who wrote it?\nA: Ada Lovelace\n\nQ: Who wrote it?\nA: Ada Lovelace\n\nQ: Why?\nA:"
    )
    assert [part.kind for part in prompt.parts] == [
        PartKind.RAW, PartKind.AUGMENTED, PartKind.QUERY,
    ]  # fmt: skip
    assert pairs.stop == ("\nQ:",)
    assert QA_COT.stop == ("\n---", "\nContext:", "\nQuestion:")


def query_of(template, example):
    prompt = prompt_of(template, example)
    return prompt.text[prompt.parts[-1].start :]


def test_what_is_empty_shows_that_it_is():
    assert query_of(QA_COT, Example("Why?")) == (
        "Context: N/A\n\nQuestion: Why?\n\nRationale: Let's think step by step."
    )
    assert query_of(CONV_REWRITE, Example("Why?")) == "History: N/A\nQuestion: Why?\nRewritten:"


def test_summaries_come_before_the_passages_and_turns_one_a_line():
    example = Example("Why?", summaries=("It is known.",), passages=(Passage(1, "p\nq"),))
    assert query_of(HOP, example) == (
        "Context:\n[1] «It is known.»\n[2] «p q»\n\nQuestion: Why?\n\n"
        "Summary: Let's summarize the above context."
    )
    history = (Turn("Who?", "Ada."), Turn("When?"))
    assert query_of(CONV_QA, Example("Why?", history=history)) == (
        "Context: N/A\n\nHistory:\nUser: Who?\nSystem: Ada.\nUser: When?\n\n"
        "Question: Why?\n\nAnswer:"
    )
    choices = Example("Why?").copy(choices="a; b")
    assert query_of(MCQ, choices).endswith("Question: Why?\n\nChoices: a; b\n\nAnswer:")


def test_demonstrations_are_augmented_where_the_stage_has_its_fields():
    hop = AUGMENTED.completed("hop 1", {"rationale": "r", "query": "tower place"})
    demos = (hop, AUGMENTED, RAW)
    assert REWRITE.demonstrations(demos, "hop 1") == ((), (hop.at("hop 1"),))
    raw, augmented = QA_COT.demonstrations(demos, "qa_cot")
    assert (raw, [each.rationale for each in augmented]) == ((RAW,), ["The tower\nis in Pisa."] * 2)
    not_marked = hop.copy(augmented=False)
    assert REWRITE.demonstrations([not_marked], "hop 1")[0] == (not_marked.at("hop 1"),)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ((QA.fields[0],), "needs fields that are given and, after them"),
        (QA.fields[::-1], "needs fields that are given and, after them"),
        ((QA.fields[0], *QA.fields), "names and labels of their own; question is not one"),
        ((TemplateField("a", " ", ""), QA.fields[1]), "an empty one is not one"),
    ],
)
def test_fields_that_cannot_be_read_back_are_refused(fields, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        ProgramTemplate("mine", "", fields)


def test_an_empty_separator_is_refused():
    with pytest.raises(InvalidInput, match="separator of the template 'mine'"):
        ProgramTemplate("mine", "", QA.fields, separator="")


def words(text):
    return len(text.split())


def test_what_does_not_fit_is_left_out_raw_first_then_from_the_front_then_from_the_back():
    demos = tuple(
        (RAW if number < 2 else AUGMENTED).copy(question=f"question {number}?")
        for number in range(4)
    )
    example = ASKED.copy(demos=demos)
    everything = LeftOut(("question 0?", "question 1?"), ("question 2?", "question 3?"), (3, 2))
    expected = [
        LeftOut(everything.raw[:raw], everything.augmented[:augmented], (3, 2)[:passages])
        for raw, augmented, passages in (
            (0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0), (2, 2, 1), (2, 2, 2),
        )
    ]  # fmt: skip
    expected = [
        LeftOut(each.raw, each.augmented, everything.passages[: len(each.passages)][::-1])
        for each in expected
    ]
    found, most = [], 10_000
    while True:
        try:
            fit = fitted(QA_COT, example, "qa_cot", most=most, count_tokens=words)
        except InvalidInput as refused:
            sentence = str(refused)
            break
        found.append(fit.left_out)
        assert fit.tokens == words(fit.prompt.text) <= most
        assert fit.example.passages == ASKED.passages[: 2 - len(fit.left_out.passages)]
        most = fit.tokens - 1
    assert found == expected
    assert found[-1].passages == (2, 3)
    assert sentence == (
        f"The prompt of stage 'qa_cot' for 'How tall is it?' has {most + 1} tokens without any "
        f"demonstration or passage, and {most} is the most that leaves room for what is written: "
        "ask for fewer tokens, or shorten the question."
    )


def test_passages_that_a_template_does_not_show_are_not_left_out():
    with pytest.raises(InvalidInput, match="has 32 tokens .* and 3 is the most"):
        fitted(QA, ASKED, "qa", most=3, count_tokens=words)
    with pytest.raises(InvalidInput, match="and 0 is the most"):
        fitted(QA, ASKED, "qa", most=-5, count_tokens=words)


def test_left_out_in_words():
    assert str(LeftOut(("a", "b"), (), (3,))) == "2 raw demonstrations, 1 passage"
    assert str(LeftOut()) == "nothing"
    assert not LeftOut()
    assert LeftOut((), ("a",))


TEXTS = st.lists(st.sampled_from(["tower", "five", "leans", "a b c"]), max_size=4).map(" ".join)
DEMOS = st.lists(
    st.builds(
        lambda question, answer, augmented: Example(
            f"{question} x?", (f"{answer} y",), augmented=augmented
        ).completed("qa_cot", {"rationale": f"{answer} z"} if augmented else {}),
        TEXTS,
        TEXTS,
        st.booleans(),
    ),
    max_size=5,
)


@given(DEMOS, st.lists(TEXTS, max_size=4), st.integers(0, 150))
def test_no_prompt_is_over_its_budget_and_no_field_is_cut(demos, passages, most):
    found = tuple(Passage(place, f"{text} p") for place, text in enumerate(passages))
    example = Example("How tall?", demos=tuple(demos), passages=found)
    try:
        fit = fitted(QA_COT, example, "qa_cot", most=most, count_tokens=words)
    except InvalidInput:
        assert words(QA_COT.prompt(example.copy(passages=())).text) > most
        return
    assert words(fit.prompt.text) <= most
    raw, augmented = QA_COT.demonstrations(demos, "qa_cot")
    left = fit.left_out
    assert left.raw == tuple(demo.question for demo in raw[: len(left.raw)])
    assert left.augmented == tuple(demo.question for demo in augmented[: len(left.augmented)])
    assert not left.augmented or len(left.raw) == len(raw)
    assert not left.passages or len(left.augmented) == len(augmented)
    whole = QA_COT.prompt(fit.example, raw[len(left.raw) :], augmented[len(left.augmented) :])
    assert fit.prompt == whole


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (" It is\ntall.\n\nAnswer: five\n", {"rationale": "It is\ntall.", "answer": "five"}),
        (" It is tall.", {"rationale": "It is tall."}),
        (" Tall.\nAnswer:", {"rationale": "Tall."}),
        (" Tall.\nAnswer: 5\n\nQuestion: And?\nAnswer: 6", {"rationale": "Tall.", "answer": "5"}),
        (" Tall.\nQuestion: And?\nAnswer: 6", {"rationale": "Tall."}),
        (" Tall.\n\n---\n\nAnswer: 6", {"rationale": "Tall."}),
        (" Tall.\nAnswer: 5\n---", {"rationale": "Tall.", "answer": "5"}),
        ("\nAnswer: 5", {"answer": "5"}),
        (" Answer: 5", {"answer": "5"}),
        (" The Answer: 5\n Answer: 6", {"rationale": "The Answer: 5", "answer": "6"}),
        (" a\nAnswer: Answer: 5", {"rationale": "a"}),
        ("", {}),
    ],
)
def test_a_completion_is_read_back(text, fields):
    assert extracted(QA_COT, text, {}) == fields


def test_a_completion_that_goes_on_is_read_from_its_field():
    assert extracted(QA_COT, " 5\nContext: x", {"rationale": "r"}) == {
        "rationale": "r",
        "answer": "5",
    }


def test_of_two_labels_that_begin_alike_the_longer_one_counts():
    template = ProgramTemplate(
        "alike",
        "",
        (
            TemplateField("question", "Q:", ""),
            TemplateField("answer", "A:", "", generated=True),
            TemplateField("why", "A: because", "", generated=True),
        ),
    )
    assert extracted(template, " five\nA: because it says so\nA: six", {}) == {
        "answer": "five",
        "why": "it says so",
    }


PIECES = st.lists(
    st.sampled_from(
        ["\n", " ", "a", "Answer:", "Question:", "Context:", "---", "\n\n", "b c",
         "Rationale: Let's think step by step.", "\t"]
    ), max_size=12,
).map("".join)  # fmt: skip


@given(PIECES)
def test_no_line_of_a_field_begins_with_a_label(text):
    labels = tuple(field.label for field in QA_COT.fields)
    for value in extracted(QA_COT, text, {}).values():
        assert value.strip() == value != ""
        assert not any(line.strip().startswith((*labels, "---")) for line in value.split("\n"))


def completion(log_prob, n_tokens=2, sample=0):
    return Completion(
        fields={"answer": "x"},
        last_field="answer",
        log_prob=log_prob,
        n_tokens=n_tokens,
        ended_by=EndedBy.END,
        sample=sample,
    )


def test_the_best_completion_has_the_highest_mean_log_probability():
    some = [completion(-4.0), completion(-3.0, 3), completion(-2.0, sample=1), completion(0.0, 0)]
    assert best(some) == some[1] == completion(-3.0, 3)
    assert best([completion(0.0, 0), completion(-90.0)]).log_prob == -90.0
    assert best([completion(-4.0, 4), completion(-2.0, 2, 1)]).sample == 0
    with pytest.raises(ValueError, match="no completion"):
        best([])


def test_a_query_with_every_field_written_cannot_go_on():
    with pytest.raises(ValueError, match="every generated field is written"):
        QA.continued(ASKED, {"answer": "five"})
