"""What a chat template adds before an answer is read as prompt; the answer alone is scored."""

import pytest

from core.commands.main import main
from core.language_model import TEMPLATES, AnswerRequest, find_template, load
from core.language_model.local.rows import PairEncoder
from core.language_model.template import ChatFormat, chat_format
from tests.support.reference_log_probs import reference_log_prob, reference_pair
from tests.support.tiny_language_model import (
    CHATML,
    build_tiny_language_model,
    build_tokenizer,
)

BLOCK = "<think>\n\n</think>\n\n"
ASKS = "<|im_start|>assistant\n"
CLOSES = "<|im_end|>\n" + ASKS
PAIRS = [("What did Tim see?", "a dog"), ("Who was in the park?", "Lily")]
QUERY = "How did it end?"
MESSAGE = TEMPLATES["chat"].prompt(PAIRS, QUERY)
ANSWERS = ("The end.", "Zq7#kX", "She went to the big park and they had a lot of fun.")


def jinja(asked=ASKS, written=ASKS, *, answer="m['content']", end="<|im_end|>\n"):
    """A chat template that asks for an answer with one text and writes answers after another."""
    return (
        "{% for m in messages %}{% if m['role'] == 'user' %}<|im_start|>user\n{{ m['content'] }}"
        f"<|im_end|>\n{{% else %}}{written}{{{{ {answer} }}}}{end}{{% endif %}}{{% endfor %}}"
        f"{{% if add_generation_prompt %}}{asked}{{% endif %}}"
    ).replace("\n", "{{ '\n' }}")


FORMATS = {
    "no block": (jinja(), CLOSES, ""),
    "a block in the generation prompt only": (jinja(ASKS + BLOCK), CLOSES + BLOCK, ""),
    "a block before written answers only": (jinja(ASKS, ASKS + BLOCK), CLOSES + BLOCK, ""),
    "a block in both": (jinja(ASKS + BLOCK, ASKS + BLOCK), CLOSES + BLOCK, ""),
    "opened in one, closed in the other": (
        jinja(ASKS + "<think>\n", ASKS + BLOCK),
        CLOSES + BLOCK,
        "",
    ),
    "no generation prompt at all": (jinja("", ASKS), CLOSES, ""),
    "no generation prompt, and a block": (jinja("", ASKS + BLOCK), CLOSES + BLOCK, ""),
    "answers are stripped": (jinja(answer="m['content'] | trim"), CLOSES, ""),
    "a special token after the answer": (jinja(end="{{ eos_token }}"), CLOSES, ""),
    "a block and a space": (
        jinja(ASKS, ASKS + "<think></think> "),
        CLOSES + "<think></think>",
        " ",
    ),
    "a space before written answers": (jinja("Assistant:", "Assistant: "), "Assistant:", " "),
    "a space that ends the generation prompt": (
        jinja("Assistant: ", "Assistant: "),
        "Assistant:",
        " ",
    ),
    "no agreement": (jinja("Assistant:", "Reply: "), "Assistant:", ""),
}


@pytest.fixture(params=FORMATS)
def format(request):
    template, after, prefix = FORMATS[request.param]
    tokenizer = build_tokenizer(adds_bos=True)
    tokenizer.chat_template = template
    found = chat_format(tokenizer)
    after = after if after.startswith("<|im_end|>") else "<|im_end|>\n" + after
    assert found == ChatFormat("<|im_start|>user\n", after, prefix)
    return found


@pytest.fixture(scope="module")
def tiny(tiny_lm_folder):
    return load(tiny_lm_folder, device="cpu")


def test_log_probs_are_those_with_the_block_written_into_the_prompt(format, tiny, tiny_lm_folder):
    template = find_template("chat", "tiny", format)
    prompt = template.prompt(PAIRS, QUERY)
    assert prompt == f"<|im_start|>user\n{MESSAGE}{format.after}"
    (found,) = tiny.log_probs([AnswerRequest(prompt, tuple(map(template.answer, ANSWERS)))])
    by_hand = f"<|im_start|>user\n{MESSAGE}{format.after}"
    for answer, log_prob in zip(ANSWERS, found, strict=True):
        expected = reference_log_prob(tiny_lm_folder, by_hand, format.answer_prefix + answer)
        assert log_prob.total == pytest.approx(expected, abs=1e-4)


WRITES_AS_IT_ASKS = [
    name
    for name in FORMATS
    if name not in ("a block in the generation prompt only", "no agreement")
]


@pytest.mark.parametrize("name", WRITES_AS_IT_ASKS)
@pytest.mark.parametrize("answer", ANSWERS)
def test_prompt_and_answer_are_what_the_template_writes(name, answer):
    tokenizer = build_tokenizer(adds_bos=False)
    tokenizer.chat_template = FORMATS[name][0]
    template = find_template("chat", "tiny", chat_format(tokenizer))
    talk = [{"role": "user", "content": MESSAGE}, {"role": "assistant", "content": answer}]
    written = tokenizer.apply_chat_template(talk, tokenize=False)
    assert written.startswith(template.prompt(PAIRS, QUERY) + template.answer(answer))


def test_the_template_s_print_changes_only_with_what_it_adds():
    prints = {}
    for name, (template, _, _) in FORMATS.items():
        tokenizer = build_tokenizer(adds_bos=True)
        tokenizer.chat_template = template
        prints[name] = find_template("chat", "tiny", chat_format(tokenizer)).fingerprint
    alike = {name for name, found in prints.items() if found == prints["no block"]}
    assert alike == {
        "no block",
        "no generation prompt at all",
        "answers are stripped",
        "a special token after the answer",
    }
    assert prints["a block in both"] == prints["a block in the generation prompt only"]


def test_an_answer_of_one_token_has_one_after_a_prompt_that_ended_in_a_space():
    tokenizer = build_tokenizer(adds_bos=True)
    tokenizer.chat_template = FORMATS["a space that ends the generation prompt"][0]
    template = find_template("chat", "tiny", chat_format(tokenizer))
    _, (tokens,) = PairEncoder(tokenizer).encode_pair(
        template.prompt([], QUERY), [template.answer("the")]
    )
    assert tokenizer.convert_ids_to_tokens(tokens) == ["Ġthe"]


def test_the_order_of_quality_bias_is_that_of_the_block_written_by_hand(tmp_path):
    folder = build_tiny_language_model(tmp_path / "think", chat_template=jinja(ASKS, ASKS + BLOCK))
    model = load(folder, device="cpu")
    template = find_template("chat", model.name, model.chat_format)
    rows = [*PAIRS, (QUERY, ANSWERS[0]), ("What is the code?", ANSWERS[1]), ("Why?", ANSWERS[2])]
    asked = [
        AnswerRequest(template.prompt([], query), (template.answer(answer),))
        for query, answer in rows
    ]
    bias = [scored.total / scored.n_tokens for (scored,) in model.log_probs(asked)]
    by_hand = []
    for query, answer in rows:
        message = TEMPLATES["chat"].prompt([], query)
        prompt = f"<|im_start|>user\n{message}{CLOSES}{BLOCK}"
        _, tokens = reference_pair(folder, prompt, answer)
        by_hand.append(reference_log_prob(folder, prompt, answer) / len(tokens))
    assert bias == pytest.approx(by_hand, abs=1e-4)
    assert sorted(range(5), key=bias.__getitem__) == sorted(range(5), key=by_hand.__getitem__)


def test_the_command_shows_the_block_in_the_prompt(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SHOTLIST_WORKSPACE", str(tmp_path / "workspace"))
    folder = build_tiny_language_model(tmp_path / "think", chat_template=jinja(ASKS, ASKS + BLOCK))
    file = tmp_path / "pool.jsonl"
    file.write_text('{"query": "What did Tim see?", "answer": "a dog"}\n', encoding="utf-8")
    assert main(["import", str(file), "--pool", "small"]) == 0
    capsys.readouterr()
    asked = ["--pool", "small", "--query", QUERY, "--method", "none", "--template", "chat"]
    assert main(["prompt", *asked, "--model", str(folder)]) == 0
    message = TEMPLATES["chat"].prompt([], QUERY)
    assert capsys.readouterr().out.startswith(
        f"<|im_start|>user\n{message}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n\n\n("
    )


def test_the_plain_format_of_a_chat_is_as_it_was():
    tokenizer = build_tokenizer(adds_bos=True)
    tokenizer.chat_template = CHATML
    assert chat_format(tokenizer) == ChatFormat("<|im_start|>user\n", CLOSES, "")
