"""How states are read: once a text, on the prefix's cache where it holds, within the budget."""

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from core.errors import Cancelled, InvalidInput
from core.language_model.local.forward import past_of
from core.language_model.local.local import LocalLanguageModel
from core.language_model.local.rows import Budget, PairEncoder
from core.watcher import Watcher
from tests.support.reference_states import reference_state
from tests.support.tiny_language_model import build_tokenizer

PREFIX = "Is it true?\nWater is wet.\nThe answer is yes.\n\n"
TEXTS = [
    f"Is it true?\nA spider has {i} legs.{' It is.' * (i % 3)}\nThe answer is" for i in range(7)
]
AMPLE = Budget(10_000, 1 << 30, 100_000)


class Noted:
    """The base of a network: notes the (rows, tokens) of every pass, and runs out of memory.

    `most` is how many tokens a pass may have, those it remembers included.
    """

    def __init__(self, inner, most=10**9):
        self.inner, self.most, self.passes = inner, most, []

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __call__(self, input_ids, **given):
        past = given.get("cache", given.get("past_key_values"))
        rows, tokens = input_ids.shape
        if rows * (tokens + (past.get_seq_length() if past is not None else 0)) > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        self.passes.append((rows, tokens))
        return self.answer(self.inner(input_ids=input_ids, **given), given)

    def answer(self, answer, given):
        return answer


class Forgetful(Noted):
    """Keeps zeros for the past once it is longer than `remembers` tokens."""

    remembers = 0

    def answer(self, answer, given):
        past = past_of(answer) if given.get("use_cache") else None
        if past is not None and past.get_seq_length() > self.remembers:
            for layer in past.layers:
                layer.keys, layer.values = layer.keys * 0, layer.values * 0
        return answer


class ForgetfulBeyond64(Forgetful):
    remembers = 64


class WithoutPast(Noted):
    """Knows no way to go on from a past."""

    def __call__(self, input_ids, use_cache=False):
        if use_cache:
            raise TypeError("unexpected keyword")
        return super().__call__(input_ids, use_cache=False)


class Based:
    """A network with another base."""

    def __init__(self, network, base):
        self.inner, self.base_model = network, base

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def __call__(self, **given):
        return self.inner(**given)


def read_by(folder, kind=Noted, *, budget=AMPLE, window=256, **given):
    """A model with its base noted."""
    network = AutoModelForCausalLM.from_pretrained(folder).eval()
    base = kind(network.base_model, **given)
    return model_of(folder, Based(network, base), budget=budget, window=window), base


def model_of(folder, network, *, budget=AMPLE, window=256):
    encoder = PairEncoder(AutoTokenizer.from_pretrained(folder))
    return LocalLanguageModel(
        network, encoder, name="tiny", fingerprint="f", window=window, budget=budget
    )


def expected(folder, prefix=PREFIX, texts=TEXTS):
    return np.stack([reference_state(folder, prefix, text) for text in texts])


def lengths(model, prefix=PREFIX, texts=TEXTS):
    before = model.count_tokens(prefix)
    return before, [model.count_tokens(prefix, text) - before for text in texts]


@pytest.fixture
def read_before(tiny_lm_folder):
    """A model that has found that its cache holds, with what it has read."""
    model, base = read_by(tiny_lm_folder)
    model.states("x", TEXTS[:2])
    base.passes.clear()
    return model, base


def test_prefix_is_read_once_and_texts_once_without_it(read_before, tiny_lm_folder):
    model, base = read_before
    assert model.states(PREFIX, [*TEXTS, *TEXTS]) == pytest.approx(
        expected(tiny_lm_folder, texts=[*TEXTS, *TEXTS]), abs=1e-4
    )
    before, own = lengths(model)
    assert base.passes == [(1, before), (len(TEXTS), max(own))]


def test_the_last_prefix_is_kept_for_further_calls(read_before, tiny_lm_folder):
    model, base = read_before
    before, own = lengths(model)
    for text in TEXTS[:2]:
        found = model.states(PREFIX, [text])
        assert found == pytest.approx(expected(tiny_lm_folder, texts=[text]), abs=1e-4)
    assert base.passes == [(1, before), (1, own[0]), (1, own[1])]
    model.states("No.", TEXTS[:1])
    model.states(PREFIX, TEXTS[:1])
    assert [tokens for _, tokens in base.passes].count(before) == 2


def test_first_call_compares_the_longest_and_the_shortest_with_plain_passes(tiny_lm_folder):
    model, base = read_by(tiny_lm_folder)
    model.states(PREFIX, TEXTS)
    before, own = lengths(model)
    assert base.passes == [
        (1, before),
        (2, max(own)),
        (1, before + max(own)),
        (1, before + min(own)),
        (len(TEXTS), max(own)),
    ]


@pytest.mark.parametrize("kind", [Forgetful, WithoutPast])
def test_where_the_cache_does_not_hold_equally_long_texts_are_read_whole(tiny_lm_folder, kind):
    model, base = read_by(tiny_lm_folder, kind)
    model.states("x", TEXTS[:2])
    base.passes.clear()
    found = model.states(PREFIX, TEXTS)
    assert found == pytest.approx(expected(tiny_lm_folder), abs=1e-4)
    before, own = lengths(model)
    assert base.passes == [
        (own.count(length), before + length) for length in sorted(set(own), reverse=True)
    ]


def test_a_cache_may_hold_within_a_sliding_window_only(architecture_folders):
    folder = architecture_folders["mistral"]
    model, base = read_by(folder, ForgetfulBeyond64)
    short, long = "No. ", PREFIX * 3
    assert lengths(model, short)[0] + max(lengths(model, short)[1]) < 64 < lengths(model, long)[0]
    for prefix in (long, short, long):
        found = model.states(prefix, TEXTS)
        assert found == pytest.approx(expected(folder, prefix), abs=1e-4)
    base.passes.clear()
    model.states(long, TEXTS)
    assert min(tokens for _, tokens in base.passes) > 64
    base.passes.clear()
    model.states(short, TEXTS)
    assert base.passes == [(1, lengths(model, short)[0]), (7, max(lengths(model, short)[1]))]


def test_texts_on_both_sides_of_a_sliding_window(architecture_folders):
    folder = architecture_folders["mistral"]
    model, _ = read_by(folder)
    prefix, texts = PREFIX * 2, ["x", "it", *TEXTS, "x" * 90]
    totals = sorted(model.count_tokens(prefix, text) for text in texts)
    assert totals[1] < 64 < totals[2]
    assert model.states(prefix, texts) == pytest.approx(expected(folder, prefix, texts), abs=1e-4)


def rope(kind, **settings):
    return {
        "rope_type": kind,
        "factor": 4.0,
        "rope_theta": 10000.0,
        "original_max_position_embeddings": 64,
    } | settings


@pytest.mark.parametrize(
    "settings",
    [rope("dynamic"), rope("longrope", short_factor=[1.0] * 4, long_factor=[1.0, 2.0, 4.0, 8.0])],
    ids=["dynamic", "longrope"],
)
def test_positions_that_depend_on_the_longest_sequence(tmp_path, settings):
    torch.manual_seed(0)
    tokenizer = build_tokenizer(adds_bos=True)
    config = AutoConfig.for_model(
        "llama", vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64,
        num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=256,
        rope_parameters=settings,
    )  # fmt: skip
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model, base = read_by(tmp_path)
    prefix, texts = PREFIX * 2, ["x", "it", *TEXTS, "x" * 90]
    model.states("x", TEXTS[:2])
    base.passes.clear()
    found = model.states(prefix, texts)
    assert found == pytest.approx(expected(tmp_path, prefix, texts), abs=1e-4)
    # What is beyond 64 tokens is read whole, the longest first, no two of different lengths.
    totals = [model.count_tokens(prefix, text) for text in texts]
    beyond = sorted({total for total in totals if total > 64}, reverse=True)
    before, own = lengths(model, prefix, texts[:2])
    assert len(beyond) > 2
    assert base.passes == [
        *((totals.count(total), total) for total in beyond),
        (1, before),
        (2, max(own)),
    ]


def test_architecture_without_attention(tmp_path):
    torch.manual_seed(0)
    tokenizer = build_tokenizer(adds_bos=True)
    config = AutoConfig.for_model(
        "mamba", vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, state_size=4
    )
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    model = model_of(tmp_path, AutoModelForCausalLM.from_pretrained(tmp_path).eval())
    assert model.states(PREFIX, TEXTS) == pytest.approx(expected(tmp_path), abs=1e-4)


@pytest.mark.parametrize("kind", [Noted, Forgetful])
@pytest.mark.parametrize("budget", [Budget(1, 1, 1), Budget(70, 1, 130), AMPLE])
def test_batches_stay_within_the_budget_which_changes_no_state(tiny_lm_folder, kind, budget):
    model, base = read_by(tiny_lm_folder, kind, budget=budget)
    model.states("x", TEXTS[:2])
    base.passes.clear()
    found = model.states(PREFIX, TEXTS)
    assert found == pytest.approx(expected(tiny_lm_folder), abs=1e-4)
    before, _ = lengths(model)
    for rows, tokens in base.passes:
        if kind is Noted and rows > 1:
            assert rows * (before + tokens) <= budget.cached
        assert rows == 1 or rows * tokens <= budget.tokens
    if budget == Budget(1, 1, 1):
        assert {rows for rows, _ in base.passes} == {1}


@pytest.mark.parametrize("kind", [Noted, Forgetful])
def test_memory_that_runs_out_halves_the_batch_and_the_next_ones(tiny_lm_folder, kind):
    most = 4 * 60
    model, base = read_by(tiny_lm_folder, kind, most=most)
    assert max(model.count_tokens(PREFIX, text) for text in TEXTS) <= 60
    for _ in range(2):
        seen = []
        found = model.states(
            PREFIX, TEXTS, watcher=Watcher(on_progress=lambda *done, seen=seen: seen.append(done))
        )
        assert found == pytest.approx(expected(tiny_lm_folder), abs=1e-4)
        assert seen[-1] == (7, 7)


def test_memory_too_small_for_one_text_is_a_sentence(tiny_lm_folder):
    model, _ = read_by(tiny_lm_folder, most=20)
    with pytest.raises(InvalidInput, match="A prefix and its text of .* need more memory than cpu"):
        model.states(PREFIX, TEXTS[:1])


def test_lack_of_memory_at_the_first_call_says_nothing_about_the_cache(tiny_lm_folder):
    model, base = read_by(tiny_lm_folder, most=60)
    model.states(PREFIX, TEXTS)
    base.most = 10**9
    model.states(PREFIX, TEXTS)
    base.passes.clear()
    model.states(PREFIX, TEXTS[:1])
    assert base.passes == [(1, lengths(model)[1][0])]


def test_other_failures_are_not_taken_for_memory(read_before):
    model, base = read_before
    base.most = "none"
    with pytest.raises(TypeError):
        model.states(PREFIX, TEXTS)


def test_progress_counts_distinct_texts_and_cancel_is_asked_before_every_batch(tiny_lm_folder):
    model, base = read_by(tiny_lm_folder, budget=Budget(1, 1, 1))
    seen = []
    model.states(
        PREFIX, [*TEXTS, TEXTS[0]], watcher=Watcher(on_progress=lambda *done: seen.append(done))
    )
    assert seen == [(done, 7) for done in range(1, 8)]
    seen.clear()
    base.passes.clear()
    with pytest.raises(Cancelled):
        model.states(
            PREFIX,
            TEXTS,
            watcher=Watcher(
                on_progress=lambda *done: seen.append(done), cancelled=lambda: len(seen) == 3
            ),
        )
    assert seen == [(1, 7), (2, 7), (3, 7)]
    assert len(base.passes) == 3


def test_states_are_float32_in_bfloat16_too(tiny_lm_folder):
    network = AutoModelForCausalLM.from_pretrained(tiny_lm_folder, dtype=torch.bfloat16).eval()
    found = model_of(tiny_lm_folder, network).states(PREFIX, TEXTS)
    precise = expected(tiny_lm_folder)
    assert found.dtype == np.float32
    apart = np.linalg.norm(found - precise, axis=1) / np.linalg.norm(precise, axis=1)
    assert apart.max() < 0.1


@pytest.mark.parametrize("budget", [Budget(1, 1, 1), AMPLE])
def test_text_whose_state_is_not_finite_is_named_in_a_sentence(tiny_lm_folder, budget):
    bad = TEXTS[2].replace("spider", "ZZZ")
    tokens = PairEncoder(AutoTokenizer.from_pretrained(tiny_lm_folder)).encode([bad, *TEXTS])
    of_bad = set(tokens[0]).difference(*tokens[1:])

    class Overflows(Noted):
        def __call__(self, input_ids, **given):
            answer = super().__call__(input_ids, **given)
            for row, ids in zip(answer.last_hidden_state, input_ids.tolist(), strict=True):
                if of_bad & set(ids):
                    row[:] = torch.inf  # what float16 makes of 70,000
            return answer

    assert of_bad
    model, _ = read_by(tiny_lm_folder, Overflows, budget=budget)
    with pytest.raises(
        InvalidInput, match=r"no finite numbers for the text '.*ZZZ.*' in float32; choose float32"
    ):
        model.states(PREFIX, [*TEXTS, bad])


def test_window_is_used_to_the_last_token(tiny_lm_folder):
    model, _ = read_by(tiny_lm_folder)
    text = "a" * 300
    while not model.fits(PREFIX, [text]):
        text = text[:-1]
    assert model.count_tokens(PREFIX, text) == 256
    found = model.states(PREFIX, [text])
    assert found == pytest.approx(expected(tiny_lm_folder, texts=[text]), abs=1e-4)
    with pytest.raises(InvalidInput, match="have 257 tokens; tiny takes at most 256"):
        model.states(PREFIX, [text + "a"])


def test_network_that_is_its_own_base_gives_no_states(tiny_lm_folder):
    network = AutoModelForCausalLM.from_pretrained(tiny_lm_folder).eval()
    alone = Based(network, None)
    alone.base_model = alone
    for texts in (TEXTS, []):
        with pytest.raises(InvalidInput, match="The model 'tiny' gives no hidden states"):
            model_of(tiny_lm_folder, alone).states(PREFIX, texts)


def test_base_that_puts_out_no_hidden_state_is_refused(tiny_lm_folder):
    class Headed(Noted):
        def answer(self, answer, given):
            return {"logits": answer.last_hidden_state}

    model, _ = read_by(tiny_lm_folder, Headed)
    with pytest.raises(InvalidInput, match="The model 'tiny' gives no hidden states"):
        model.states(PREFIX, TEXTS)
