import json
import random
import shutil

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.errors import Cancelled, InvalidInput
from core.language_model import TEMPLATES, AnswerRequest, load
from core.language_model.local.forward import past_of
from core.language_model.local.local import LocalLanguageModel
from core.language_model.local.memory import is_out_of_memory
from core.language_model.local.rows import Budget, PairEncoder, TokenReading
from core.watcher import Watcher
from tests.support.reference_log_probs import reference_log_prob

QA = TEMPLATES["qa"]
ANSWERS = (" In the sky.", " Nobody knows who wrote it.", " No", " Paris, never, nothing", " Yes.")
MODELS = ["stories260k", "tinystories-656k", "practice-prototype"]


def request(demonstrations, answers=ANSWERS):
    pairs = [("Where is the red house?", "It is in the story.")] * demonstrations
    return AnswerRequest(QA.prompt(pairs, "Where is the moon?"), answers)


def assert_equal_to_reference(model, folder, requests):
    for asked, found in zip(requests, model.log_probs(requests), strict=True):
        for answer, log_prob in zip(asked.answers, found, strict=True):
            expected = reference_log_prob(folder, asked.prompt, answer)
            assert log_prob.total == pytest.approx(expected, abs=1e-4)
            assert log_prob.total == sum(log_prob.tokens)
            assert log_prob.n_tokens == len(log_prob.tokens)
            assert all(token <= 0 for token in log_prob.tokens)


class Cramped:
    """A network whose memory ends at so many tokens a pass."""

    def __init__(self, inner, most):
        self.inner, self.most, self.sizes = inner, most, []

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def forward(self, input_ids, logits_to_keep=0, **given):
        if input_ids.numel() > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        self.sizes.append(input_ids.numel())
        return self.inner(input_ids=input_ids, logits_to_keep=logits_to_keep, **given)

    __call__ = forward


def model_of(folder, network=None, **given):
    network = network or AutoModelForCausalLM.from_pretrained(folder).eval()
    encoder = PairEncoder(AutoTokenizer.from_pretrained(folder))
    given = {"name": "tiny", "fingerprint": "f", "window": 256} | given
    return LocalLanguageModel(network, encoder, **given)


@pytest.fixture(scope="module")
def tiny(tiny_lm_folder):
    return load(tiny_lm_folder, device="cpu")


@pytest.mark.parametrize("demonstrations", [0, 1, 6])
def test_equals_own_loss_of_transformers(tiny, tiny_lm_folder, demonstrations):
    assert_equal_to_reference(tiny, tiny_lm_folder, [request(demonstrations)])


def sizes_of(model, asked):
    """Tokens of the prompt, of its longest answer, and how many answers have several tokens."""
    prompt = model.count_tokens(asked.prompt)
    counts = [model.count_tokens(asked.prompt, answer) - prompt for answer in asked.answers]
    return prompt, max(counts), sum(count > 1 for count in counts)


def test_beyond_a_sliding_window_answers_are_read_on_a_cache(architecture_folders):
    folder = architecture_folders["mistral"]
    network = Cramped(AutoModelForCausalLM.from_pretrained(folder).eval(), most=10**9)
    model = model_of(folder, network)
    requests = [request(n) for n in range(5)]
    assert model.reading is TokenReading.PACKED
    assert model.count_tokens(requests[0].prompt) < 64 < model.count_tokens(requests[-1].prompt)
    assert_equal_to_reference(model, folder, requests)
    network.sizes.clear()
    model.log_probs(requests[-1:])
    prompt, longest, answers = sizes_of(model, requests[-1])
    assert network.sizes == [prompt, answers * (longest - 1)]


def test_cache_that_fails_beyond_the_window_is_not_used_there(architecture_folders):
    class Forgetful(Cramped):
        def forward(self, input_ids, logits_to_keep=0, **given):
            answer = super().forward(input_ids, logits_to_keep, **given)
            if given.get("use_cache") and past_of(answer).get_seq_length() > 64:
                for layer in past_of(answer).layers:
                    layer.keys, layer.values = layer.keys * 0, layer.values * 0
            return answer

        __call__ = forward

    folder = architecture_folders["mistral"]
    network = Forgetful(AutoModelForCausalLM.from_pretrained(folder).eval(), most=10**9)
    model = model_of(folder, network)
    assert_equal_to_reference(model, folder, [request(4), request(0)])
    network.sizes.clear()
    model.log_probs([request(4)])
    assert min(network.sizes) > 64


def test_positions_that_depend_on_the_longest_sequence_are_read_alone(tiny_lm_folder, tmp_path):
    folder = shutil.copytree(tiny_lm_folder, tmp_path / "dynamic")
    config = json.loads((folder / "config.json").read_text())
    config["rope_parameters"] = {
        "rope_type": "dynamic",
        "factor": 2.0,
        "rope_theta": 10000.0,
        "original_max_position_embeddings": 64,
    }
    (folder / "config.json").write_text(json.dumps(config))
    assert_equal_to_reference(load(folder, device="cpu"), folder, [request(4), request(0)])


def test_architecture_without_masks_reads_answers_on_a_cache(architecture_folders):
    folder = architecture_folders["bloom"]
    network = Cramped(AutoModelForCausalLM.from_pretrained(folder).eval(), most=10**9)
    model = model_of(folder, network)
    assert model.reading is TokenReading.CACHED
    network.sizes.clear()
    assert_equal_to_reference(model, folder, [request(2)])
    prompt, longest, answers = sizes_of(model, request(2))
    assert network.sizes == [prompt, answers * (longest - 1)]


@pytest.mark.parametrize("architecture", ["llama", "bloom"])
def test_hundreds_of_answers_stay_within_the_budget(architecture_folders, architecture):
    folder = architecture_folders[architecture]
    network = Cramped(AutoModelForCausalLM.from_pretrained(folder).eval(), most=10**9)
    model = model_of(folder, network, budget=Budget(tokens=128, logits=1 << 20, cached=1000))
    answers = tuple(f" {i} is the answer" for i in range(300))
    network.sizes.clear()
    assert_equal_to_reference(model, folder, [request(2, answers)])
    prompt, longest, _ = sizes_of(model, request(2, answers))
    assert len(network.sizes) > 3
    assert max(network.sizes) <= prompt + max(256, 1000 // (prompt + longest) * longest)


def test_prompt_and_answers_are_tokenised_once(tiny_lm_folder):
    model = load(tiny_lm_folder, device="cpu")
    encoded = []
    encode = model._encoder.encode
    model._encoder.encode = lambda texts: encoded.append(texts) or encode(texts)
    asked = request(3)
    assert model.fits(asked.prompt, list(asked.answers))
    model.log_probs([asked])
    assert len(encoded) == 1


@pytest.mark.parametrize("name", MODELS)
def test_trained_models_with_six_demonstrations_and_seven_answers(shared, name):
    folder = shared / "models" / name
    model = load(folder, device="cpu")
    answers = (*ANSWERS, " She was happy and went home.", " a")
    assert_equal_to_reference(model, folder, [request(6, answers), request(0, answers)])


def test_token_over_the_boundary_of_a_trained_tokenizer(shared):
    folder = shared / "models" / "tinystories-656k"
    requests = [
        AnswerRequest("Once upon a", (" time, there was", "nd so")),
        AnswerRequest("There was a lit", ("tle girl named Lily and her dog", "any of")),
        AnswerRequest("She said she wa", ("s happy and went home", "nted to play with")),
    ]
    assert_equal_to_reference(load(folder, device="cpu"), folder, requests)


def test_order_and_company_do_not_matter(tiny):
    requests = [request(n, ANSWERS[: n + 1]) for n in range(5)] + [request(2, (" No", " Yes."))]
    alone = [tiny.log_probs([asked])[0] for asked in requests]
    order = list(range(len(requests)))
    for seed in range(3):
        random.Random(seed).shuffle(order)
        found = tiny.log_probs([requests[i] for i in order])
        for i, row in zip(order, found, strict=True):
            assert [x.total for x in row] == pytest.approx([x.total for x in alone[i]], abs=1e-4)


def test_doubles_are_scored_once_and_answered_each_time(tiny):
    seen = []
    requests = [request(1, (" No", " Yes.", " No")), request(1, (" No",))]
    found = tiny.log_probs(
        requests, watcher=Watcher(on_progress=lambda done, total: seen.append((done, total)))
    )
    assert seen[-1] == (2, 2)
    assert found[0][0] == found[0][2] == found[1][0]
    assert found[0][0] != found[0][1]


def test_nothing_asked_is_nothing_answered(tiny):
    assert tiny.log_probs([]) == []
    assert tiny.log_probs([AnswerRequest("Q:", ())]) == [[]]


def test_empty_prompt(tiny, tiny_lm_folder):
    assert_equal_to_reference(tiny, tiny_lm_folder, [AnswerRequest("", ("What is", "x"))])


def test_answer_of_one_token_is_its_probability_after_the_prompt(tiny, tiny_lm_folder):
    model, tokenizer = (
        AutoModelForCausalLM.from_pretrained(tiny_lm_folder),
        AutoTokenizer.from_pretrained(tiny_lm_folder),
    )
    ids = tokenizer("Q: What?\nA:", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        next_token = model(ids).logits[0, -1].log_softmax(-1)
    answers = tuple("abcdefgh")
    found = tiny.log_probs([AnswerRequest("Q: What?\nA:", answers)])[0]
    for answer, log_prob in zip(answers, found, strict=True):
        (token,) = tokenizer(answer, add_special_tokens=False)["input_ids"]
        assert log_prob.n_tokens == 1
        assert log_prob.total == pytest.approx(next_token[token].item(), abs=1e-5)


def test_all_answers_of_one_token_share_one_probability_mass(tiny):
    answers = tuple(chr(code) for code in range(33, 127))
    found = tiny.log_probs([AnswerRequest("\n", answers)])[0]
    total = sum(torch.exp(torch.tensor(x.total)).item() for x in found if x.n_tokens == 1)
    assert 0 < total < 1


def test_answer_without_tokens_is_refused_by_name(tiny):
    with pytest.raises(InvalidInput, match=r"answer '' has no tokens"):
        tiny.log_probs([request(1, (" No", ""))])


def test_letter_that_the_tokenizer_drops_is_refused_by_name(shared):
    model = load(shared / "models" / "tinystories-656k", device="cpu")
    with pytest.raises(InvalidInput, match=r"answer '漢' has no tokens"):
        model.log_probs([AnswerRequest("Once", ("漢",))])


def test_window_is_used_to_the_last_token_and_no_further(tiny):
    prompt = "a" * 300
    while not tiny.fits(prompt, [" No"]):
        prompt = prompt[:-1]
    assert tiny.count_tokens(prompt, " No") == tiny.window == 256
    assert tiny.log_probs([AnswerRequest(prompt, (" No",))])[0][0].n_tokens >= 1
    assert not tiny.fits(prompt + "a", [" No"])
    with pytest.raises(InvalidInput, match="257 tokens; .* takes at most 256"):
        tiny.log_probs([AnswerRequest(prompt + "a", (" No",))])


def test_fits_asks_for_the_longest_answer(tiny):
    prompt = QA.prompt([], "Where?")
    long = " a" * 300
    assert tiny.fits(prompt, [])
    assert tiny.fits(prompt, [" No"])
    assert not tiny.fits(prompt, [" No", long, " No"])


def test_count_is_of_prompt_and_answer_together(tiny):
    asked = request(2)
    for answer, log_prob in zip(asked.answers, tiny.log_probs([asked])[0], strict=True):
        expected = tiny.count_tokens(asked.prompt) + log_prob.n_tokens
        assert tiny.count_tokens(asked.prompt, answer) == expected


def test_progress_rises_to_all_and_is_reported_after_every_batch(tiny_lm_folder):
    model = model_of(tiny_lm_folder, budget=Budget(1, 1))
    seen = []
    model.log_probs(
        [request(0), request(1)],
        watcher=Watcher(on_progress=lambda *progress: seen.append(progress)),
    )
    assert seen == [(done, 10) for done in range(1, 11)]


def test_cancel_between_batches(tiny_lm_folder):
    model = model_of(tiny_lm_folder, budget=Budget(1, 1))
    seen = []
    with pytest.raises(Cancelled):
        model.log_probs(
            [request(0)],
            watcher=Watcher(
                on_progress=lambda done, _: seen.append(done), cancelled=lambda: len(seen) == 3
            ),
        )
    assert seen == [1, 2, 3]


def test_memory_that_runs_out_halves_the_batch_and_goes_on(tiny_lm_folder):
    network = Cramped(AutoModelForCausalLM.from_pretrained(tiny_lm_folder).eval(), most=80)
    model = model_of(tiny_lm_folder, network, budget=Budget(10_000, 1 << 30))
    requests = [request(n) for n in (0, 1, 0, 2)] + [request(1, (" Yes.",))]
    assert_equal_to_reference(model, tiny_lm_folder, requests)
    refused_once = len(network.sizes)
    assert max(network.sizes) <= 80
    model.log_probs(requests)
    assert len(network.sizes) > refused_once


def test_memory_too_small_for_one_answer_is_said(tiny_lm_folder):
    network = Cramped(AutoModelForCausalLM.from_pretrained(tiny_lm_folder).eval(), most=30)
    model = model_of(tiny_lm_folder, network)
    with pytest.raises(InvalidInput, match="need more memory than cpu has left"):
        model.log_probs([request(4)])


def test_other_failures_are_not_taken_for_memory(tiny_lm_folder):
    network = Cramped(AutoModelForCausalLM.from_pretrained(tiny_lm_folder).eval(), most=10**9)
    model = model_of(tiny_lm_folder, network)
    network.most = "none"
    with pytest.raises(TypeError):
        model.log_probs([request(0)])
    assert is_out_of_memory(
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory")
    )
    assert is_out_of_memory(RuntimeError("MPS backend out of memory"))
    assert not is_out_of_memory(RuntimeError("mat1 and mat2 shapes cannot be multiplied"))


@pytest.mark.parametrize("budget", [Budget(1, 1), Budget(64, 20_000), Budget(10**6, 10**9)])
def test_budget_changes_no_value(tiny_lm_folder, budget):
    requests = [request(n) for n in (0, 3, 1)]
    assert_equal_to_reference(model_of(tiny_lm_folder, budget=budget), tiny_lm_folder, requests)


def test_network_that_cannot_pack_reads_plain_batches(tiny_lm_folder):
    class Plain(Cramped):
        def forward(self, input_ids, logits_to_keep=0, use_cache=False):
            return super().forward(input_ids, logits_to_keep, use_cache=use_cache)

        __call__ = forward

    network = Plain(AutoModelForCausalLM.from_pretrained(tiny_lm_folder).eval(), most=10**9)
    model = model_of(tiny_lm_folder, network)
    assert_equal_to_reference(model, tiny_lm_folder, [request(n) for n in (0, 2)])


def test_prompt_is_read_once_for_all_its_answers(tiny_lm_folder):
    network = Cramped(AutoModelForCausalLM.from_pretrained(tiny_lm_folder).eval(), most=10**9)
    model = model_of(tiny_lm_folder, network)
    network.sizes.clear()
    asked = request(4)
    (found,) = model.log_probs([asked])
    prompt = model.count_tokens(asked.prompt)
    assert network.sizes == [prompt + sum(x.n_tokens - 1 for x in found)]


def test_what_answers_begin_with_in_common_is_read_once(tiny_lm_folder):
    network = Cramped(AutoModelForCausalLM.from_pretrained(tiny_lm_folder).eval(), most=10**9)
    model = model_of(tiny_lm_folder, network)
    network.sizes.clear()
    asked = request(4, (" Nobody knows who wrote it.", " Nobody knows who wrote it, never."))
    assert_equal_to_reference(model, tiny_lm_folder, [asked])
    prompt, longest, _ = sizes_of(model, asked)
    assert network.sizes == [prompt + longest - 1]
