"""The chat template: what the tokenizer's own `apply_chat_template` makes, and no token twice."""

import pytest

from core.errors import InvalidInput
from core.language_model import TEMPLATES, AnswerRequest, find_template, load
from core.language_model.local.rows import PairEncoder
from core.language_model.template import ChatFormat, chat_format
from tests.support.reference_log_probs import reference_model
from tests.support.tiny_language_model import (
    BOS,
    CHATML,
    build_tiny_language_model,
    build_tokenizer,
)

INST = (
    "{{ bos_token }}{% for m in messages %}{% if m['role'] == 'user' %}[INST] "
    "{{ m['content'] | trim }} [/INST]{% else %} {{ m['content'] }}{{ eos_token }}{% endif %}"
    "{% endfor %}"
)
FORMATS = {
    "chatml": (CHATML, False),
    "chatml behind a BOS of the tokenizer": ("{{ bos_token }}" + CHATML, True),
    "BOS in the template alone": ("{{ bos_token }}" + CHATML, False),
    "inst, with a space before the answer": (INST, True),
}
PAIRS = [("Where is the moon?", "In the sky."), ("Who wrote it {{ x }}?", "Nobody knows é 漢.")]
QUERY = "What is the capital of France?"
MESSAGE = TEMPLATES["chat"].prompt(PAIRS, QUERY)
ANSWERS = ("Paris", "The capital of France is Paris.", "never é 漢")


@pytest.fixture(params=FORMATS)
def tokenizer(request):
    template, adds_bos = FORMATS[request.param]
    made = build_tokenizer(adds_bos=adds_bos)
    made.chat_template = template
    return made


def applied(tokenizer, messages, **options):
    return tokenizer.apply_chat_template(messages, tokenize=True, return_dict=False, **options)


def test_the_message_holds_instruction_demonstrations_and_query():
    assert TEMPLATES["chat"].prompt(PAIRS, QUERY) == (
        "Answer the questions truthfully and briefly.\n\nQ: Where is the moon?\nA: In the sky.\n\n"
        f"Q: Who wrote it {{{{ x }}}}?\nA: Nobody knows é 漢.\n\nQ: {QUERY}\nA:"
    )


def test_the_prompts_tokens_are_those_of_apply_chat_template(tokenizer):
    template = find_template("chat", "tiny", chat_format(tokenizer))
    user = [{"role": "user", "content": MESSAGE}]
    (tokens,) = PairEncoder(tokenizer).encode([template.prompt(PAIRS, QUERY)])
    assert list(tokens) == applied(tokenizer, user, add_generation_prompt=True)
    assert list(tokens).count(tokenizer.bos_token_id) <= 1


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_continue_the_prompt_as_the_chat_template_has_them(tokenizer, answer):
    template = find_template("chat", "tiny", chat_format(tokenizer))
    whole = [{"role": "user", "content": MESSAGE}, {"role": "assistant", "content": answer}]
    expected = tokenizer.apply_chat_template(whole, tokenize=False)
    text = template.prompt(PAIRS, QUERY) + template.answer(answer)
    assert expected.removeprefix(BOS).startswith(text.removeprefix(BOS))
    opening, (tokens,) = PairEncoder(tokenizer).encode_pair(
        template.prompt(PAIRS, QUERY), [template.answer(answer)]
    )
    together = applied(tokenizer, whole)
    assert together[: len(opening)] == list(opening)
    assert tokenizer.decode(tokens) == template.answer(answer)


def test_the_formats_as_text():
    made = build_tokenizer(adds_bos=True)
    made.chat_template = INST
    assert chat_format(made) == ChatFormat("[INST] ", " [/INST]", " ")
    made.chat_template = CHATML
    assert chat_format(made) == ChatFormat(
        "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n", ""
    )


@pytest.mark.parametrize(
    "template",
    [
        None,
        "{{ raise_exception('only tools') }}",
        "{% broken",
        "no message at all",
        "{{ messages[0]['content'] }} and once more {{ messages[0]['content'] }}",
    ],
)
def test_without_a_usable_chat_template_the_template_is_refused(template):
    made = build_tokenizer(adds_bos=False)
    made.chat_template = template
    assert chat_format(made) is None
    with pytest.raises(InvalidInput, match=r"'tiny' has no chat template .* choose one of qa, qa-"):
        find_template("chat", "tiny", None)


def test_templates_without_chat_are_the_same_for_every_model():
    for name, template in TEMPLATES.items():
        if not template.chat:
            assert find_template(name, "tiny", ChatFormat("<", ">")) is template
    with pytest.raises(InvalidInput, match="no template 'best'; choose one of qa, "):
        find_template("best", "tiny", None)


def test_the_format_is_part_of_the_fingerprint():
    chat = TEMPLATES["chat"]
    formats = [ChatFormat("<", ">"), ChatFormat("<<", ">"), ChatFormat("<", ">>"),
               ChatFormat("<", ">", " ")]  # fmt: skip
    prints = {chat.within(format).fingerprint for format in formats} | {chat.fingerprint}
    assert len(prints) == 5


def test_a_loaded_model_scores_as_transformers_does_on_the_chats_own_tokens(tmp_path):
    import torch

    folder = build_tiny_language_model(tmp_path / "chat", chat_template="{{ bos_token }}" + CHATML)
    model = load(folder, device="cpu")
    template = find_template("chat", model.name, model.chat_format)
    prompt = template.prompt(PAIRS[:1], QUERY)
    (found,) = model.log_probs([AnswerRequest(prompt, tuple(map(template.answer, ANSWERS)))])
    network, tokenizer = reference_model(folder)
    user = [{"role": "user", "content": TEMPLATES["chat"].prompt(PAIRS[:1], QUERY)}]
    opening = applied(tokenizer, user, add_generation_prompt=True)
    for answer, log_prob in zip(ANSWERS, found, strict=True):
        reply = tokenizer(answer, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            logits = network(input_ids=torch.tensor([opening + reply])).logits[0]
        rows = torch.log_softmax(logits[len(opening) - 1 : -1], dim=-1)
        expected = rows[torch.arange(len(reply)), reply].sum().item()
        assert log_prob.total == pytest.approx(expected, abs=1e-4)
        assert log_prob.n_tokens == len(reply)


def test_a_model_without_chat_template_has_no_format(tiny_lm_folder):
    assert load(tiny_lm_folder, device="cpu").chat_format is None
