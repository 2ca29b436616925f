"""The commands `prompt` and `answer`: what the model reads, and what it writes."""

import pytest

from core.commands.main import main
from core.language_model import TEMPLATES
from tests.support.commands import ROWS, refused
from tests.support.reference_generation import reference_generation
from tests.support.reference_log_probs import reference_model


def test_the_prompt_has_the_most_relevant_last(run, kept, tiny_lm_folder):
    found = run(
        "prompt", "--pool", kept, "--query", "Can dogs see in the dark?", "--method", "rel",
        "-k", "1", "--model", tiny_lm_folder,
    )  # fmt: skip
    query, (answer, *_) = ROWS[0]
    assert found["prompt"] == f"Q: {query}\nA: {answer}\n\nQ: Can dogs see in the dark?\nA:"
    assert found["tokens"] > 0


def test_a_template_is_chosen_and_told(capsys, run, pool, tiny_lm_folder):
    asked = ("prompt", "--pool", pool, "--query", "Is ice hot?", "--method", "none")
    asked = (*asked, "--model", tiny_lm_folder, "--template")
    found = run(*asked, "question-answer")
    assert found["prompt"] == "Question: Is ice hot?\nAnswer:"
    assert found["template"] == "question-answer"
    model = ("--pool", pool, "--model", tiny_lm_folder)
    assert run("quality", *model)["scored"] == 10
    other = run("quality", *model, "--template", "qa-instruction")
    assert (other["scored"], other["reused"], other["template"]) == (10, 0, "qa-instruction")
    evaluate = ("evaluate", *model, "--methods", "none,rel", "-k", "1", "--limit", "2")
    settings = run(*evaluate, "--template", "question-answer")["settings"]
    assert settings["template"] == "question-answer"
    line = refused(capsys, *asked, "chat")
    assert "has no chat template that can be used" in line
    assert "choose one of qa, qa-instruction, question-answer" in line


def test_answer_continues_the_prompt_of_the_context_and_the_query_alone(run, pool, tiny_lm_folder):
    options = ("--pool", pool, "--query", "Is ice hot?", "--model", tiny_lm_folder)
    method = ("--method", "rel", "-k", "2")
    prompts = [
        run("prompt", *options, *method)["prompt"],
        run("prompt", *options, "--method", "none")["prompt"],
    ]
    found = run("answer", *options, *method, "--max-tokens", "9")
    assert list(found) == [
        "pool", "query", "method", "template", "model", "demonstrations", "answers",
    ]  # fmt: skip
    retrieved = run("retrieve", *options, *method)["demonstrations"]
    assert found["demonstrations"] == [each["id"] for each in retrieved]
    for prompt, row, context in zip(prompts, found["answers"], (True, False), strict=True):
        tokens, _ = reference_generation(tiny_lm_folder, prompt, 9)
        text = reference_model(tiny_lm_folder)[1].decode(tokens)
        assert row["context"] is context
        for stop in TEMPLATES["qa"].stop:
            text = text.split(stop)[0]
        assert row["text"] == text.rstrip("\ufffd").strip()  # half a character is not shown
        assert 0 < row["tokens"] <= 9
        assert row["log_prob_per_token"] == pytest.approx(row["log_prob"] / row["tokens"])
    assert run("answer", *options, *method, "--max-tokens", "9") == found
    alone = run("answer", *options, "--method", "none", "--max-tokens", "9")["answers"]
    assert alone[0] | {"context": False} == alone[1] == found["answers"][1]


def test_answer_is_printed_as_text_and_refuses_what_cannot_be_answered(
    capsys, kept, tiny_lm_folder
):
    options = ("answer", "--pool", kept, "--model", tiny_lm_folder, "--method", "rel")
    asked = [str(each) for each in (*options, "--query", "Is ice hot?", "--max-tokens", "3")]
    assert main(asked) == 0
    printed = capsys.readouterr().out
    assert "with the context" in printed
    assert "without a context" in printed
    assert "--max-tokens" in refused(capsys, *options, "--query", "x", "--max-tokens", "0")
    assert "The query is empty" in refused(capsys, *options, "--query", " ")
    line = refused(capsys, *options, "--query", "why " * 3000)
    assert "longer than the model's window of 256 tokens" in line
