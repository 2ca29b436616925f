"""What every language model that generates promises, over every architecture there is."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from core.errors import Cancelled, InvalidInput
from core.generation import EndedBy, GenerationRequest
from core.language_model import TEMPLATES, AnswerRequest, LanguageModel, load
from core.watcher import Watcher
from tests.support.gated import gated
from tests.support.reference_generation import reference_generation, reference_opening
from tests.support.reference_log_probs import reference_model
from tests.support.served import SERVED, served_or_loaded
from tests.support.tiny_language_model import ARCHITECTURES, CHATML, build_tiny_language_model

QA = TEMPLATES["qa"]
PAIRS = [("Where is the moon?", "In the sky."), ("Who wrote it?", "Nobody knows.")]
CONTEXT = [*PAIRS, ("Is water wet?", "Yes, because they think that it is true.")]
QUERIES = (
    "When?",
    "What is the capital of France?",
    "Who wrote the story of the red house?",
    "é 漢",
)
PROMPTS = (
    *(QA.prompt(CONTEXT, query) for query in QUERIES),
    *(QA.prompt([], query) for query in QUERIES[:2]),
    QA.prompt(PAIRS * 3, "When?"),
    "",
)
"""With a context in common, with none, longer than a sliding window, and with nothing to read."""
LONG = 200
REAL_MODELS = ("stories260k", "tinystories-656k", "practice-prototype")


@pytest.fixture(scope="module", params=ARCHITECTURES)
def folder(request, tmp_path_factory):
    name = request.param.removeprefix(SERVED)
    return build_tiny_language_model(tmp_path_factory.mktemp(request.param) / name, name)


@pytest.fixture(scope="module")
def model(folder) -> Iterator[LanguageModel]:
    with served_or_loaded(folder) as found:
        yield found


served_too = pytest.mark.parametrize("folder", [*ARCHITECTURES, f"{SERVED}llama"], indirect=True)
"""For what a server can do, too, which gives no ids of tokens."""


def written(text):
    return text.tokens or text.text


def assert_greedy(found, folder, prompt, most, window):
    """Token by token, ended as `transformers` ends, with the model's own log-probabilities."""
    opening = reference_opening(folder, prompt)
    room = window - len(opening)
    expected, ended = reference_generation(folder, prompt, min(most, room))
    assert list(found.tokens) == expected
    if ended:
        assert found.ended_by is EndedBy.END
    else:
        assert found.ended_by is (EndedBy.LENGTH if most <= room else EndedBy.WINDOW)
    log_probs = reference_token_log_probs(folder, opening, expected)
    assert found.log_probs == pytest.approx(log_probs, abs=1e-4)


def reference_token_log_probs(folder, opening, tokens):
    import torch

    model, _ = reference_model(folder)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([[*opening, *tokens]])).logits[0].log_softmax(-1)
    return [logits[len(opening) - 1 + i, token].item() for i, token in enumerate(tokens)]


@pytest.mark.parametrize("most", [1, 24])
def test_greedy_equals_transformers_token_by_token_in_batches_of_mixed_lengths(model, folder, most):
    requests = [GenerationRequest(prompt, max_new_tokens=most) for prompt in PROMPTS]
    for prompt, (found,) in zip(PROMPTS, model.generate(requests), strict=True):
        assert_greedy(found, folder, prompt, most, model.window)


@pytest.mark.parametrize(
    "architecture",
    [
        pytest.param(name, marks=() if name == "llama" else pytest.mark.thorough)
        for name in ARCHITECTURES
    ],
)
def test_long_texts_equal_transformers_up_to_the_window(architecture, tmp_path):
    folder = build_tiny_language_model(tmp_path / architecture, architecture)
    model = load(folder, device="cpu")
    prompts = (PROMPTS[0], PROMPTS[4])
    requests = [GenerationRequest(prompt, max_new_tokens=LONG) for prompt in prompts]
    for prompt, (found,) in zip(prompts, model.generate(requests), strict=True):
        assert_greedy(found, folder, prompt, LONG, model.window)


@served_too
def test_together_alone_and_backwards_are_the_same(model):
    requests = [GenerationRequest(prompt, max_new_tokens=9) for prompt in PROMPTS]
    together = [written(texts[0]) for texts in model.generate(requests)]
    backwards = [written(texts[0]) for texts in model.generate(requests[::-1])][::-1]
    alone = [written(model.generate([request])[0][0]) for request in requests]
    assert together == backwards == alone


def test_the_text_is_what_the_tokens_say_after_the_prompt(model, folder):
    _, tokenizer = reference_model(folder)
    for prompt, (found,) in zip(
        PROMPTS,
        model.generate([GenerationRequest(prompt, max_new_tokens=20) for prompt in PROMPTS]),
        strict=True,
    ):
        opening = reference_opening(folder, prompt)
        whole = tokenizer.decode([*opening, *found.tokens])
        assert whole.rstrip("\ufffd") == tokenizer.decode(opening) + found.text


@served_too
def test_samples_of_a_seed_are_the_first_of_more_and_seeds_differ(model):
    def drawn(n, seed=3):
        request = GenerationRequest(PROMPTS[0], n, temperature=1.0, max_new_tokens=12, seed=seed)
        return [written(text) for text in model.generate([request])[0]]

    five = drawn(5)
    assert len(set(five)) == 5
    assert drawn(2) == five[:2]
    assert drawn(1) == five[:1]
    assert drawn(5, seed=4) != five


@served_too
def test_samples_do_not_depend_on_what_is_generated_with_them(model):
    request = GenerationRequest(PROMPTS[1], 3, temperature=0.8, max_new_tokens=8)
    others = [GenerationRequest(prompt, max_new_tokens=5) for prompt in PROMPTS]
    together, alone = model.generate([*others, request])[-1], model.generate([request])[0]
    assert list(map(written, together)) == list(map(written, alone))


def test_the_log_probabilities_are_the_models_own_at_any_temperature(model, folder):
    request = GenerationRequest(PROMPTS[0], 3, temperature=2.0, top_p=0.9, max_new_tokens=10)
    for found in model.generate([request])[0]:
        opening = reference_opening(folder, PROMPTS[0])
        expected = reference_token_log_probs(folder, opening, found.tokens)
        assert found.log_probs == pytest.approx(expected, abs=1e-4)
        assert found.log_prob == pytest.approx(sum(expected), abs=1e-3)


def test_the_mean_log_probability_is_that_of_scoring_where_the_text_has_the_same_tokens(model):
    compared = 0
    requests = [
        GenerationRequest(each, 20, temperature=1.0, max_new_tokens=2) for each in PROMPTS[:4]
    ]
    texts = [(each.prompt, text) for each in requests for text in model.generate([each])[0]]
    for prompt, found in texts:
        if not found.text:
            continue
        ((scored,),) = model.log_probs([AnswerRequest(prompt, (found.text,))])
        if scored.n_tokens == len(found.tokens):
            assert scored.tokens == pytest.approx(found.log_probs, abs=1e-4)
            mean = scored.total / scored.n_tokens
            assert found.log_prob_per_token == pytest.approx(mean, abs=1e-4)
            compared += 1
    assert compared


@served_too
def test_a_nearly_cold_temperature_is_greedy(model):
    cold = GenerationRequest(PROMPTS[0], temperature=1e-6, max_new_tokens=12)
    greedy = GenerationRequest(PROMPTS[0], max_new_tokens=12)
    assert written(model.generate([cold])[0][0]) == written(model.generate([greedy])[0][0])


@served_too
def test_greedy_texts_of_one_request_are_the_same_text(model):
    request = GenerationRequest(PROMPTS[0], 3, max_new_tokens=4)
    first, second, third = model.generate([request])[0]
    assert first == second == third


@served_too
def test_a_stop_text_ends_the_text_before_it(model):
    request = GenerationRequest(PROMPTS[0], 6, temperature=1.0, max_new_tokens=24)
    texts = model.generate([request])[0]
    number, whole = max(enumerate(texts), key=lambda each: len(each[1].text))
    inside = whole.text[5:7]
    found = model.generate([replace(request, stop=("never written", inside))])[0][number]
    assert found.text == whole.text[: whole.text.index(inside)]
    assert found.ended_by is EndedBy.STOP or not model.abilities.counts  # a server may not say it
    assert whole.tokens[: len(found.tokens)] == found.tokens
    assert whole.log_probs[: len(found.log_probs)] == pytest.approx(found.log_probs, abs=1e-4)


@served_too
def test_progress_rises_to_all_and_each_step_shows_its_texts(model):
    seen, texts = [], []
    requests = [GenerationRequest(prompt, max_new_tokens=7) for prompt in PROMPTS[:2]]
    found = model.generate(
        [*requests, requests[0]],
        watcher=Watcher(on_progress=lambda *done: seen.append(done)),
        on_text=lambda *shown: texts.append(shown),
    )
    assert seen[-1] == (14, 14)
    assert seen == sorted(set(seen))
    assert found[0] == found[2]
    for request, (text,) in zip(requests, found, strict=False):
        shown = [part for prompt, number, part in texts if (prompt, number) == (request.prompt, 0)]
        assert shown[-1] == text.text
        assert all(text.text.startswith(part) for part in shown)


def test_generating_can_be_cancelled_between_steps(model):
    asked = []

    def cancelled():
        asked.append(None)
        return len(asked) > 5

    with pytest.raises(Cancelled):
        model.generate(
            [GenerationRequest(PROMPTS[0], max_new_tokens=100)],
            watcher=Watcher(cancelled=cancelled),
        )
    assert len(asked) == 6


def test_a_prompt_that_fills_the_window_is_refused_before_anything_is_generated(model):
    seen = []
    requests = [GenerationRequest("When?"), GenerationRequest(QA.prompt(PAIRS * 60, "When?"))]
    with pytest.raises(InvalidInput, match=rf"takes at most {model.window} with the answer: use"):
        model.generate(requests, watcher=Watcher(on_progress=lambda *done: seen.append(done)))
    assert seen == []


@served_too
def test_nothing_asked_for_gives_nothing(model):
    assert model.generate([]) == []


def test_what_a_chat_format_opens_is_part_of_the_prompt(tmp_path):
    folder = build_tiny_language_model(tmp_path / "chat", "llama", chat_template=CHATML)
    model = load(folder, device="cpu")
    template = TEMPLATES["chat"].within(model.chat_format)
    prompt = template.prompt(PAIRS, "When?")
    assert prompt.endswith("<|im_start|>assistant\n")
    (found,) = model.generate([GenerationRequest(prompt, max_new_tokens=20)])[0]
    assert_greedy(found, folder, prompt, 20, model.window)


@pytest.mark.parametrize("name", gated(REAL_MODELS))
def test_trained_models_continue_as_transformers_has_them(shared, name):
    folder = shared / "models" / name
    model = load(folder, device="cpu")
    story = "Once upon a time there was a little girl. She was happy.\n"
    prompts = [story * times + end for times in (0, 1, 4) for end in ("One day", "She saw a dog")]
    requests = [GenerationRequest(prompt, max_new_tokens=24) for prompt in prompts]
    for prompt, (found,) in zip(prompts, model.generate(requests), strict=True):
        assert_greedy(found, folder, prompt, 24, model.window)
