"""How texts are written side by side: what is read together, and what an architecture allows."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.errors import InvalidInput
from core.generation import GenerationRequest
from core.language_model.local.continuation import GenerationTask, batches, shared_of
from core.language_model.local.generator import TextGenerator
from core.language_model.local.probing import Limits
from core.language_model.local.rows import Budget, PairEncoder
from tests.support.reference_generation import reference_generation

AMPLE = Budget(10_000, 1 << 30, 100_000)
LIMITS = Limits(256, 256)
CONTEXT = "Q: Where is the moon?\nA: In the sky.\n\nQ: Who wrote it?\nA: Nobody knows.\n\n"
PROMPTS = [f"{CONTEXT}Q: {query}?\nA:" for query in ("When", "Is water wet", "What is it")]
MOST = 12


class Noted:
    """A network that notes the (rows, tokens) of every pass, and runs out of memory beyond `most`
    tokens in its cache, which it counts in `refused`.

    `hears` changes what it is given, `answers` what it puts out.
    """

    def __init__(self, inner, most=10**9, hears=None):
        self.inner, self.most, self.hears = inner, most, hears
        self.passes, self.refused = [], 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __call__(self, input_ids, **given):
        rows, tokens = input_ids.shape
        past = given.get("cache", given.get("past_key_values"))
        length = tokens + (past.get_seq_length() if past is not None else 0)
        if rows * length > self.most:
            self.refused += 1
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        self.passes.append((rows, tokens))
        return self.inner(input_ids=input_ids, **(self.hears(given) if self.hears else given))


@pytest.fixture
def generator_of(architecture_folders):
    def generator_of(family="llama", budget=AMPLE, limits=LIMITS, **noted):
        folder = architecture_folders[family]
        network = Noted(AutoModelForCausalLM.from_pretrained(folder).eval(), **noted)
        encoder = PairEncoder(AutoTokenizer.from_pretrained(folder))
        made = TextGenerator(
            network, encoder, name="tiny", window=256, limits=limits, budget=budget
        )
        return made, network, folder

    return generator_of


def assert_greedy(generator, folder, prompts=PROMPTS):
    requests = [GenerationRequest(prompt, max_new_tokens=MOST) for prompt in prompts]
    for prompt, (found,) in zip(prompts, generator.generate(requests), strict=True):
        assert list(found.tokens) == reference_generation(folder, prompt, MOST)[0]


def task(prompt, most=4, number=0):
    return GenerationTask(tuple(prompt), GenerationRequest("p"), number, most)


def sizes(tasks, budget=AMPLE, limits=LIMITS):
    return [
        ([len(prompt) for prompt in batch.prompts], batch.shared, batch.beyond)
        for batch in batches(tasks, budget, limits)
    ]


START = list(range(20))


def test_what_prompts_begin_with_in_common_is_counted_up_to_the_last_token_of_the_shortest():
    assert shared_of([]) == shared_of([task(START)]) == 0
    assert shared_of([task([*START, 1, 2]), task([*START, 1, 3])]) == 21
    assert shared_of([task([*START, 1]), task(START)]) == 19
    assert shared_of([task(START[:15]), task(START[:15])]) == 0
    assert shared_of([task([1, *START]), task(START)]) == 0


def test_prompts_that_begin_alike_are_a_batch_and_the_others_another():
    alike = [task([*START, *[99] * extra]) for extra in (1, 5)]
    others = [task([50 + i] * 14) for i in range(2)]
    assert sizes([alike[0], others[0], alike[1], others[1]]) == [
        ([25, 21], 20, False),
        ([14, 14], 0, False),
    ]


def test_a_prompt_half_as_long_is_not_padded_to_another():
    assert sizes([task([1] * 12), task([2] * 5), task([3] * 6)]) == [
        ([12, 6], 0, False),
        ([5], 0, False),
    ]


def test_samples_of_a_prompt_are_one_batch_that_reads_it_once(generator_of):
    generator, network, _ = generator_of()
    request = GenerationRequest(PROMPTS[0], 5, temperature=1.0, max_new_tokens=3)
    (texts,) = generator.generate([request])
    assert len(texts) == 5
    tokens = sum(rows * tokens for rows, tokens in network.passes if tokens > 8)
    (length,) = {len(prompt) for prompt in [generator._encoder.encode([PROMPTS[0]])[0]]}
    assert tokens == length - 1


def test_a_batch_stays_within_the_budget():
    tasks = [task([i] * 20, most=5) for i in range(5)]
    assert [len(lengths) for lengths, *_ in sizes(tasks, Budget(1, 1, cached=50))] == [2, 2, 1]
    assert [len(lengths) for lengths, *_ in sizes(tasks, Budget(1, 1, cached=1))] == [1] * 5


def test_beyond_a_sliding_window_only_equal_lengths_are_read_together():
    tasks = [task([1] * 30), task([2] * 30), task([3] * 29)]
    assert sizes(tasks, limits=Limits(packed=32, padded=99)) == [
        ([30, 30], 0, True),
        ([29], 0, True),
    ]


def test_texts_that_have_ended_are_not_read_on(generator_of):
    generator, network, folder = generator_of()
    requests = [
        GenerationRequest(prompt, max_new_tokens=most)
        for prompt, most in zip(PROMPTS, (2, 9, 4), strict=True)
    ]
    generator.generate(requests)
    steps = [rows for rows, tokens in network.passes if tokens == 1][-8:]
    assert steps == [3, 2, 2, 1, 1, 1, 1, 1]
    assert_greedy(generator, folder)


@pytest.mark.parametrize("family", ["llama", "gpt2", "bloom", "mistral"])
@pytest.mark.parametrize("deaf_to", ["attention_mask", "position_ids"])
def test_a_network_that_ignores_masks_or_positions_reads_no_unequal_prompts_together(
    generator_of, family, deaf_to
):
    def deaf(given):
        return {key: value for key, value in given.items() if key != deaf_to}

    generator, _, folder = generator_of(family, hears=deaf)
    assert_greedy(generator, folder)


def test_a_network_without_a_cache_is_read_from_the_beginning_at_every_step(generator_of):
    def forgets(given):
        if given.get("use_cache"):
            raise TypeError("unexpected keyword argument 'use_cache'")
        return given

    generator, network, folder = generator_of(hears=forgets)
    assert_greedy(generator, folder)
    assert {rows for rows, _ in network.passes[-MOST:]} == {1}


def test_when_memory_runs_out_the_batch_is_halved_and_the_texts_are_the_same(generator_of):
    _, _, folder = generator_of()
    encoder = AutoTokenizer.from_pretrained(folder)
    longest = max(len(encoder(prompt)["input_ids"]) for prompt in PROMPTS) + MOST
    generator, network, folder = generator_of(most=2 * longest)
    assert_greedy(generator, folder)
    assert network.refused == 1
    assert {rows for rows, _ in network.passes[-MOST:]} == {2}


def test_memory_too_small_for_one_prompt_is_one_sentence(generator_of):
    generator, _, _ = generator_of(most=30)
    with pytest.raises(InvalidInput, match="needs more memory than cpu has left for tiny; use few"):
        generator.generate([GenerationRequest(PROMPTS[0])])


def test_numbers_that_are_not_finite_are_one_sentence(architecture_folders):
    folder = architecture_folders["llama"]
    network = AutoModelForCausalLM.from_pretrained(folder).eval()
    encoder = PairEncoder(AutoTokenizer.from_pretrained(folder))
    generator = TextGenerator(
        network, encoder, name="tiny", window=256, limits=LIMITS, budget=AMPLE
    )
    generator.generate([GenerationRequest(PROMPTS[0], max_new_tokens=1)])
    with torch.no_grad():
        network.get_output_embeddings().weight.fill_(float("nan"))
    with pytest.raises(InvalidInput, match="no finite numbers in float32; choose float32, or ano"):
        generator.generate([GenerationRequest(PROMPTS[0])])
